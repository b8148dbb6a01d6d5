//! Tool outputs that a journal refers to and that no longer exist.
//!
//! Paths in journals are those of the machine that wrote them, so an output counts as found if a
//! file with its name is anywhere in the project.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_core::tools::BEFORE_OUTPUT_FILE;
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::source::open_regular;
use memchr::memmem;

use super::journal::JournalFacts;

const PIECE: usize = 256 << 10;

/// A mark and its path must be within this many bytes of each other.
const LONGEST_MENTION: usize = 8 << 10;

/// The outputs that are missing for the journals of a project.
pub(super) fn missing(journals: &[JournalFacts], files: &[(usize, FoundFile)]) -> Vec<Diagnostic> {
    let outputs: HashSet<&str> = files
        .iter()
        .filter(|(_, file)| matches!(file.kind, FileKind::ToolOutput { .. }))
        .filter_map(|(_, file)| file.path.file_name()?.to_str())
        .collect();
    let mut diagnostics = Vec::new();
    let may_lack_some =
        |journal: &&JournalFacts| journal.clean_up.has_conversation && journal.may_name_outputs;
    for journal in journals.iter().filter(may_lack_some) {
        let mut named = HashSet::new();
        for mention in mentions(&journal.path) {
            let name = file_name(&mention.path);
            let known = outputs.contains(name)
                || Path::new(&mention.path).exists()
                || journal
                    .listed()
                    .project_dir()
                    .is_some_and(|dir| dir.join(name).exists());
            if is_output_of(&mention.path, &journal.session)
                && !known
                && named.insert(name.to_owned())
            {
                let what = format!("the output file {name} is gone");
                diagnostics.push(
                    Diagnostic::new(Code::MissingToolOutput, what)
                        .in_journal(journal.path.to_string_lossy())
                        .at_line(mention.line),
                );
            }
        }
    }
    diagnostics
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// True if a path is one that Gemini CLI created for an output of this session, and not one that
/// was merely mentioned.
fn is_output_of(path: &str, session: &str) -> bool {
    let mut parents = path.rsplit(['/', '\\']).skip(1);
    let parent = parents.next().unwrap_or_default();
    if let Some(owner) = parent.strip_prefix("session-") {
        return owner == session && parents.next() == Some("tool-outputs");
    }
    // Before 0.29 they were directly in the project directory.
    let is_named_so = path.ends_with(".output") || path.ends_with(".txt");
    parents.next() == Some("tmp") && is_named_so
}

/// A path that a journal names as the location of an output.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    line: u64,
    path: String,
}

/// Scans a journal piece by piece. An unreadable journal has no mentions; it is reported elsewhere.
fn mentions(path: &Path) -> Vec<Mention> {
    let mut found = Vec::new();
    let Ok(mut file) = open_regular(path) else {
        return found;
    };
    let mut window = Vec::with_capacity(PIECE + LONGEST_MENTION);
    let mut line = 1;
    while let Ok(count) = file.by_ref().take(PIECE as u64).read_to_end(&mut window) {
        let is_last = count == 0;
        // Whatever starts near the end is scanned with the next piece.
        let end = if is_last {
            window.len()
        } else {
            window.len().saturating_sub(LONGEST_MENTION)
        };
        find(&window, end, line, &mut found);
        line += memchr::memchr_iter(b'\n', &window[..end]).count() as u64;
        window.drain(..end);
        if is_last {
            break;
        }
    }
    found.sort_by_key(|mention| mention.line);
    found
}

/// Mentions that start before `end`.
fn find(window: &[u8], end: usize, first_line: u64, found: &mut Vec<Mention>) {
    for mark in BEFORE_OUTPUT_FILE {
        for at in memmem::find_iter(window, mark).take_while(|at| *at < end) {
            let path = path_at(&window[at + mark.len()..]);
            if !path.is_empty() {
                let line = first_line + memchr::memchr_iter(b'\n', &window[..at]).count() as u64;
                found.push(Mention { line, path });
            }
        }
    }
}

/// The path that starts here, within a JSON string.
fn path_at(raw: &[u8]) -> String {
    let mut path = Vec::new();
    let mut bytes = raw.iter().take(LONGEST_MENTION).copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'\\') => path.push(b'\\'),
                _ => break,
            },
            b'"' | b'<' | b'\n' => break,
            _ => path.push(byte),
        }
    }
    String::from_utf8_lossy(&path).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_with_their_lines_across_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut text = "x".repeat(PIECE - 10);
        text.push_str("\n{\"output\":\"For full output see: /h/tmp/p/tool-outputs/session-s/a.txt\\nrest\"}\n");
        text.push_str("{\"o\":\"Full output available at: C:\\\\t\\\\session-s\\\\b.txt</tool\"}");
        std::fs::write(&path, text).unwrap();
        let found: Vec<_> = mentions(&path)
            .into_iter()
            .map(|m| (m.line, m.path))
            .collect();
        assert_eq!(
            found,
            [
                (2, "/h/tmp/p/tool-outputs/session-s/a.txt".to_owned()),
                (3, "C:\\t\\session-s\\b.txt".to_owned()),
            ]
        );
    }

    #[test]
    fn only_outputs_of_the_session_count() {
        assert!(is_output_of("/h/tmp/p/tool-outputs/session-s/a.txt", "s"));
        assert!(!is_output_of("/h/tmp/p/tool-outputs/session-t/a.txt", "s"));
        assert!(is_output_of("/h/.gemini/tmp/0f/call-1.output", "s"));
        assert!(!is_output_of("/home/me/build.output", "s"));
        assert!(!is_output_of("README.md", "s"));
    }
}
