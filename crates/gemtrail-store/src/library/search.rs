//! Searches the files themselves: every session is read in full, several at a time, and only the
//! wanted part is kept.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::{Detail, LogEntry};
use rayon::prelude::*;

use super::{Handle, Library, by_session};
use crate::load::Depth;
use crate::outputs::Outputs;
use crate::project::ProjectEntry;
use crate::said::Said;
use crate::search::best::{Best, Looked, Part};
use crate::search::echoes::Echoes;
use crate::search::filter::{Condition, Filter, SessionFacts};
use crate::search::hit::{Answer, Page};
use crate::search::query::Query;
use crate::versions::load_versions;

impl Library {
    /// Runs a query and returns one page of its hits. Where the index cannot be used, the files are
    /// read; [`Library::degraded`] then says why, unless the index was just being rebuilt.
    pub fn search(&self, query: &Query, page: &Page) -> Answer {
        let answer = self.search_once(query, page);
        // Without views everything is read from files, which cannot fail.
        answer.unwrap_or_else(|| {
            let plain = self.without_views();
            plain.search_once(query, page).unwrap_or_default()
        })
    }

    fn search_once(&self, query: &Query, page: &Page) -> Option<Answer> {
        let repeated = self.checkpoint_hits(query);
        let echoes = Echoes::of(repeated.iter().map(|(key, _)| *key).collect());
        let echoes = Arc::new(echoes);
        let mut answer = if repeated.is_empty() {
            self.look_for(query, page, &echoes)?
        } else {
            let first = Page {
                offset: 0,
                limit: page.reach(),
                ..*page
            };
            let mut answer = self.look_for(query, &first, &echoes)?;
            let novel = repeated.into_iter().filter(|(key, _)| !echoes.has(*key));
            answer.add(novel.map(|(_, hit)| hit).collect(), page);
            answer
        };
        let hosts: HashSet<_> = self.heads().iter().map(|found| &found.host).collect();
        if hosts.len() < 2 {
            // So that archive and files give the same answer.
            for hit in &mut answer.hits {
                hit.host = None;
            }
        }
        Some(answer)
    }

    /// Searches sessions, and records texts that checkpoints have as well.
    fn look_for(&self, query: &Query, page: &Page, echoes: &Arc<Echoes>) -> Option<Answer> {
        let uncovered = self.uncovered();
        if self.views.is_none() {
            return Some(self.look_in_files(query, page, echoes, &uncovered));
        }
        // Being rebuilt is not a fault.
        let ask = |page: &Page| self.ask_views(|views| views.search(self, query, page, echoes));
        if uncovered.is_empty() {
            return ask(page);
        }
        let first = Page {
            offset: 0,
            limit: page.reach(),
            ..*page
        };
        let mut answer = ask(&first)?;
        answer.join(self.look_in_files(query, &first, echoes, &uncovered), page);
        Some(answer)
    }

    /// Searches the files of these projects.
    fn look_in_files(
        &self,
        query: &Query,
        page: &Page,
        echoes: &Arc<Echoes>,
        projects: &[usize],
    ) -> Answer {
        let best = Mutex::new(Best::new(*page, Arc::clone(echoes)));
        let lock = || best.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handles) = self.named_sessions(query) {
            for handle in handles
                .into_iter()
                .filter(|it| projects.contains(&it.project))
            {
                if let Some(session) = self.read_to(handle, Depth::Words) {
                    let outputs = Outputs::of(&self.projects()[handle.project]);
                    search_all(&mut lock(), &session, &outputs, query);
                }
            }
        } else {
            projects.par_iter().for_each(|&project| {
                if self.takes_project(query, project) {
                    let fork = lock().fork();
                    let found = self.search_project(project, query, fork);
                    lock().merge(found);
                }
            });
        }
        let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        best.into_answer()
    }
}

/// A session reduced to what is needed after searching it.
struct Light {
    session: Session,
    looked: Looked,
}

