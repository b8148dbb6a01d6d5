//! Which sessions are affected by a change of some files.
//!
//! While someone works, one journal grows every few seconds, and a project may have thousands.
//! Updating its views must cost no more than that journal does. But sessions of a project depend on
//! each other:
//!
//! * Several files may form one session, and subagents are shown within their parent. So everything
//!   with the same main session is read together.
//! * A prompt in the log is shown with its session only if no session of the project said it. So
//!   what one session says now may take a logged prompt from another. The views keep, for each
//!   session, fingerprints of what the user said and of what only the log has, so that both can be
//!   compared without reading.
//! * A file may move to another session. The views cannot decide what follows from that.
//!
//! So this starts with the sessions whose own files, outputs or prompts changed, reads them, adds
//! those that turn out to be affected, and repeats until none is added. That terminates: the set
//! only grows, and it is bounded by the project. Whenever the views cannot decide, it gives up, and
//! the whole project is read; that is always correct, and this must give the same result. A test
//! compares the two on recorded homes that grow step by step.

use std::collections::{HashMap, HashSet};

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::{Fingerprint, LogEntry};
use gemtrail_home::catalog::{by_session, key_of};
use gemtrail_home::discover::FoundFile;
use gemtrail_home::group::SessionKey;
use gemtrail_home::said::Said;
use gemtrail_home::versions::load_all;

use super::batch::BATCH_BYTES;
use super::known::Known;
use super::session::fingerprint_of_prompts;
use super::work::{Key, ProjectWork};
use crate::db::ids::{FileRowId, VersionRowId};

/// What was read to find out what changed.
pub(super) struct Examined {
    pub(super) sessions: Vec<Session>,
    /// The ids of the main sessions; `None` for all of the project.
    pub(super) ids: Option<HashSet<String>>,
}

/// Sessions by main id. Subagents are grouped with the session they name as their parent.
pub(super) struct Affected<'a> {
    work: &'a ProjectWork<'a>,
    views: &'a HashMap<Key, Known>,
    /// The whole log of the project, by session.
    prompts: HashMap<&'a str, Vec<LogEntry>>,
    /// The rows of the files that each session has, by id.
    files: HashMap<String, Vec<FileRowId>>,
    /// The sessions that are affected.
    ids: HashSet<String>,
}

/// The main session that a session belongs to.
pub(super) fn top_of((id, parent, _): &Key) -> &str {
    if parent.is_empty() { id } else { parent }
}

fn top_of_file(key: &SessionKey) -> &str {
    key.parent.as_deref().unwrap_or(&key.id)
}

impl<'a> Affected<'a> {
    /// The sessions whose files, outputs or prompts differ from those the views were made from.
    /// `None` if a file is gone.
    pub(super) fn find(work: &'a ProjectWork<'a>, views: &'a HashMap<Key, Known>) -> Option<Self> {
        let mut files = work.entry.files().iter();
        if files.any(|(_, file)| file.kind.is_conversation()) {
            return None;
        }
        let mut now: HashMap<FileRowId, (VersionRowId, &FoundFile)> = HashMap::new();
        for (_, file) in work
            .entry
            .files()
            .iter()
            .filter(|it| it.1.kind.is_journal())
        {
            let archived = file.versions.archived?;
            now.insert(archived.file, (archived.version, file));
        }
        let mut affected = Self {
            work,
            views,
            prompts: by_session(&work.prompts),
            files: HashMap::new(),
            ids: HashSet::new(),
        };
        let mut seen: HashSet<FileRowId> = HashSet::new();
        for (key, known) in views {
            for (row, then) in &known.files {
                // The missing file may have been the only link between two sessions.
                let (version, _) = now.get(row)?;
                affected.add_file(top_of(key), *row, version != then);
                seen.insert(*row);
            }
            let prompts = fingerprint_of_prompts(affected.prompts.get(key.0.as_str()));
            if known.is_main && known.prompts != prompts {
                affected.ids.insert(key.0.clone());
            }
            if !known.fits(&work.outputs) {
                affected.ids.insert(top_of(key).to_owned());
            }
        }
        for (row, (_, file)) in now.iter().filter(|(row, _)| !seen.contains(row)) {
            let key = key_of(file);
            affected.add_file(top_of_file(&key), *row, true);
        }
        Some(affected)
    }

