//! `list_sessions`: what there is.

use std::collections::HashMap;

use gemtrail_core::model::Kind;
use gemtrail_export::text::plural;
use gemtrail_query::when::Edge;
use gemtrail_store::{ListRow, SessionFilter};
use serde_json::{Map, Value, json};

use super::CallContext;
use super::named::{moment, project, quoted_project};
use crate::active::LeftOut;
use crate::answer::{AnswerItem, BudgetedAnswer, Call, McpAnswer};
use crate::arguments::CallRefusal;
use crate::quote;
use crate::quote::shortened;

/// The number of sessions if none is asked for.
const USUAL: usize = 50;
/// The number of projects that are named.
const MOST_PROJECTS: usize = 12;
const ROOMS: [usize; 3] = [120, 60, 25];

struct SessionLine {
    row: ListRow,
    title: Option<String>,
    when: String,
}

pub(super) fn call(desk: &CallContext<'_>) -> Result<McpAnswer, CallRefusal> {
    let arguments = &desk.arguments;
    let frame = desk.frame()?;
    let offset = arguments.number("offset")?.unwrap_or(0);
    let limit = arguments.number("limit")?.unwrap_or(USUAL).max(1);
    let filter = SessionFilter {
        project: desk.project()?,
        since: arguments.time("since", Edge::Start, desk.now, desk.zone())?,
        until: arguments.time("until", Edge::End, desk.now, desk.zone())?,
        ..SessionFilter::default()
    };
    let left_out = desk.left_out()?;
    let mut rows = desk.library.sessions(&filter);
    rows.retain(|row| !left_out.has(row));
    let total = rows.len();
    let projects = projects(&rows);
    let rows = rows.into_iter().skip(offset).take(limit);
    let rows = rows.map(|row| SessionLine {
        title: desk.title(&row),
        when: moment(row.updated.as_deref(), desk.zone()),
        row,
    });
    let rows: Vec<SessionLine> = rows.collect();
    let rest = |shown: usize| {
        let next = offset + shown;
        let call = Call::again("list_sessions", arguments.given, &[("offset", next.into())]);
        (next < total).then(|| (plural(total - next, "older session"), call))
    };
    let named = projects.iter();
    let named = named.map(|(name, count)| format!("{} {count}", quote::name(name)));
    let named: Vec<String> = named.collect();
    let sheet = BudgetedAnswer {
        head: format!(
            "{}, newest first, in: {}. Titles are quotations.",
            plural(total, "session"),
            shortened(&named.join(", "), 400)
        ),
        facts: facts(total, &projects),
        pieces: &rows,
        rooms: &ROOMS,
        notes: left_out.note(|row| desk.title(row)).into_iter().collect(),
        rest: &rest,
    };
    Ok(sheet.fit(frame))
}

impl CallContext<'_> {
    /// The sessions that are not to be looked at.
    pub(super) fn left_out(&self) -> Result<LeftOut, CallRefusal> {
        if self.arguments.flag("include_active")? {
            return Ok(LeftOut::default());
        }
        let directory = self.tools.surroundings.current_dir.as_deref();
        Ok(LeftOut::active(&self.library, directory, self.now))
    }
}

/// The projects of the sessions with how many each has, the largest first.
fn projects(rows: &[ListRow]) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for row in rows {
        *counts.entry(project(&row.project)).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.truncate(MOST_PROJECTS);
    counts
}

fn facts(total: usize, projects: &[(String, usize)]) -> Value {
    let projects = projects.iter();
    let projects: Map<String, Value> = projects
        .map(|(name, count)| (name.clone(), (*count).into()))
        .collect();
    json!({"sessions": total, "projects": projects})
}

impl SessionLine {
    fn work(&self) -> String {
        let counts = &self.row.counts;
        if self.row.kind == Kind::Log {
            return format!(
                "{} left in the log",
                plural(self.row.logged_count, "prompt")
            );
        }
        let calls = (counts.tool_calls > 0).then(|| plural(counts.tool_calls, "call"));
        let failed = (counts.tool_failures > 0).then(|| format!("{} failed", counts.tool_failures));
        let work = [Some(plural(counts.human, "prompt")), calls, failed];
        work.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl AnswerItem for SessionLine {
    fn markdown(&self, room: usize) -> String {
        let title = self.title.as_deref().map(|title| shortened(title, room));
        format!(
            "- {} · {} · {} · {} · {}\n",
            self.row.reference,
            self.when,
            shortened(&quoted_project(&self.row.project), 40),
            quote::title(title.as_deref()),
            self.work()
        )
    }

    fn json(&self, room: usize) -> Value {
        json!({"session": self.row.reference, "updated": self.row.updated,
            "project": shortened(&project(&self.row.project), 40),
            "title": self.title.as_deref().map(|title| shortened(title, room)),
            "prompts": self.row.counts.human, "calls": self.row.counts.tool_calls,
            "failed": self.row.counts.tool_failures, "on_disk": self.row.on_disk})
    }
}
