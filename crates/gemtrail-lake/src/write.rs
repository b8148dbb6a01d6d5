//! Brings an origin's files in a lake up to date.

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_core::model::SessionRef;
use gemtrail_store::{Library, ReadError, StampedRow};
use sha2::{Digest, Sha256};

use crate::error::LakeError;
use crate::manifest::{Entry, Manifest, file_of};
use crate::month::{self, Scratch};
use crate::options::LakeOptions;
use crate::place;
use crate::pseudonym::hex;
use crate::sheet::{Finished, Sheet};
use crate::source::{self, Months};
use crate::table::Table;

/// The directory for what is not finished.
const SCRATCH: &str = ".tmp";

/// What a run did.
#[derive(Debug, Default)]
pub struct Written {
    /// Files that changed or are new.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
    /// Files that are as they were.
    pub unchanged: u64,
    /// Rows in all files.
    pub rows: u64,
    /// The size of all files.
    pub bytes: u64,
    /// Sessions that could not be read; their months are tried again next time.
    pub unread: Vec<(SessionRef, ReadError)>,
}

/// Brings the files of an origin up to date. `progress` is told how many sessions were read.
pub fn write(
    library: &Library,
    lake: &Path,
    options: &LakeOptions<'_>,
    progress: &dyn Fn(),
) -> Result<Written, LakeError> {
    let months = source::months(library, options);
    let mut run = Run::start(lake, options)?;
    for (month, sessions) in &months {
        run.month(library, month, sessions, progress)?;
    }
    run.projects(&months)?;
    run.finish(&months)
}

struct Run<'a> {
    lake: &'a Path,
    options: &'a LakeOptions<'a>,
    terms: Sha256,
    before: Manifest,
    after: Manifest,
    /// Whether the last run was stopped between its files and its manifest. Then nothing that the
    /// manifest says is relied on.
    was_stopped: bool,
    /// Whether this run has changed anything.
    has_changed: bool,
    done: Written,
}

impl<'a> Run<'a> {
    fn start(lake: &'a Path, options: &'a LakeOptions<'a>) -> Result<Self, LakeError> {
        let origin = &options.origin;
        let known = Manifest::read(lake, origin)?;
        let before = known.unwrap_or_else(|| Manifest::new(origin.clone(), options.level));
        let machine = options.machine.as_deref();
        let mut after = Manifest::new(origin.clone(), options.level);
        after.machine = machine.map(|machine| options.key.pseudonym("machine", machine));
        let mut run = Self {
            lake,
            options,
            terms: source::terms(options),
            before,
            after,
            was_stopped: false,
            has_changed: false,
            done: Written::default(),
        };
        run.was_stopped = run.mark().exists();
        Ok(run)
    }

    fn scratch_dir(&self) -> PathBuf {
        self.lake.join(SCRATCH)
    }

    fn prefix(&self) -> String {
        self.options.origin.stem()
    }

    /// Says that files and manifest may not agree.
    fn mark(&self) -> PathBuf {
        self.scratch_dir()
            .join(format!("{}.changing", self.prefix()))
    }

    fn prepare(&self) -> Result<PathBuf, LakeError> {
        let dir = self.scratch_dir();
        fs::create_dir_all(&dir).map_err(LakeError::file(&dir))?;
        Ok(dir)
    }

    /// Notes that files are about to change.
    fn changing(&mut self) -> Result<(), LakeError> {
        if !self.has_changed {
            self.prepare()?;
            let mark = self.mark();
            let file = fs::File::create(&mark).map_err(LakeError::file(&mark))?;
            file.sync_all().map_err(LakeError::file(&mark))?;
            self.has_changed = true;
        }
        Ok(())
    }

    /// The file of a table as the manifest has it, if it is still there and made of the same.
    fn known(&self, file: &str, source: &str) -> Option<Entry> {
        let entry = self.before.files.get(file)?;
        let size = place::size_of(&self.lake.join(file));
        let is_there = size == Some(entry.bytes) || entry.rows == 0 && size.is_none();
        let is_it = !self.was_stopped && entry.source == source && is_there;
        is_it.then(|| entry.clone())
    }

