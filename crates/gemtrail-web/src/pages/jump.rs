//! Ways to sessions, projects, files and pages by a few letters of their names.

use std::collections::BTreeSet;

use gemtrail_export::present::below;
use gemtrail_export::text::Clean;
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::{PageFrame, WAYS};
use super::sessions::title_of;
use crate::links;
use crate::viewer::Viewer;

/// Ways of each kind.
const FEW: usize = 7;

/// What was typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct JumpWanted {
    q: String,
    fragment: Option<String>,
}

/// A way: its kind, its address, its name, and where it is.
struct Way {
    kind: &'static str,
    address: String,
    name: String,
    place: String,
}

pub(crate) fn page(viewer: &Viewer, wanted: &JumpWanted) -> Markup {
    let ways = ways(viewer, &wanted.q);
    let list = html! {
        ul.jumps {
            @for way in &ways {
                li { a href=(way.address) {
                    span.kind { (way.kind) }
                    span.name dir="auto" { (Clean::line(&way.name).as_str()) }
                    span.where { (Clean::line(&way.place).as_str()) }
                } }
            }
        }
    };
    if wanted.fragment.is_some() {
        return list;
    }
    let content = html! {
        header.head.plain { h1 { "Go to" } }
        form.query action="/jump" {
            input type="search" name="q" value=(wanted.q) aria-label="Name of a session, project, file or page";
            button type="submit" { "Show" }
        }
        (list)
    };
    PageFrame::new("Go to", "").around(&content)
}

fn ways(viewer: &Viewer, typed: &str) -> Vec<Way> {
    let typed = typed.to_lowercase();
    let words: Vec<&str> = typed.split_whitespace().collect();
    let has = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let rows = viewer.rows();
    let mut ways = Vec::new();
    let mut add = |found: &mut dyn Iterator<Item = Way>| ways.extend(found.take(FEW));
    add(&mut WAYS
        .iter()
        .filter(|(_, name)| !words.is_empty() && has(name))
        .map(|(address, name)| Way {
            kind: "Page",
            address: (*address).to_owned(),
            name: (*name).to_owned(),
            place: String::new(),
        }));
    let projects: BTreeSet<String> = rows.all.iter().map(|row| row.project.name()).collect();
    add(&mut projects
        .into_iter()
        .filter(|name| !words.is_empty() && has(name))
        .map(|name| Way {
            kind: "Project",
            address: links::with("/sessions", &[("project", &name)]),
            name,
            place: String::new(),
        }));
    let sessions = rows.all.iter().filter(|row| row.is_listed());
    add(&mut sessions
        .filter(|row| {
            has(&format!(
                "{} {} {}",
                title_of(row),
                row.project.name(),
                row.reference
            ))
        })
        .map(|row| Way {
            kind: "Session",
            address: links::session(row.reference),
            name: title_of(row),
            place: row.project.name(),
        }));
    if words.is_empty() {
        return ways;
    }
    let mut files = BTreeSet::new();
    for (row, paths) in viewer.trail.view().edited_files() {
        for path in paths.into_iter().filter(|path| has(path)) {
            let name = below(&path, row.project.path.as_deref()).to_owned();
            files.insert((name, row.project.name(), path));
        }
    }
    add(&mut files.into_iter().map(|(name, project, path)| Way {
        kind: "File",
        address: links::with("/files", &[("project", &project), ("path", &path)]),
        name,
        place: project,
    }));
    ways.push(Way {
        kind: "Search",
        address: links::with("/search", &[("q", typed.trim())]),
        name: format!("All text with “{}”", typed.trim()),
        place: String::new(),
    });
    ways
}
