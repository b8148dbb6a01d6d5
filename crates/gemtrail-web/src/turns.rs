//! How much is made at a time. Whoever asks for more waits, so that memory stays what a few pages
//! take, however many are asked for.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Pages that are made at a time: more than one, so that a small one need not wait for a large one.
const TURNS: std::ops::RangeInclusive<usize> = 2..=4;

/// Pages of sessions that are being sent at a time. Each has its session in memory until a slow
/// client has taken everything.
const SENT: usize = 12;

/// Who may make a page now.
pub(crate) struct Turns {
    turns: Arc<Semaphore>,
    sent: Arc<Semaphore>,
}

/// The right to make a page. Whoever waits for a client gives it back meanwhile.
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
        // First the place: whoever has one needs turns to get done.
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
    fn whoever_waits_for_a_client_lets_others_work() {
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
