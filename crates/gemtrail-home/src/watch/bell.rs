//! Wakes the thread that waits for changes.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rung when a change is seen, waited on by the thread that looks for changes.
#[derive(Debug, Default)]
pub struct Bell {
    state: Mutex<State>,
    rung: Condvar,
}

#[derive(Debug, Default)]
struct State {
    has_changed: bool,
    is_stopped: bool,
    is_lost: bool,
    trouble: Option<String>,
}

/// The reason why waiting ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Something may have changed.
    Changed,
    /// The timeout passed without a change.
    Due,
    /// Watching failed; changes are no longer reported.
    Trouble(String),
    /// The bell was stopped.
    Stopped,
}

impl Bell {
    /// Signals that something may have changed.
    pub fn ring(&self) {
        self.set(|state| state.has_changed = true);
    }

    /// Ends all waiting.
    pub fn stop(&self) {
        self.set(|state| state.is_stopped = true);
    }

    /// True if it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Signals that watching failed, and why.
    pub(super) fn report(&self, trouble: String) {
        self.set(|state| state.trouble = Some(trouble));
    }

    /// Signals that a watched directory was replaced or removed.
    pub(super) fn lose(&self) {
        self.set(|state| {
            state.is_lost = true;
            state.has_changed = true;
        });
    }

    pub(super) fn take_lost(&self) -> bool {
        std::mem::take(&mut self.state().is_lost)
    }

    /// Waits until it rings, at most this long.
    pub fn wait(&self, longest: Duration) -> Wake {
        let is_silent =
            |state: &mut State| !state.has_changed && !state.is_stopped && state.trouble.is_none();
        let waited = self
            .rung
            .wait_timeout_while(self.state(), longest, is_silent);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_stopped {
            return Wake::Stopped;
        }
        if let Some(trouble) = state.trouble.take() {
            return Wake::Trouble(trouble);
        }
        if std::mem::take(&mut state.has_changed) {
            Wake::Changed
        } else {
            Wake::Due
        }
    }

    /// Waits this long whatever changes, unless stopped; then drops the changes signalled so far.
    pub fn rest(&self, time: Duration) {
        let goes_on = |state: &mut State| !state.is_stopped;
        let waited = self.rung.wait_timeout_while(self.state(), time, goes_on);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.has_changed = false;
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.rung.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn many_rings_are_one_change() {
        let bell = Bell::default();
        assert_eq!(bell.wait(NOW), Wake::Due);
        bell.ring();
        bell.ring();
        assert_eq!(bell.wait(NOW), Wake::Changed);
        assert_eq!(bell.wait(NOW), Wake::Due);
        bell.ring();
        bell.rest(NOW);
        assert_eq!(bell.wait(NOW), Wake::Due, "forgotten");
    }

    #[test]
    fn stopping_comes_before_everything_and_stays() {
        let bell = Bell::default();
        bell.ring();
        bell.report("x".to_owned());
        bell.stop();
        assert_eq!(bell.wait(NOW), Wake::Stopped);
        assert_eq!(bell.wait(NOW), Wake::Stopped);
        bell.rest(Duration::from_secs(3600));
        assert!(bell.is_stopped());
    }
}
