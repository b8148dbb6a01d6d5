//! Whether the documents belong to the project they were recorded in.

use sha2::{Digest, Sha256};

use super::script::Script;
use crate::document::{Document, text};
use crate::expected::Expected;
use crate::problem::Problems;

/// The documents of one of several projects.
pub(super) fn documents_of<'a>(documents: &[Document<'a>], truth: &Expected) -> Vec<Document<'a>> {
    let hash = hash_of(&truth.project);
    let mine = documents.iter().copied();
    mine.filter(|document| document.project_hash() == hash)
        .collect()
}

pub(super) fn check(
    problems: &mut Problems,
    truth: &Expected,
    script: &Script,
    documents: &[Document<'_>],
) {
    let hash = hash_of(&truth.project);
    for document in documents {
        let place = document.place();
        problems.expect_same(
            &place,
            "project.hash",
            hash.as_str(),
            document.project_hash(),
        );
        match document.project_path() {
            Some(path) => {
                problems.expect_same(&place, "project.path", truth.project.as_str(), path);
            }
            // A path cannot be recovered from its hash.
            None if script.path_unknown || has_hash_directory(*document) => {}
            None => problems.report(place, "project.path should be known"),
        }
    }
}

fn has_hash_directory(document: Document<'_>) -> bool {
    text(&document.0["project"]["dir"]) == document.project_hash()
}

/// Gemini CLI's name for a project: the SHA-256 of its root path.
pub fn hash_of(path: &str) -> String {
    let digest = Sha256::digest(path.as_bytes());
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    digest
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
