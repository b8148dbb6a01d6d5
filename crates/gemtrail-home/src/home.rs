//! Where Gemini CLI keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use crate::antigravity;

/// An error of the store. Unusual content is never an error: it is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A home that was asked for does not exist.
    #[error("there is no directory {}", path.display())]
    NoHome {
        /// The place where it was expected.
        path: PathBuf,
    },
    /// A file that was asked for cannot be read.
    #[error("failed to read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
}

/// A `.gemini` directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The directory itself; it holds `projects.json` and settings.
    pub root: PathBuf,
    /// The directory that holds the project directories.
    pub sessions: PathBuf,
    /// The only one of them that counts, if somebody named just that.
    pub only: Option<String>,
}

impl Home {
    /// The `.gemini` directory with this path.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            sessions: root.join("tmp"),
            only: None,
        }
    }

    /// True if its sessions directory is the usual one or contains project directories. A forged
    /// archive may call any directory a home.
    pub fn is_plausible(&self) -> bool {
        self.sessions == self.root.join("tmp") || holds_projects(&self.sessions)
    }

    /// The home to write to: this one or, if its directory has nothing of Gemini CLI yet, the one
    /// that Gemini CLI would create there.
    #[must_use]
    pub fn or_new(self) -> Self {
        let is_home = self.root.ends_with(".gemini") || self.root.join("tmp").is_dir();
        if is_home || holds_projects(&self.sessions) {
            return self;
        }
        Home::at(&self.root.join(".gemini"))
    }
}

/// True if a directory contains project directories.
fn holds_projects(dir: &Path) -> bool {
    let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.any(|entry| holds_sessions(&entry.path()))
}

/// True if a directory is a project directory.
pub(crate) fn holds_sessions(dir: &Path) -> bool {
    let parts = ["chats", ".project_root", "logs.json"];
    parts.iter().any(|part| dir.join(part).exists())
}

/// Determines where the homes are. The values come from the caller: this crate reads neither the
/// environment nor the arguments.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `--home`: `.gemini` directories, directories that contain one, or `tmp` directories.
    pub homes: Vec<PathBuf>,
    /// `GEMINI_SESSIONS_DIR`: the directory that holds the project directories.
    pub sessions_dir: Option<PathBuf>,
    /// `GEMINI_CLI_HOME`: replaces the user's home directory.
    pub cli_home: Option<PathBuf>,
    /// The user's home directory.
    pub user_home: Option<PathBuf>,
    /// The directory for temporary files, if the homes that container sandboxes have there count. They
    /// are deleted with the sandbox.
    pub sandboxes: Option<PathBuf>,
}

/// The start of the name of the home of a container sandbox.
pub const SANDBOX_PREFIX: &str = "gemini-sandbox-";

impl Places {
    /// The homes of the first place that is set, by stable paths, so that a file has the same name
    /// on disk and in the archive. Only `--home` must exist.
    pub fn homes(&self) -> Result<Vec<Home>, StoreError> {
        let stable = |home: Home| Home {
            root: stable(&home.root),
            sessions: stable(&home.sessions),
            ..home
        };
        Ok(self.as_given()?.into_iter().map(stable).collect())
    }

    /// The homes that are reached by a link: whoever made it may have meant the other end to stay as it is.
    pub fn behind_links(&self) -> Result<Vec<PathBuf>, StoreError> {
        let is_link = |path: &Path| {
            let metadata = std::fs::symlink_metadata(path);
            metadata.is_ok_and(|it| it.is_symlink())
        };
        let homes = self.as_given()?.into_iter();
        let linked = homes.filter(|home| is_link(&home.root) || is_link(&home.sessions));
        Ok(linked.map(|home| stable(&home.root)).collect())
    }

    fn as_given(&self) -> Result<Vec<Home>, StoreError> {
        if !self.homes.is_empty() {
            return self.homes.iter().map(|path| explicit(path)).collect();
        }
        if let Some(sessions) = &self.sessions_dir {
            return Ok(vec![around(sessions)]);
        }
        if let Some(base) = &self.cli_home {
            let inner = base.join(".gemini");
            // What does not exist yet would be a directory like a person's own.
            let is_inner = inner.is_dir() || !base.is_dir();
            return Ok(vec![if is_inner {
                Home::at(&inner)
            } else {
                around(base)
            }]);
        }
        let Some(user_home) = &self.user_home else {
            return Ok(Vec::new());
        };
        let mut homes = vec![Home::at(&user_home.join(".gemini"))];
        // Where the sandbox of macOS lets Gemini CLI write.
        let cached = user_home.join(".cache").join(".gemini");
        if cached.is_dir() {
            homes.push(Home::at(&cached));
        }
        let sandboxes = self.sandboxes.iter();
        homes.extend(sandboxes.flat_map(|dir| sandbox_homes(dir, user_home)));
        Ok(homes)
    }
}

