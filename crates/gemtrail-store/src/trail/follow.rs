//! A view that keeps itself up to date.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use gemtrail_home::watch::{Bell, Follow, FollowNotice, Follower, Wake};
use jiff::Timestamp;

use super::{Notice, Trail, TrailError};
use crate::Home;
use crate::library::Changes;

/// An event while following a trail.
#[derive(Debug)]
#[non_exhaustive]
pub enum FollowEvent {
    /// The view was replaced; this is what changed.
    Changed(Changes),
    /// A notice about the homes or the archive.
    Notice(Notice),
    /// A notice about following.
    Following(FollowNotice),
    /// A look failed. The view stays as it was, and the next look may succeed.
    Failed(TrailError),
}

impl Trail {
    /// Refreshes the view whenever something changes, until the bell is stopped. Blocks, so run it
    /// on a thread of its own. With `poll`, looks at that interval instead of waiting for events.
    /// The clock comes from the caller.
    pub fn follow(
        &self,
        bell: Arc<Bell>,
        poll: Option<Duration>,
        clock: impl Fn() -> Timestamp,
        on_event: impl FnMut(FollowEvent),
    ) {
        let mut refreshing = Refreshing {
            trail: self,
            clock,
            on_event,
            told: Vec::new(),
        };
        match Follower::new(bell, poll).run(&mut refreshing) {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }
}

struct Refreshing<'t, C, E> {
    trail: &'t Trail,
    clock: C,
    on_event: E,
    /// The notices of the last look, which are not repeated at every look.
    told: Vec<String>,
}

impl<C: Fn() -> Timestamp, E: FnMut(FollowEvent)> Follow for Refreshing<'_, C, E> {
    type Error = Infallible;

    fn homes(&mut self) -> Vec<Home> {
        self.trail.homes().unwrap_or_default()
    }

    fn look(&mut self, _: &Wake) -> Result<bool, Infallible> {
        let now = (self.clock)().as_millisecond();
        let (mut events, mut changes) = (Vec::new(), None);
        match self.trail.refresh(now) {
            Ok((found, notices)) => {
                let notices = notices.into_iter();
                events.extend(notices.map(|it| (it.to_string(), FollowEvent::Notice(it))));
                changes = found;
            }
            Err(error) => events.push((error.to_string(), FollowEvent::Failed(error))),
        }
        let before = std::mem::take(&mut self.told);
        for (text, event) in events {
            if !before.contains(&text) {
                (self.on_event)(event);
            }
            self.told.push(text);
        }
        let has_changed = changes.is_some();
        if let Some(changes) = changes {
            (self.on_event)(FollowEvent::Changed(changes));
        }
        Ok(has_changed)
    }

    fn tell(&mut self, notice: FollowNotice) {
        (self.on_event)(FollowEvent::Following(notice));
    }
}
