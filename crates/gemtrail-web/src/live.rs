//! Keeps the view up to date.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use gemtrail_store::FollowEvent;
use gemtrail_store::watch::Bell;

use crate::pages::overview::{self, Period};
use crate::viewer::Viewer;

/// A thread that follows the trail.
pub(crate) struct Following {
    bell: Arc<Bell>,
    thread: JoinHandle<()>,
}

impl Following {
    /// Ends it.
    pub(crate) fn end(self) {
        self.bell.stop();
        // It has nothing to say, and what it did is lost with it.
        let _ = self.thread.join();
    }
}

/// Starts to follow the trail of a viewer.
pub(crate) fn follow(viewer: &Arc<Viewer>) -> io::Result<Following> {
    let bell = Arc::new(Bell::default());
    let (followed, stop) = (Arc::clone(viewer), Arc::clone(&bell));
    let thread = std::thread::Builder::new().name("follow".to_owned());
    let thread = thread.spawn(move || {
        // Most people start with the overview, which takes the longest to draw.
        let _ = overview::page(&followed, &Period::default());
        let clock = followed.options.clock;
        followed.trail.follow(stop, None, clock, |event| {
            if let FollowEvent::Changed(changes) = event {
                followed.versions.note(&changes);
            }
        });
    })?;
    Ok(Following { bell, thread })
}
