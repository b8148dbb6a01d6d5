//! Long work runs on threads of its own, so that reading need not wait for it.

use rayon::ThreadPoolBuilder;

/// Does something long. The system shares the cores between its threads and those that read.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use rayon::prelude::*;

    use super::apart;

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
}
