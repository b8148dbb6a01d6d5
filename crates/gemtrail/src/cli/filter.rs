//! Which sessions a command takes.

use gemtrail_core::model::{Kind, SessionRow};
use gemtrail_store::Library;
use jiff::Timestamp;

use super::args::{FilterArgs, KindFilter};
use super::context::Context;
use super::project_filter::ProjectFilter;
use super::when::{self, Edge};
use crate::error::CliError;

/// The filters of the command line, understood.
pub(super) struct Filter<'a> {
    args: &'a FilterArgs,
    with_stubs: bool,
    project: Option<ProjectFilter>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl<'a> Filter<'a> {
    pub(super) fn new(
        args: &'a FilterArgs,
        with_stubs: bool,
        context: &Context<'_>,
    ) -> Result<Self, CliError> {
        let ui = context.ui;
        let when = |text: &Option<String>, edge| {
            text.as_deref()
                .map(|text| when::parse(text, edge, ui.now, &ui.zone))
                .transpose()
        };
        let (since, until) = (
            when(&args.since, Edge::Start)?,
            when(&args.until, Edge::End)?,
        );
        let project = args.project.as_deref();
        Ok(Self {
            args,
            with_stubs,
            project: project.map(|name| ProjectFilter::new(name, context.environment)),
            since,
            until,
        })
    }

    /// Whether a project was named that is not there.
    pub(super) fn names_no_project_of(&self, library: &Library) -> bool {
        self.project.as_ref().is_some_and(|filter| {
            let mut projects = library.projects().iter();
            !projects.any(|entry| filter.takes(entry.project()))
        })
    }

    /// Whether a row passes; `listed` says whether it stands in the plain list.
    pub(super) fn takes(&self, row: &SessionRow, listed: bool) -> bool {
        self.takes_kind(row, listed)
            && self.takes_time(row)
            && self
                .project
                .as_ref()
                .is_none_or(|filter| filter.takes(&row.project))
            && self
                .args
                .model
                .as_deref()
                .is_none_or(|wanted| row.models.iter().any(|model| model.contains(wanted)))
            && is(self.args.host.as_deref(), row.origin.host.as_deref())
            && is(self.args.user.as_deref(), row.origin.user.as_deref())
    }

    fn takes_kind(&self, row: &SessionRow, listed: bool) -> bool {
        let kind = match self.args.kind {
            None => row.kind != Kind::Subagent,
            Some(KindFilter::Main) => row.kind == Kind::Main,
            Some(KindFilter::Subagent) => row.kind == Kind::Subagent,
            Some(KindFilter::Log) => row.kind == Kind::Log,
            Some(KindFilter::All) => true,
        };
        kind && (listed || self.with_stubs || row.kind == Kind::Subagent && row.has_conversation)
    }

    fn takes_time(&self, row: &SessionRow) -> bool {
        let updated = row.updated.as_deref().and_then(gemtrail_core::time::parse);
        self.since
            .is_none_or(|since| updated.is_some_and(|updated| updated >= since))
            && self
                .until
                .is_none_or(|until| updated.is_some_and(|updated| updated <= until))
    }
}

/// Refuses filters beside named sessions: whichever of them counted, somebody would be surprised.
pub(super) fn refuse_beside_names(args: &FilterArgs, instead: &str) -> Result<(), CliError> {
    let given = [
        ("--project", args.project.is_some()),
        ("--since", args.since.is_some()),
        ("--until", args.until.is_some()),
        ("--model", args.model.is_some()),
        ("--host", args.host.is_some()),
        ("--user", args.user.is_some()),
        ("--kind", args.kind.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let message = format!("{option} chooses among all sessions, but sessions are named");
    Err(CliError::cannot("usage", message).hint(instead))
}

fn is(wanted: Option<&str>, value: Option<&str>) -> bool {
    wanted.is_none() || wanted == value
}