/// The homes of sandboxes in a directory that everybody may write to: real directories of the same
/// account.
fn sandbox_homes(dir: &Path, user_home: &Path) -> Vec<Home> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let is_sandbox = |name: &std::ffi::OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(SANDBOX_PREFIX.as_bytes())
    };
    let is_own = |entry: &std::fs::DirEntry| {
        // Does not follow links.
        let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_dir);
        metadata.is_some_and(|it| {
            owner(&it) == std::fs::metadata(user_home).ok().and_then(|it| owner(&it))
        })
    };
    let entries = entries.filter(|entry| is_sandbox(&entry.file_name()) && is_own(entry));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths.iter().map(|path| Home::at(path)).collect()
}

/// The account that owns something, where the system tells.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn owner(metadata: &std::fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
fn owner(_: &std::fs::Metadata) -> Option<u32> {
    None
}

/// A path that is the same whatever the current directory and whatever links lead to it.
fn stable(path: &Path) -> PathBuf {
    let real = match std::fs::canonicalize(path) {
        // On Windows, canonical names are not those that people use.
        Ok(real) if !cfg!(windows) => Ok(real),
        _ => std::path::absolute(path),
    };
    real.unwrap_or_else(|_| path.to_owned())
}

fn explicit(path: &Path) -> Result<Home, StoreError> {
    if !path.is_dir() {
        return Err(StoreError::NoHome {
            path: path.to_owned(),
        });
    }
    Ok(around(path))
}

/// The home that a directory is, has, or is a part of: a project directory and its `chats` are the
/// home with nothing but that project.
fn around(path: &Path) -> Home {
    let inner = path.join(".gemini");
    if inner.is_dir() {
        return Home::at(&inner);
    }
    if path.join("tmp").is_dir() || path.ends_with(".gemini") {
        return Home::at(path);
    }
    if let Some(application) = antigravity::application_at(path)
        && let Some(root) = path.parent()
    {
        return Home {
            only: Some(application.to_owned()),
            ..Home::at(root)
        };
    }
    let is_chats = path.ends_with("chats") && path.parent().is_some_and(holds_sessions);
    let project = if is_chats { path.parent() } else { Some(path) };
    let project = project.filter(|it| holds_sessions(it));
    let parts = project.and_then(|it| Some((it.parent()?, it.file_name()?.to_str()?)));
    match parts {
        Some((sessions, name)) => Home {
            only: Some(name.to_owned()),
            ..from_sessions(sessions)
        },
        None => from_sessions(path),
    }
}

