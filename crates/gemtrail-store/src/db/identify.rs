//! Distinguishes the remains of an archive from a file that never was one.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use gemtrail_home::source::open_regular;

use super::error::{ArchiveError, damaged};
use super::schema;

/// The start of every `SQLite` database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Position of the application id.
const OWNER: std::ops::Range<usize> = 68..72;
/// The page size of an archive.
const PAGE: usize = 8192;
/// First bytes of a page: the page types, or the number of an overflow page.
const PAGE_STARTS: [u8; 5] = [0, 2, 5, 10, 13];
/// The number of pages to check.
const MOST_PAGES: u64 = 64;
/// Text on the first pages of every archive, and hardly anywhere else.
const TABLES: [&str; 4] = [
    "CREATE INDEX chunk_unused ON chunk",
    "CREATE INDEX version_content ON version",
    "CREATE TABLE forgotten(",
    "CREATE TABLE tool_call(",
];

/// Whose a file is, as far as its first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Gemtrail,
    /// It is empty, or a database that names no application.
    Unmarked,
    Other,
}

/// `None` if the file cannot be read.
pub(crate) fn owner(path: &Path) -> Option<Owner> {
    let start = first_pages(path, 1).ok()?;
    let is_database = start.starts_with(MAGIC);
    Some(match start.get(OWNER) {
        Some(owner) if is_database && owner == schema::APPLICATION_ID.to_be_bytes() => {
            Owner::Gemtrail
        }
        Some([0, 0, 0, 0]) if is_database => Owner::Unmarked,
        None if start.is_empty() => Owner::Unmarked,
        _ => Owner::Other,
    })
}

/// `SQLite` treats a file that ends within its header as empty.
pub(crate) fn refuse_truncated(path: &Path) -> Result<(), ArchiveError> {
    const HEADER: u64 = 512;
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && (1..HEADER).contains(&metadata.len()) => {
            let start = first_pages(path, 1)?;
            if start.starts_with(MAGIC) || MAGIC.starts_with(&start) {
                let length = metadata.len();
                Err(damaged(format!("only {length} bytes are left of it")))
            } else {
                Err(ArchiveError::NotAnArchive)
            }
        }
        _ => Ok(()),
    }
}

/// A file that is not an archive may be a damaged one, and should be reported as such.
pub(crate) fn explain(error: ArchiveError, path: &Path) -> ArchiveError {
    match error {
        ArchiveError::NotAnArchive if was_archive(path).unwrap_or(false) => {
            damaged("its first page is not as it was written")
        }
        other => other,
    }
}

fn was_archive(path: &Path) -> std::io::Result<bool> {
    let start = first_pages(path, MOST_PAGES)?;
    if start.get(OWNER) == Some(&schema::APPLICATION_ID.to_be_bytes()[..]) {
        return Ok(true);
    }
    let has = |text: &str| memchr::memmem::find(&start, text.as_bytes()).is_some();
    if TABLES.into_iter().any(has) {
        return Ok(true);
    }
    // An intact first page with another application id means another program's database.
    Ok(!start.starts_with(MAGIC) && has_pages(path)?)
}

fn first_pages(path: &Path, count: u64) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    open_regular(path)?
        .take(count * PAGE as u64)
        .read_to_end(&mut start)?;
    Ok(start)
}

/// True if all pages but the first look like those of a database.
fn has_pages(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if length % PAGE as u64 != 0 {
        return Ok(false);
    }
    let mut is_used = false;
    for page in 1..(length / PAGE as u64).min(MOST_PAGES) {
        file.seek(SeekFrom::Start(page * PAGE as u64))?;
        let mut first = [0];
        file.read_exact(&mut first)?;
        if !PAGE_STARTS.contains(&first[0]) {
            return Ok(false);
        }
        is_used |= first != [0];
    }
    Ok(is_used)
}
