//! Files: what a session changed in them, which files of a project were changed, and by whom.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gemtrail_core::model::SessionRef;
use gemtrail_export::html;
use gemtrail_export::present::{FileChanges, Moment, below};
use gemtrail_export::text::{Clean, grouped, plural, shorten};
use gemtrail_store::{ListRow, ReadDetail};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::PageFrame;
use super::problem::Problem;
use super::sessions::title_of;
use crate::links;
use crate::viewer::Viewer;

/// Files on one page.
const MOST: usize = 200;

/// Sessions that are read for the history of a file.
const READ: usize = 50;

/// More changed lines are folded at first.
const LONG: u64 = 400;

/// The combined changes of a session, file by file.
pub(crate) fn of_session(viewer: &Viewer, reference: SessionRef) -> Result<Markup, Problem> {
    let row = viewer.row(reference).ok_or(Problem::NoSession)?;
    let session = viewer.read(reference, ReadDetail::Words)?;
    let files = FileChanges::of_session(&session);
    let title = title_of(&row);
    let content = html! {
        nav.crumbs aria-label="Where this is" {
            a href="/sessions" { "Sessions" } " › " a href=(links::session(reference)) dir="auto" { (title) }
        }
        header.head.plain {
            h1 { "Files changed" }
            p.lead { (totals(&files)) }
        }
        @if files.is_empty() { p.nothing { "This session changed no file." } }
        @if files.len() > 1 {
            ul.files {
                @for (at, file) in files.iter().enumerate() {
                    li { a href={ "#file-" (at) } { code { (file.name.as_str()) } } " " (counts(file)) }
                }
            }
        }
        @for (at, file) in files.iter().enumerate() { (one(viewer, &row, file, at)) }
    };
    Ok(PageFrame::new(&format!("Files changed: {title}"), "").around(&content))
}

/// `3 files  +120 −30`.
fn totals(files: &[FileChanges]) -> Markup {
    let added = super::sum(files.iter().map(|file| file.diff.added));
    let removed = super::sum(files.iter().map(|file| file.diff.removed));
    html! {
        span {
            (plural(files.len(), "file")) " "
            b.plus { "+" (grouped(added)) } " " b.minus { "−" (grouped(removed)) }
        }
    }
}

fn counts(file: &FileChanges) -> Markup {
    html! { span.measure { span.plus { "+" (file.diff.added) } " " span.minus { "−" (file.diff.removed) } } }
}

fn one(viewer: &Viewer, row: &ListRow, file: &FileChanges, at: usize) -> Markup {
    let is_short = file.diff.added + file.diff.removed <= LONG;
    let history = links::with(
        "/files",
        &[("project", &row.project.name()), ("path", &file.path)],
    );
    let session = links::session(row.reference);
    html! {
        details.calls.changes id={ "file-" (at) } open[is_short] {
            summary.row {
                code.target title=(viewer.shown_path(&file.path)) { (file.name.as_str()) }
                (counts(file))
            }
            (html::file_diff(file, |place| format!("{session}:{place}")))
            p.handles {
                "Prompts "
                @for (at, turn) in file.prompts.iter().enumerate() {
                    @if at > 0 { ", " }
                    a href={ (session) ":" (turn) } { (turn) }
                }
                " · " a href=(history) { "History of this file" }
            }
        }
    }
}

/// The files that are wanted: of a project, or one of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FilesWanted {
    project: String,
    path: String,
}

pub(crate) fn page(viewer: &Viewer, wanted: &FilesWanted) -> Markup {
    let title = match (wanted.path.as_str(), wanted.project.as_str()) {
        ("", "") => "Files".to_owned(),
        ("", project) => format!("Files of {}", Clean::line(project).as_str()),
        (path, _) => Clean::line(path.rsplit(['/', '\\']).next().unwrap_or(path)).to_string(),
    };
    let content = html! {
        nav.crumbs aria-label="Where this is" {
            a href="/projects" { "Projects" }
            @if !wanted.project.is_empty() {
                " › " a href=(links::with("/files", &[("project", &wanted.project)])) { (Clean::line(&wanted.project).as_str()) }
            }
        }
        header.head.plain { h1 { (title) } }
        @if wanted.path.is_empty() { (list(viewer, wanted)) } @else { (history(viewer, wanted)) }
    };
    PageFrame::new(&title, "/projects").around(&content)
}

