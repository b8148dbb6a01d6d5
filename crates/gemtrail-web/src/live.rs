//! Keeps the view up to date.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::Duration;

use gemtrail_store::FollowEvent;
use gemtrail_store::watch::Bell;

use crate::pages::overview::{self, Period};
use crate::viewer::Viewer;

/// A thread that follows the trail.
pub(crate) struct Following {
    bell: Arc<Bell>,
    thread: JoinHandle<()>,
    drawn: Receiver<()>,
}

/// The wait for the first page: not long enough to be noticed.
const SOON: Duration = Duration::from_millis(250);

impl Following {
    /// Waits for the first page, if that does not take long.
    pub(crate) fn first_page(&self) {
        // If it takes longer, the first request waits for it.
        let _ = self.drawn.recv_timeout(SOON);
    }

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
    let (tell, drawn) = mpsc::sync_channel(1);
    let thread = std::thread::Builder::new().name("follow".to_owned());
    let thread = thread.spawn(move || {
        // Most people start with the overview, which takes the longest to draw.
        let _ = overview::page(&followed, &Period::default());
        let _ = tell.try_send(());
        // The list of sessions is next.
        drop(followed.rows());
        let clock = followed.options.clock;
        followed.trail.follow(stop, None, clock, |event| {
            if let FollowEvent::Changed(changes) = event {
                followed.versions.note(&changes);
            }
        });
    })?;
    Ok(Following {
        bell,
        thread,
        drawn,
    })
}
