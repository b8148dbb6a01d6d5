//! Reads the tables of a damaged archive: every row that is not on a damaged page, and what indexes
//! still know of the others.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gemtrail_home::discover::kind_of;
use gemtrail_home::source::Stat;
use rusqlite::Row;

use super::report::ImportReport;
use super::source::{FileVersion, ImportSource, Singles, SourceFile};
use crate::db::ArchiveError;
use crate::db::columns::{Name, kind_to_columns};
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId};
use crate::raw::chunk::{Hash, content_hash};
use crate::raw::writer::HomeColumns;

impl ImportSource {
    /// The rows of a table, by id. What is on a damaged page is passed over, and so is a row with a
    /// value that nobody wrote.
    pub(super) fn by_id<T>(
        &self,
        table: &str,
        columns: &str,
        report: &mut ImportReport,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<(i64, T)>, ArchiveError> {
        let sql = format!("SELECT id, {columns} FROM {table} WHERE id >= ?1 ORDER BY id");
        let mut all = Vec::new();
        let mut from = i64::MIN;
        loop {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query([from])?;
            let fault = loop {
                match rows.next() {
                    Ok(Some(row)) => {
                        let id: i64 = row.get(0)?;
                        from = id.saturating_add(1);
                        match read(row) {
                            Ok(item) => all.push((id, item)),
                            Err(error) => told(error, report)?,
                        }
                    }
                    Ok(None) => return Ok(all),
                    Err(error) => break error,
                }
            };
            told(fault, report)?;
            match self.behind_damage(&sql, from)? {
                Some(next) => from = next,
                None => return Ok(all),
            }
        }
    }

    /// The first id from which on rows can be read again.
    fn behind_damage(&self, sql: &str, from: i64) -> Result<Option<i64>, ArchiveError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut can_be_read = |id: i64| match statement
            .query([id])
            .and_then(|mut it| Ok(it.next()?.is_some()))
        {
            Ok(_) => Ok(true),
            Err(error) => match as_damage(error) {
                ArchiveError::Damaged { .. } => Ok(false),
                other => Err(other),
            },
        };
        let from = from.max(0);
        let (mut bad, mut step) = (from, 1);
        let mut good = loop {
            let Some(id) = from.checked_add(step) else {
                return Ok(None);
            };
            if can_be_read(id)? {
                break id;
            }
            bad = id;
            match step.checked_mul(2) {
                Some(next) => step = next,
                None => return Ok(None),
            }
        };
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2;
            if can_be_read(middle)? {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Ok(Some(good))
    }

    /// The rows of a table without ids: from both ends up to what is damaged.
    pub(super) fn by_both_ends<T>(
        &self,
        table: &str,
        (key, columns): (&str, &str),
        report: &mut ImportReport,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ArchiveError> {
        let mut all = Vec::new();
        for order in ["ASC", "DESC"] {
            let sql = format!("SELECT {columns} FROM {table} ORDER BY {key} {order}");
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            loop {
                match rows.next().and_then(|row| row.map(&read).transpose()) {
                    Ok(Some(row)) => all.push(row),
                    Ok(None) => return Ok(all),
                    Err(error) => {
                        told(error, report)?;
                        break;
                    }
                }
            }
        }
        Ok(all)
    }

    /// What an index has of a table, as far as it can be read.
    fn of_index<T>(
        &self,
        (table, index): (&str, &str),
        columns: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<(i64, T)> {
        let sql = format!("SELECT id, {columns} FROM {table} INDEXED BY {index}");
        let mut all = Vec::new();
        let mut take = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if let (Ok(id), Ok(item)) = (row.get(0), read(row)) {
                    all.push((id, item));
                }
            }
            Ok(())
        };
        // What it cannot tell is lost.
        let _ = take();
        all
    }

    /// Homes whose rows are lost.
    pub(super) fn homes_of_index(&self) -> Vec<(i64, HomeColumns)> {
        let index = ("home", "sqlite_autoindex_home_1");
        self.of_index(index, "path, host, user", |row| {
            let root = row.get::<_, Name>(1)?.0;
            Ok(HomeColumns {
                sessions: root.join("tmp"),
                root,
                host: row.get(2)?,
                user: row.get(3)?,
                seen: 0,
            })
        })
    }

    /// Files whose rows are lost. Their paths tell what they are.
    pub(super) fn files_of_index(&self) -> Vec<(i64, SourceFile)> {
        let index = ("file", "sqlite_autoindex_file_1");
        let files = self.of_index(index, "home, path", |row| {
            Ok((row.get(1)?, row.get::<_, Name>(2)?.0))
        });
        let file = |(id, (home, path)): (i64, (i64, PathBuf))| {
            let (dir, kind) = kind_of(&path)?;
            let (kind, detail) = kind_to_columns(&kind);
            let (kind, detail) = (kind.to_owned(), detail.map(str::to_owned));
            Some((
                id,
                SourceFile {
                    home,
                    dir,
                    path,
                    kind,
                    detail,
                    stat: Stat::default(),
                    gone: None,
                    session: None,
                    versions: Vec::new(),
                },
            ))
        };
        files.into_iter().filter_map(file).collect()
    }

    /// Versions whose rows are lost, with the files that they are of.
    pub(super) fn versions_of_index(
        &self,
        contents: &HashMap<ContentRowId, (Hash, u64)>,
    ) -> Vec<(i64, (i64, FileVersion))> {
        let files = self.of_index(("version", "version_file"), "file", |row| row.get(1));
        let files: HashMap<i64, i64> = files.into_iter().collect();
        let of_contents =
            self.of_index(("version", "version_content"), "content", |row| row.get(1));
        let version = |(id, content): (i64, ContentRowId)| {
            let (hash, bytes) = *contents.get(&content)?;
            let version = FileVersion {
                content,
                hash: Some(hash),
                bytes,
                modified: 0,
                seen: 0,
                is_new: true,
            };
            Some((id, (*files.get(&id)?, version)))
        };
        let mut versions: Vec<_> = of_contents.into_iter().filter_map(version).collect();
        versions.sort_by_key(|(id, _)| *id);
        versions
    }

    /// Contents whose rows are lost and that have one chunk, as most have: its digest tells.
    pub(super) fn singles(&self) -> &Singles {
        self.singles.get_or_init(|| {
            let contents = ("content", "sqlite_autoindex_content_1");
            let contents = self.of_index(contents, "hash", |row| row.get::<_, Hash>(1));
            let chunks = ("chunk", "sqlite_autoindex_chunk_1");
            let chunks = self.of_index(chunks, "hash", |row| row.get::<_, Hash>(1));
            let chunks = chunks.into_iter();
            let chunks: HashMap<Hash, i64> = chunks
                .map(|(id, hash)| (content_hash(&[hash]), id))
                .collect();
            let single = |(id, hash): (i64, Hash)| {
                let chunk = ChunkRowId(*chunks.get(&hash)?);
                Some((ContentRowId(id), (hash, chunk)))
            };
            contents.into_iter().filter_map(single).collect()
        })
    }

    /// The only chunk of a content whose row is lost.
    pub(super) fn single(&self, content: ContentRowId) -> Result<ChunkRowId, ArchiveError> {
        let single = self.singles().get(&content).map(|(_, chunk)| *chunk);
        single.ok_or_else(|| damaged("its content is missing"))
    }
}

/// Reports damage; other errors remain errors.
fn told(error: rusqlite::Error, report: &mut ImportReport) -> Result<(), ArchiveError> {
    match as_damage(error) {
        ArchiveError::Damaged { what } => {
            report.damage(None, format!("not all of it can be read: {what}"));
            Ok(())
        }
        other => Err(other),
    }
}

/// A value of another type is damage, too: nobody wrote it.
pub(super) fn as_damage(error: rusqlite::Error) -> ArchiveError {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..) => damaged(error.to_string()),
        other => other.into(),
    }
}

/// The path of an archive with another one's first page: a damaged first page hides all others, and all
/// archives of one version have the same.
pub(crate) fn with_first_page(damaged: &Path, to: &Path, sound: &Path) -> std::io::Result<()> {
    use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
    std::fs::copy(damaged, to)?;
    let mut page = vec![0; 8192];
    std::fs::File::open(sound)?.read_exact(&mut page)?;
    // The number of pages: 0 lets SQLite ask the file.
    page[28..32].fill(0);
    let mut file = std::fs::File::options().write(true).open(to)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&page)
}
