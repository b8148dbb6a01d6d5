//! The fate of the files that an origin has in a lake.

use std::collections::HashSet;
use std::path::Path;

use gemtrail_store::{ListRow, StampedRow};

use crate::error::LakeError;
use crate::files::{Manifest, ManifestEntry};
use crate::names::KnownNames;
use crate::options::{LakeOptions, Level};
use crate::sheet::read_columns;
use crate::table::{Cell, LakeTable};
use crate::{files, source};

/// The input of a file.
pub(crate) struct FileSource<'a> {
    /// The digest of everything that it depends on.
    pub(crate) digest: String,
    /// The sessions that it is about.
    pub(crate) sessions: Vec<&'a StampedRow>,
    /// The digest of their references.
    pub(crate) names: String,
}

impl<'a> FileSource<'a> {
    pub(crate) fn new(
        digest: String,
        sessions: impl Iterator<Item = &'a StampedRow>,
        options: &LakeOptions<'_>,
    ) -> Self {
        let sessions: Vec<&StampedRow> = sessions.collect();
        Self {
            digest,
            names: source::names_of(&sessions, options),
            sessions,
        }
    }
}

/// The fate of a file.
pub(crate) enum FileFate {
    /// It is as it is to be, or was not asked for and may stay.
    Stays(ManifestEntry),
    /// It is made, or made again.
    IsMade,
    /// It is removed.
    Goes,
}

/// The files of an origin in a lake before a run.
pub(crate) struct Before<'a> {
    lake: &'a Path,
    options: &'a LakeOptions<'a>,
    manifest: Manifest,
    /// True if the last run was stopped between its files and its manifest. Then nothing that the
    /// manifest says is relied on, unless the bytes of a file prove it.
    was_stopped: bool,
}

impl<'a> Before<'a> {
    pub(crate) fn read(
        lake: &'a Path,
        options: &'a LakeOptions<'a>,
        was_stopped: bool,
    ) -> Result<Self, LakeError> {
        let manifest = match Manifest::read(lake, &options.origin)? {
            Some(manifest) => manifest,
            None => unknown(lake, options)?,
        };
        Ok(Self {
            lake,
            options,
            manifest,
            was_stopped,
        })
    }

    /// Decides the fate of a file that there are rows for.
    pub(crate) fn fate(
        &self,
        file: &str,
        table: LakeTable,
        month: Option<&str>,
        source: &FileSource<'_>,
    ) -> FileFate {
        let entry = self.manifest.files.get(file);
        if let Some(entry) = entry.filter(|it| self.is_up_to_date(file, it, source)) {
            return FileFate::Stays(entry.clone());
        }
        if self.was_asked(table, month) {
            return FileFate::IsMade;
        }
        match entry {
            Some(entry) if self.may_stay(file, table, entry, source) => {
                FileFate::Stays(entry.clone())
            }
            // Making it again must not raise its level.
            Some(entry) if self.options.level <= self.level_of(entry) => FileFate::IsMade,
            _ => FileFate::Goes,
        }
    }

    /// True if a table was asked for in a month. Projects have none.
    fn was_asked(&self, table: LakeTable, month: Option<&str>) -> bool {
        let since = self.options.since.map(|since| since.to_string());
        let since = since.map(|since| source::month_of(Some(&since)));
        let is_too_early = since
            .zip(month)
            .is_some_and(|(since, month)| *month < *since);
        self.options.wants(table) && !is_too_early
    }

    /// True if a file is the one that the manifest names, and made of the same.
    fn is_up_to_date(&self, file: &str, entry: &ManifestEntry, source: &FileSource<'_>) -> bool {
        !self.was_stopped && entry.source == source.digest && self.is_there(file, entry)
    }

    /// True if a file that was not asked for may stay, up to date or not: it is the one that the
    /// manifest names, and has nothing that would not go in today.
    fn may_stay(
        &self,
        file: &str,
        table: LakeTable,
        entry: &ManifestEntry,
        source: &FileSource<'_>,
    ) -> bool {
        let path = self.lake.join(file);
        let is_about_known = || {
            entry.rows == 0
                || entry.sessions == source.names
                || is_about(&path, table, &source.sessions, self.options).unwrap_or(false)
        };
        self.level_of(entry) <= self.options.level
            && self.manifest.privacy == source::privacy(self.options)
            && self.is_there(file, entry)
            && is_about_known()
    }

    /// True if a file is the one that the manifest names; an empty one is none.
    fn is_there(&self, file: &str, entry: &ManifestEntry) -> bool {
        let path = self.lake.join(file);
        let Some(size) = files::size_of(&path) else {
            return entry.rows == 0;
        };
        let has_its_bytes = || {
            let digest = files::digest_of(&path).ok().flatten();
            digest.as_deref() == Some(&*entry.sha256)
        };
        size == entry.bytes && (!self.was_stopped || has_its_bytes())
    }

    fn level_of(&self, entry: &ManifestEntry) -> Level {
        entry.level.unwrap_or(self.manifest.level)
    }
}

/// The assumption when the manifest is missing or unreadable: only that the files exist.
fn unknown(lake: &Path, options: &LakeOptions<'_>) -> Result<Manifest, LakeError> {
    let files = files::files_of(lake, &options.origin)?.into_iter();
    let mut manifest = Manifest::new(options.origin.clone(), options.level);
    manifest.files = files.map(|file| (file, ManifestEntry::default())).collect();
    Ok(manifest)
}

/// The columns that say what a row is about.
const SESSION: &str = "session_id";
const PROJECT: &str = "project_key";

/// True if a file has rows about none but these sessions, or about none but their projects: what
/// was forgotten or excluded since must not stay.
pub(crate) fn is_about(
    path: &Path,
    table: LakeTable,
    sessions: &[&StampedRow],
    options: &LakeOptions<'_>,
) -> Result<bool, LakeError> {
    let sessions = sessions.iter();
    let known = sessions.flat_map(|it| spellings(&it.row, table, options));
    let known: HashSet<(Cell, Cell)> = known.collect();
    let mut is_known = true;
    let is_wanted = |column: &str| [SESSION, PROJECT].contains(&column);
    read_columns(path, table, is_wanted, |row| {
        let cell = |column| table.position(column).map(|at| row[at].clone());
        let [session, project] = [SESSION, PROJECT].map(|it| cell(it).unwrap_or(Cell::Null));
        is_known &= known.contains(&(session, project));
        Ok(())
    })?;
    Ok(is_known)
}

/// The spellings, in files with words and files without, of what a row is about: a file that is left alone may
/// be of another level than this run.
fn spellings(row: &ListRow, table: LakeTable, options: &LakeOptions<'_>) -> [(Cell, Cell); 2] {
    [true, false].map(|has_words| {
        let names = KnownNames::with(options, has_words);
        let session = match table {
            LakeTable::Projects => Cell::Null,
            _ => names.id(row.id.as_str()),
        };
        (session, names.project_key(&row.project))
    })
}
