//! What changed between two looks.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use gemtrail_core::model::SessionRef;

use crate::library::{Handle, Prints};
use crate::source::Stat;
use crate::{Library, ProjectEntry};

/// The sessions that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Sessions that are new.
    pub added: Vec<SessionRef>,
    /// Sessions whose files changed.
    pub changed: Vec<SessionRef>,
    /// Sessions that no longer exist.
    pub removed: Vec<SessionRef>,
    /// Whether something besides sessions changed: a registry, a prompt log, a checkpoint.
    pub other: bool,
}

/// The state of a file: its stat on disk, and what an archive has of it.
type State = (Stat, bool, usize);

impl Changes {
    /// The differences between two views, `None` if there are none; and what the sessions of the
    /// later one look like, if they had to be looked at. Compares fingerprints if the archive has
    /// both views, else names and headers of files.
    pub(super) fn between(
        (before, then): (&Library, Option<&Prints>),
        after: &Library,
    ) -> (Option<Prints>, Option<Self>) {
        let is_archived = before.mark().is_some() && after.mark().is_some();
        if !is_archived {
            return (None, Self::of_files(before, after));
        }
        if before.mark() == after.mark() {
            return (None, None);
        }
        let now = after.prints();
        let changes = match then.zip(now.as_ref()) {
            Some((then, now)) => {
                let [added, changed, removed] = then.until(now);
                // Whatever else makes the archive another one: a log, a registry, a deleted file.
                let other = [&added, &changed, &removed].iter().all(|it| it.is_empty());
                Self {
                    added,
                    changed,
                    removed,
                    other,
                }
            }
            // The archive changes so quickly that it cannot be told.
            None => Self {
                other: true,
                ..Self::default()
            },
        };
        (now, Some(changes))
    }

    fn of_files(before: &Library, after: &Library) -> Option<Self> {
        let (then, now) = (files(before), files(after));
        if then == now {
            return None;
        }
        let is_same = |path: &Path| then.get(path) == now.get(path);
        let touched = touched(before, after, &is_same);
        let known = sessions_in(before, &touched).map(|handle| handle.reference);
        let known: HashSet<SessionRef> = known.collect();
        let mut changes = Self::default();
        let mut of_sessions: HashSet<&Path> = HashSet::new();
        let mut left = known.clone();
        for handle in sessions_in(after, &touched) {
            left.remove(&handle.reference);
            let files = &handle.files;
            of_sessions.extend(files.iter().map(|(_, file)| file.path.as_path()));
            if !known.contains(&handle.reference) {
                changes.added.push(handle.reference);
            } else if files.iter().any(|(_, file)| !is_same(&file.path)) {
                changes.changed.push(handle.reference);
            }
        }
        changes.removed.extend(left);
        changes.removed.sort_unstable();
        let mut paths = then.keys().chain(now.keys());
        changes.other = paths.any(|path| !of_sessions.contains(path) && !is_same(path));
        Some(changes)
    }
}

/// A directory of a home that holds a project.
type Dir = (usize, String);

/// The directories of projects in which a file changed, as either of the libraries has them. The
/// sessions of all others are the same: there may be a hundred thousand, which need not be looked at.
fn touched<'l>(
    before: &'l Library,
    after: &'l Library,
    is_same: &impl Fn(&Path) -> bool,
) -> HashSet<&'l Dir> {
    let entries = [before, after].into_iter().flat_map(Library::projects);
    let changed = entries.filter(|entry| {
        let mut files = entry.files().iter();
        files.any(|(_, file)| !is_same(&file.path))
    });
    changed.flat_map(|entry| &entry.dirs).collect()
}

/// The sessions of the projects in these directories.
fn sessions_in<'l>(library: &'l Library, dirs: &HashSet<&Dir>) -> impl Iterator<Item = &'l Handle> {
    let entries = library.projects().iter().enumerate();
    let touched = entries.filter(|(_, entry)| entry.dirs.iter().any(|dir| dirs.contains(dir)));
    let touched: Vec<usize> = touched.map(|(at, _)| at).collect();
    let handles = touched.into_iter().map(|at| library.handles_of(at));
    handles.flatten()
}

fn files(library: &Library) -> HashMap<&Path, State> {
    let files = library.projects().iter().flat_map(ProjectEntry::files);
    files
        .map(|(_, file)| {
            let versions = file.versions.earlier.len();
            (file.path.as_path(), (file.stat, file.on_disk, versions))
        })
        .collect()
}
