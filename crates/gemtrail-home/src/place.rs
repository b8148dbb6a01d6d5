//! Where Gemini CLI looks for the sessions of a project.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::discover::{FileKind, FoundFile};
use crate::project::{Registry, slug_of};
use gemtrail_core::internal::restored_endings;
use gemtrail_core::project_hash;

use crate::Home;
use crate::put::{PutError, at, put};

const MARKER: &str = ".project_root";

/// The directory of a project in a home, whether it exists or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The home.
    pub home: Home,
    /// The project's root path.
    pub root: String,
    /// The name of the directory.
    pub slug: String,
}

impl Place {
    /// The directory that Gemini CLI would use: the one that the registry names, unless a marker
    /// in it names another project; else one with a marker of the project; else a new one.
    pub fn of(home: &Home, root: &str) -> Self {
        let registry = FoundFile::at(&home.root.join("projects.json"), FileKind::Registry);
        let registry = Registry::read(registry.as_ref(), &mut Vec::new());
        let known = registry.slug_of_path(root);
        let slug = known
            .filter(|slug| is_name(slug) && !belongs_to_another(home, slug, root))
            .map(str::to_owned)
            .or_else(|| marked(home, root))
            .unwrap_or_else(|| free_slug(home, &registry, root));
        Self {
            home: home.clone(),
            root: root.to_owned(),
            slug,
        }
    }

    /// The directory.
    pub fn dir(&self) -> PathBuf {
        self.home.sessions.join(&self.slug)
    }

    /// The directory of its session files.
    pub fn chats(&self) -> PathBuf {
        self.dir().join("chats")
    }

    /// What the directory lacks: its marker, and sessions that an old release left in the directory
    /// of the project's hash. Gemini CLI migrates these only while its own directory is empty.
    pub fn missing(&self) -> Result<Missing, PutError> {
        let dir = self.dir();
        let marker = dir.join(MARKER);
        let old = self.home.sessions.join(project_hash(&self.root));
        let mut missing = Missing::default();
        // The marker is written last: if it is missing, a run may have been interrupted here.
        if old.is_dir() && (!marker.exists() || is_empty(&dir)) {
            list_tree(&old, &dir, &mut missing.copies)?;
        }
        missing.marker = (!marker.exists()).then_some(marker);
        Ok(missing)
    }

    /// Creates the directory with what it lacks.
    pub fn make(&self, missing: &Missing) -> Result<(), PutError> {
        for copy in &missing.copies {
            let modified = fs::metadata(&copy.from).and_then(|it| it.modified()).ok();
            put(&copy.to, || fs::File::open(&copy.from), modified, false)?;
        }
        let chats = self.chats();
        fs::create_dir_all(&chats).map_err(at(&chats))?;
        if let Some(marker) = &missing.marker {
            put(marker, || Ok(self.root.as_bytes()), None, false)?;
        }
        Ok(())
    }
}

/// What the directory of a project lacks before a session can be put into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Older files of the project.
    pub copies: Vec<Copy>,
    /// The file that names the project's root path.
    pub marker: Option<PathBuf>,
}

/// A file to be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Its place.
    pub from: PathBuf,
    /// Its new place.
    pub to: PathBuf,
    /// Its length.
    pub bytes: u64,
}

/// A name under which Gemini CLI's clean-up spares a restored session: it deletes what a resume
/// leaves behind together with every file whose name ends in the first eight characters of the id.
/// Each number gives another name.
pub fn safe_name(id: &str, minute: &str, number: usize) -> String {
    let mut endings = restored_endings(id).cycle().skip(number);
    let ending = endings.next().unwrap_or_default();
    match number / 9 {
        0 => format!("session-{minute}-{ending}.jsonl"),
        more => format!("session-{minute}-{more}-{ending}.jsonl"),
    }
}

/// The two locations where Gemini CLI keeps project directories.
fn bases(home: &Home) -> [PathBuf; 2] {
    [home.sessions.clone(), home.root.join("history")]
}

fn owner(dir: &Path) -> Option<String> {
    let text = fs::read_to_string(dir.join(MARKER)).ok()?;
    Some(text.trim().to_owned())
}

/// True if it is a plain file name that cannot lead out of its directory.
fn is_name(slug: &str) -> bool {
    let mut parts = Path::new(slug).components();
    let first = parts.next();
    matches!(first, Some(Component::Normal(name)) if name == slug) && parts.next().is_none()
}

fn belongs_to_another(home: &Home, slug: &str, root: &str) -> bool {
    let mut owners = bases(home).into_iter().map(|base| owner(&base.join(slug)));
    owners.any(|owner| owner.is_some_and(|owner| owner != root))
}

