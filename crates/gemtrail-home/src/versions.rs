//! Current and earlier versions of a journal: which session each belongs to, and which one shows
//! the session's current state.

use std::borrow::Borrow;

use gemtrail_core::SourceJournal;
use gemtrail_core::model::{Diagnostic, Format};
use gemtrail_core::stem_of;
use rayon::prelude::*;

use crate::discover::FoundFile;
use crate::group::SessionKey;
use crate::load::{Depth, load_earlier, load_found, load_listening, unreadable};

/// A journal with its file and the index of its home.
pub struct LoadedJournal<'a> {
    /// The index of its home.
    pub home: usize,
    /// The file.
    pub file: &'a FoundFile,
    /// What was read.
    pub journal: SourceJournal,
    /// True if it may name files with outputs.
    pub may_name_outputs: bool,
    key: SessionKey,
}

impl LoadedJournal<'_> {
    /// The session that it belongs to.
    pub fn key(&self) -> SessionKey {
        self.key.clone()
    }
}

/// Reads journals, several at a time; unreadable ones become diagnostics.
pub fn load_all<'a>(
    journals: &[&'a (usize, FoundFile)],
    depth: Depth,
) -> (Vec<LoadedJournal<'a>>, Vec<Diagnostic>) {
    let load = |(home, file): &'a (usize, FoundFile)| load_versions(*home, file, depth);
    let outcomes: Vec<_> = match journals {
        // Most sessions have one file, which needs no other thread.
        [only] => vec![load(only)],
        _ => journals.par_iter().map(|journal| load(journal)).collect(),
    };
    let (mut loaded, mut diagnostics) = (Vec::new(), Vec::new());
    for (versions, fault) in outcomes {
        loaded.extend(versions);
        diagnostics.extend(fault);
    }
    (loaded, diagnostics)
}

/// Reads a journal with its earlier versions, oldest first. A diagnostic reports that it cannot be
/// read now.
pub(crate) fn load_versions(
    home: usize,
    file: &FoundFile,
    depth: Depth,
) -> (Vec<LoadedJournal<'_>>, Option<Diagnostic>) {
    let mut versions = load_earlier(file, depth);
    let mut may_name_outputs = !versions.is_empty();
    let now = if depth == Depth::Checkup {
        load_listening(file, depth)
    } else {
        load_found(file, depth).map(|journal| (journal, true))
    };
    let fault = match now {
        Ok((journal, may_name)) => {
            versions.push(journal);
            may_name_outputs |= may_name;
            None
        }
        Err(error) => Some(unreadable(&file.path, &error)),
    };
    settle_latest(&mut versions);
    let ids = ids_of(&versions);
    let otherwise = id_without_name(file, versions.iter().rev());
    let loaded = versions.into_iter().zip(ids).map(|(journal, id)| {
        let known = || file.versions.session.as_deref().map(str::to_owned);
        let id = id.or_else(known).unwrap_or_else(|| otherwise.clone());
        LoadedJournal {
            home,
            file,
            may_name_outputs,
            key: SessionKey::known(&file.kind, id, &journal.path),
            journal,
        }
    });
    (loaded.collect(), fault)
}

/// A file that was emptied or damaged, or that cannot be read, no longer says anything about its
/// session. The last version that did then shows the session's current state.
fn settle_latest(versions: &mut [SourceJournal]) {
    let Some(last) = versions.iter().rposition(has_session) else {
        return;
    };
    for (at, version) in versions.iter_mut().enumerate() {
        version.earlier = at != last;
    }
}

/// True if anything is left of a session. One that is rewritten as a whole may have been rewound to
/// its beginning; a log of lines without any message was truncated.
pub fn has_session(version: &SourceJournal) -> bool {
    let is_whole = version.log.format() == Format::Json && version.recorded_id().is_some();
    version.log.message_count() > 0 || is_whole
}

/// The id of a session that no version of its file names, given those versions, newest first.
pub(crate) fn id_without_name<V: Borrow<SourceJournal>>(
    file: &FoundFile,
    newest_first: impl IntoIterator<Item = V>,
) -> String {
    let mut versions = newest_first.into_iter();
    versions
        .find_map(|version| version.borrow().made_id())
        .unwrap_or_else(|| stem_of(&file.path.to_string_lossy()).to_owned())
}

/// The session that each version belongs to. One that names none belongs to that of the version
/// before it or, if there is none, of the next.
fn ids_of(versions: &[SourceJournal]) -> Vec<Option<String>> {
    let names: Vec<Option<&str>> = versions.iter().map(SourceJournal::recorded_id).collect();
    let id_at = |at: usize| {
        let before = names[..=at].iter().rev().flatten().next();
        before.or_else(|| names[at..].iter().flatten().next())
    };
    (0..names.len())
        .map(|at| id_at(at).map(|id| (*id).to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use gemtrail_core::Detail;

    use super::*;
    use crate::load::load_from;

    fn versions(texts: &[&str]) -> Vec<SourceJournal> {
        let mut versions: Vec<SourceJournal> = texts
            .iter()
            .map(|text| {
                load_from(text.as_bytes(), "session-x.jsonl", Detail::Full).expect("it is text")
            })
            .collect();
        let last = versions.len() - 1;
        for version in &mut versions[..last] {
            version.earlier = true;
        }
        versions
    }

    const ONE: &str = "{\"sessionId\":\"one\",\"projectHash\":\"x\"}\n{\"id\":\"u\",\"type\":\"user\",\"content\":\"hi\"}\n";
    const HEADLESS: &str = "ssionId\":\"o\n{\"id\":\"u\",\"type\":\"user\",\"content\":\"hi\"}\n{\"id\":\"v\",\"type\":\"user\",\"content\":\"ho\"}\n";

    fn latest(texts: &[&str]) -> Vec<usize> {
        let mut versions = versions(texts);
        settle_latest(&mut versions);
        let places = versions.iter().enumerate();
        places
            .filter(|(_, it)| !it.earlier)
            .map(|(at, _)| at)
            .collect()
    }

    #[test]
    fn the_last_version_with_a_session_counts() {
        assert_eq!(latest(&[ONE, ""]), [0]);
        assert_eq!(latest(&[ONE, "garbage\n", "{\"sessionId\":\"o"]), [0]);
        assert_eq!(latest(&[ONE, HEADLESS]), [1], "messages are enough");
        assert_eq!(latest(&["", "garbage\n"]), [1], "there never was one");
    }

    #[test]
    fn a_version_without_a_name_belongs_to_its_neighbour() {
        let ids = |texts: &[&str]| -> Vec<String> {
            let ids = ids_of(&versions(texts)).into_iter();
            ids.map(Option::unwrap_or_default).collect()
        };
        let two = ONE.replace("one", "two");
        assert_eq!(
            ids(&[ONE, "", &two, "garbage\n"]),
            ["one", "one", "two", "two"]
        );
        assert_eq!(ids(&["garbage\n", ONE]), ["one", "one"]);
        assert_eq!(ids(&["garbage\n"]), [""]);
    }
}
