//! Reads journals. Files are live: they are read once, in pieces, front to back.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_core::tools::IN_ALL_BEFORE_OUTPUT_FILE;
use gemtrail_core::{Detail, Metadata, Reader, SourceJournal, hex};
use memchr::memmem::Finder;
use sha2::{Digest, Sha256};

use crate::discover::FoundFile;
use crate::paths::text_of;
use crate::source::{Gapped, Kept, open_regular};

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
pub fn load_found(file: &FoundFile, depth: Depth) -> io::Result<SourceJournal> {
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
pub fn lost(bytes: u64) -> String {
    format!("{bytes} bytes of the file are damaged in the archive")
}

/// The extent to which a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Counts only.
    Counts,
    /// Counts, and whether files with outputs may be named.
    Checkup,
    /// Counts. For long files also the digest and the position of each message.
    Survey {
        /// The size in bytes from which a file is long.
        long_from: u64,
    },
    /// All contents.
    Words,
    /// All contents, and the digest of the bytes.
    Document,
}

impl Depth {
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
pub fn load_earlier(file: &FoundFile, depth: Depth) -> Vec<SourceJournal> {
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
pub fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::new(
        Code::Unreadable,
        format!("the file cannot be read: {error}"),
    )
    .in_journal(text_of(path))
}

/// The header of a journal takes about three hundred bytes.
const START: u64 = 4096;

/// The metadata in the first bytes of a journal.
pub(crate) fn peek_file(file: &FoundFile) -> io::Result<Metadata> {
    let mut start = Vec::with_capacity(4096);
    file.open()?.take(START).read_to_end(&mut start)?;
    Ok(gemtrail_core::peek(&start))
}

static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(IN_ALL_BEFORE_OUTPUT_FILE));

/// The most that one piece may end with of a mark.
const MOST_OF_MARK: usize = IN_ALL_BEFORE_OUTPUT_FILE.len() - 1;

/// Notices, while a journal is read, whether it may name files with outputs: then it is worth reading again
/// for these.
struct Listening<R> {
    input: R,
    has_heard: bool,
    /// The last bytes of what was read before: a mark may be in two pieces.
    end: Vec<u8>,
}

impl<R> Listening<R> {
    fn to(input: R) -> Self {
        Self {
            input,
            has_heard: false,
            end: Vec::new(),
        }
    }

    /// True if a mark was in what was read so far.
    fn has_heard(&self) -> bool {
        self.has_heard
    }

    fn listen(&mut self, piece: &[u8]) {
        if self.has_heard || piece.is_empty() {
            return;
        }
        self.end
            .extend_from_slice(&piece[..piece.len().min(MOST_OF_MARK)]);
        self.has_heard = MARK.find(piece).is_some() || MARK.find(&self.end).is_some();
        if piece.len() >= MOST_OF_MARK {
            self.end.clear();
            self.end
                .extend_from_slice(&piece[piece.len() - MOST_OF_MARK..]);
        } else {
            self.end
                .drain(..self.end.len().saturating_sub(MOST_OF_MARK));
        }
    }
}

impl<R: Read> Read for Listening<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.listen(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_heard_however_it_is_cut() {
        let text = b"before it; For full output see: /tmp/a";
        let hears = |pieces: &[&[u8]]| {
            let mut listening = Listening::to(io::empty());
            for piece in pieces {
                listening.listen(piece);
            }
            listening.has_heard()
        };
        for first in 0..text.len() {
            for second in first..text.len() {
                let (start, rest) = text.split_at(first);
                let (middle, end) = rest.split_at(second - first);
                assert!(hears(&[start, middle, end]), "cut at {first} and {second}");
            }
        }
        assert!(hears(
            &text.iter().map(std::slice::from_ref).collect::<Vec<_>>()
        ));
        assert!(!hears(&[b"For full ", b"-output see", b""]));
    }
}
