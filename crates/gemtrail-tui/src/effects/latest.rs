//! A place for work of which only the last matters.

use std::sync::{Condvar, Mutex, PoisonError};

/// Holds the last thing that was put in until somebody takes it.
#[derive(Debug)]
pub(super) struct Latest<T> {
    place: Mutex<Option<T>>,
    filled: Condvar,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self {
            place: Mutex::new(None),
            filled: Condvar::new(),
        }
    }
}

impl<T> Latest<T> {
    /// Replaces what nobody has taken yet.
    pub(super) fn put(&self, work: T) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
        self.filled.notify_one();
    }

    /// Waits for something.
    pub(super) fn take(&self) -> T {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match place.take() {
                Some(work) => return work,
                None => {
                    place = self
                        .filled
                        .wait(place)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_is_taken() {
        let latest = Latest::default();
        latest.put(1);
        latest.put(2);
        assert_eq!(latest.take(), 2);
    }
}
