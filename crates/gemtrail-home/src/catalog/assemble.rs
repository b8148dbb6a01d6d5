//! Assembles the sessions of a project from its files.

use std::collections::{HashMap, HashSet};

use gemtrail_core::internal::split_subagents;
use gemtrail_core::model::{Code, Diagnostic, Kind, Session, SessionId, SessionSource};
use gemtrail_core::{Detail, LogEntry, SourceJournal, Sources, read_log, stem_of};

use super::{Catalog, ProjectSessions, conversations};
use crate::discover::{FileKind, FoundFile};
use crate::group::{SessionKey, group};
use crate::load::Depth;
use crate::outputs;
use crate::project::ProjectEntry;
use crate::said::Said;
use crate::versions::{LoadedJournal, load_all};

impl Catalog {
    /// Reads all sessions of one project.
    pub fn read_project(&self, entry: &ProjectEntry, detail: Detail) -> ProjectSessions {
        self.read_all(entry, detail.into())
    }

    /// Reads all sessions of one project at this depth.
    pub fn read_all(&self, entry: &ProjectEntry, depth: Depth) -> ProjectSessions {
        let journals: Vec<&(usize, FoundFile)> = entry
            .files()
            .iter()
            .filter(|(_, file)| file.kind.is_journal())
            .collect();
        let prompts = Self::read_prompts(entry);
        self.assemble(entry, &journals, &prompts, depth)
    }

    /// The prompt logs of a project, backups included.
    pub fn read_prompts(entry: &ProjectEntry) -> Vec<LogEntry> {
        let is_log =
            |kind: &FileKind| matches!(kind, FileKind::PromptLog | FileKind::PromptLogBackup);
        let mut prompts: Vec<LogEntry> = Vec::new();
        let mut seen = HashSet::new();
        for (_, file) in entry.besides().filter(|(_, file)| is_log(&file.kind)) {
            let versions = file.read_small_versions();
            for prompt in versions.iter().flat_map(|bytes| read_log(bytes).0) {
                // Homes are copied, and so are hash directories.
                if seen.insert((
                    prompt.session_id.clone(),
                    prompt.time.clone(),
                    prompt.text.clone(),
                )) {
                    prompts.push(prompt);
                }
            }
        }
        prompts
    }

    /// Reads these journals of a project and assembles them into sessions.
    pub fn assemble(
        &self,
        entry: &ProjectEntry,
        journals: &[&(usize, FoundFile)],
        prompts: &[LogEntry],
        depth: Depth,
    ) -> ProjectSessions {
        let (conversations, journals): (Vec<_>, Vec<_>) = journals
            .iter()
            .copied()
            .partition(|(_, file)| file.kind.is_conversation());
        let (loaded, mut diagnostics) = load_all(&journals, depth);
        let mut sessions = self.join(entry, loaded, prompts);
        if !conversations.is_empty() {
            let (more, faults) = conversations::sessions_of(self, entry, &conversations, depth);
            sessions.extend(more);
            diagnostics.extend(faults);
        }
        self.unread.note(&diagnostics);
        ProjectSessions {
            sessions,
            diagnostics,
        }
    }

    /// Assembles sessions from all parsed journals of a project, and from what only its log has.
    pub fn join(
        &self,
        entry: &ProjectEntry,
        journals: Vec<LoadedJournal<'_>>,
        prompts: &[LogEntry],
    ) -> Vec<Session> {
        let mut prompts = by_session(prompts);
        let mut sessions = self.join_journals(entry, journals, &mut prompts);
        if !prompts.is_empty() || sessions.iter().any(|session| !session.logged.is_empty()) {
            let logged = sessions.iter().flat_map(|session| &session.logged);
            let logged = logged.map(|logged| logged.text.as_str());
            let unsettled = prompts
                .values()
                .flatten()
                .map(|prompt| prompt.text.as_str());
            let said = Said::about(logged.chain(unsettled), &sessions);
            self.settle_logs(entry, &mut sessions, prompts, &said);
        }
        sessions
    }

    /// Assembles sessions from parsed journals. Takes their prompts out of `prompts`.
    pub fn join_journals(
        &self,
        entry: &ProjectEntry,
        journals: Vec<LoadedJournal<'_>>,
        prompts: &mut HashMap<&str, Vec<LogEntry>>,
    ) -> Vec<Session> {
        let items = journals
            .into_iter()
            .map(|loaded| (loaded.key(), (loaded.home, loaded.journal)));
        let mut subagents: HashMap<String, Vec<Session>> = HashMap::new();
        let mut mains = Vec::new();
        for (key, group) in group(items) {
            let home = group[0].0;
            let mut journals: Vec<SourceJournal> =
                group.into_iter().map(|(_, journal)| journal).collect();
            keep_one_latest(&mut journals);
            match &key.parent {
                Some(parent) => {
                    let session = self.subagent(entry, home, &key, journals);
                    subagents.entry(parent.clone()).or_default().push(session);
                }
                None => mains.push((key, home, journals)),
            }
        }
        let mut sessions = Vec::new();
        for (key, home, journals) in mains {
            let (journals, flat_subagents) = split_subagents(journals);
            let mut own = subagents.remove(&key.id).unwrap_or_default();
            for journals in by_stem(flat_subagents) {
                // They all have the id of their parent.
                let key = SessionKey::of_flat_subagent(&key.id, stem_of(&journals[0].path));
                own.push(self.subagent(entry, home, &key, journals));
            }
            own.sort_by(|a, b| a.started.cmp(&b.started));
            if journals.is_empty() {
                sessions.extend(own.into_iter().map(orphan));
                continue;
            }
            let prompts = prompts.remove(key.id.as_str()).unwrap_or_default();
            sessions.push(self.session(entry, home, Kind::Main, &key, journals, &prompts, own));
        }
        let mut orphans: Vec<Session> = subagents.into_values().flatten().map(orphan).collect();
        orphans.sort_by(|a, b| a.started.cmp(&b.started).then_with(|| a.id.cmp(&b.id)));
        sessions.extend(orphans);
        sessions
    }

