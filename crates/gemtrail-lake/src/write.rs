//! Brings an origin's files in a lake up to date.

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_core::model::SessionRef;
use gemtrail_store::{Library, ReadError, StampedRow};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::error::LakeError;
use crate::fate::{Before, FileFate, FileSource};
use crate::files;
use crate::files::{Manifest, ManifestEntry, file_of};
use crate::identity::OriginId;
use crate::identity::hex;
use crate::month::{self, Scratch};
use crate::options::LakeOptions;
use crate::sheet::Finished;
use crate::source::{self, Contents};
use crate::table::LakeTable;

/// The directory for what is not finished.
const SCRATCH: &str = ".tmp";

/// Says that files and manifest may not agree.
fn mark(lake: &Path, origin: &OriginId) -> PathBuf {
    lake.join(SCRATCH)
        .join(format!("{}.changing", origin.stem()))
}

/// The result of a run.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LakeChanges {
    /// Files that changed or are new.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
    /// Files that are as they were.
    pub unchanged: u64,
    /// Rows in all files of this machine.
    pub rows: u64,
    /// The size of all files of this machine.
    pub bytes: u64,
    /// References of sessions that could not be read.
    // Their months are tried again next time.
    #[serde(serialize_with = "references")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub unread: Vec<(SessionRef, ReadError)>,
}

fn references<S: Serializer>(
    unread: &[(SessionRef, ReadError)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(unread.iter().map(|(reference, _)| reference))
}

/// Brings the files of an origin up to date. `progress` is told how many sessions were read.
pub fn write(
    library: &Library,
    lake: &Path,
    options: &LakeOptions<'_>,
    progress: &dyn Fn(),
) -> Result<LakeChanges, LakeError> {
    let contents = Contents::of(library, options);
    let mut run = LakeRun::start(lake, options, &contents)?;
    let mut fill = || {
        for (month, sessions) in &contents.months {
            run.month(library, month, sessions, progress)?;
        }
        run.projects()
    };
    match fill() {
        Ok(()) => run.finish(),
        Err(error) => {
            // Without words that somebody may find. The mark stays: files and manifest may not agree.
            run.drop_unfinished();
            Err(error)
        }
    }
}

struct LakeRun<'a> {
    lake: &'a Path,
    options: &'a LakeOptions<'a>,
    contents: &'a Contents,
    terms: Sha256,
    before: Before<'a>,
    after: Manifest,
    /// True if this run has changed anything.
    has_changed: bool,
    done: LakeChanges,
}

impl<'a> LakeRun<'a> {
    fn start(
        lake: &'a Path,
        options: &'a LakeOptions<'a>,
        contents: &'a Contents,
    ) -> Result<Self, LakeError> {
        let origin = &options.origin;
        let machine = options.machine.as_deref();
        let mut after = Manifest::new(origin.clone(), options.level);
        after.machine = machine.map(|machine| options.key.pseudonym("machine", machine));
        after.privacy = source::privacy(options);
        let was_stopped = mark(lake, origin).exists();
        Ok(Self {
            lake,
            options,
            contents,
            terms: source::terms(options),
            before: Before::read(lake, options, was_stopped)?,
            after,
            has_changed: false,
            done: LakeChanges::default(),
        })
    }

