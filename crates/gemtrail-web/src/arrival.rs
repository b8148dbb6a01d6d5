//! Who has connected and not asked yet: the oldest gives way when the places are full.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Connections whose request has not arrived, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Arriving(Mutex<VecDeque<Arc<Notify>>>);

impl Arriving {
    fn with<T>(&self, act: impl FnOnce(&mut VecDeque<Arc<Notify>>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn give_up_oldest(&self) {
        if let Some(oldest) = self.with(VecDeque::pop_front) {
            oldest.notify_one();
        }
    }
}

/// The place of one connection among those; left when it is dropped.
#[derive(Debug)]
pub(crate) struct Arrival {
    all: Arc<Arriving>,
    given_up: Arc<Notify>,
}

impl Arrival {
    pub(crate) fn new(all: Arc<Arriving>) -> Self {
        let given_up = Arc::new(Notify::new());
        all.with(|all| all.push_back(Arc::clone(&given_up)));
        Self { all, given_up }
    }

    /// Ends when another connection needs the place.
    pub(crate) async fn given_up(&self) {
        self.given_up.notified().await;
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let is_other = |it: &Arc<Notify>| !Arc::ptr_eq(it, &self.given_up);
        self.all.with(|all| all.retain(is_other));
    }
}