/// A directory whose marker names the project.
fn marked(home: &Home, root: &str) -> Option<String> {
    for base in bases(home) {
        let entries = fs::read_dir(base).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| owner(&entry.path()).as_deref() == Some(root))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        if let Some(name) = names.into_iter().next() {
            return Some(name);
        }
    }
    None
}

fn free_slug(home: &Home, registry: &Registry, root: &str) -> String {
    let base = slug_of(root);
    let mut number = 0_u64;
    loop {
        let slug = match number {
            0 => base.clone(),
            number => format!("{base}-{number}"),
        };
        let is_taken = registry.paths_of(&slug).any(|path| path != root);
        if !is_taken && !belongs_to_another(home, &slug, root) {
            return slug;
        }
        number += 1;
    }
}

/// True if a directory is empty except for its marker.
fn is_empty(dir: &Path) -> bool {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.into_iter().all(|entry| entry.file_name() == MARKER)
}

/// Lists the files that do not exist at the other place yet. Symbolic links are skipped.
fn list_tree(from: &Path, to: &Path, copies: &mut Vec<Copy>) -> Result<(), PutError> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(from)
        .map_err(at(from))?
        .collect::<Result<_, _>>()
        .map_err(at(from))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(at(&from))?;
        if kind.is_dir() {
            list_tree(&from, &to, copies)?;
        } else if kind.is_file() && !to.exists() {
            let bytes = entry.metadata().map_or(0, |it| it.len());
            copies.push(Copy { from, to, bytes });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_directory_is_the_one_that_gemini_cli_uses() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let slug = |root: &str| Place::of(&home, root).slug;
        assert_eq!(slug("/a/My App"), "my-app");
        write(&dir.path().join("tmp/my-app/.project_root"), "/b/My App\n");
        assert_eq!(slug("/b/My App"), "my-app", "the marker is its own");
        assert_eq!(slug("/a/My App"), "my-app-1");
        let registry =
            r#"{"projects":{"/a/My App":"my-app","/c/my-app":"my-app-1","/d":"elsewhere"}}"#;
        write(&dir.path().join("projects.json"), registry);
        assert_eq!(slug("/d"), "elsewhere", "the registry says so");
        assert_eq!(
            slug("/a/My App"),
            "my-app-2",
            "the registry is wrong about it"
        );
        for slug_outside in ["../..", "/etc", "..", ".", "", "a/b", "a/"] {
            let registry = json!({"projects": {"/a/x": slug_outside}}).to_string();
            write(&dir.path().join("projects.json"), &registry);
            assert_eq!(slug("/a/x"), "x", "{slug_outside}");
        }
        write(&dir.path().join("projects.json"), registry);
        write(&dir.path().join("history/found/.project_root"), "/a/My App");
        assert_eq!(slug("/a/My App"), "found");
    }

    #[test]
    fn old_sessions_come_along_into_a_new_directory() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join("tmp").join(project_hash("/a/app"));
        write(&old.join("chats/session-1.json"), "{}");
        let place = Place::of(&Home::at(dir.path()), "/a/app");
        let make = || place.make(&place.missing().unwrap()).unwrap();
        make();
        let read = |name: &str| fs::read_to_string(place.dir().join(name)).unwrap();
        assert_eq!(read(".project_root"), "/a/app");
        assert_eq!(read("chats/session-1.json"), "{}");
        write(&old.join("chats/session-2.json"), "{}");
        make();
        assert!(!place.chats().join("session-2.json").exists(), "only once");
        // As if a run had been killed halfway.
        fs::remove_file(place.dir().join(".project_root")).unwrap();
        make();
        assert_eq!(read("chats/session-2.json"), "{}");
    }

    #[test]
    fn the_name_does_not_end_like_the_id() {
        let minute = "2026-06-01T10-00";
        let name = |id: &str, number| safe_name(id, minute, number);
        let first = name("2f1e0a52-0000", 0);
        assert_eq!(first, "session-2026-06-01T10-00-r2f1e0a5.jsonl");
        assert_eq!(
            name("2f1e0a52-0000", 1),
            "session-2026-06-01T10-00-s2f1e0a5.jsonl"
        );
        assert_eq!(
            name("rrrrrrrr", 0),
            "session-2026-06-01T10-00-srrrrrrr.jsonl"
        );
        assert_eq!(name("../x", 0), "session-2026-06-01T10-00-rx000000.jsonl");
        let names: std::collections::HashSet<String> = (0..30).map(|at| name("2f1e", at)).collect();
        assert_eq!(names.len(), 30);
    }
}