    /// Removes tables that were not finished.
    fn drop_unfinished(&self) {
        let prefix = self.prefix();
        let entries = fs::read_dir(self.scratch_dir()).into_iter().flatten();
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str());
            let is_table = |name: &str| name.starts_with(&prefix) && name.ends_with(".parquet");
            if name.is_some_and(is_table) {
                // There may be no way to remove it either; the next run tries again.
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn scratch_dir(&self) -> PathBuf {
        self.lake.join(SCRATCH)
    }

    fn prefix(&self) -> String {
        self.options.origin.stem()
    }

    fn prepare(&self) -> Result<PathBuf, LakeError> {
        let dir = self.scratch_dir();
        fs::create_dir_all(&dir).map_err(LakeError::file(&dir))?;
        Ok(dir)
    }

    fn scratch(&self, month: Option<&str>) -> Result<Scratch, LakeError> {
        let prefix = match month {
            Some(month) => format!("{}-{month}", self.prefix()),
            None => self.prefix(),
        };
        let dir = self.prepare()?;
        Ok(Scratch { dir, prefix })
    }

    /// Notes that files are about to change.
    fn changing(&mut self) -> Result<(), LakeError> {
        if !self.has_changed {
            self.prepare()?;
            let mark = mark(self.lake, &self.options.origin);
            let file = fs::File::create(&mark).map_err(LakeError::file(&mark))?;
            file.sync_all().map_err(LakeError::file(&mark))?;
            self.has_changed = true;
        }
        Ok(())
    }

    fn month(
        &mut self,
        library: &Library,
        month: &str,
        sessions: &[StampedRow],
        progress: &dyn Fn(),
    ) -> Result<(), LakeError> {
        let families = &self.contents.families;
        let digest = source::digest_of(sessions, families, &self.terms);
        let mut source = FileSource::new(digest, sessions.iter(), self.options);
        let mut due = Vec::new();
        for table in self.tables() {
            let file = file_of(table, Some(month), &self.options.origin);
            match self.before.fate(&file, table, Some(month), &source) {
                FileFate::Stays(entry) => self.keep(file, entry),
                FileFate::IsMade => due.push(table),
                FileFate::Goes => {}
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let scratch = self.scratch(Some(month))?;
        let options = self.options;
        let made = month::write(
            library, sessions, families, &due, options, &scratch, progress,
        )?;
        if !made.unread.is_empty() {
            // A month with a gap is made again next time.
            source.digest.clear();
        }
        for (table, made) in made.files {
            let file = file_of(table, Some(month), &self.options.origin);
            self.put(file, made, &source)?;
        }
        self.done.unread.extend(made.unread);
        Ok(())
    }

    /// The tables with months.
    fn tables(&self) -> Vec<LakeTable> {
        let by_month = LakeTable::ALL
            .into_iter()
            .filter(|it| *it != LakeTable::Projects);
        by_month.filter(|it| self.options.has(*it)).collect()
    }

    fn projects(&mut self) -> Result<(), LakeError> {
        let contents = self.contents;
        let rows = source::project_rows(contents, self.options);
        let mut digest = self.terms.clone();
        digest.update(format!("{rows:?}"));
        let digest = hex(&digest.finalize(), 64);
        let source = FileSource::new(digest, contents.sessions(), self.options);
        let file = file_of(LakeTable::Projects, None, &self.options.origin);
        match self.before.fate(&file, LakeTable::Projects, None, &source) {
            FileFate::Stays(entry) => {
                self.keep(file, entry);
                return Ok(());
            }
            FileFate::IsMade => {}
            FileFate::Goes => return Ok(()),
        }
        let made = if rows.is_empty() {
            None
        } else {
            let mut sheet = self.scratch(None)?.create(LakeTable::Projects)?;
            rows.into_iter().try_for_each(|row| sheet.push(row))?;
            Some(sheet.finish()?)
        };
        self.put(file, made, &source)
    }

    fn keep(&mut self, file: String, entry: ManifestEntry) {
        self.done.unchanged += u64::from(entry.rows > 0);
        self.after.files.insert(file, entry);
    }

    /// Puts a file in its place; one without rows is none.
    fn put(
        &mut self,
        file: String,
        made: Option<Finished>,
        source: &FileSource<'_>,
    ) -> Result<(), LakeError> {
        if let Some(made) = &made {
            self.changing()?;
            let is_new = files::put(made, &self.lake.join(&file))?;
            self.done.written += u64::from(is_new);
            self.done.unchanged += u64::from(!is_new);
        }
        let made = made.unwrap_or_default();
        let entry = ManifestEntry {
            rows: made.rows,
            bytes: made.bytes,
            sha256: made.sha256,
            source: source.digest.clone(),
            level: Some(self.options.level),
            sessions: source.names.clone(),
        };
        self.after.files.insert(file, entry);
        Ok(())
    }

    /// Removes what is not to be there any more, and writes the manifest.
    fn finish(mut self) -> Result<LakeChanges, LakeError> {
        for file in files::files_of(self.lake, &self.options.origin)? {
            let is_named = |entry: &ManifestEntry| entry.rows > 0;
            if !self.after.files.get(&file).is_some_and(is_named) {
                self.changing()?;
                files::remove_data(self.lake, &file)?;
                self.done.removed += 1;
            }
        }
        let path = Manifest::path(self.lake, &self.options.origin);
        let bytes = self.after.to_bytes();
        if fs::read(&path).ok().as_deref() != Some(&bytes[..]) {
            let dir = self.prepare()?;
            let scratch = dir.join(format!("{}.json", self.prefix()));
            files::replace(&scratch, &path, &bytes)?;
        }
        self.clean()?;
        for entry in self.after.files.values() {
            self.done.rows += entry.rows;
            self.done.bytes += entry.bytes;
        }
        Ok(self.done)
    }

    /// Removes what this run, and those that were stopped, left unfinished.
    fn clean(&self) -> Result<(), LakeError> {
        let dir = self.scratch_dir();
        let prefix = self.prefix();
        for path in files::entries(&dir)? {
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| name.starts_with(&prefix)) {
                files::remove(&path)?;
            }
        }
        // Fails if others are still writing.
        let _ = fs::remove_dir(&dir);
        Ok(())
    }
}
