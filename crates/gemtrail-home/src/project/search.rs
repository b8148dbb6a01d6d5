//! Looks for root paths in a project's files, the likeliest first, piece by piece.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::path_text::{self, LONGEST};
use super::prove::Prover;
use crate::discover::{FileKind, FoundFile};

/// Large enough to keep calls rare, small enough to stay in the CPU cache.
const PIECE: usize = 128 << 10;
/// The length of the previous piece that is kept, so that no path is cut in two. Escapes make paths
/// longer.
const OVERLAP: usize = 2 * LONGEST;

/// The limits of reading a project.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Of each file, from its start.
    pub(super) bytes_per_file: u64,
    /// Of all files together.
    pub(super) bytes: u64,
    /// The budget of the prover.
    pub(super) tries: usize,
}

impl Limits {
    /// Session contexts and first tool calls are near the start of a journal.
    pub(super) const STARTS: Self = Self {
        bytes_per_file: 16 << 10,
        bytes: 8 << 20,
        tries: 2 << 20,
    };
    /// Most of what there is: about 30 ms for a project that never names its root.
    pub(super) const MOST: Self = Self {
        bytes_per_file: u64::MAX,
        bytes: 64 << 20,
        tries: 16 << 20,
    };
    /// Everything, for a thorough search.
    pub(super) const ALL: Self = Self {
        bytes_per_file: u64::MAX,
        bytes: u64::MAX,
        tries: 64 << 20,
    };
}

/// Tries every path in the project's files until the target, or everything, is proven.
pub(super) fn search(
    prover: &mut Prover<'_>,
    files: &[(usize, FoundFile)],
    target: Option<usize>,
    limits: Limits,
) {
    let is_of_project = |file: &&FoundFile| {
        let kind = &file.kind;
        !kind.is_conversation() && !matches!(kind, FileKind::ConversationFile { .. })
    };
    let files = files.iter().map(|(_, file)| file);
    let mut files: Vec<&FoundFile> = files.filter(is_of_project).collect();
    files.sort_by_key(|file| likelihood(&file.kind));
    let mut left = limits.bytes;
    let mut piece = Vec::new();
    for file in files {
        let share = left.min(limits.bytes_per_file);
        // An unreadable file is reported by the code that reads it for its content.
        let Ok((flow, read)) = search_file(file, share, &mut piece, prover, target) else {
            continue;
        };
        left = left.saturating_sub(read);
        if flow.is_break() || left == 0 {
            return;
        }
    }
}

/// How soon a file is likely to name a root path: a checkpoint starts with the session context.
fn likelihood(kind: &FileKind) -> u8 {
    match kind {
        FileKind::Checkpoint { .. } | FileKind::RestorePoint => 0,
        FileKind::Journal => 1,
        FileKind::Subagent { .. } => 2,
        FileKind::Plan { .. } | FileKind::UnreadableJournal => 3,
        FileKind::ShellHistory | FileKind::PromptLog | FileKind::PromptLogBackup => 4,
        FileKind::ToolOutput { .. } => 5,
        // Already read by their own parsers.
        FileKind::Marker | FileKind::Registry | FileKind::TrustedFolders => 6,
        FileKind::Conversation { .. } | FileKind::ConversationFile { .. } => 7,
    }
}

fn search_file(
    file: &FoundFile,
    limit: u64,
    piece: &mut Vec<u8>,
    prover: &mut Prover<'_>,
    target: Option<usize>,
) -> io::Result<(ControlFlow<()>, u64)> {
    let mut file = file.open()?.take(limit);
    let mut read = 0;
    piece.clear();
    loop {
        let kept = piece.len();
        let wanted = (PIECE - kept) as u64;
        let count = file.by_ref().take(wanted).read_to_end(piece)?;
        read += count as u64;
        let is_last = (count as u64) < wanted;
        let until = if is_last {
            piece.len()
        } else {
            piece.len() - OVERLAP
        };
        let flow = path_text::visit(piece, until, |path| {
            prover.offer_readings(path);
            prover.flow(target)
        });
        if flow.is_break() || is_last {
            return Ok((flow, read));
        }
        piece.drain(..until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Wanted;
    use gemtrail_core::project_hash;

    fn proven(root: &str, content: &str, limits: Limits) -> bool {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("session.jsonl");
        std::fs::write(&path, content).unwrap();
        let file = FoundFile::at(&path, FileKind::Journal).unwrap();
        let hash = project_hash(root);
        let wanted = Wanted::new([(0, hash.as_str())]);
        let mut prover = Prover::new(&wanted, limits.tries);
        search(&mut prover, &[(0, file)], Some(0), limits);
        prover.proofs().iter().any(|proof| proof.path == root)
    }

    #[test]
    fn a_path_on_the_edge_of_a_piece_is_whole() {
        for before in [PIECE - 40, PIECE - 9, PIECE - 1, PIECE, 2 * PIECE - OVERLAP] {
            let content = format!("{}\"/srv/demo/app/src/main.rs\"}}", " ".repeat(before));
            assert!(proven("/srv/demo/app", &content, Limits::MOST), "{before}");
        }
    }

    #[test]
    fn the_limits_hold() {
        let late = format!("{}\"/srv/demo/app\"", " ".repeat(1 << 20));
        assert!(proven("/srv/demo/app", &late, Limits::MOST));
        assert!(!proven("/srv/demo/app", &late, Limits::STARTS));
        let few = Limits {
            tries: 130,
            ..Limits::ALL
        };
        assert!(!proven(
            "/srv/demo/app",
            "\"/a/b/c\" \"/srv/demo/app\"",
            few
        ));
    }
}
