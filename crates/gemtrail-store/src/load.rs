//! From a path to what its file says. Files are live: they are read once, in pieces, front to back.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_core::{Detail, Reader, SourceJournal};
use sha2::{Digest, Sha256};

/// More memory than this is not kept for the next file.
const MOST_KEPT: usize = 4 << 20;

/// Settings, registries and prompt logs are never larger than this.
const MAX_SMALL_BYTES: u64 = 512 << 20;

thread_local! {
    /// Memory for reading that is not in use: a home has thousands of files, most of them small.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads a journal from a file.
pub fn load(path: &Path, detail: Detail) -> io::Result<SourceJournal> {
    let file = File::open(path)?;
    let wanted = if detail == Detail::Full {
        Digested::Yes
    } else {
        Digested::No
    };
    read_from(file, path.to_string_lossy().into_owned(), detail, wanted)
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
        log,
    })
}

/// Reads a small file to its end. Anything but a regular file is refused: a pipe of that name would
/// keep whoever opens it waiting, and a device never ends.
pub(crate) fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.len() > MAX_SMALL_BYTES {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    std::fs::read(path)
}

/// A finding about a file that could not be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::new(
        Code::Unreadable,
        format!("the file cannot be read: {error}"),
    )
    .in_journal(path.to_string_lossy())
}

/// Bytes in lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// What Gemini CLI calls a project's hash.
pub fn project_hash(root: &str) -> String {
    hex(&Sha256::digest(root.as_bytes()))
}
