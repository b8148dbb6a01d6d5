//! Threads and the places where work waits for them, so that reading need not.

use std::sync::{Condvar, Mutex, PoisonError};

use rayon::ThreadPoolBuilder;

/// Does something long. The system shares the cores between its threads and those that read.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

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
    use std::sync::mpsc;
    use std::time::Duration;

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn what_others_do_does_not_wait_for_it() {
        let (end, ended) = mpsc::channel::<()>();
        let long = std::thread::spawn(move || {
            // As many of them as there can be threads.
            let ended = std::sync::Mutex::new(ended);
            apart(|| {
                (0..64).into_par_iter().for_each(|_| {
                    let ended = ended.lock().unwrap();
                    let _ = ended.recv_timeout(Duration::from_secs(20));
                });
            });
        });
        let sum: u32 = (0..1000_u32).into_par_iter().sum();
        assert_eq!(sum, 499_500);
        assert!(!long.is_finished(), "it was done meanwhile");
        drop(end);
        long.join().unwrap();
    }

    #[test]
    fn only_the_last_is_taken() {
        let latest = Latest::default();
        latest.put(1);
        latest.put(2);
        assert_eq!(latest.take(), 2);
    }
}
