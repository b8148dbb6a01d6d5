//! What is kept because it takes a while to make.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gemtrail_store::Library;
use gemtrail_store::doctor::Report;
use jiff::Timestamp;
use jiff::civil::Date;

/// Figures that were drawn, by the ends of their period.
pub(crate) type Figures = Mutex<HashMap<(String, String), Drawn>>;

/// Figures of one view, on one day.
pub(crate) struct Drawn {
    pub(crate) library: Arc<Library>,
    pub(crate) today: Date,
    pub(crate) markup: Arc<str>,
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
