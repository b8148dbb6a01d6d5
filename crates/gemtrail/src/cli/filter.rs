//! Filter options of the command line as a filter of the library.

use gemtrail_core::model::{Kind, Project};
use gemtrail_query::ProjectPattern;
use gemtrail_store::{Kinds, Library, ProjectEntry, Scanned, SessionFilter};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::args::{FilterArgs, KindFilter, SourceFilter};
use super::context::Context;
use super::session::places;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) use gemtrail_query::when::Edge;

/// The filter that the options ask for.
pub(super) fn filter(
    args: &FilterArgs,
    with_stubs: bool,
    context: &Context<'_>,
) -> Result<SessionFilter, CliError> {
    let ui = context.ui;
    let when = |text: &Option<String>, edge| time(text.as_deref(), edge, ui);
    let project = args.project.as_deref().or(args.here.then_some("."));
    Ok(SessionFilter {
        kinds: match args.kind {
            None => Kinds::Usual,
            Some(KindFilter::Main) => Kinds::Only(Kind::Main),
            Some(KindFilter::Subagent) => Kinds::Only(Kind::Subagent),
            Some(KindFilter::Log) => Kinds::Only(Kind::Log),
            Some(KindFilter::Sealed) => Kinds::Only(Kind::Sealed),
            Some(KindFilter::All) => Kinds::All,
        },
        with_stubs,
        project: project.map(|name| ProjectPattern::new(name, &context.roots(name))),
        since: when(&args.since, Edge::Start)?,
        until: when(&args.until, Edge::End)?,
        model: args.model.clone(),
        source: args.source.map(SourceFilter::source),
        host: args.host.clone(),
        user: args.user.clone(),
        pinned: args.pinned,
        tags: args.tag.clone(),
        changed: None,
        limit: None,
    })
}

impl FilterArgs {
    /// The options that were given, each with its value.
    fn given(&self) -> Vec<(&'static str, &str)> {
        let options = [
            ("--project", self.project.as_deref()),
            ("--here", self.here.then_some("")),
            ("--since", self.since.as_deref()),
            ("--until", self.until.as_deref()),
            ("--model", self.model.as_deref()),
            ("--source", self.source.map(|it| it.source().as_str())),
            ("--host", self.host.as_deref()),
            ("--user", self.user.as_deref()),
            ("--pinned", self.pinned.then_some("")),
            ("--kind", self.kind.map(|_| "")),
        ];
        let tags = self.tag.iter().map(|tag| ("--tag", Some(tag.as_str())));
        let given = options.into_iter().chain(tags);
        given
            .filter_map(|(option, value)| Some((option, value?)))
            .collect()
    }
}

/// Refuses filters beside named sessions: whichever of them counted, it would be a surprise.
pub(super) fn refuse_beside_names(args: &FilterArgs, instead: &str) -> Result<(), CliError> {
    let Some((option, _)) = args.given().into_iter().next() else {
        return Ok(());
    };
    let message = format!("{option} cannot be combined with the names of sessions");
    Err(CliError::cannot("usage", message).hint(instead))
}

/// There are sessions, but none matches the filters.
pub(super) fn nothing_passes(
    args: &FilterArgs,
    context: &Context<'_>,
    library: &Library,
    scanned: &Scanned,
) -> CliError {
    let asked = (args.project.as_deref(), args.here);
    if let Some(error) = unknown_project(asked, context, library, scanned) {
        return error;
    }
    // The kind is told otherwise.
    let given = args
        .given()
        .into_iter()
        .filter(|(option, _)| *option != "--kind");
    let given = given.map(|(option, value)| format!("{option} {value}").trim_end().to_owned());
    let given: Vec<String> = given.collect();
    let places = places(library);
    let what = match given.as_slice() {
        [] => format!("no session of that kind in {places}"),
        given => format!("no session matches {} in {places}", given.join(" ")),
    };
    CliError::nothing("nothing-found", what)
        .naming_places()
        .hint("gemtrail list without filters shows all sessions, gemtrail projects lists the projects")
}

/// No project is called that, or there is none in the current directory.
pub(super) fn unknown_project(
    (name, here): (Option<&str>, bool),
    context: &Context<'_>,
    library: &Library,
    scanned: &Scanned,
) -> Option<CliError> {
    let name = name.or(here.then_some("."))?;
    let pattern = ProjectPattern::new(name, &context.roots(name));
    let projects = || library.projects().iter().map(ProjectEntry::project);
    if projects().any(|project| pattern.takes(project)) {
        return None;
    }
    let mut what = if here || name == "." {
        let here = "no sessions for this directory";
        format!("{here} in {}", places(library))
    } else {
        format!("no project matches {name:?} in {}", places(library))
    };
    if scanned.directories > 0 {
        what = format!("{what}, and no directory in {} does", context.scan_places());
    }
    let near = nearest(name, projects().map(Project::name));
    let error = CliError::nothing("nothing-found", what).naming_places();
    Some(error.hint(match near {
        Some(near) if !here => {
            format!("did you mean {near:?}? gemtrail projects lists all projects")
        }
        _ => "gemtrail projects lists all projects".to_owned(),
    }))
}

/// The name that somebody who wrote this probably meant.
fn nearest(typed: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let typed = typed.to_lowercase();
    let allowed = typed.chars().count().div_ceil(3);
    let near = names.map(|name| {
        let distance = strsim::osa_distance(&typed, &name.to_lowercase());
        (distance, name)
    });
    let near = near.filter(|(distance, _)| *distance <= allowed).min();
    near.map(|(_, name)| name)
}

/// Reads a date, a time, or an age, if one is given.
pub(super) fn time(text: Option<&str>, edge: Edge, ui: &Ui) -> Result<Option<Timestamp>, CliError> {
    let time = text.map(|text| parse_time(text, edge, ui.now, &ui.zone));
    time.transpose()
}

/// Reads a date, a time, or an age such as `7d` or `2 weeks`.
pub(super) fn parse_time(
    text: &str,
    edge: Edge,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<Timestamp, CliError> {
    gemtrail_query::when::parse(text, edge, now, zone).ok_or_else(|| {
        CliError::cannot("bad-time", format!("{text:?} is not a date, time or age"))
            .hint(
                "for example 2026-06-01, 2026-06-01T10:00, '1 june', 2026-06, june, now, today, yesterday, monday, \
                 'last week', 'this month', 7d or '2 weeks'",
            )
    })
}