impl Library {
    /// The sessions that a query is restricted to, if their names identify them.
    fn named_sessions(&self, query: &Query) -> Option<Vec<&Handle>> {
        let names_sessions = |filter: &&Filter| {
            !filter.not
                && filter
                    .any
                    .iter()
                    .all(|it| matches!(it, Condition::Ref(_) | Condition::Session(_)))
        };
        let filter = query.filters.all.iter().find(names_sessions)?;
        let handles = self.index();
        let takes = |handle: &&Handle| {
            let id = handle.key.id.as_str().into();
            let parent = handle.key.parent.as_deref().map(Into::into);
            let facts = SessionFacts {
                reference: handle.reference,
                id: &id,
                stems: &handle.stems,
                kind: handle.kind,
                parent: parent.as_ref(),
                parent_ref: handle.parent_ref,
                project: self.projects()[handle.project].project(),
                host: self.host_of(handle.project),
                user: self.user_of(handle.project),
                updated: None,
            };
            filter.any.iter().any(|it| it.takes_session(&facts))
        };
        let mut named: Vec<&Handle> = handles.into_iter().filter(takes).collect();
        // A later record may change a session's id; and a session that only the log has may turn
        // out to be part of another one.
        if named.is_empty() || named.iter().any(|handle| handle.kind == Kind::Log) {
            return None;
        }
        // Subagents are read with their parents.
        let mains: HashSet<(usize, &str)> = named
            .iter()
            .filter(|handle| handle.key.parent.is_none())
            .map(|handle| (handle.project, handle.key.id.as_str()))
            .collect();
        named.retain(|handle| {
            let parent = handle.key.parent.as_deref();
            parent.is_none_or(|parent| !mains.contains(&(handle.project, parent)))
        });
        Some(named)
    }

    /// Whether anything of a project may pass.
    fn takes_project(&self, query: &Query, project: usize) -> bool {
        let project = self.projects()[project].project();
        query.filters.all.iter().all(|filter| {
            let patterns = filter.any.iter().map(|it| match it {
                Condition::Project(pattern) => Some(pattern.takes(project)),
                _ => None,
            });
            match patterns.collect::<Option<Vec<bool>>>() {
                Some(taken) => filter.not != taken.contains(&true),
                None => true,
            }
        })
    }

    fn search_project(&self, project: usize, query: &Query, fork: Best) -> Best {
        let regular = self.search_by_headers(project, query, fork.fork());
        regular.unwrap_or_else(|Irregular| {
            let mut best = fork;
            let entry = &self.projects()[project];
            let outputs = Outputs::of(entry);
            let sessions = self.read_project(entry, Detail::Full);
            for session in &sessions.sessions {
                search_all(&mut best, session, &outputs, query);
            }
            best
        })
    }

    /// Searches session by session, grouped by the headers of the files.
    fn search_by_headers(
        &self,
        project: usize,
        query: &Query,
        fork: Best,
    ) -> Result<Best, Irregular> {
        let entry = &self.projects()[project];
        let outputs = Outputs::of(entry);
        let prompts = by_session(self.prompts_of(project));
        let has_log = !prompts.is_empty();
        let best = Mutex::new(fork);
        let lock = || best.lock().unwrap_or_else(PoisonError::into_inner);
        let outcomes: Vec<Vec<Light>> = self
            .groups(project)
            .into_par_iter()
            .map(|(handle, has_prompts)| {
                let mut found = lock().fork();
                let prompts = has_prompts.then(|| prompts.get(handle.key.id.as_str()));
                let prompts = prompts.flatten().map(Vec::as_slice).unwrap_or_default();
                let mut light = Vec::new();
                for session in self.read_group(entry, handle, prompts)? {
                    let looked = search_journals(&mut found, &session, &outputs, query);
                    if has_log {
                        let session = lighten(session);
                        light.push(Light { session, looked });
                    }
                }
                lock().merge(found);
                Ok(light)
            })
            .collect::<Result<_, Irregular>>()?;
        let mut best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        if has_log {
            let light = outcomes.into_iter().flatten().collect();
            self.search_log(entry, light, prompts, query, &mut best);
        }
        Ok(best)
    }

