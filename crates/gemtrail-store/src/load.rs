//! Reads journals. Files are live: they are read once, in pieces, front to back.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_core::{Detail, Reader, SourceJournal, hex};
use sha2::{Digest, Sha256};

use crate::discover::FoundFile;
use crate::listening::Listening;
use crate::source::{Gapped, Kept, open_regular};
use crate::spelled::text_of;

/// A larger buffer is not kept for the next file.
const MOST_KEPT: usize = 4 << 20;

thread_local! {
    /// A spare read buffer: a home has thousands of files, most of them small.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads a journal from a file.
pub fn load(path: &Path, detail: Detail) -> io::Result<SourceJournal> {
    let file = open_regular(path)?;
    read_from(file, name_of(path), detail, Digested::in_detail(detail))
}

/// Reads the current journal, or its last version.
pub(crate) fn load_found(file: &FoundFile, depth: Depth) -> io::Result<SourceJournal> {
    if let Some(kept) = &file.versions.latest {
        return load_kept(kept.as_ref(), file, depth);
    }
    let name = name_of(&file.path);
    let (detail, digested) = depth.of_file(file.bytes);
    read_from(file.open()?, name, detail, digested)
}

/// Reads the current journal, or its last version, and tells whether it may name files with outputs.
pub(crate) fn load_listening(file: &FoundFile, depth: Depth) -> io::Result<(SourceJournal, bool)> {
    let listening = file.open().and_then(|input| {
        let mut input = Listening::to(input);
        let name = name_of(&file.path);
        let (detail, digested) = depth.of_file(file.bytes);
        let journal = read_from(&mut input, name, detail, digested)?;
        Ok((journal, input.has_heard()))
    });
    match listening {
        // Of a damaged version some may be left.
        Err(_) if file.versions.latest.is_some() => Ok((load_found(file, depth)?, true)),
        listening => listening,
    }
}

/// Reads a stored version of a journal, or what is left of it.
fn load_kept(kept: &dyn Kept, file: &FoundFile, depth: Depth) -> io::Result<SourceJournal> {
    let (detail, digested) = depth.of_file(kept.bytes());
    let read = |input, digested| read_from(input, name_of(&file.path), detail, digested);
    let whole = kept.open().and_then(|input| read(input, digested));
    whole.or_else(|error| {
        let Gapped { bytes, lost } = kept.open_with_gaps()?;
        let mut journal = read(bytes, digested).map_err(|_| error)?;
        let lost = lost.load(Ordering::Relaxed);
        if lost > 0 {
            journal.sha256 = None;
            journal.log.report_damage(self::lost(lost));
        }
        Ok(journal)
    })
}

/// Says that bytes of a file are lost.
pub(crate) fn lost(bytes: u64) -> String {
    format!("{bytes} bytes of the file are damaged in the archive")
}

/// How much of a file to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Counts only.
    Counts,
    /// Counts, and whether files with outputs may be named.
    Checkup,
    /// Counts. For long files also the digest, the position of each message, and whether files with
    /// outputs may be named.
    Survey {
        /// The size in bytes from which a file is long.
        long_from: u64,
    },
    /// All contents, and whether files with outputs may be named.
    Words,
    /// All contents, and the digest of the bytes.
    Document,
}

impl Depth {
    /// Whether reading a file of this length also tells whether it may name files with outputs.
    pub(crate) fn listens_to(self, bytes: u64) -> bool {
        match self {
            Self::Checkup | Self::Words => true,
            Self::Survey { long_from } => bytes >= long_from,
            Self::Counts | Self::Document => false,
        }
    }

    fn of_file(self, bytes: u64) -> (Detail, Digested) {
        match self {
            Self::Survey { long_from } if bytes >= long_from => (Detail::Traced, Digested::Yes),
            Self::Counts | Self::Checkup | Self::Survey { .. } => (Detail::Counts, Digested::No),
            Self::Words => (Detail::Full, Digested::No),
            Self::Document => (Detail::Full, Digested::Yes),
        }
    }
}

impl From<Detail> for Depth {
    fn from(detail: Detail) -> Self {
        match detail {
            Detail::Full => Self::Document,
            Detail::Counts => Self::Counts,
            Detail::Traced => Self::Survey { long_from: 0 },
        }
    }
}

/// Reads the earlier versions of a journal, oldest first. Unreadable ones are left out; verifying
/// the archive reports them.
pub(crate) fn load_earlier(file: &FoundFile, depth: Depth) -> Vec<SourceJournal> {
    let read = |kept: &Arc<dyn Kept>| -> io::Result<SourceJournal> {
        let journal = load_kept(kept.as_ref(), file, depth)?;
        Ok(SourceJournal {
            earlier: true,
            ..journal
        })
    };
    let earlier = file.versions.earlier.iter();
    earlier.filter_map(|kept| read(kept).ok()).collect()
}

fn name_of(path: &Path) -> String {
    text_of(path).into_owned()
}

/// Reads a journal from any stream.
pub fn load_from(input: impl Read, name: &str, detail: Detail) -> io::Result<SourceJournal> {
    read_from(input, name.to_owned(), detail, Digested::Yes)
}

#[derive(Clone, Copy, PartialEq)]
enum Digested {
    Yes,
    No,
}

impl Digested {
    /// Only the complete document includes the digest.
    fn in_detail(detail: Detail) -> Self {
        if detail == Detail::Full {
            Self::Yes
        } else {
            Self::No
        }
    }
}

fn read_from(
    mut input: impl Read,
    path: String,
    detail: Detail,
    digested: Digested,
) -> io::Result<SourceJournal> {
    let mut reader = Reader::in_room(detail, SPARE.take());
    let mut digest = (digested == Digested::Yes).then(Sha256::new);
    let mut bytes = 0;
    loop {
        let room = reader.room();
        let count = match input.read(room) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes += count as u64;
        if let Some(digest) = &mut digest {
            digest.update(&room[..count]);
        }
        reader.filled(count);
    }
    let (log, room) = reader.finish_with_room();
    if room.len() <= MOST_KEPT {
        SPARE.set(room);
    }
    let sha256 = digest.map(|digest| hex(&digest.finalize()));
    Ok(SourceJournal {
        path,
        bytes,
        sha256,
        earlier: false,
        log,
    })
}

/// A diagnostic about an unreadable file.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::new(
        Code::Unreadable,
        format!("the file cannot be read: {error}"),
    )
    .in_journal(text_of(path))
}
