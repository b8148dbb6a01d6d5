//! Versions of sessions: changes since the server was started.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use gemtrail_core::model::SessionRef;
use gemtrail_store::Changes;

use crate::kept::lock;

/// Counts of changes of the view and its sessions since the server was started.
pub(crate) struct SessionVersions {
    /// Tells this server from one that was there before.
    boot: i128,
    view: AtomicU64,
    /// The last version for which it is not known which sessions changed.
    any: AtomicU64,
    sessions: Mutex<HashMap<SessionRef, u64>>,
}

impl SessionVersions {
    pub(crate) fn new(boot: i128) -> Self {
        Self {
            boot,
            view: AtomicU64::new(0),
            any: AtomicU64::new(0),
            sessions: Mutex::default(),
        }
    }

    /// The version of the view.
    pub(crate) fn view(&self) -> u64 {
        self.view.load(Ordering::Acquire)
    }

    /// The version of a session.
    pub(crate) fn of(&self, reference: SessionRef) -> u64 {
        let own = lock(&self.sessions).get(&reference).copied();
        own.unwrap_or_default()
            .max(self.any.load(Ordering::Acquire))
    }

    /// A version as an `ETag`.
    pub(crate) fn tag(&self, version: u64) -> String {
        format!("\"{:x}-{version}\"", self.boot)
    }

    /// Notes what changed.
    pub(crate) fn note(&self, changes: &Changes) {
        let version = self.view.fetch_add(1, Ordering::AcqRel) + 1;
        if changes.other {
            self.any.store(version, Ordering::Release);
        }
        let mut sessions = lock(&self.sessions);
        let lists = [&changes.added, &changes.changed, &changes.removed];
        for reference in lists.into_iter().flatten() {
            sessions.insert(*reference, version);
        }
    }
}