fn from_sessions(sessions: &Path) -> Home {
    let root = match sessions.parent() {
        Some(parent) if sessions.ends_with("tmp") => parent,
        _ => sessions,
    };
    Home {
        root: root.to_owned(),
        sessions: sessions.to_owned(),
        only: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_home_yet_becomes_one() {
        let dir = tempfile::tempdir().unwrap();
        let base = &dir.path().canonicalize().unwrap();
        let sessions = |below: &str| {
            std::fs::create_dir_all(base.join(below)).unwrap();
            let name = below.split('/').next().unwrap();
            let home = explicit(&base.join(name)).unwrap().or_new();
            home.sessions.strip_prefix(base).unwrap().to_owned()
        };
        assert_eq!(sessions("empty"), Path::new("empty/.gemini/tmp"));
        assert_eq!(sessions("other/src"), Path::new("other/.gemini/tmp"));
        assert_eq!(sessions("lives/.gemini"), Path::new("lives/.gemini/tmp"));
        assert_eq!(sessions("copy/tmp"), Path::new("copy/tmp"));
        assert_eq!(sessions("tmp"), Path::new("tmp"));
        assert_eq!(sessions("backup/shop/chats"), Path::new("backup"));
    }

    #[test]
    fn a_part_of_a_home_is_a_home_of_that_part() {
        let dir = tempfile::tempdir().unwrap();
        let base = &dir.path().canonicalize().unwrap();
        let tmp = base.join(".gemini/tmp");
        for project in ["shop", "api"] {
            std::fs::create_dir_all(tmp.join(project).join("chats")).unwrap();
        }
        let whole = Home::at(&base.join(".gemini"));
        let part = Home {
            only: Some("shop".to_owned()),
            ..whole.clone()
        };
        for (below, expected) in [
            ("", &whole),
            (".gemini", &whole),
            (".gemini/tmp", &whole),
            (".gemini/tmp/shop", &part),
            (".gemini/tmp/shop/chats", &part),
        ] {
            let path = base.join(below);
            let given = Places {
                homes: vec![path.clone()],
                ..Places::default()
            };
            let expected = std::slice::from_ref(expected);
            assert_eq!(given.homes().unwrap(), expected, "--home {below}");
            let sessions = Places {
                sessions_dir: Some(path.clone()),
                ..Places::default()
            };
            assert_eq!(sessions.homes().unwrap(), expected, "{below}");
            let cli = Places {
                cli_home: Some(path),
                ..Places::default()
            };
            assert_eq!(cli.homes().unwrap(), expected, "{below}");
        }
        let found = crate::discover::discover(&part);
        assert_eq!(found.projects.len(), 0, "without files");
        std::fs::write(tmp.join("shop/logs.json"), "[]").unwrap();
        std::fs::write(tmp.join("api/logs.json"), "[]").unwrap();
        let names: Vec<String> = crate::discover::discover(&part)
            .projects
            .into_iter()
            .map(|it| it.name)
            .collect();
        assert_eq!(names, ["shop"]);
    }

    #[cfg(unix)]
    #[test]
    fn sandboxes_have_homes_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let base = &dir.path().canonicalize().unwrap();
        let temp = base.join("temp");
        for name in ["gemini-sandbox-b", "gemini-sandbox-settings-a", "other"] {
            std::fs::create_dir_all(temp.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(base, temp.join("gemini-sandbox-link")).unwrap();
        std::fs::write(temp.join("gemini-sandbox-file"), "").unwrap();
        let places = Places {
            user_home: Some(base.clone()),
            ..Places::default()
        };
        let roots = |places: &Places| -> Vec<PathBuf> {
            places
                .homes()
                .unwrap()
                .into_iter()
                .map(|it| it.root)
                .collect()
        };
        assert_eq!(roots(&places), [base.join(".gemini")]);
        std::fs::create_dir_all(base.join(".cache/.gemini")).unwrap();
        let usual = [base.join(".gemini"), base.join(".cache/.gemini")];
        assert_eq!(roots(&places), usual);
        let places = Places {
            sandboxes: Some(temp.clone()),
            ..places
        };
        let sandboxes = ["gemini-sandbox-b", "gemini-sandbox-settings-a"].map(|it| temp.join(it));
        assert_eq!(
            roots(&places),
            [usual.to_vec(), sandboxes.to_vec()].concat()
        );
    }

    #[test]
    fn the_first_place_that_is_set_wins() {
        let dir = tempfile::tempdir().unwrap();
        let base = &dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("a/.gemini/tmp")).unwrap();
        std::fs::create_dir_all(base.join("b/tmp")).unwrap();
        let user = Places {
            user_home: Some(base.join("a")),
            ..Places::default()
        };
        assert_eq!(
            user.homes().unwrap()[0].sessions,
            base.join("a/.gemini/tmp")
        );
        let cli = Places {
            cli_home: Some(base.join("b")),
            ..user.clone()
        };
        assert_eq!(
            cli.homes().unwrap()[0].sessions,
            base.join("b/tmp"),
            "no .gemini inside"
        );
        let nowhere = Places {
            cli_home: Some(base.join("nowhere")),
            ..user.clone()
        };
        assert_eq!(
            nowhere.homes().unwrap()[0].sessions,
            base.join("nowhere/.gemini/tmp")
        );
        let sessions = Places {
            sessions_dir: Some(base.join("a/.gemini/tmp")),
            ..cli.clone()
        };
        assert_eq!(sessions.homes().unwrap()[0].root, base.join("a/.gemini"));
        let given = vec![
            base.join("a"),
            base.join("b"),
            base.join("b/tmp"),
            base.join("a/.gemini"),
        ];
        let homes = Places {
            homes: given,
            ..sessions
        }
        .homes()
        .unwrap();
        let roots: Vec<_> = homes.into_iter().map(|home| home.root).collect();
        assert_eq!(
            roots,
            [
                base.join("a/.gemini"),
                base.join("b"),
                base.join("b"),
                base.join("a/.gemini")
            ]
        );
        let missing = Places {
            homes: vec![base.join("none")],
            ..Places::default()
        };
        assert!(matches!(missing.homes(), Err(StoreError::NoHome { .. })));
    }
}
