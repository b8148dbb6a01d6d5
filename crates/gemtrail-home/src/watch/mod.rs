//! Reports promptly when something in a home may have changed.
//!
//! Events only say that it is time to look: what changed is found by scanning the home, so
//! spurious, lost or late events do no harm as long as the home is also scanned now and then.

mod bell;
mod follow;
mod mounts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::Home;
pub use bell::{Bell, Wake};
pub use follow::{Follow, FollowNotice, Follower};
pub use mounts::is_remote;

/// A reason why homes cannot be watched. They can still be polled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The system's limit on watched directories is reached.
    #[error("the system's limit of watched directories is reached")]
    Limit,
    /// Anything else.
    #[error("file events are not available: {0}")]
    Failed(notify::Error),
}

/// Watches homes and rings a bell.
#[derive(Debug)]
pub struct Watch {
    bell: Arc<Bell>,
    watcher: Option<RecommendedWatcher>,
    targets: Vec<Target>,
}

/// A watched directory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    path: PathBuf,
    mode: RecursiveMode,
    /// Distinguishes a directory from a later one of the same name.
    identity: Option<(u64, u64)>,
}

impl Watch {
    /// A watch without any homes.
    pub fn new(bell: Arc<Bell>) -> Self {
        Self {
            bell,
            watcher: None,
            targets: Vec::new(),
        }
    }

    /// Watches these homes in their current state. Call this before every look: a home may have
    /// appeared, disappeared or been replaced.
    pub fn aim(&mut self, homes: &[Home]) -> Result<(), WatchError> {
        let targets = targets(homes);
        let is_lost = self.bell.take_lost();
        if self.watcher.is_some() && !is_lost && self.targets == targets {
            return Ok(());
        }
        self.renew();
        let bell = Arc::clone(&self.bell);
        let paths: Vec<PathBuf> = targets.iter().map(|target| target.path.clone()).collect();
        let roots: Vec<PathBuf> = homes.iter().map(|home| home.root.clone()).collect();
        let hear = move |event| hear(&bell, &paths, &roots, event);
        // A link may lead anywhere; what is behind one is found by the next scan.
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(hear, config).map_err(failed)?;
        for target in &targets {
            match watcher.watch(&target.path, target.mode) {
                Ok(()) => {}
                // It has just disappeared. Its replacement is watched next time.
                Err(error) if is_gone(&error) => self.bell.lose(),
                Err(error) => return Err(failed(error)),
            }
        }
        self.watcher = Some(watcher);
        self.targets = targets;
        Ok(())
    }

    /// Drops all watches, so that the next [`aim`](Self::aim) sets them up again.
    pub fn renew(&mut self) {
        self.watcher = None;
        self.targets.clear();
    }
}

/// Everything below the sessions directory matters, what Antigravity keeps of conversations, and the
/// files of the home itself. The rest of a home can be large and does not matter.
fn targets(homes: &[Home]) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for home in homes {
        let mut add = |path: &Path, mode| {
            let target = Target::new(path, mode);
            if !targets.iter().any(|known| known.path == target.path) {
                targets.push(target);
            }
        };
        if home.sessions.is_dir() {
            add(&home.sessions, RecursiveMode::Recursive);
        }
        for dir in crate::antigravity::watched(&home.root) {
            add(&dir, RecursiveMode::Recursive);
        }
        if let Some(there) = home.root.ancestors().find(|path| path.is_dir()) {
            add(there, RecursiveMode::NonRecursive);
        }
    }
    targets
}

impl Target {
    fn new(path: &Path, mode: RecursiveMode) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        #[cfg(unix)]
        let identity = path.metadata().ok().map(|metadata| {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.dev(), metadata.ino())
        });
        #[cfg(not(unix))]
        let identity = None;
        Self {
            path,
            mode,
            identity,
        }
    }
}

/// Handles an event. Runs on the watcher's own thread.
fn hear(bell: &Bell, targets: &[PathBuf], roots: &[PathBuf], event: notify::Result<Event>) {
    let event = match event {
        Ok(event) => event,
        Err(error) => return bell.report(failed(error).to_string()),
    };
    // A directory above a home, which may be everybody's, is watched for the home to appear in it.
    let concerns = |path: &PathBuf| {
        let path = path.as_os_str().as_encoded_bytes();
        let mut roots = roots.iter().map(|root| root.as_os_str().as_encoded_bytes());
        roots.any(|root| path.starts_with(root) || root.starts_with(path))
    };
    if !event.paths.is_empty() && !event.paths.iter().any(concerns) {
        return;
    }
    match event.kind {
        // Our own scans open files, too.
        EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write) => return,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
            if event.paths.iter().any(|path| targets.contains(path)) =>
        {
            bell.lose();
        }
        _ => {}
    }
    bell.ring();
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

fn failed(error: notify::Error) -> WatchError {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => WatchError::Limit,
        _ => WatchError::Failed(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);
    const SHORT: Duration = Duration::from_millis(300);

    /// Waits until the bell is quiet.
    fn quiet(bell: &Bell) {
        while bell.wait(SHORT) != Wake::Due {}
    }

    #[test]
    fn a_home_that_comes_goes_and_comes_again_is_heard() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("deep/.gemini");
        let homes = [Home::at(&root)];
        let bell = Arc::new(Bell::default());
        let mut watch = Watch::new(Arc::clone(&bell));
        watch.aim(&homes).unwrap();
        for _ in 0..2 {
            fs::create_dir_all(root.join("tmp/app/chats")).unwrap();
            assert_eq!(bell.wait(LONG), Wake::Changed, "the home has come");
            quiet(&bell);
            watch.aim(&homes).unwrap();
            quiet(&bell);
            fs::write(root.join("tmp/app/chats/session-1.jsonl"), "x").unwrap();
            assert_eq!(bell.wait(LONG), Wake::Changed, "a file was written");
            quiet(&bell);
            fs::create_dir(root.join("tmp/app/chats/agents")).unwrap();
            quiet(&bell);
            fs::write(root.join("tmp/app/chats/agents/a.jsonl"), "x").unwrap();
            assert_eq!(bell.wait(LONG), Wake::Changed, "in a new directory");
            quiet(&bell);
            fs::remove_dir_all(dir.path().join("deep")).unwrap();
            assert_eq!(bell.wait(LONG), Wake::Changed, "the home is gone");
            quiet(&bell);
            watch.aim(&homes).unwrap();
            quiet(&bell);
        }
    }

    #[test]
    fn looking_is_not_heard() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("tmp/app/chats")).unwrap();
        let file = dir.path().join("tmp/app/chats/session-1.jsonl");
        fs::write(&file, "x").unwrap();
        let homes = [Home::at(dir.path())];
        let bell = Arc::new(Bell::default());
        let mut watch = Watch::new(Arc::clone(&bell));
        watch.aim(&homes).unwrap();
        quiet(&bell);
        crate::discover::discover(&homes[0]);
        fs::read(&file).unwrap();
        assert_eq!(bell.wait(SHORT), Wake::Due);
    }
}
