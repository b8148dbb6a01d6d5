//! `report`: what was done, by project; `diff`: two sessions side by side.

use std::io::Write as _;

use gemtrail_core::model::Session;
use gemtrail_export::digest::{DigestDocument, DigestPeriod, FORMS};
use gemtrail_export::exporter::Format;
use gemtrail_export::plain::{Layout, draw_markdown};
use gemtrail_store::{Library, ReadDetail};

use super::args::{DiffArgs, DigestArgs, ReportArgs};
use super::context::Context;
use super::export::{fail_with, tell_written};
use super::filter::{filter, nothing_passes};
use super::show::Inked;
use super::{privacy, session};
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::Ui;

/// The period of a report if none is given.
const LAST_WEEK: &str = "7d";

/// Wider lines of a report are hard to read.
const MOST_COLUMNS: usize = 110;

pub(super) fn report(args: &ReportArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let form = form(&args.faces, ui)?;
    let mut asked = args.filter.clone();
    if asked.since.is_none() && asked.until.is_none() {
        asked.since = Some(LAST_WEEK.to_owned());
    }
    let filter = filter(&asked, false, context)?;
    let trail = context.open()?;
    let scanned = context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    let filter = filter.among(library.projects());
    let rows = library.sessions(&filter);
    if rows.is_empty() {
        return Err(nothing_passes(&asked, context, &library, &scanned));
    }
    let document = DigestDocument {
        period: DigestPeriod {
            since: filter.since,
            until: filter.until,
        },
        columns: Some(ui.columns.min(MOST_COLUMNS)),
        ..document(form, &library, ui)
    };
    let mut unread = Vec::new();
    let sessions = rows.iter().enumerate().filter_map(|(at, row)| {
        ui.progress(at, rows.len(), "sessions");
        let read = library.read(row.reference, ReadDetail::Words);
        read.map_err(|error| unread.push(error.into())).ok()
    });
    write(&document, sessions, &args.faces, context)?;
    ui.progress_done();
    context.tell_what_is_missing(&library);
    fail_with(unread, ui)
}

pub(super) fn diff(args: &DiffArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let form = form(&args.faces, ui)?;
    let library = context.open()?.view();
    let mut both = Vec::new();
    for name in [&args.one, &args.other] {
        both.push(session::read_at(&library, name, ReadDetail::Words)?.0);
    }
    context.tell_what_is_missing(&library);
    let document = DigestDocument {
        compares: true,
        ..document(form, &library, ui)
    };
    write(&document, both, &args.faces, context)
}

fn document(form: &'static Format, library: &Library, ui: &Ui) -> DigestDocument {
    DigestDocument {
        form,
        compares: false,
        period: DigestPeriod::default(),
        now: ui.now,
        zone: ui.zone.clone(),
        names: library.project_names(),
        columns: Some(ui.columns),
    }
}

/// The form that was asked for, or that of the file's ending.
fn form(args: &DigestArgs, ui: &Ui) -> Result<&'static Format, CliError> {
    if args.redact.content.is_some() {
        return Err(CliError::usage("--content has no effect here"));
    }
    let path = args.output.path();
    let ending = path.and_then(|path| path.extension()?.to_str());
    let named = args.format.or(ui.json.then_some("json"));
    let name = named.or(ending).unwrap_or("txt").to_ascii_lowercase();
    let form = FORMS.iter().find(|form| form.name == name);
    let form = form.ok_or_else(|| {
        CliError::usage(format!("no format has the extension .{name}")).hint(
            "the extensions are .txt, .md, .html and .json; --format names a format for any file",
        )
    })?;
    if form.name == "html" && path.is_none() && ui.interactive {
        let error = CliError::cannot("usage", "HTML is not for reading on a terminal");
        return Err(error.hint("-o FILE.html writes it to a file"));
    }
    Ok(form)
}

fn write(
    document: &DigestDocument,
    sessions: impl IntoIterator<Item = Session>,
    args: &DigestArgs,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let ui = context.ui;
    if let Some(path) = args.output.path() {
        let document = DigestDocument {
            columns: None,
            ..document.clone()
        };
        let mut exporter = privacy::exporter(&document, &args.output, &args.redact, context)?;
        exporter.to_file(sessions, path, args.output.force)?;
        tell_written(path, &exporter, ui);
        return privacy::tell(&exporter, &args.redact, ui);
    }
    // Text is Markdown as a screen shows it.
    let is_drawn = document.form.name == "txt";
    let document = DigestDocument {
        form: if is_drawn { &FORMS[0] } else { document.form },
        columns: document.columns.filter(|_| is_drawn),
        ..document.clone()
    };
    let mut exporter = privacy::exporter(&document, &args.output, &args.redact, context)?;
    let mut bytes = Vec::new();
    let mut open = exporter.document(&mut bytes)?;
    for session in sessions {
        open.session(session)?;
    }
    open.finish()?;
    ui.progress_done();
    let mut out = ui.reading_out();
    if let Some(columns) = document.columns {
        let text = Clean::text(String::from_utf8_lossy(&bytes));
        let layout = Layout {
            columns,
            excerpt: None,
        };
        draw_markdown(&text, "", layout, &mut Inked::new(&mut out, ui.color))?;
    } else {
        out.write_all(&bytes)?;
    }
    out.finish()?;
    privacy::tell(&exporter, &args.redact, ui)
}
