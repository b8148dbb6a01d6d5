//! Where Gemini CLI keeps its sessions.

use std::path::{Path, PathBuf};

use crate::StoreError;

/// A `.gemini` directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The directory itself; it holds `projects.json` and settings.
    pub root: PathBuf,
    /// The directory that holds the project directories.
    pub sessions: PathBuf,
}

impl Home {
    /// Whether its sessions directory is the usual one or contains project directories. A forged
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
        from_root(&self.root.join(".gemini"))
    }
}

/// Whether a directory contains project directories.
fn holds_projects(dir: &Path) -> bool {
    let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.any(|entry| holds_sessions(&entry.path()))
}

/// Whether a directory is a project directory.
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
}

impl Places {
    /// The homes of the first place that is set, by stable paths, so that a file has the same name
    /// on disk and in the archive. Only `--home` must exist.
    pub fn homes(&self) -> Result<Vec<Home>, StoreError> {
        let stable = |home: Home| Home {
            root: stable(&home.root),
            sessions: stable(&home.sessions),
        };
        Ok(self.as_given()?.into_iter().map(stable).collect())
    }

    fn as_given(&self) -> Result<Vec<Home>, StoreError> {
        if !self.homes.is_empty() {
            return self.homes.iter().map(|path| explicit(path)).collect();
        }
        if let Some(sessions) = &self.sessions_dir {
            return Ok(vec![from_sessions(sessions)]);
        }
        if let Some(base) = &self.cli_home {
            let inner = base.join(".gemini");
            // What does not exist yet would be a directory like a person's own.
            let is_inner = inner.is_dir() || !base.is_dir();
            let root = if is_inner { inner } else { base.clone() };
            return Ok(vec![from_root(&root)]);
        }
        Ok(self
            .user_home
            .iter()
            .map(|home| from_root(&home.join(".gemini")))
            .collect())
    }
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
    let inner = path.join(".gemini");
    if inner.is_dir() {
        return Ok(from_root(&inner));
    }
    if path.join("tmp").is_dir() || path.ends_with(".gemini") {
        return Ok(from_root(path));
    }
    Ok(from_sessions(path))
}

fn from_root(root: &Path) -> Home {
    Home {
        root: root.to_owned(),
        sessions: root.join("tmp"),
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
