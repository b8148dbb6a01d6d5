//! The projects, and how the root path of each was found.

use gemtrail_core::model::{PathSource, ProjectRow};
use gemtrail_export::present::Moment;
use gemtrail_export::text::{Clean, grouped, plural, size};
use maud::{Markup, html};

use super::frame::PageFrame;
use crate::links;
use crate::viewer::Viewer;

pub(crate) fn page(viewer: &Viewer) -> Markup {
    let rows = viewer.trail.view().project_rows();
    let unknown = rows.iter().filter(|row| row.path.is_none()).count();
    let content = html! {
        header.head.plain {
            h1 { "Projects" }
            p.lead { (plural(rows.len(), "project")) }
        }
        @if rows.is_empty() {
            p.nothing { "No project was found." }
        } @else {
            div.wide-table tabindex="0" role="region" aria-label="Projects" {
                table {
                    thead { tr {
                        th scope="col" { "Project" }
                        th.aside scope="col" { "Root path" }
                        th.num scope="col" { "Sessions" }
                        th.num.aside scope="col" { "Subagents" }
                        th.num.aside scope="col" { "Size" }
                        th scope="col" { "Last used" }
                        th scope="col" { "Files" }
                    } }
                    tbody { @for row in &rows { (self::row(row, viewer)) } }
                }
            }
        }
        @if unknown > 0 {
            p.legend {
                "– no root path is known of " (plural(unknown, "project")) ": "
                code { "gemtrail projects --scan" } " looks for it, "
                code { "gemtrail projects add PATH" } " teaches it"
            }
        }
    };
    PageFrame::new("Projects", "/projects").around(&content)
}

fn row(row: &ProjectRow, viewer: &Viewer) -> Markup {
    let name = row.project().name();
    let last = row.last.as_deref();
    let last = last.map(|time| Moment::new(time, &viewer.options.zone));
    html! {
        tr {
            th scope="row" { a href=(links::with("/sessions", &[("project", &name)])) { (Clean::line(&name).as_str()) } }
            td.path.aside {
                @match &row.path {
                    Some(path) => {
                        code { (Clean::line(viewer.shown_path(path)).as_str()) }
                        " " span.tag title="How it was found" { (found(row.path_source)) }
                    }
                    None => "–",
                }
            }
            td.num { (grouped(row.sessions)) }
            td.num.aside { (grouped(row.subagents)) }
            td.num.aside { (size(row.bytes)) }
            td.when { @if let Some(last) = last { time { (last.date()) } } @else { "–" } }
            td { a href=(links::with("/files", &[("project", &name)])) aria-label={ "Files of " (name) } { "Files" } }
        }
    }
}

fn found(source: PathSource) -> &'static str {
    match source {
        PathSource::Marker => "marker",
        PathSource::Registry => "registry",
        PathSource::Hash => "hash",
        PathSource::Directories => "directories",
        PathSource::Context => "context",
        PathSource::Mapping => "taught",
        PathSource::Workspace => "workspace",
        PathSource::None => "unknown",
    }
}
