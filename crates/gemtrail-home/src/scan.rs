//! Scans the directories where people keep their projects for those that have sessions but no known
//! root path.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{ProjectEntry, Prover, Wanted};

/// How deep below each directory a scan goes unless told otherwise.
pub const DEFAULT_SCAN_DEPTH: usize = 4;

/// Directories below the user's home where people keep projects, in lower case.
const USUAL: [&str; 22] = [
    "code",
    "dev",
    "develop",
    "developer",
    "development",
    "git",
    "github",
    "go",
    "play",
    "programming",
    "project",
    "projects",
    "repo",
    "repos",
    "repositories",
    "source",
    "sources",
    "src",
    "work",
    "workspace",
    "workspaces",
    "www",
];

/// Cloud-synchronised folders: listing them may download them.
const CLOUD: [&str; 16] = [
    "box",
    "box sync",
    "cloudstorage",
    "creative cloud files",
    "google drive",
    "googledrive",
    "insync",
    "mega",
    "mobile documents",
    "my drive",
    "nextcloud",
    "owncloud",
    "pcloud drive",
    "pclouddrive",
    "proton drive",
    "synologydrive",
];
/// Cloud folders whose name continues with that of an account.
const CLOUD_STARTS: [&str; 3] = ["dropbox", "icloud", "onedrive"];

/// Large, and never a project.
const CROWDED: [&str; 6] = [
    "$recycle.bin",
    "__pycache__",
    "appdata",
    "library",
    "node_modules",
    "site-packages",
];

/// The result of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Root paths of projects that lacked one.
    pub hits: Vec<String>,
    /// The number of directories that were scanned.
    pub directories: usize,
    /// True if time ran out before the end.
    pub cut_short: bool,
}

/// The user's usual development directories, the home directory last.
pub fn usual_directories(user_home: &Path) -> Vec<PathBuf> {
    let mut usual: Vec<PathBuf> = directories(user_home)
        .filter(|(name, _)| USUAL.contains(&name.to_lowercase().as_str()))
        .map(|(_, path)| path)
        .collect();
    usual.sort();
    usual.push(user_home.to_owned());
    usual
}

/// Scans these directories for missing root paths: breadth first, skipping links and hidden,
/// synchronised and crowded folders. Asks before every directory whether to go on, since this
/// crate has no clock.
pub fn scan(
    projects: &[ProjectEntry],
    roots: &[PathBuf],
    depth: usize,
    mut go_on: impl FnMut() -> bool,
) -> Scanned {
    let missing = projects.iter().enumerate().filter_map(|(at, entry)| {
        let project = entry.project();
        Some((
            at,
            project.hash.as_deref().filter(|_| project.path.is_none())?,
        ))
    });
    let wanted = Wanted::new(missing);
    let mut prover = Prover::new(&wanted, usize::MAX);
    let mut scanned = Scanned::default();
    let mut entered: HashSet<PathBuf> = HashSet::new();
    let mut queue: VecDeque<(PathBuf, usize)> =
        roots.iter().map(|root| (root.clone(), 0)).collect();
    while let Some((dir, level)) = queue.pop_front() {
        if prover.proofs().len() == wanted.len() {
            break;
        }
        if !go_on() {
            scanned.cut_short = true;
            break;
        }
        if !entered.insert(dir.clone()) {
            continue;
        }
        scanned.directories += 1;
        if let Some(path) = dir.to_str() {
            prover.offer(path.as_bytes());
        }
        if level < depth {
            queue.extend(directories(&dir).map(|(_, path)| (path, level + 1)));
        }
    }
    scanned.hits = prover
        .into_proofs()
        .into_iter()
        .map(|proof| proof.path)
        .collect();
    scanned
}

/// The directories in a directory that are worth scanning, by name.
fn directories(dir: &Path) -> impl Iterator<Item = (String, PathBuf)> + use<> {
    let mut found: Vec<(String, PathBuf)> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| is_worth_a_look(name))
        .collect();
    found.sort();
    found.into_iter()
}

fn is_worth_a_look(name: &str) -> bool {
    let lower = name.to_lowercase();
    let lower = lower.as_str();
    !lower.starts_with('.')
        && !CLOUD.contains(&lower)
        && !CROWDED.contains(&lower)
        && !CLOUD_STARTS.iter().any(|start| lower.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemtrail_core::project_hash;

    use crate::Hints;
    use crate::catalog::Catalog;
    use crate::discover::discover;
    use crate::home::Home;

    fn catalog(home: &Path) -> Catalog {
        Catalog::of(vec![discover(&Home::at(home))], &Hints::default())
    }

    /// A user with sessions of the projects at these paths below the home directory.
    fn person(projects: &[&str]) -> (tempfile::TempDir, Catalog) {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".gemini");
        for project in projects {
            let root = user.path().join(project);
            fs::create_dir_all(&root).unwrap();
            let chats = home
                .join("tmp")
                .join(project_hash(root.to_str().unwrap()))
                .join("chats");
            fs::create_dir_all(&chats).unwrap();
            fs::write(chats.join("session-x.json"), "{\"sessionId\":\"s\"}").unwrap();
        }
        (user, catalog(&home))
    }

    fn hits(projects: &[&str], depth: usize) -> Vec<String> {
        let (user, catalog) = person(projects);
        let scanned = scan(
            catalog.projects(),
            &usual_directories(user.path()),
            depth,
            || true,
        );
        assert!(!scanned.cut_short);
        let name = |path: &String| {
            let path = Path::new(path).strip_prefix(user.path()).unwrap();
            path.to_string_lossy().replace('\\', "/")
        };
        let mut hits: Vec<String> = scanned.hits.iter().map(name).collect();
        hits.sort();
        hits
    }

    #[test]
    fn finds_what_lies_within_reach() {
        assert_eq!(
            hits(&["Dev/a/b/c/d", "x/b/c/d", "notes", "Dev/a/b/c/d/e"], 4),
            ["Dev/a/b/c/d", "notes", "x/b/c/d"]
        );
        assert_eq!(hits(&["src/a", "src/a/b"], 1), ["src/a"]);
    }

    #[test]
    fn some_folders_are_left_alone() {
        let alone = [
            ".hidden/a",
            "OneDrive - Work/a",
            "Dropbox/a",
            "Library/a",
            "dev/x/node_modules",
            "Google Drive/a",
        ];
        assert!(hits(&alone, 4).is_empty());
    }

    #[test]
    fn stops_when_told() {
        let (user, catalog) = person(&["dev/a"]);
        let mut left = 1;
        let scanned = scan(catalog.projects(), &[user.path().to_owned()], 4, || {
            left -= 1;
            left >= 0
        });
        assert!(scanned.cut_short);
        assert_eq!((scanned.hits.len(), scanned.directories), (0, 1));
    }

    #[test]
    fn looks_at_nothing_when_nothing_is_missing() {
        let user = tempfile::tempdir().unwrap();
        fs::create_dir(user.path().join(".gemini")).unwrap();
        let catalog = catalog(user.path());
        let scanned = scan(catalog.projects(), &[user.path().to_owned()], 4, || true);
        assert_eq!(scanned, Scanned::default());
    }
}
