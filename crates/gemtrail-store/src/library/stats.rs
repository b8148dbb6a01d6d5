//! Statistics over the sessions of a library.

use std::collections::HashMap;
use std::sync::Arc;

use gemtrail_core::model::{Kind, SessionRef};
use gemtrail_core::stats::{SessionFacts, SessionLabel, Stats, StatsOptions, Subject};
use gemtrail_core::time::Timestamp;
use gemtrail_core::view::ProjectNames;
use gemtrail_home::project::ProjectEntry;
use rayon::prelude::*;

use super::tables::About;
use super::{Library, SessionFilter};
use crate::index::rows::{COLUMN_COUNT, ListRow, RowReader};

/// A session with its facts.
pub(super) type Found = (ListRow, SessionFacts);

impl Library {
    /// Adds up the sessions that pass a filter. Its times and its model are those of requests and
    /// belong into the options: a session may span months and models. Agents count as part of the
    /// sessions they worked for, unless a kind is asked for.
    pub fn stats<'a>(&self, filter: &SessionFilter, options: &'a StatsOptions<'a>) -> Stats<'a> {
        let names = self.names_for_stats();
        let filter = &filter.among(self.projects());
        let nothing = || Stats::new(options);
        let found = self.facts(options.since.map(Timestamp::as_millisecond));
        let families = Families::of(&found);
        let share = found.len().div_ceil(rayon::current_num_threads()).max(1);
        let shares = found
            .par_chunks(share)
            .map(|found| add_up(nothing(), found, &families, filter, &names));
        shares.reduce(nothing, Stats::merge).finish()
    }

    /// All sessions with their facts. With a time, those last updated before it may be left out,
    /// unless an agent of theirs was not.
    pub(super) fn facts(&self, since: Option<i64>) -> Vec<Found> {
        let condition = match since {
            None => "",
            Some(_) => {
                "WHERE updated_ms >= ?1 OR updated_ms IS NULL OR session.session IN
                   (SELECT parent FROM session WHERE updated_ms >= ?1 AND parent IS NOT NULL)"
            }
        };
        self.ask(About::Facts, |tables, connection| {
            let rest = format!("JOIN facts ON facts.session = session.id {condition}");
            let rows = RowReader::read(
                connection,
                (", facts.json", &rest),
                rusqlite::params_from_iter(since),
                |row, columns| Ok((row, columns.get::<_, String>(COLUMN_COUNT)?)),
            )?;
            let placed = rows.into_par_iter().filter_map(|(indexed, json)| {
                let project = *tables.projects.get(&indexed.project)?;
                let mut row = indexed.row;
                self.place(tables, project, &mut row);
                Some((row, serde_json::from_str(&json).ok()?))
            });
            Ok(placed.collect())
        })
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
pub(super) struct Families<'a> {
    by_reference: HashMap<SessionRef, &'a Found>,
}

impl<'a> Families<'a> {
    pub(super) fn of(found: &'a [Found]) -> Self {
        let by_reference = found.iter().map(|it| (it.0.reference, it)).collect();
        Self { by_reference }
    }

    fn parent_of(&self, row: &ListRow) -> Option<&'a Found> {
        self.by_reference.get(&row.parent_ref?).copied()
    }

    /// The session that people know, for an agent of an agent too.
    pub(super) fn root_of<'r>(&self, row: &'r ListRow) -> &'r ListRow
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