    /// Main sessions, and subagents whose parent is gone. The flag says whether the logged prompts
    /// are its own: of several sessions with one id, the first has them.
    fn groups(&self, project: usize) -> Vec<(&Handle, bool)> {
        let of_project = || self.handles_of(project).iter();
        let mains: HashSet<&str> = of_project()
            .filter(|handle| handle.kind == Kind::Main)
            .map(|handle| handle.key.id.as_str())
            .collect();
        let is_group = |handle: &&Handle| match handle.kind {
            Kind::Main => true,
            Kind::Subagent => {
                let parent = handle.key.parent.as_deref();
                parent.is_none_or(|parent| !mains.contains(parent))
            }
            Kind::Log => false,
        };
        let mut seen = HashSet::new();
        let with_prompts =
            |handle: &'_ Handle| handle.kind == Kind::Main && seen.insert(handle.key.id.clone());
        let groups = of_project().filter(is_group);
        let owns: Vec<bool> = groups.clone().map(with_prompts).collect();
        groups.zip(owns).collect()
    }

    /// The sessions assembled from the files of a handle.
    fn read_group(
        &self,
        entry: &ProjectEntry,
        handle: &Handle,
        prompts: &[LogEntry],
    ) -> Result<Vec<Session>, Irregular> {
        let mut journals = Vec::new();
        for (home, file) in &handle.files {
            let (versions, fault) = load_versions(*home, file, Depth::Words);
            self.unread.note(&fault);
            for loaded in versions {
                let key = loaded.key();
                let is_subagent = key.parent.as_deref() == Some(handle.key.id.as_str());
                if key != handle.key && !is_subagent {
                    return Err(Irregular);
                }
                journals.push(loaded);
            }
        }
        let mut sessions = self.join(entry, journals, prompts);
        // What only the log has is settled once the whole project is known.
        sessions.retain(|session| session.kind != Kind::Log);
        Ok(sessions)
    }

    /// Searches what only the prompt log has, which depends on what all sessions of the project
    /// say.
    fn search_log(
        &self,
        entry: &ProjectEntry,
        light: Vec<Light>,
        mut prompts: HashMap<&str, Vec<LogEntry>>,
        query: &Query,
        best: &mut Best,
    ) {
        for Light { session, .. } in &light {
            if session.kind == Kind::Main {
                prompts.remove(session.id.as_str());
            }
        }
        let looked: Vec<Looked> = light.iter().map(|light| light.looked).collect();
        let mut sessions: Vec<Session> = light.into_iter().map(|light| light.session).collect();
        let said = Said::of(&sessions);
        self.settle_logs(entry, &mut sessions, prompts, &said);
        // No calls are left.
        let outputs = Outputs::default();
        for (at, session) in sessions.iter().enumerate() {
            let looked = looked.get(at);
            let part = looked.map_or(Part::Whole, |&looked| Part::Log(looked));
            best.search(session, &outputs, query, part);
        }
    }
}

/// A file that belongs to another session than its header says.
struct Irregular;

/// Searches a session and its subagents.
fn search_all(best: &mut Best, session: &Session, outputs: &Outputs<'_>, query: &Query) {
    best.search(session, outputs, query, Part::Whole);
    for subagent in &session.subagents {
        search_all(best, subagent, outputs, query);
    }
}

/// Searches a session and its subagents without the log. Returns the outcome for the session
/// itself.
fn search_journals(
    best: &mut Best,
    session: &Session,
    outputs: &Outputs<'_>,
    query: &Query,
) -> Looked {
    for subagent in &session.subagents {
        search_all(best, subagent, outputs, query);
    }
    best.search(session, outputs, query, Part::Journals)
}

/// Keeps only what is needed to check whether a logged prompt was said: the user's words.
fn lighten(mut session: Session) -> Session {
    session.subagents.clear();
    session.diagnostics.clear();
    session.records.clear();
    for message in &mut session.messages {
        message.content = None;
        message.display_content = None;
        message.references.clear();
        message.thoughts.clear();
        message.tool_calls.clear();
        message.revisions.clear();
    }
    session.messages.retain(|message| {
        use gemtrail_core::model::Role::{Human, Shell};
        matches!(message.role, Human | Shell)
    });
    session.messages.shrink_to_fit();
    session
}
