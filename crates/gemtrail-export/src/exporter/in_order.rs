//! A pipeline of three steps: the first and last run on several threads, the middle one in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Whose turn it is, and what failed.
struct Turns<M, E> {
    next: usize,
    has_stopped: bool,
    errors: Vec<E>,
    middle: M,
}

/// Takes `count` items through `begin` and `end` on several threads and through `middle` in order.
/// Each thread holds one item. Items whose `begin` fails are left out; their errors are returned,
/// in order.
pub(super) fn in_order<A, B, C, E>(
    count: usize,
    threads: usize,
    begin: impl Fn(usize) -> Result<A, E> + Sync,
    middle: impl FnMut(usize, A) -> B + Send,
    end: impl Fn(usize, B) -> C + Sync,
) -> (Vec<C>, Vec<E>)
where
    C: Send,
    E: Send,
{
    let turns = Mutex::new(Turns {
        next: 0,
        has_stopped: false,
        errors: Vec::new(),
        middle,
    });
    let changed = Condvar::new();
    let unclaimed = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, C)>> = Mutex::new(Vec::with_capacity(count));
    let work = || {
        let _panics_stop_all = StopOnPanic(|| {
            let mut turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.has_stopped = true;
            changed.notify_all();
        });
        loop {
            let at = unclaimed.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            let outcome = begin(at);
            let Ok(guard) = turns.lock() else { return };
            let wait = |turns: &mut Turns<_, E>| turns.next != at && !turns.has_stopped;
            let Ok(mut turns) = changed.wait_while(guard, wait) else {
                return;
            };
            if turns.has_stopped {
                return;
            }
            let passed = match outcome {
                Ok(thing) => Some((turns.middle)(at, thing)),
                Err(error) => {
                    turns.errors.push(error);
                    None
                }
            };
            turns.next += 1;
            changed.notify_all();
            drop(turns);
            let Some(passed) = passed else { continue };
            let ended = end(at, passed);
            if let Ok(mut done) = done.lock() {
                done.push((at, ended));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results = done.into_iter().map(|(_, ended)| ended).collect();
    (results, turns.errors)
}

/// Runs if its thread panics, so that the others do not wait forever for its turn.
struct StopOnPanic<F: FnMut()>(F);

impl<F: FnMut()> Drop for StopOnPanic<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn the_middle_is_in_order_and_so_are_the_results() {
        for threads in [1, 2, 5] {
            let mut seen = Vec::new();
            let (ended, errors) = in_order(
                100,
                threads,
                |at| Ok::<_, ()>(at * 2),
                |at, begun| {
                    seen.push(at);
                    begun + 1
                },
                |at, cleared| (at, cleared),
            );
            assert!(seen.iter().copied().eq(0..100));
            assert!(
                ended
                    .iter()
                    .copied()
                    .eq((0..100).map(|at| (at, at * 2 + 1)))
            );
            assert_eq!(errors, []);
        }
    }

    #[test]
    fn what_fails_does_not_stop_the_others() {
        for threads in [1, 3] {
            let (ended, errors) = in_order(
                50,
                threads,
                |at| if at % 20 == 19 { Err(at) } else { Ok(()) },
                |at, ()| at,
                |_, at| at,
            );
            assert!(ended.into_iter().eq((0..50).filter(|at| at % 20 != 19)));
            assert_eq!(errors, [19, 39]);
        }
    }

    #[test]
    fn a_panic_keeps_no_thread_waiting() {
        let outcome = std::panic::catch_unwind(|| {
            in_order(
                20,
                3,
                |at| {
                    assert_ne!(at, 7, "on purpose");
                    Ok::<_, ()>(())
                },
                |_, ()| (),
                |_, ()| (),
            )
        });
        assert!(outcome.is_err());
    }
}
