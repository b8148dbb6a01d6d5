//! Whether a home still looks as it did when the archive had everything of it. Comparing one digest
//! is much cheaper than comparing a hundred thousand files one by one.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::homes::home_of;
use super::whereabouts::Whereabouts;
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::HomeRowId;
use crate::archive::db::mark::Mark;
use crate::discover::{Found, FoundFile, ProjectDir, survey};
use crate::home::Home;

/// Homes with more files are not kept while they are looked at.
const MOST_KEPT: usize = 20_000;

/// What a look at a home sees.
#[derive(Debug)]
pub(crate) struct Sight {
    /// The home; without its projects if these have very many files.
    pub(crate) found: Found,
    /// Whether the projects are there.
    pub(crate) is_whole: bool,
    /// What it looks like.
    pub(crate) digest: Vec<u8>,
}

impl Sight {
    /// Looks at a home.
    pub(crate) fn of(home: &Home) -> Self {
        let (mut digest, mut projects, mut files) = (Digester::new(&home.root), Vec::new(), 0);
        let found = survey(home, |project| {
            digest.project(&project);
            files += project.files.len();
            if files <= MOST_KEPT {
                projects.push(project);
            } else {
                projects.clear();
            }
        });
        Self {
            digest: digest.finish(&found),
            is_whole: files <= MOST_KEPT,
            found: Found { projects, ..found },
        }
    }
}

/// Whether the homes look as they did when the archive had everything of them, and the archive is
/// still the same.
pub(crate) fn is_as_noted(
    connection: &Connection,
    homes: &[(&Found, &[u8])],
    whereabouts: &Whereabouts,
) -> Result<bool, ArchiveError> {
    let mark = Mark::read(connection)?.to_text();
    let mut statement =
        connection.prepare_cached("SELECT digest FROM listing WHERE home = ?1 AND mark = ?2")?;
    for (found, digest) in homes {
        let Some(home) = home_of(connection, found, whereabouts)? else {
            return Ok(false);
        };
        let noted: Option<Vec<u8>> = statement
            .query_row((home, &mark), |row| row.get(0))
            .optional()?;
        if noted.as_deref() != Some(*digest) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Notes what the homes look like. The archive must have everything of them.
pub(crate) fn note(
    connection: &Connection,
    homes: &[(&Found, &[u8])],
    whereabouts: &Whereabouts,
) -> Result<(), ArchiveError> {
    let mark = Mark::read(connection)?.to_text();
    let mut statement = connection
        .prepare_cached("INSERT OR REPLACE INTO listing(home, digest, mark) VALUES(?1, ?2, ?3)")?;
    for (found, digest) in homes {
        let home: Option<HomeRowId> = home_of(connection, found, whereabouts)?;
        if let Some(home) = home {
            statement.execute((home, digest, &mark))?;
        }
    }
    Ok(())
}

/// The digest of a home that was looked at.
pub(crate) fn digest(found: &Found) -> Vec<u8> {
    let mut digest = Digester::new(&found.home.root);
    for project in &found.projects {
        digest.project(project);
    }
    digest.finish(found)
}

/// Makes a digest of the names, sizes and times of all files of a home, and of what cannot be read in
/// it.
struct Digester<'a> {
    root: &'a Path,
    digest: Sha256,
}

impl<'a> Digester<'a> {
    fn new(root: &'a Path) -> Self {
        let digest = Sha256::new();
        Self { root, digest }
    }

    fn project(&mut self, project: &ProjectDir) {
        for file in project.files.iter().chain(&project.markers) {
            self.file(file);
        }
    }

    fn finish(mut self, found: &Found) -> Vec<u8> {
        for file in found.registry.iter().chain(&found.trusted_folders) {
            self.file(file);
        }
        for finding in found.unreadable() {
            self.bytes(finding.journal.as_deref().unwrap_or_default().as_bytes());
        }
        self.digest.finalize().to_vec()
    }

    fn file(&mut self, file: &FoundFile) {
        // Taking paths apart would take most of the time.
        let path = file.path.as_os_str().as_encoded_bytes();
        let root = self.root.as_os_str().as_encoded_bytes();
        self.bytes(path.strip_prefix(root).unwrap_or(path));
        let stat = &file.stat;
        self.digest.update(stat.bytes.to_le_bytes());
        self.digest.update(stat.modified.to_le_bytes());
        self.digest.update(stat.inode.to_le_bytes());
        let changed = stat.changed.unwrap_or_default();
        self.digest.update(changed.to_le_bytes());
    }

    /// With their length, so that no two lists look alike.
    fn bytes(&mut self, bytes: &[u8]) {
        self.digest.update((bytes.len() as u64).to_le_bytes());
        self.digest.update(bytes);
    }
}