    /// The subagents of a main session with this id, which are in these files, as
    /// [`join_journals`](Self::join_journals) would give them to it.
    pub fn subagents(
        &self,
        entry: &ProjectEntry,
        files: &[&(usize, FoundFile)],
        parent: &str,
        depth: Depth,
    ) -> Vec<Session> {
        let (loaded, diagnostics) = load_all(files, depth);
        self.unread.note(&diagnostics);
        let items = loaded
            .into_iter()
            .map(|loaded| (loaded.key(), (loaded.home, loaded.journal)));
        let groups = group(items).into_iter();
        let mut own: Vec<Session> = groups
            .filter(|(key, _)| key.parent.as_deref() == Some(parent))
            .map(|(key, group)| {
                let home = group[0].0;
                let mut journals: Vec<SourceJournal> =
                    group.into_iter().map(|(_, journal)| journal).collect();
                keep_one_latest(&mut journals);
                self.subagent(entry, home, &key, journals)
            })
            .collect();
        own.sort_by(|a, b| a.started.cmp(&b.started));
        own
    }

    fn subagent(
        &self,
        entry: &ProjectEntry,
        home: usize,
        key: &SessionKey,
        journals: Vec<SourceJournal>,
    ) -> Session {
        self.session(entry, home, Kind::Subagent, key, journals, &[], Vec::new())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one call site per kind of session, all parts differ"
    )]
    fn session(
        &self,
        entry: &ProjectEntry,
        home: usize,
        kind: Kind,
        key: &SessionKey,
        journals: Vec<SourceJournal>,
        prompts: &[LogEntry],
        subagents: Vec<Session>,
    ) -> Session {
        let identity = self.identity_of(entry);
        let seen_here = |reference| self.as_seen_here(home, reference);
        let sources = Sources {
            reference: Some(seen_here(key.reference(&identity))),
            parent_ref: key.parent_reference(&identity).map(seen_here),
            id: Some(SessionId::new(key.id.clone())),
            kind,
            parent: key.parent.as_deref().map(SessionId::from),
            project: entry.project().clone(),
            origin: self.origin(home),
            journals,
            prompts: prompts.to_vec(),
            subagents,
        };
        let mut session = sources.assemble();
        outputs::measure(&mut session, entry);
        session
    }

    /// Drops logged prompts that were said in another session of the project, and makes sessions of
    /// those that belong to none.
    pub fn settle_logs(
        &self,
        entry: &ProjectEntry,
        sessions: &mut Vec<Session>,
        rest: HashMap<&str, Vec<LogEntry>>,
        said: &Said,
    ) {
        for session in sessions.iter_mut() {
            session
                .logged
                .retain(|logged| !said.has(&logged.text, logged.time.as_deref()));
        }
        let home = entry.dirs.first().map_or(0, |(home, _)| *home);
        let mut lost: Vec<Session> = Vec::new();
        for (id, prompts) in rest {
            let is_unsaid = |prompt: &&LogEntry| !said.has(&prompt.text, Some(&prompt.time));
            let unsaid: Vec<LogEntry> = prompts.iter().filter(is_unsaid).cloned().collect();
            // Before 0.36 a resumed session logged under the id of the new process.
            let resumed_elsewhere =
                unsaid.len() < prompts.len() && unsaid.iter().all(LogEntry::is_command);
            if !resumed_elsewhere {
                let key = SessionKey {
                    parent: None,
                    id: id.to_owned(),
                    apart: None,
                    source: SessionSource::GeminiCli,
                };
                let none = Vec::new();
                lost.push(self.session(entry, home, Kind::Log, &key, none, &unsaid, Vec::new()));
            }
        }
        lost.sort_by(|a, b| a.id.cmp(&b.id));
        sessions.extend(lost);
    }
}

/// The prompts of a log by the sessions that they belong to.
pub fn by_session(prompts: &[LogEntry]) -> HashMap<&str, Vec<LogEntry>> {
    let mut by_id: HashMap<&str, Vec<LogEntry>> = HashMap::new();
    for prompt in prompts {
        let of_session = by_id.entry(&prompt.session_id).or_default();
        of_session.push(prompt.clone());
    }
    by_id
}

/// A file may have held another session before. What is left of that one is all there is of it.
fn keep_one_latest(journals: &mut [SourceJournal]) {
    if journals.iter().all(|journal| journal.earlier)
        && let Some(last) = journals.last_mut()
    {
        last.earlier = false;
    }
}

fn orphan(mut session: Session) -> Session {
    let what = match &session.parent {
        Some(parent) => format!("the parent session {parent} is not there"),
        None => "the parent session is not there".to_owned(),
    };
    let mut diagnostic = Diagnostic::new(Code::OrphanSubagent, what);
    diagnostic.journal = session.journals.first().map(|journal| journal.path.clone());
    session.diagnostics.push(diagnostic);
    session
}

/// Journals with the same name: a project's hash directory was copied to its slug.
fn by_stem(journals: Vec<SourceJournal>) -> Vec<Vec<SourceJournal>> {
    let mut groups: Vec<Vec<SourceJournal>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for journal in journals {
        let place = *places
            .entry(stem_of(&journal.path).to_owned())
            .or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(journal);
    }
    groups
}
