//! `mark`: pins, titles, tags and notes of sessions.

use std::io::Write as _;

use gemtrail_core::model::{Marks, SessionId, SessionRef};
use gemtrail_store::archive::ArchiveWriter;
use gemtrail_store::{Changes, Library, MarkChange, Trail};
use serde::Serialize;

use super::args::MarkArgs;
use super::context::Context;
use super::{archive, session};
use crate::environment;
use crate::error::CliError;
use crate::style::DIM;
use crate::text::Clean;

/// The schema name of [`MarkDocument`].
pub(crate) const MARK_SCHEMA: &str = "gemtrail.mark/1";

/// The marks of a session: `mark --json`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct MarkDocument {
    /// Always `gemtrail.mark/1`.
    pub(crate) schema: &'static str,
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub(crate) reference: SessionRef,
    /// The session.
    pub(crate) session: SessionId,
    /// Its title: the person's own, if there is one.
    pub(crate) title: Option<String>,
    /// Its marks.
    pub(crate) marks: Marks,
}

impl MarkArgs {
    fn change(&self) -> MarkChange {
        MarkChange {
            pin: self.pin.then_some(true).or(self.unpin.then_some(false)),
            title: self.title.clone(),
            tags: self.tag.clone(),
            untags: self.untag.clone(),
            note: self.note.clone(),
        }
    }
}

pub(super) fn run(args: &MarkArgs, context: &Context<'_>) -> Result<(), CliError> {
    archive::needed(context, "marks are kept in it")?;
    let trail = context.open_archive()?;
    let library = trail.view();
    let reference = session::find(&library, &args.session)?;
    let change = args.change();
    if change.is_none() {
        return print(&library, reference, context);
    }
    set(&trail, reference, &change, context)?;
    print(&trail.view(), reference, context)
}

/// Changes the marks of a session; what changed by it.
pub(super) fn set(
    trail: &Trail,
    session: SessionRef,
    change: &MarkChange,
    context: &Context<'_>,
) -> Result<Option<Changes>, CliError> {
    let path = archive::needed(context, "marks are kept in it")?;
    let library = trail.view();
    let Some(handle) = library.locate(session) else {
        let what = format!("session {session} no longer exists");
        return Err(CliError::nothing("not-found", what));
    };
    let failed = |error| archive::failure(error, path);
    let mut writer = ArchiveWriter::open(path).map_err(failed)?;
    let now = environment::now().as_millisecond();
    writer
        .mark(&library, &handle, change, now)
        .map_err(failed)?;
    drop(writer);
    let (changes, _) = trail.refresh(now)?;
    Ok(changes)
}

fn print(library: &Library, reference: SessionRef, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let row = library.rows_for(&[reference]).into_iter().next();
    let Some(row) = row else {
        let what = format!("session {reference} no longer exists");
        return Err(CliError::nothing("not-found", what));
    };
    let marks = row.marks.as_ref().clone();
    if ui.json {
        return ui.print_json(&MarkDocument {
            schema: MARK_SCHEMA,
            reference,
            session: row.id,
            title: row.title,
            marks,
        });
    }
    let mut out = ui.out();
    let mut line = |name: &str, value: &str| {
        writeln!(
            out,
            "{} {}",
            out.styled(DIM, &format!("{name:<7}")),
            Clean::text(value)
        )
    };
    line(
        "session",
        &format!(
            "{}  {}",
            row.id.short(),
            row.title.as_deref().unwrap_or("–")
        ),
    )?;
    if marks.are_none() {
        line("marks", "none")?;
    }
    if marks.pinned {
        line("pinned", "yes")?;
    }
    if let Some(title) = &marks.title {
        line("title", title)?;
    }
    if !marks.tags.is_empty() {
        line("tags", &marks.tags.join(", "))?;
    }
    if let Some(note) = &marks.note {
        line("note", &note.replace('\n', "\n        "))?;
    }
    out.finish()
}
