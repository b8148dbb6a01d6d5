//! Statistics over the sessions of a library.

use std::collections::HashMap;
use std::sync::Arc;

use gemtrail_core::Detail;
use gemtrail_core::model::{Kind, Session, SessionRef, SessionRow};
use gemtrail_core::stats::{SessionFacts, SessionLabel, Stats, StatsOptions, Subject};
use gemtrail_core::time::Timestamp;
use gemtrail_core::view::ProjectNames;
use rayon::prelude::*;

use super::{Library, ListRow, SessionFilter};
use crate::project::ProjectEntry;

/// A session with its facts.
type Found = (ListRow, SessionFacts);

impl Library {
    /// Adds up the sessions that pass a filter. Its times and its model are those of requests and
    /// belong into the options: a session may span months and models. Agents count as part of the
    /// sessions they worked for, unless a kind is asked for.
    pub fn stats<'a>(&self, filter: &SessionFilter, options: &'a StatsOptions<'a>) -> Stats<'a> {
        let names = self.names_for_stats();
        let nothing = || Stats::new(options);
        let since = options.since.map(Timestamp::as_millisecond);
        let known = self.known_facts(since);
        let unread = if known.is_some() {
            self.uncovered()
        } else {
            (0..self.projects().len()).collect()
        };
        let read = unread.into_par_iter().fold(nothing, |stats, at: usize| {
            let found = self.facts_of(&self.projects()[at]);
            let families = Families::of(&found);
            add_up(stats, &found, &families, filter, &names)
        });
        let read = read.reduce(nothing, Stats::merge);
        let known = known.unwrap_or_default();
        let families = Families::of(&known);
        let share = known.len().div_ceil(rayon::current_num_threads()).max(1);
        let known = known
            .par_chunks(share)
            .map(|found| add_up(nothing(), found, &families, filter, &names));
        known.reduce(nothing, Stats::merge).merge(read).finish()
    }

    /// The facts that the views have.
    fn known_facts(&self, since: Option<i64>) -> Option<Vec<Found>> {
        let known = self.ask_views(|views| views.facts(since))?;
        let known = known.into_iter();
        let known = known.map(|(project, row, facts)| (project, (row, facts)));
        Some(self.placed(known.collect(), |(row, _)| row))
    }

    /// The facts of one project's sessions, read from their files.
    fn facts_of(&self, entry: &ProjectEntry) -> Vec<Found> {
        let mut found = Vec::new();
        for session in self.read_project(entry, Detail::Counts).sessions {
            take(session, &mut found);
        }
        found
    }

    fn names_for_stats(&self) -> Names<'_> {
        let mut names = HashMap::new();
        for project in self.projects().iter().map(ProjectEntry::project) {
            if let Some(hash) = &project.hash {
                let name = project.dir.as_ref().unwrap_or(hash);
                names
                    .entry(hash.as_str())
                    .or_insert_with(|| Arc::from(name.as_str()));
            }
        }
        Names {
            labels: names,
            shown: self.project_names(),
        }
    }
}

/// What statistics call the projects.
struct Names<'l> {
    /// In documents, by hash: one on several machines has one name.
    labels: HashMap<&'l str, Arc<str>>,
    /// For people, as in lists.
    shown: ProjectNames,
}

/// Takes the facts of a session and of its agents.
fn take(session: Session, found: &mut Vec<Found>) {
    let facts = SessionFacts::of(&session);
    let (row, subagents) = SessionRow::split(session);
    found.push((ListRow::from(&row), facts));
    for subagent in subagents {
        take(subagent, found);
    }
}

/// Adds sessions. The families hold the parents of all agents that have one.
fn add_up<'a>(
    mut stats: Stats<'a>,
    found: &[Found],
    families: &Families<'_>,
    filter: &SessionFilter,
    names: &Names<'_>,
) -> Stats<'a> {
    let mut labels: HashMap<SessionRef, SessionLabel> = HashMap::new();
    for (row, facts) in found {
        if !filter.takes_requests_of(row) {
            continue;
        }
        let root = families.root_of(row);
        let label = labels.entry(root.reference);
        let label = label.or_insert_with(|| label_of(root, names)).clone();
        let subject = Subject {
            session: root.reference,
            label,
            host: row.origin.host.as_deref().map(Arc::from),
            agent: families.agent_of(row),
            is_listed: row.is_listed(),
        };
        stats.add(&subject, facts);
    }
    stats
}

fn label_of(row: &ListRow, names: &Names<'_>) -> SessionLabel {
    let project = &row.project;
    let known = project
        .hash
        .as_deref()
        .and_then(|hash| names.labels.get(hash));
    let own = || project.dir.as_deref().map(Arc::from);
    SessionLabel {
        id: row.id.as_str().into(),
        title: row.title.as_deref().map(Arc::from),
        project: known.cloned().or_else(own),
        project_name: Some(names.shown.name(project).into()),
        project_root: project.path.as_deref().map(Arc::from),
    }
}

/// Which agents worked for whom.
struct Families<'a> {
    by_reference: HashMap<SessionRef, &'a Found>,
}

impl<'a> Families<'a> {
    fn of(found: &'a [Found]) -> Self {
        let by_reference = found.iter().map(|it| (it.0.reference, it)).collect();
        Self { by_reference }
    }

    fn parent_of(&self, row: &ListRow) -> Option<&'a Found> {
        self.by_reference.get(&row.parent_ref?).copied()
    }

    /// The session that people know, for an agent of an agent too.
    fn root_of<'r>(&self, row: &'r ListRow) -> &'r ListRow
    where
        'a: 'r,
    {
        let mut root = row;
        // Files may claim to be each other's parents.
        for _ in 0..MAX_GENERATIONS {
            match self.parent_of(root) {
                Some((parent, _)) => root = parent,
                None => break,
            }
        }
        root
    }

    /// The name of an agent, as far as its parent tells.
    fn agent_of(&self, row: &ListRow) -> Option<Arc<str>> {
        if row.kind != Kind::Subagent {
            return None;
        }
        let is_own = |id: &str| id == row.id.as_str() || row.stems.iter().any(|stem| stem == id);
        let agents = self.parent_of(row).map(|(_, facts)| &facts.agents);
        let own = agents.and_then(|agents| agents.iter().find(|(id, _)| is_own(id)));
        Some(own.map_or_else(|| Arc::from("subagent"), |(_, name)| name.as_str().into()))
    }
}

/// Agents that call agents that call agents; Gemini CLI stops at one.
const MAX_GENERATIONS: usize = 16;
