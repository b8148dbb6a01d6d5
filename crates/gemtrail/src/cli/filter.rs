//! Which sessions a command takes: the options of the command line as a filter of the library.

use gemtrail_core::model::Kind;
use gemtrail_store::{Kinds, ProjectPattern, SessionFilter};

use super::args::{FilterArgs, KindFilter};
use super::context::Context;
use super::when::{self, Edge};
use crate::error::CliError;

/// The filter that the options ask for.
pub(super) fn filter(
    args: &FilterArgs,
    with_stubs: bool,
    context: &Context<'_>,
) -> Result<SessionFilter, CliError> {
    let ui = context.ui;
    let when = |text: &Option<String>, edge| {
        text.as_deref()
            .map(|text| when::parse(text, edge, ui.now, &ui.zone))
            .transpose()
    };
    let project = args.project.as_deref();
    Ok(SessionFilter {
        kinds: match args.kind {
            None => Kinds::Usual,
            Some(KindFilter::Main) => Kinds::Only(Kind::Main),
            Some(KindFilter::Subagent) => Kinds::Only(Kind::Subagent),
            Some(KindFilter::Log) => Kinds::Only(Kind::Log),
            Some(KindFilter::All) => Kinds::All,
        },
        with_stubs,
        project: project.map(|name| ProjectPattern::new(name, &context.roots(name))),
        since: when(&args.since, Edge::Start)?,
        until: when(&args.until, Edge::End)?,
        model: args.model.clone(),
        host: args.host.clone(),
        user: args.user.clone(),
        limit: None,
    })
}

/// Refuses filters beside named sessions: whichever of them counted, it would be a surprise.
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
