//! `list`: which sessions there are.

use gemtrail_core::model::{Kind, SessionRow};
use gemtrail_store::{Effort, Library};
use jiff::Timestamp;

use super::args::{KindFilter, ListArgs};
use super::context::Context;
use super::project_filter::ProjectFilter;
use super::session::places;
use super::when::{self, Edge};
use crate::error::CliError;
use crate::ui::Ui;

/// A row with its number in the plain list, if it has one.
type Numbered = (Option<usize>, SessionRow);

pub(super) fn run(args: &ListArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let filter = Filter::new(args, context)?;
    let mut library = context.open()?;
    let mut was_scanned = false;
    if filter.names_no_project_of(&library) {
        let scanned = context.scan(&library);
        was_scanned = scanned.directories > 0;
        if !scanned.hits.is_empty() {
            library = context.open_with(Effort::Usual, &scanned.hits)?;
        }
    }
    let rows = library.rows();
    let has_sessions = rows.iter().any(SessionRow::is_listed);
    let numbered = filter.select(rows);
    if numbered.is_empty() {
        let mut what = format!("no session found in {}", places(&library));
        if was_scanned {
            let scanned = context.scan_places();
            what = format!("{what}, and no directory of an unknown project in {scanned}");
        }
        let hint = if has_sessions {
            "gemtrail list without filters shows all sessions, gemtrail projects all projects"
        } else {
            "start a conversation with `gemini`, or name another place with --home"
        };
        return Err(CliError::nothing("nothing-found", what).hint(hint));
    }
    let mut out = ui.out();
    if ui.json {
        for (_, row) in &numbered {
            Ui::json_line(&mut out, row)?;
        }
    } else {
        super::table::print(&mut out, ui, &numbered)?;
    }
    out.finish()
}

/// The filters of the command line, understood.
struct Filter<'a> {
    args: &'a ListArgs,
    project: Option<ProjectFilter>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl<'a> Filter<'a> {
    fn new(args: &'a ListArgs, context: &Context<'_>) -> Result<Self, CliError> {
        let ui = context.ui;
        let when = |text: &Option<String>, edge| {
            text.as_deref()
                .map(|text| when::parse(text, edge, ui.now, &ui.zone))
                .transpose()
        };
        Ok(Self {
            args,
            project: args
                .project
                .as_deref()
                .map(|name| ProjectFilter::new(name, context.environment)),
            since: when(&args.since, Edge::Start)?,
            until: when(&args.until, Edge::End)?,
        })
    }

    /// Whether a project was named that is not there.
    fn names_no_project_of(&self, library: &Library) -> bool {
        self.project.as_ref().is_some_and(|filter| {
            let mut projects = library.projects().iter();
            !projects.any(|entry| filter.takes(entry.project()))
        })
    }

    /// Numbers the rows of the plain list and keeps those that pass.
    fn select(&self, rows: Vec<SessionRow>) -> Vec<Numbered> {
        let mut selected = Vec::new();
        let mut number = 0;
        for row in rows {
            let listed = row.is_listed();
            number += usize::from(listed);
            if self.takes(&row, listed) {
                selected.push((listed.then_some(number), row));
            }
        }
        if self.args.limit > 0 {
            selected.truncate(self.args.limit);
        }
        selected
    }

    fn takes(&self, row: &SessionRow, listed: bool) -> bool {
        let kind = match self.args.kind {
            None => row.kind != Kind::Subagent,
            Some(KindFilter::Main) => row.kind == Kind::Main,
            Some(KindFilter::Subagent) => row.kind == Kind::Subagent,
            Some(KindFilter::Log) => row.kind == Kind::Log,
            Some(KindFilter::All) => true,
        };
        let said = listed || self.args.all || row.kind == Kind::Subagent && row.has_conversation;
        let project = self
            .project
            .as_ref()
            .is_none_or(|filter| filter.takes(&row.project));
        let model = self
            .args
            .model
            .as_deref()
            .is_none_or(|wanted| row.models.iter().any(|model| model.contains(wanted)));
        let is =
            |value: &Option<String>, wanted: &Option<String>| wanted.is_none() || value == wanted;
        let updated = row.updated.as_deref().and_then(gemtrail_core::time::parse);
        let since = self
            .since
            .is_none_or(|since| updated.is_some_and(|updated| updated >= since));
        let until = self
            .until
            .is_none_or(|until| updated.is_some_and(|updated| updated <= until));
        kind && said
            && project
            && model
            && since
            && until
            && is(&row.origin.host, &self.args.host)
            && is(&row.origin.user, &self.args.user)
    }
}
