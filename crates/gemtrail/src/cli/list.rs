//! `list`: which sessions there are.

use gemtrail_core::model::{Kind, SessionRow};
use gemtrail_store::Library;
use jiff::Timestamp;

use super::args::{KindFilter, ListArgs};
use super::session::places;
use super::when::{self, Edge};
use crate::error::CliError;
use crate::text;
use crate::ui::Ui;

pub(super) fn run(args: &ListArgs, library: &Library, ui: &Ui) -> Result<(), CliError> {
    let filter = Filter::new(args, ui)?;
    let mut numbered = Vec::new();
    let mut number = 0;
    for row in library.rows() {
        let listed = row.is_listed();
        number += usize::from(listed);
        if filter.takes(&row, listed) {
            numbered.push((listed.then_some(number), row));
        }
    }
    if args.limit > 0 {
        numbered.truncate(args.limit);
    }
    if numbered.is_empty() {
        let hint = if number == 0 {
            "start a conversation with `gemini`, or name another place with --home"
        } else {
            "gemtrail list without filters shows all sessions"
        };
        return Err(CliError::nothing(
            "nothing-found",
            format!("no session found in {}", places(library)),
        )
        .hint(hint));
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
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl<'a> Filter<'a> {
    fn new(args: &'a ListArgs, ui: &Ui) -> Result<Self, CliError> {
        let when = |text: &Option<String>, edge| {
            text.as_deref()
                .map(|text| when::parse(text, edge, ui.now, &ui.zone))
                .transpose()
        };
        Ok(Self {
            args,
            since: when(&args.since, Edge::Start)?,
            until: when(&args.until, Edge::End)?,
        })
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
        let contains = |value: &Option<String>, wanted: &str| {
            value
                .as_deref()
                .is_some_and(|value| value.to_lowercase().contains(wanted))
        };
        let project = self.args.project.as_deref().is_none_or(|wanted| {
            let wanted = wanted.to_lowercase();
            let project = &row.project;
            project.name().to_lowercase().contains(&wanted)
                || contains(&project.path, &wanted)
                || contains(&project.dir, &wanted)
                || project
                    .hash
                    .as_deref()
                    .is_some_and(|hash| hash.starts_with(&wanted))
        });
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
