//! Prompts in logs. A log has those of all sessions of a project, so single ones are taken out of it;
//! they are remembered by what they say, and those that come later are taken in.

use std::collections::HashSet;
use std::path::Path;

use gemtrail_core::json::{Node, Shape};
use rusqlite::{Connection, Transaction};
use sha2::{Digest as _, Sha256};

use super::session::Plan;
use crate::archive::db::ArchiveError;
use crate::archive::raw::take::Hash;
use crate::archive::raw::writer::RawWriter;
use crate::source::read_small;

/// The digests of everything that was forgotten: contents of files, and prompts.
pub(crate) fn forgotten(connection: &Connection) -> Result<HashSet<Hash>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT hash FROM forgotten")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A prompt log without the prompts that were forgotten; none if it has no such prompt.
pub(crate) fn scrubbed(log: &[u8], forgotten: &HashSet<Hash>) -> Option<Vec<u8>> {
    let text = text_of(log);
    let entries = Entries::of(&text);
    let is_kept = |entry: &&&str| !forgotten.contains(&print_of(entry));
    let kept: Vec<&str> = entries.texts.iter().filter(is_kept).copied().collect();
    (kept.len() < entries.texts.len()).then(|| entries.with(&kept).into_bytes())
}

fn text_of(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    text.trim_start_matches('\u{feff}').to_owned()
}

/// The entries of a log.
struct Entries<'a> {
    /// What stands before them, if the log is no JSON, as those that Gemini CLI puts aside.
    before: Option<&'a str>,
    /// There, each goes to the start of the next one.
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

    /// The log with these entries alone.
    fn with(&self, kept: &[&str]) -> String {
        match self.before {
            Some(before) => format!("{before}{}", kept.concat()),
            None => format!("[\n  {}\n]", kept.join(",\n  ")),
        }
    }
}

/// Whether an entry is one of a session.
fn is_of(entry: &str, id: &str) -> bool {
    match Node::parse(entry).and_then(|node| node.get("sessionId")) {
        Some(of) => of.as_str().is_some_and(|of| of == id),
        None => entry.contains(&format!("\"{id}\"")),
    }
}

/// What stands for an entry: who said what when, or, if that cannot be told, all of it.
fn print_of(entry: &str) -> Hash {
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

/// A log that the archive has.
struct Log {
    version: i64,
    content: i64,
    bytes: usize,
}

/// Takes the prompts of a session out of the logs of its project, and remembers them.
pub(super) fn take_out(
    transaction: &Transaction<'_>,
    writer: &RawWriter<'_>,
    plan: &Plan,
    now: i64,
) -> Result<(), ArchiveError> {
    let mut remember = transaction.prepare_cached(
        "INSERT OR IGNORE INTO forgotten(hash, session, time) VALUES(?1, ?2, ?3)",
    )?;
    let mut logs = Vec::new();
    let mut texts = Vec::new();
    for (home, dir) in &plan.places {
        logs.extend(logs_in(transaction, *home, dir)?);
        texts.extend(on_disk(transaction, *home, dir)?);
    }
    for log in &logs {
        texts.push(text_of(&read_log(writer, log)?));
    }
    for text in &texts {
        let entries = Entries::of(text).texts.into_iter();
        for entry in entries.filter(|entry| is_of(entry, &plan.id)) {
            remember.execute((print_of(entry).as_slice(), &plan.name, now))?;
        }
    }
    let forgotten = forgotten(transaction)?;
    for log in &logs {
        if let Some(scrubbed) = scrubbed(&read_log(writer, log)?, &forgotten) {
            replace(transaction, writer, log, &scrubbed)?;
        }
    }
    Ok(())
}

fn logs_in(transaction: &Transaction<'_>, home: i64, dir: &str) -> Result<Vec<Log>, ArchiveError> {
    let mut statement = transaction.prepare_cached(
        "SELECT version.id, version.content, version.bytes FROM version
         JOIN file ON file.id = version.file
         WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('log', 'log-backup')",
    )?;
    let logs = statement.query_map((home, dir), |row| {
        Ok(Log {
            version: row.get(0)?,
            content: row.get(1)?,
            bytes: row.get(2)?,
        })
    })?;
    Ok(logs.collect::<Result<_, _>>()?)
}

/// What the logs say now: there may be prompts that were not taken in yet.
fn on_disk(
    transaction: &Transaction<'_>,
    home: i64,
    dir: &str,
) -> Result<Vec<String>, ArchiveError> {
    let mut statement = transaction.prepare_cached(
        "SELECT home.path, file.path FROM file JOIN home ON home.id = file.home
         WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('log', 'log-backup')",
    )?;
    let mut rows = statement.query((home, dir))?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        let (home, below): (String, String) = (row.get(0)?, row.get(1)?);
        let log = read_small(&Path::new(&home).join(below));
        texts.extend(log.ok().map(|log| text_of(&log)));
    }
    Ok(texts)
}

fn read_log(writer: &RawWriter<'_>, log: &Log) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = writer.read(log.content)?;
    bytes.truncate(log.bytes);
    Ok(bytes)
}

fn replace(
    transaction: &Transaction<'_>,
    writer: &RawWriter<'_>,
    log: &Log,
    bytes: &[u8],
) -> Result<(), ArchiveError> {
    let taken = writer.store(bytes)?;
    let new = writer.content(&taken.hash(), &taken)?;
    transaction
        .prepare_cached("UPDATE version SET content = ?2, bytes = ?3 WHERE id = ?1")?
        .execute((log.version, new, taken.bytes))?;
    writer.drop_content(log.content)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"[
  {"sessionId": "a", "messageId": 0, "type": "user", "message": "one", "timestamp": "1"},
  {"sessionId": "b", "messageId": 0, "type": "user", "message": "two", "timestamp": "2"}
]"#;

    fn prints(log: &str, id: &str) -> HashSet<Hash> {
        let entries = Entries::of(log).texts.into_iter();
        entries.filter(|it| is_of(it, id)).map(print_of).collect()
    }

    fn without(log: &str, forgotten: &HashSet<Hash>) -> Option<String> {
        scrubbed(log.as_bytes(), forgotten).map(|log| String::from_utf8(log).unwrap())
    }

    #[test]
    fn only_what_was_forgotten_is_taken_out() {
        let forgotten = prints(LOG, "a");
        let left = without(LOG, &forgotten).unwrap();
        assert!(!left.contains("one") && left.contains("two"), "{left}");
        assert_eq!(without(&left, &forgotten), None);
        // What is said later is another prompt, however the log is laid out.
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
            let left = without(cut, &prints(cut, id)).unwrap();
            assert!(!left.contains(&format!("\"{id}\"")), "{left}");
            assert_eq!(left.matches("sessionId").count(), 1, "{left}");
        }
    }
}
