//! Prompts in logs. A log has those of all sessions of a project, so whoever forgets a session removes
//! single prompts from it, and knows them again by their digests.

use std::collections::HashSet;
use std::hash::BuildHasher;

use gemtrail_core::json::{Node, Shape};
use sha2::{Digest as _, Sha256};

/// The digest of a prompt.
pub type PromptDigest = [u8; 32];

/// A prompt log without the forgotten prompts; `None` if it has none of them.
pub fn scrubbed<S: BuildHasher>(
    log: &[u8],
    forgotten: &HashSet<PromptDigest, S>,
) -> Option<Vec<u8>> {
    let text = text_of(log);
    let entries = Entries::of(&text);
    let is_kept = |entry: &&&str| !forgotten.contains(&digest_of(entry));
    let kept: Vec<&str> = entries.texts.iter().filter(is_kept).copied().collect();
    (kept.len() < entries.texts.len()).then(|| entries.with(&kept).into_bytes())
}

fn text_of(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    text.trim_start_matches('\u{feff}').to_owned()
}

/// The digests of the prompts that a session has in a log.
pub fn digests_of(log: &[u8], session: &str) -> Vec<PromptDigest> {
    let text = text_of(log);
    let entries = Entries::of(&text).texts.into_iter();
    entries
        .filter(|entry| is_of(entry, session))
        .map(digest_of)
        .collect()
}

/// The entries of a log.
struct Entries<'a> {
    /// The text before them, if the log is not valid JSON, like those that Gemini CLI sets aside.
    before: Option<&'a str>,
    /// In such a log, each extends to the start of the next one.
    texts: Vec<&'a str>,
}

impl<'a> Entries<'a> {
    fn of(text: &'a str) -> Self {
        if let Some(node) = Node::parse(text).filter(|node| node.shape() == Shape::Array) {
            return Self {
                before: None,
                texts: node.items().map(Node::text).collect(),
            };
        }
        let starts = text.match_indices("\"sessionId\"");
        let starts = starts.map(|(at, _)| text[..at].rfind('{').unwrap_or(at));
        let mut starts: Vec<usize> = starts.collect();
        starts.push(text.len());
        let entry = |pair: &[usize]| text.get(pair[0]..pair[1]);
        Self {
            before: Some(&text[..starts[0]]),
            texts: starts.windows(2).filter_map(entry).collect(),
        }
    }

    /// The log with only these entries.
    fn with(&self, kept: &[&str]) -> String {
        match self.before {
            Some(before) => format!("{before}{}", kept.concat()),
            None => format!("[\n  {}\n]", kept.join(",\n  ")),
        }
    }
}

/// True if an entry belongs to a session.
fn is_of(entry: &str, id: &str) -> bool {
    match Node::parse(entry).and_then(|node| node.get("sessionId")) {
        Some(of) => of.as_str().is_some_and(|of| of == id),
        None => entry.contains(&format!("\"{id}\"")),
    }
}

/// The digest of an entry: of who said what when, or, if that cannot be parsed, of the whole entry.
fn digest_of(entry: &str) -> PromptDigest {
    let node = Node::parse(entry);
    let part = |name: &str| Some(node.as_ref()?.get(name)?.as_str()?.into_owned());
    let parts = [part("sessionId"), part("timestamp"), part("message")];
    let mut digest = Sha256::new();
    if parts.iter().all(Option::is_some) {
        for part in parts.into_iter().flatten() {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    } else {
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ']');
        digest.update(entry.trim_end_matches(is_between));
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"[
  {"sessionId": "a", "messageId": 0, "type": "user", "message": "one", "timestamp": "1"},
  {"sessionId": "b", "messageId": 0, "type": "user", "message": "two", "timestamp": "2"}
]"#;

    fn digests(log: &str, id: &str) -> HashSet<PromptDigest> {
        let entries = Entries::of(log).texts.into_iter();
        entries.filter(|it| is_of(it, id)).map(digest_of).collect()
    }

    fn without(log: &str, forgotten: &HashSet<PromptDigest>) -> Option<String> {
        scrubbed(log.as_bytes(), forgotten).map(|log| String::from_utf8(log).unwrap())
    }

    #[test]
    fn only_what_was_forgotten_is_taken_out() {
        let forgotten = digests(LOG, "a");
        let left = without(LOG, &forgotten).unwrap();
        assert!(!left.contains("one") && left.contains("two"), "{left}");
        assert_eq!(without(&left, &forgotten), None);
        // The same words at a later time are another prompt, however the log is formatted.
        let later = LOG
            .replace('\n', "")
            .replace("two", "three")
            .replace("\"b\"", "\"a\"");
        let left = without(&later, &forgotten).unwrap();
        assert!(!left.contains("one") && left.contains("three"), "{left}");
    }

    #[test]
    fn a_log_that_was_cut_off_is_searched_for_entries() {
        let cut = LOG.trim_end_matches(['\n', ']', '}']);
        for id in ["a", "b"] {
            let left = without(cut, &digests(cut, id)).unwrap();
            assert!(!left.contains(&format!("\"{id}\"")), "{left}");
            assert_eq!(left.matches("sessionId").count(), 1, "{left}");
        }
    }
}
