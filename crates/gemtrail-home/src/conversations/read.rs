//! Reads conversations from their files.

use std::collections::BTreeMap;
use std::io;

use gemtrail_antigravity::{Conversation, ConversationRows};
use gemtrail_core::internal::hex;
use gemtrail_core::model::{Aside, Diagnostic, Format, Journal, Origin, Session};
use rayon::prelude::*;

use super::bytes::{bytes_of, image_of, kept_bytes};
use crate::discover::{FileKind, FoundFile};
use crate::load::{Depth, unreadable};
use crate::paths::text_of;

/// The files of one conversation in one home, each with the index of its home.
type Copy<'a> = Vec<&'a (usize, FoundFile)>;

/// Reads conversations, several at a time; each once, however many homes have it. Of each session what
/// `keep` leaves of it is kept.
pub fn read_all(
    files: &[&(usize, FoundFile)],
    depth: Depth,
    origin: impl Fn(usize) -> Origin + Sync,
    keep: impl Fn(&mut Session) + Sync,
) -> (Vec<Conversation>, Vec<Diagnostic>) {
    let mut copies: BTreeMap<&str, BTreeMap<(usize, &str), Copy<'_>>> = BTreeMap::new();
    for located in files {
        if let FileKind::Conversation { application, id } = &located.1.kind {
            let copy = copies.entry(id).or_default();
            let copy = copy.entry((located.0, application.as_str())).or_default();
            copy.push(located);
        }
    }
    let read = |(id, copies): (&&str, &BTreeMap<(usize, &str), Copy<'_>>)| {
        let mut faults = Vec::new();
        let mut read: Vec<Conversation> = Vec::new();
        for ((home, _), copy) in copies {
            read.extend(read_copy(id, copy, depth, &origin(*home), &mut faults));
        }
        let mut read = fullest(read);
        if let Some(conversation) = &mut read {
            keep(&mut conversation.session);
        }
        (read, faults)
    };
    let read: Vec<_> = copies.par_iter().map(read).collect();
    let (mut conversations, mut faults) = (Vec::new(), Vec::new());
    for (conversation, found) in read {
        conversations.extend(conversation);
        faults.extend(found);
    }
    (conversations, faults)
}

/// Of several copies of a conversation the one with the most messages; the files of all of them.
fn fullest(mut copies: Vec<Conversation>) -> Option<Conversation> {
    let size = |it: &Conversation| (it.session.messages.len(), it.session.updated.clone());
    let best = (0..copies.len())
        .rev()
        .max_by_key(|at| size(&copies[*at]))?;
    let mut best = copies.swap_remove(best);
    for other in copies {
        best.session.journals.extend(other.session.journals);
    }
    Some(best)
}

/// Reads what tells most of a conversation: its database, or what there was before databases, or
/// its transcript; else it is sealed.
fn read_copy(
    id: &str,
    files: &Copy<'_>,
    depth: Depth,
    origin: &Origin,
    faults: &mut Vec<Diagnostic>,
) -> Option<Conversation> {
    let of_format = |wanted: Format| {
        let files = files.iter().map(|(_, file)| file);
        files.filter(move |file| format_of(file) == wanted)
    };
    for file in of_format(Format::Database).chain(of_format(Format::Trajectory)) {
        match read_file(file, depth, origin) {
            Ok(conversation) => return Some(conversation),
            Err(error) => faults.push(unreadable(&file.path, &error)),
        }
    }
    let (mut lines, mut first) = (Vec::new(), None);
    for file in of_format(Format::Transcript) {
        match bytes_of(file) {
            Ok(bytes) => lines.extend(bytes),
            Err(error) => faults.push(unreadable(&file.path, &error)),
        }
        first = first.or(Some(file));
    }
    if let Some(first) = first {
        let journal = journal(first, Format::Transcript, &lines, depth);
        let origin = origin.clone();
        return Some(Conversation::from_transcript(id, &lines, journal, origin));
    }
    let sealed = of_format(Format::Sealed).next()?;
    let bytes = bytes_of(sealed).unwrap_or_default();
    let journal = journal(sealed, Format::Sealed, &bytes, depth);
    Some(Conversation::sealed(journal, origin.clone()))
}

/// Reads a database or what there was before databases: as it is now or, if nothing can be read of
/// that, as it was before.
fn read_file(file: &FoundFile, depth: Depth, origin: &Origin) -> io::Result<Conversation> {
    let format = format_of(file);
    let mut failure = None;
    let earlier = file.versions.earlier.iter().rev();
    let states = std::iter::once_with(|| bytes_of(file))
        .chain(earlier.map(|kept| kept_bytes(kept.as_ref())));
    for bytes in states {
        let read = bytes.and_then(|bytes| {
            let journal = journal(file, format, &bytes, depth);
            let rows = if format == Format::Database {
                ConversationRows::from_database(&image_of(bytes))
            } else {
                ConversationRows::from_trajectory(&bytes)
            };
            let rows = rows.map_err(io::Error::other)?;
            Ok(Conversation::from_rows(&rows, journal, origin.clone()))
        });
        match read {
            Ok(conversation) => return Ok(conversation),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

fn journal(file: &FoundFile, format: Format, bytes: &[u8], depth: Depth) -> Journal {
    use sha2::Digest as _;
    let is_digested = depth == Depth::Document;
    Journal {
        path: text_of(&file.path).into_owned(),
        format,
        bytes: bytes.len() as u64,
        sha256: is_digested.then(|| hex(&sha2::Sha256::digest(bytes))),
        clean_up: Aside(None),
    }
}

/// The format of a conversation's file, by its name.
fn format_of(file: &FoundFile) -> Format {
    match file.path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("db") => Format::Database,
        Some("pb") => Format::Sealed,
        Some("jsonl") => Format::Transcript,
        _ => Format::Trajectory,
    }
}