    fn month(
        &mut self,
        library: &Library,
        month: &str,
        sessions: &[StampedRow],
        progress: &dyn Fn(),
    ) -> Result<(), LakeError> {
        if self.is_too_early(month) {
            return Ok(());
        }
        let source = source::digest_of(sessions, &self.terms);
        let mut due = Vec::new();
        for table in self.tables() {
            let file = file_of(table, Some(month), &self.options.origin);
            match self.known(&file, &source) {
                Some(entry) => self.keep(file, entry),
                None => due.push(table),
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let (dir, prefix) = (self.prepare()?, format!("{}-{month}", self.prefix()));
        let scratch = Scratch {
            dir: &dir,
            prefix: &prefix,
        };
        let made = month::write(library, sessions, &due, self.options, &scratch, progress)?;
        // A month with a gap is made again next time.
        let source = if made.unread.is_empty() {
            source
        } else {
            String::new()
        };
        for (table, made) in made.files {
            let file = file_of(table, Some(month), &self.options.origin);
            self.put(file, made, &source)?;
        }
        self.done.unread.extend(made.unread);
        Ok(())
    }

    fn tables(&self) -> Vec<Table> {
        let by_month = Table::ALL.into_iter().filter(|it| *it != Table::Projects);
        by_month.filter(|it| self.options.wants(*it)).collect()
    }

    fn is_too_early(&self, month: &str) -> bool {
        let since = self.options.since.map(|since| since.to_string());
        since.is_some_and(|since| *month < *source::month_of(Some(&since)))
    }

    fn projects(&mut self, months: &Months) -> Result<(), LakeError> {
        if !self.options.wants(Table::Projects) {
            return Ok(());
        }
        let rows = source::project_rows(months, self.options);
        let mut digest = self.terms.clone();
        digest.update(format!("{rows:?}"));
        let source = hex(&digest.finalize(), 64);
        let file = file_of(Table::Projects, None, &self.options.origin);
        if let Some(entry) = self.known(&file, &source) {
            self.keep(file, entry);
            return Ok(());
        }
        let made = if rows.is_empty() {
            None
        } else {
            let dir = self.prepare()?;
            let prefix = self.prefix();
            let path = Scratch {
                dir: &dir,
                prefix: &prefix,
            }
            .file(Table::Projects);
            let mut sheet = Sheet::create(&path, Table::Projects)?;
            rows.into_iter().try_for_each(|row| sheet.push(row))?;
            Some((path, sheet.finish()?))
        };
        self.put(file, made, &source)
    }

    fn keep(&mut self, file: String, entry: Entry) {
        self.done.unchanged += u64::from(entry.rows > 0);
        self.after.files.insert(file, entry);
    }

    /// Puts a file in its place; one without rows is none.
    fn put(
        &mut self,
        file: String,
        made: Option<(PathBuf, Finished)>,
        source: &str,
    ) -> Result<(), LakeError> {
        let entry = |made: &Finished| Entry {
            rows: made.rows,
            bytes: made.bytes,
            sha256: made.sha256.clone(),
            source: source.to_owned(),
        };
        let entry = match made {
            Some((from, made)) => {
                self.changing()?;
                if place::put(&from, &self.lake.join(&file), &made)? {
                    self.done.written += 1;
                } else {
                    self.done.unchanged += 1;
                }
                entry(&made)
            }
            None => entry(&Finished {
                rows: 0,
                bytes: 0,
                sha256: String::new(),
            }),
        };
        self.after.files.insert(file, entry);
        Ok(())
    }

    /// Removes what is not to be there any more, and writes the manifest.
    fn finish(mut self, months: &Months) -> Result<Written, LakeError> {
        self.leave_alone(months);
        for file in place::files_of(self.lake, &self.options.origin)? {
            let is_named = |entry: &Entry| entry.rows > 0;
            if !self.after.files.get(&file).is_some_and(is_named) {
                self.changing()?;
                place::remove_data(self.lake, &file)?;
                self.done.removed += 1;
            }
        }
        let path = Manifest::path(self.lake, &self.options.origin);
        let bytes = self.after.to_bytes();
        if fs::read(&path).ok().as_deref() != Some(&bytes[..]) {
            let dir = self.prepare()?;
            let scratch = dir.join(format!("{}.json", self.prefix()));
            place::replace(&scratch, &path, &bytes)?;
        }
        self.clean()?;
        for entry in self.after.files.values() {
            self.done.rows += entry.rows;
            self.done.bytes += entry.bytes;
        }
        Ok(self.done)
    }

    /// Keeps what this run was not asked about, as far as it may stay: a lower level is for all.
    fn leave_alone(&mut self, months: &Months) {
        if self.before.level > self.options.level {
            return;
        }
        for (file, entry) in &self.before.files {
            let mut parts = file.split('/').skip(1);
            let table = parts.next().and_then(Table::parse);
            let month = parts.next().and_then(|part| part.strip_prefix("month="));
            let Some(table) = table.filter(|table| self.options.has(*table)) else {
                continue;
            };
            let was_asked =
                self.options.wants(table) && month.is_none_or(|month| !self.is_too_early(month));
            // A month without sessions has nothing to keep.
            let is_empty = month.is_some_and(|month| !months.contains_key(month));
            if !was_asked && !is_empty {
                self.after
                    .files
                    .entry(file.clone())
                    .or_insert_with(|| entry.clone());
            }
        }
    }

    /// Removes what this run, and those that were stopped, left unfinished.
    fn clean(&self) -> Result<(), LakeError> {
        let dir = self.scratch_dir();
        let prefix = self.prefix();
        for path in place::entries(&dir)? {
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| name.starts_with(&prefix)) {
                place::remove(&path)?;
            }
        }
        // Fails if others are still writing.
        let _ = fs::remove_dir(&dir);
        Ok(())
    }
}
