//! Caches of what takes a while to make.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gemtrail_doctor::Report;
use gemtrail_store::Library;
use jiff::Timestamp;
use jiff::civil::Date;

/// Periods whose figures are kept.
const PERIODS: usize = 32;

/// Figures that were drawn.
#[derive(Default)]
pub(crate) struct FigureCache {
    /// By the ends of their period.
    drawn: Mutex<HashMap<(String, String), Drawn>>,
    /// Held while drawing, so that figures requested several times at once are drawn once.
    drawing: Mutex<()>,
}

/// Figures of one view.
struct Drawn {
    /// Not the view itself, which would stay in memory when there is a new one.
    library: Weak<Library>,
    meaning: Meaning,
    markup: Arc<str>,
}

/// The meaning of a period at one moment: `7d` begins a little later each time it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Meaning {
    pub(crate) now: Timestamp,
    pub(crate) today: Date,
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
}

impl Meaning {
    /// True if figures of then are still good: it is the same day, and no end has moved by more than
    /// a hundredth of its age. So `30d` is not redrawn for every request, and `2h` is never hours old.
    fn is_still(&self, then: &Self) -> bool {
        let is_near = |end: Option<Timestamp>, then: Option<Timestamp>| match (end, then) {
            (Some(end), Some(then)) => {
                let moved = end.duration_since(then).as_secs().saturating_abs();
                let age = self.now.duration_since(end).as_secs().saturating_abs();
                moved <= age / 100
            }
            (end, then) => end == then,
        };
        self.today == then.today
            && is_near(self.since, then.since)
            && is_near(self.until, then.until)
    }
}

impl FigureCache {
    /// The figures of a period; they are drawn if they are not those of this view and meaning.
    pub(crate) fn of<E>(
        &self,
        period: (String, String),
        library: &Arc<Library>,
        meaning: Meaning,
        draw: impl FnOnce() -> Result<String, E>,
    ) -> Result<Arc<str>, E> {
        let find = || {
            let drawn = lock(&self.drawn);
            let is_current = |it: &&Drawn| {
                std::ptr::eq(it.library.as_ptr(), Arc::as_ptr(library))
                    && meaning.is_still(&it.meaning)
            };
            let found = drawn.get(&period).filter(is_current);
            found.map(|drawn| Arc::clone(&drawn.markup))
        };
        if let Some(markup) = find() {
            return Ok(markup);
        }
        let _one_at_a_time = lock(&self.drawing);
        if let Some(markup) = find() {
            return Ok(markup);
        }
        let markup: Arc<str> = draw()?.into();
        let mut drawn = lock(&self.drawn);
        if drawn.len() >= PERIODS {
            drawn.clear();
        }
        let entry = Drawn {
            library: Arc::downgrade(library),
            meaning,
            markup: Arc::clone(&markup),
        };
        drawn.insert(period, entry);
        Ok(markup)
    }
}

/// The last check-up of the doctor.
#[derive(Default)]
pub(crate) struct Checkups {
    last: Mutex<Option<Arc<Examination>>>,
    /// Held while examining, so that those who ask at once share one check-up.
    examining: Mutex<()>,
    /// True if a thread was started for another one.
    is_running: AtomicBool,
}

/// The result of an examination, and the version of the view that it is of.
pub(crate) struct Examination {
    /// The report, or why there is none.
    pub(crate) report: Result<Report, String>,
    pub(crate) at: Timestamp,
    pub(crate) version: u64,
}

impl Checkups {
    /// The last one, if there was one.
    pub(crate) fn last(&self) -> Option<Arc<Examination>> {
        lock(&self.last).clone()
    }

    /// The last one, or another one if that is due.
    pub(crate) fn current(
        &self,
        is_due: impl Fn(&Examination) -> bool,
        examine: impl FnOnce() -> Examination,
    ) -> Arc<Examination> {
        let _one_at_a_time = lock(&self.examining);
        if let Some(last) = self.last().filter(|last| !is_due(last)) {
            return last;
        }
        let checkup = Arc::new(examine());
        *lock(&self.last) = Some(Arc::clone(&checkup));
        checkup
    }

    /// The right to start a thread for another one; nothing if there is such a thread.
    pub(crate) fn run(self: &Arc<Self>) -> Option<CheckupRun> {
        let is_running = self.is_running.swap(true, Ordering::AcqRel);
        (!is_running).then(|| CheckupRun(Arc::clone(self)))
    }
}

/// Held by the thread that examines. However that ends, the next one may start then.
pub(crate) struct CheckupRun(Arc<Checkups>);

impl Drop for CheckupRun {
    fn drop(&mut self) {
        self.0.is_running.store(false, Ordering::Release);
    }
}

/// Locks; a thread that panicked left nothing half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;

    use jiff::SignedDuration;

    use super::*;

    /// `2h` on an afternoon, so many seconds after three o'clock.
    fn two_hours(seconds: i64) -> Meaning {
        let now: Timestamp = "2026-11-17T15:00:00Z".parse().expect("a time");
        let now = now + SignedDuration::from_secs(seconds);
        Meaning {
            now,
            today: jiff::civil::date(2026, 11, 17),
            since: Some(now - SignedDuration::from_hours(2)),
            until: None,
        }
    }

    #[test]
    fn figures_of_hours_do_not_stay_for_the_day() {
        let (figures, library) = (FigureCache::default(), Arc::new(Library::default()));
        let at = |meaning: Meaning, drawn: &str| -> String {
            let draw = || Ok::<_, Infallible>(drawn.to_owned());
            let period = ("2h".to_owned(), String::new());
            let Ok(markup) = figures.of(period, &library, meaning, draw);
            markup.to_string()
        };
        assert_eq!(at(two_hours(0), "first"), "first");
        assert_eq!(at(two_hours(60), "a minute later"), "first");
        assert_eq!(at(two_hours(3600), "an hour later"), "an hour later");
        // What does not move stays.
        let fixed = |seconds| Meaning {
            since: two_hours(0).since,
            ..two_hours(seconds)
        };
        assert_eq!(at(fixed(0), "fixed"), "fixed");
        assert_eq!(at(fixed(3600), "fixed, an hour later"), "fixed");
    }

    #[test]
    fn those_who_ask_at_once_share_a_checkup() {
        let (checkups, made) = (Checkups::default(), AtomicUsize::new(0));
        let all = Barrier::new(4);
        let examine = || {
            made.fetch_add(1, Ordering::AcqRel);
            Examination {
                report: Err("nothing is there".to_owned()),
                at: Timestamp::UNIX_EPOCH,
                version: 0,
            }
        };
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    all.wait();
                    checkups.current(|_| false, examine);
                });
            }
        });
        assert_eq!(made.load(Ordering::Acquire), 1);
    }

    #[test]
    fn a_thread_that_panics_does_not_keep_others_from_examining() {
        let checkups = Arc::new(Checkups::default());
        let run = checkups.run().expect("nothing is running");
        assert!(checkups.run().is_none());
        let broken = std::thread::spawn(move || {
            let _run = run;
            panic!("on purpose");
        });
        assert!(broken.join().is_err());
        assert!(checkups.run().is_some());
    }
}