    fn add_file(&mut self, id: &str, row: FileRowId, is_new: bool) {
        self.files.entry(id.to_owned()).or_default().push(row);
        if is_new {
            self.ids.insert(id.to_owned());
        }
    }

    /// Reads them, at the detail needed to count. Returns them with all sessions that only the log
    /// has. `None` if a file belongs to another session now, or if
    /// there is so much that writing it in one transaction would take too long.
    pub(super) fn read(mut self) -> Option<Examined> {
        loop {
            let journals = self.journals();
            if journals.iter().map(|(_, file)| file.bytes).sum::<u64>() > BATCH_BYTES {
                return None;
            }
            let (loaded, _) = load_all(&journals, self.work.depth());
            // The header of a new file, or the views of a known one, named its session. A later
            // record may contradict that.
            let is_expected = |key: &SessionKey| self.ids.contains(top_of_file(key));
            if !loaded.iter().all(|loaded| is_expected(&loaded.key())) {
                return None;
            }
            let mut own = self.prompts.clone();
            own.retain(|id, _| self.ids.contains(*id));
            let work = self.work;
            let mut sessions = work.catalog.join_journals(work.entry, loaded, &mut own);
            // First only with what was just read: only that can have changed.
            let mut said = Said::of(&sessions);
            let concerned = self.concerned_by(&said);
            if !concerned.is_empty() {
                self.ids.extend(concerned);
                continue;
            }
            // Then with what all others said, according to the views, to settle what the log adds.
            for (_, known) in self.others() {
                said.unpack(&known.said);
            }
            let rest = self.prompts_without(&sessions);
            work.catalog
                .settle_logs(work.entry, &mut sessions, rest, &said);
            return Some(Examined {
                sessions,
                ids: Some(self.ids),
            });
        }
    }

    /// Their files, in the order that a full read of the project would use.
    fn journals(&self) -> Vec<&'a (usize, FoundFile)> {
        let files = self.ids.iter().filter_map(|id| self.files.get(id));
        let wanted: HashSet<FileRowId> = files.flatten().copied().collect();
        let is_wanted = |file: &&(usize, FoundFile)| {
            let archived = file.1.versions.archived;
            archived.is_some_and(|archived| wanted.contains(&archived.file))
        };
        self.work.entry.files().iter().filter(is_wanted).collect()
    }

    /// Sessions that are not affected so far.
    fn others(&self) -> impl Iterator<Item = (&'a Key, &'a Known)> {
        let views = self.views.iter();
        views.filter(|(key, _)| !self.ids.contains(top_of(key)))
    }

    /// Other sessions with a logged prompt that now turns out to have been said.
    fn concerned_by(&self, said: &Said) -> Vec<String> {
        let is_concerned = |id: &str, known: &Known| {
            let (logged, _) = known.logged.as_chunks::<8>();
            let unsaid: HashSet<u64> = logged.iter().map(|it| u64::from_le_bytes(*it)).collect();
            let mut own = self.prompts.get(id).into_iter().flatten();
            own.any(|prompt| {
                let parts = [&prompt.time, &prompt.text];
                let fingerprint = Fingerprint::of_parts(parts).short();
                unsaid.contains(&fingerprint) && said.has(&prompt.text, Some(&prompt.time))
            })
        };
        self.others()
            .filter(|((id, _, _), known)| known.is_main && is_concerned(id, known))
            .map(|(key, _)| top_of(key).to_owned())
            .collect()
    }

    /// The prompts that do not belong to any main session.
    fn prompts_without(&self, read: &[Session]) -> HashMap<&'a str, Vec<LogEntry>> {
        let mut rest = self.prompts.clone();
        for session in read.iter().filter(|it| it.kind == Kind::Main) {
            rest.remove(session.id.as_str());
        }
        for ((id, _, _), _) in self.others().filter(|(_, known)| known.is_main) {
            rest.remove(id.as_str());
        }
        rest
    }
}
