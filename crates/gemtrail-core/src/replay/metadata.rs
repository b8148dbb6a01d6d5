//! The metadata of a journal.

use std::collections::HashSet;

use crate::json::{Fields, Node, Raw, Shape};
use crate::model::{CleanUpFacts, Code, Format, Rejection};
use crate::time;

use super::{Detail, JournalLog};

/// The metadata of one journal, folded over all its metadata records.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// `sessionId`, the last one written.
    pub session_id: Option<String>,
    /// `projectHash`.
    pub project_hash: Option<String>,
    /// The earliest `startTime` ever written.
    pub started: Option<String>,
    /// The latest `lastUpdated` ever written.
    pub updated: Option<String>,
    /// The latest `lastUpdated` after the first one.
    pub updated_later: Option<String>,
    /// `main` or `subagent`; missing before 0.31.
    pub kind: Option<String>,
    /// The summary that a later start of Gemini CLI made.
    pub summary: Option<String>,
    /// All workspace directories that were ever named.
    pub directories: Vec<String>,
    /// Everything else.
    pub extra: Fields,
    /// The directories again, as a set for fast lookup.
    known_directories: HashSet<String>,
    /// True if something was too long to be kept.
    pub(super) is_cut: bool,
}

impl Metadata {
    /// Applies one member; `false` if its type was unexpected.
    pub(crate) fn set(&mut self, name: &str, node: Node<'_>, detail: Detail) -> bool {
        if node.is_null() {
            return true;
        }
        if name == "directories" && node.shape() == Shape::Array {
            let mut expected = true;
            for directory in node.items() {
                match directory.as_str() {
                    Some(path) if self.known_directories.contains(path.as_ref()) => {}
                    Some(path) => {
                        self.known_directories.insert(path.clone().into_owned());
                        self.directories.push(path.into_owned());
                    }
                    None => expected = false,
                }
            }
            if !expected {
                self.extra.set(name, Raw::from(node));
            }
            return expected;
        }
        let slot = match name {
            "sessionId" => &mut self.session_id,
            "projectHash" => &mut self.project_hash,
            "startTime" => &mut self.started,
            "lastUpdated" => &mut self.updated,
            "kind" => &mut self.kind,
            "summary" => &mut self.summary,
            _ => {
                if detail == Detail::Full || node.text().len() < 4096 {
                    self.extra.set(name, Raw::from(node));
                } else {
                    self.is_cut = true;
                }
                return name != "directories" && name != "messages";
            }
        };
        let Some(text) = node.as_str() else {
            self.extra.set(name, Raw::from(node));
            return false;
        };
        match name {
            "startTime" => time::keep_earliest(slot, &text),
            "lastUpdated" => {
                if slot.is_some() {
                    time::keep_latest(&mut self.updated_later, &text);
                }
                time::keep_latest(&mut self.updated, &text);
            }
            _ => *slot = Some(text.into_owned()),
        }
        true
    }
}

impl JournalLog {
    /// The facts that Gemini CLI's clean-up decides by.
    pub fn clean_up(&self) -> CleanUpFacts {
        let moment = |text: &Option<String>| text.as_deref().and_then(time::parse);
        CleanUpFacts {
            updated: moment(&self.metadata.updated).or_else(|| moment(&self.metadata.started)),
            has_conversation: self.has_conversation(),
            rejection: self.rejection(),
        }
    }

    /// The listing rules of 0.47 and later.
    pub fn rejection(&self) -> Option<Rejection> {
        let says = |wanted: &[Code]| {
            let mut codes = self.diagnostics.iter().map(|diagnostic| diagnostic.code);
            codes.any(|code| wanted.contains(&code))
        };
        // The mark breaks the first line, or all of a plain JSON record.
        let damaged = says(&[Code::ByteOrderMark])
            || match self.format {
                Format::Json => says(&[Code::TruncatedFile, Code::BadJson, Code::TrailingBytes]),
                Format::Jsonl => false,
                _ => true,
            };
        if damaged {
            Some(Rejection::Damaged)
        } else if self.metadata.session_id.is_none()
            || (self.format == Format::Jsonl && self.metadata.project_hash.is_none())
        {
            Some(Rejection::NoSession)
        } else if self.metadata.kind.as_deref() == Some("subagent") {
            Some(Rejection::Subagent)
        } else if !self.is_resumable() {
            Some(Rejection::NothingToResume)
        } else {
            None
        }
    }
}
