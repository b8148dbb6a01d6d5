//! What is kept because it takes a while to make.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gemtrail_store::Library;
use gemtrail_store::doctor::Report;
use jiff::Timestamp;
use jiff::civil::Date;

/// Periods whose figures are kept.
const PERIODS: usize = 32;

/// Figures that were drawn.
#[derive(Default)]
pub(crate) struct Figures {
    /// By the ends of their period.
    drawn: Mutex<HashMap<(String, String), Drawn>>,
    /// Held while drawing, so that figures requested several times at once are drawn once.
    drawing: Mutex<()>,
}

/// Figures of one view, on one day.
struct Drawn {
    /// Not the view itself, which would stay in memory when there is a new one.
    library: Weak<Library>,
    today: Date,
    markup: Arc<str>,
}

impl Figures {
    /// The figures of a period; they are drawn if they are not those of this view and day.
    pub(crate) fn of<E>(
        &self,
        period: (String, String),
        library: &Arc<Library>,
        today: Date,
        draw: impl FnOnce() -> Result<String, E>,
    ) -> Result<Arc<str>, E> {
        let find = || {
            let drawn = lock(&self.drawn);
            let is_current = |it: &&Drawn| {
                std::ptr::eq(it.library.as_ptr(), Arc::as_ptr(library)) && it.today == today
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
            today,
            markup: Arc::clone(&markup),
        };
        drawn.insert(period, entry);
        Ok(markup)
    }
}

/// The last report of the doctor.
#[derive(Default)]
pub(crate) struct Checkups {
    pub(crate) last: Mutex<Option<Arc<Checkup>>>,
    /// Whether another one is being made.
    pub(crate) is_running: AtomicBool,
}

/// A report, and what it is of.
pub(crate) struct Checkup {
    pub(crate) report: Report,
    pub(crate) at: Timestamp,
    pub(crate) version: u64,
}

/// Locks; a thread that panicked left nothing half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
