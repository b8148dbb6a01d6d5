//! The loop behind everything that follows changes: `sync --watch`, the browser, pages, tools.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Bell, Wake, Watch, is_remote};
use crate::Home;

/// Debounce: Gemini CLI writes several lines per answer.
pub(crate) const GATHER: Duration = Duration::from_millis(100);
/// Upper limit of the pause after a long look, which keeps a large, busy project from taking a
/// whole CPU core.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// Events get lost, so look at least this often.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Polling interval where there are no events.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// When polling, looking takes at most one part in this many of the time.
const POLL_SHARE: u32 = 10;

/// Something about following that the user may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FollowNotice {
    /// The system reports no events, for this reason: homes are polled every second instead.
    Polling(String),
    /// A change was found that no event had reported.
    Missed,
}

/// The callbacks of a follower.
pub trait Follow {
    /// The error that ends the loop.
    type Error;

    /// The homes to watch. Called before every look, since homes come and go.
    fn homes(&mut self) -> Vec<Home>;

    /// Looks for changes; returns whether there were any.
    fn look(&mut self, woken: &Wake) -> Result<bool, Self::Error>;

    /// Receives notices about following.
    fn tell(&mut self, notice: FollowNotice);
}

/// Looks whenever something may have changed, until its bell is stopped.
///
/// Every look is a full one: whatever triggered it, it finds everything that changed. So it does
/// not matter whether events come late, twice or not at all.
#[derive(Debug)]
pub struct Follower {
    bell: Arc<Bell>,
    /// `None` while polling.
    watch: Option<Watch>,
    /// The time to wait without events.
    every: Duration,
    /// True if the caller set this interval.
    is_asked: bool,
}

impl Follower {
    /// Follows until the bell is stopped. With `poll`, looks at that interval instead of using
    /// events.
    pub fn new(bell: Arc<Bell>, poll: Option<Duration>) -> Self {
        let watch = poll.is_none().then(|| Watch::new(Arc::clone(&bell)));
        Self {
            bell,
            watch,
            every: poll.unwrap_or(LOOK_EVERY),
            is_asked: poll.is_some(),
        }
    }

    /// Runs until the bell is stopped or a look fails.
    pub fn run<F: Follow>(mut self, follow: &mut F) -> Result<(), F::Error> {
        let mut woken = Wake::Changed;
        let mut is_first = true;
        while woken != Wake::Stopped {
            self.aim(&follow.homes(), follow);
            let start = Instant::now();
            let has_changed = follow.look(&woken)?;
            if has_changed && woken == Wake::Due && !is_first {
                self.missed_something(follow);
            }
            is_first = false;
            woken = self.wait(start.elapsed(), follow);
        }
        Ok(())
    }

    /// Watches the homes in their current state.
    fn aim(&mut self, homes: &[Home], follow: &mut impl Follow) {
        let Some(watch) = &mut self.watch else {
            return;
        };
        if let Some(remote) = homes.iter().find(|home| is_remote(&home.root)) {
            let why = format!("{} is on another machine", remote.root.display());
            self.poll_instead(why, follow);
        } else if let Err(error) = watch.aim(homes) {
            self.poll_instead(error.to_string(), follow);
        }
    }

    fn poll_instead(&mut self, why: String, follow: &mut impl Follow) {
        self.watch = None;
        self.every = POLL_EVERY;
        follow.tell(FollowNotice::Polling(why));
    }

    fn missed_something(&mut self, follow: &mut impl Follow) {
        if let Some(watch) = &mut self.watch {
            follow.tell(FollowNotice::Missed);
            watch.renew();
        }
    }

    /// Waits for the next reason to look, after a look that took `looked`.
    fn wait(&mut self, looked: Duration, follow: &mut impl Follow) -> Wake {
        if self.watch.is_none() {
            let share = if self.is_asked { 0 } else { POLL_SHARE };
            return self.bell.wait(self.every.max(looked * share));
        }
        match self.bell.wait(self.every) {
            Wake::Changed => {
                self.bell.rest(GATHER.max(looked.min(LONGEST_PAUSE)));
                if self.bell.is_stopped() {
                    Wake::Stopped
                } else {
                    Wake::Changed
                }
            }
            Wake::Trouble(why) => {
                self.poll_instead(why, follow);
                Wake::Changed
            }
            wake => wake,
        }
    }
}
