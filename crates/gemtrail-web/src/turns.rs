//! Limits how many pages are made at once. Further requests wait, so memory use is that of a few pages,
//! however many are requested.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of pages made at once: more than one, so that a small page need not wait for a large one.
const TURNS: std::ops::RangeInclusive<usize> = 2..=4;

/// The number of session pages sent at once. Each keeps its session in memory until the client has
/// read all of it.
const SENT: usize = 12;

/// The turns there are.
pub(crate) struct Turns {
    turns: Arc<Semaphore>,
    sent: Arc<Semaphore>,
}

/// The right to make a page. It is given up while waiting for a client.
pub(crate) struct Turn {
    turns: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
    _sent: Option<OwnedSemaphorePermit>,
}

impl Default for Turns {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let turns = processors.clamp(*TURNS.start(), *TURNS.end());
        Self {
            turns: Arc::new(Semaphore::new(turns)),
            sent: Arc::new(Semaphore::new(SENT)),
        }
    }
}

impl Turns {
    /// Waits for a turn.
    pub(crate) async fn next(&self) -> Turn {
        Turn {
            // It is never closed.
            held: Arc::clone(&self.turns).acquire_owned().await.ok(),
            turns: Arc::clone(&self.turns),
            _sent: None,
        }
    }

    /// Waits until one more session can be in memory while its page is sent, and for a turn.
    pub(crate) async fn next_to_send(&self) -> Turn {
        // First the place among those being sent: they need turns to finish.
        let sent = Arc::clone(&self.sent).acquire_owned().await;
        Turn {
            _sent: sent.ok(),
            ..self.next().await
        }
    }
}

impl Turn {
    /// Lets others have a turn while `wait` waits. Not for asynchronous code.
    pub(crate) fn meanwhile<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        self.held = None;
        let waited = wait();
        let turn = Arc::clone(&self.turns).acquire_owned();
        self.held = Handle::current().block_on(turn).ok();
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_client_frees_the_turn() {
        let runtime = tokio::runtime::Builder::new_multi_thread().build();
        let runtime = runtime.expect("a runtime");
        let turns = Turns::default();
        let mut all = Vec::new();
        while turns.turns.available_permits() > 0 {
            all.push(runtime.block_on(turns.next_to_send()));
        }
        let mut one = all.pop().expect("a turn");
        let _inside = runtime.enter();
        let free = one.meanwhile(|| turns.turns.available_permits());
        assert_eq!((free, turns.turns.available_permits()), (1, 0));
        assert_eq!(turns.sent.available_permits(), SENT - all.len() - 1);
        drop((one, all));
        assert_eq!(turns.sent.available_permits(), SENT);
    }
}