/// A file that sessions changed.
struct EditedFile {
    name: String,
    sessions: usize,
    last: ListRow,
}

fn list(viewer: &Viewer, wanted: &FilesWanted) -> Markup {
    let mut files: BTreeMap<String, EditedFile> = BTreeMap::new();
    for (row, paths) in viewer.trail.view().edited_files() {
        if !wanted.project.is_empty() && row.project.name() != wanted.project {
            continue;
        }
        for path in paths {
            let name = below(&path, row.project.path.as_deref()).to_owned();
            let file = files.entry(path).or_insert_with(|| EditedFile {
                name,
                sessions: 0,
                last: row.clone(),
            });
            file.sessions += 1;
            if row.updated > file.last.updated {
                file.last = row.clone();
            }
        }
    }
    let mut files: Vec<(String, EditedFile)> = files.into_iter().collect();
    files.sort_by(|(_, a), (_, b)| b.last.updated.cmp(&a.last.updated));
    let zone = &viewer.options.zone;
    html! {
        @if files.is_empty() { p.nothing { "No session changed a file here." } } @else {
            p.lead { (plural(files.len(), "file")) @if files.len() > MOST { ", the last " (MOST) " changed" } }
            div.wide-table tabindex="0" role="region" aria-label="Files" {
                table.filelist {
                    thead { tr {
                        th scope="col" { "File" } th.num scope="col" { "Sessions" }
                        th scope="col" { "Last changed by" } th scope="col" { "When" }
                    } }
                    tbody {
                        @for (path, file) in files.iter().take(MOST) {
                            tr {
                                th scope="row" {
                                    a href=(links::with("/files", &[("project", &file.last.project.name()), ("path", path)])) {
                                        code { (Clean::line(&file.name).as_str()) }
                                    }
                                }
                                td.num { (file.sessions) }
                                td.by { a href={ (links::session(file.last.reference)) "/files" } dir="auto" { (shorten(&title_of(&file.last), 60)) } }
                                td.when { (day(file.last.updated.as_deref(), zone)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn day(time: Option<&str>, zone: &jiff::tz::TimeZone) -> String {
    time.map_or_else(|| "–".to_owned(), |time| Moment::new(time, zone).date())
}

/// Every session and prompt that changed a file, newest first.
fn history(viewer: &Viewer, wanted: &FilesWanted) -> Markup {
    let library = viewer.trail.view();
    let mut editors = library.editors_of(|path| path == wanted.path);
    editors.sort_by_key(|row| Reverse(row.updated.clone()));
    let sessions = editors.iter().take(READ).filter_map(|row| {
        let session = library.read(row.reference, ReadDetail::Words).ok()?;
        let files = FileChanges::of_session(&session).into_iter();
        let file = files.into_iter().find(|file| file.path == wanted.path)?;
        let prompts = session.messages.iter().filter(|it| it.place.item == 0);
        let prompts = prompts.filter(|it| file.prompts.contains(&it.place.turn));
        let prompts: Vec<(u32, String)> = prompts
            .map(|it| (it.place.turn, shorten(&Clean::line(it.text.as_str()), 110)))
            .collect();
        Some((row, file, prompts))
    });
    let zone = &viewer.options.zone;
    html! {
        p.lead { code { (Clean::line(viewer.shown_path(&wanted.path)).as_str()) } }
        @if editors.is_empty() { p.nothing { "No session changed this file." } }
        @for (row, file, prompts) in sessions {
            @let session = links::session(row.reference);
            section.history {
                h2 {
                    a href=(session) dir="auto" { (title_of(row)) }
                    span.aside { (day(row.updated.as_deref(), zone)) }
                }
                ul { @for (turn, words) in &prompts { li { a href={ (session) ":" (turn) } { "#" (turn) } " " (words) } } }
                details.calls.changes {
                    summary.row { span.target { "Changes" } (counts(&file)) }
                    (html::file_diff(&file, |place| format!("{session}:{place}")))
                }
            }
        }
        @if editors.len() > READ { p.legend { "The last " (READ) " of " (editors.len()) " sessions." } }
    }
}
