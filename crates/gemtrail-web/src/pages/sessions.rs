//! All sessions: filtered, sorted, grouped.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use gemtrail_core::model::Kind;
use gemtrail_export::present::{Moment, Now};
use gemtrail_export::stats::dollars;
use gemtrail_export::text::{Clean, amount, grouped, plural};
use gemtrail_query::ProjectPattern;
use gemtrail_query::when::{self, Edge};
use gemtrail_store::{Kinds, ListRow, SessionFilter};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::PageFrame;
use super::problem::Problem;
use crate::links;
use crate::viewer::Viewer;

/// Sessions on one page; there are links to the others.
const ON_PAGE: usize = 200;

/// The sessions that are wanted, and their order.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SessionsWanted {
    q: String,
    project: String,
    model: String,
    since: String,
    until: String,
    kind: String,
    sort: String,
    group: String,
    page: usize,
    fragment: Option<String>,
}

/// The orders: name in the address, heading, whether its column is one of numbers.
const ORDERS: [(&str, &str, bool); 7] = [
    ("", "Updated", false),
    ("title", "Session", false),
    ("project", "Project", false),
    ("prompts", "Prompts", true),
    ("failed", "Failed", true),
    ("tokens", "Tokens", true),
    ("cost", "Cost", true),
];

const PERIODS: [(&str, &str); 6] = [
    ("", "Any time"),
    ("today", "Today"),
    ("7d", "7 days"),
    ("30d", "30 days"),
    ("90d", "90 days"),
    ("1y", "A year"),
];

const KINDS: [(&str, &str); 4] = [
    ("", "Conversations"),
    ("subagent", "Subagents"),
    ("log", "Lost"),
    ("all", "Everything"),
];

const GROUPS: [(&str, &str); 3] = [("", "Time"), ("project", "Project"), ("none", "Nothing")];

pub(crate) fn page(viewer: &Viewer, wanted: &SessionsWanted) -> Result<Markup, Problem> {
    let rows = viewer.rows();
    let filter = wanted.filter(viewer)?;
    let mut chosen: Vec<&ListRow> = rows
        .all
        .iter()
        .filter(|row| filter.takes(row) && row.mentions(&wanted.q))
        .collect();
    wanted.sort(&mut chosen);
    let of_kinds = wanted.kinds();
    let all = rows.all.iter().filter(|row| of_kinds.takes(row)).count();
    let list = list(viewer, wanted, &chosen, all);
    if wanted.fragment.is_some() {
        return Ok(list);
    }
    let content = html! {
        header.head.plain { h1 { "Sessions" } }
        (form(wanted, &rows.all))
        div #list aria-live="polite" { (list) }
    };
    Ok(PageFrame::new("Sessions", "/sessions").around(&content))
}

impl SessionsWanted {
    fn filter(&self, viewer: &Viewer) -> Result<SessionFilter, Problem> {
        let (now, zone) = (viewer.now(), &viewer.options.zone);
        let time = |text: &str, edge| match text {
            "" => Ok(None),
            text => match when::parse(text, edge, now, zone) {
                Some(time) => Ok(Some(time)),
                None => Err(Problem::Wrong(format!(
                    "{text:?} is not a date, time or age."
                ))),
            },
        };
        let given = |text: &str| {
            Some(text)
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        Ok(SessionFilter {
            project: given(&self.project).map(|name| ProjectPattern::new(&name, &[])),
            since: time(&self.since, Edge::Start)?,
            until: time(&self.until, Edge::End)?,
            model: given(&self.model),
            ..self.kinds()
        })
    }

    /// The kinds of sessions that are wanted, whatever else is.
    fn kinds(&self) -> SessionFilter {
        SessionFilter {
            kinds: match self.kind.as_str() {
                "main" => Kinds::Only(Kind::Main),
                "subagent" => Kinds::Only(Kind::Subagent),
                "log" => Kinds::Only(Kind::Log),
                "all" => Kinds::All,
                _ => Kinds::Usual,
            },
            with_stubs: self.kind == "all",
            ..SessionFilter::default()
        }
    }

    /// The rows come newest first, which stays the order among equals.
    fn sort(&self, rows: &mut [&ListRow]) {
        let title = |row: &ListRow| title_of(row).to_lowercase();
        match self.sort.as_str() {
            "title" => rows.sort_by_cached_key(|row| title(row)),
            "project" => rows.sort_by_cached_key(|row| row.project.name().to_lowercase()),
            "prompts" => rows.sort_by_key(|row| Reverse(row.counts.human)),
            "failed" => rows.sort_by_key(|row| Reverse(row.counts.tool_failures)),
            "tokens" => rows.sort_by_key(|row| Reverse(row.tokens_with_subagents.total)),
            "cost" => rows.sort_by_key(|row| Reverse(row.cost_with_subagents)),
            _ => {}
        }
        if self.group == "project" {
            rows.sort_by_cached_key(|row| row.project.name().to_lowercase());
        }
    }

    /// The address of the same list with one thing changed.
    fn but(&self, name: &str, value: &str) -> String {
        let mut parameters = [
            ("q", self.q.as_str()),
            ("project", &self.project),
            ("model", &self.model),
            ("since", &self.since),
            ("until", &self.until),
            ("kind", &self.kind),
            ("sort", &self.sort),
            ("group", &self.group),
            ("page", ""),
        ];
        for parameter in parameters.iter_mut().filter(|(it, _)| *it == name) {
            parameter.1 = value;
        }
        links::with("/sessions", &parameters)
    }

    /// The heading that a row is grouped under.
    fn group_of(&self, row: &ListRow, viewer: &Viewer) -> Option<String> {
        match self.group.as_str() {
            "project" => Some(Clean::line(row.project.name()).to_string()),
            "" if self.sort.is_empty() => {
                let now = Now::new(viewer.now(), viewer.options.zone.clone());
                Some(now.heading(row.updated.as_deref()))
            }
            _ => None,
        }
    }
}

fn form(wanted: &SessionsWanted, all: &[ListRow]) -> Markup {
    let listed = all.iter().filter(|row| row.is_listed());
    let projects: BTreeSet<String> = listed.clone().map(|row| row.project.name()).collect();
    let models: BTreeSet<&String> = listed.flat_map(|row| row.models.iter()).collect();
    html! {
        form.filter action="/sessions" data-live="list" {
            label.wide { "Title, project or id"
                input type="search" name="q" value=(wanted.q) autocomplete="off" data-key="f";
            }
            (more_filters())
            label { "Project"
                select name="project" {
                    option value="" { "All" }
                    @for name in &projects {
                        option value=(name) selected[*name == wanted.project] { (Clean::line(name).as_str()) }
                    }
                    @if !wanted.project.is_empty() && !projects.contains(&wanted.project) {
                        option value=(wanted.project) selected { (Clean::line(&wanted.project).as_str()) }
                    }
                }
            }
            label { "Model"
                select name="model" {
                    option value="" { "All" }
                    @for name in &models {
                        option value=(name) selected[**name == wanted.model] { (Clean::line(name.as_str()).as_str()) }
                    }
                }
            }
            (choice("Time", "since", &PERIODS, &wanted.since))
            (choice("Type", "kind", &KINDS, &wanted.kind))
            (choice("Group by", "group", &GROUPS, &wanted.group))
            @for (name, value) in [("sort", &wanted.sort), ("until", &wanted.until)] {
                @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
            }
            button type="submit" { "Show" }
        }
    }
}

/// On a phone the other filters are folded behind this.
fn more_filters() -> Markup {
    html! { label.filters { input type="checkbox" data-fold; "Filters" } }
}

fn choice(label: &str, name: &str, options: &[(&str, &str)], chosen: &str) -> Markup {
    html! {
        label { (label)
            select name=(name) {
                @for (value, words) in options {
                    option value=(value) selected[*value == chosen] { (words) }
                }
                @if !options.iter().any(|(value, _)| *value == chosen) {
                    option value=(chosen) selected { "since " (Clean::line(chosen).as_str()) }
                }
            }
        }
    }
}

/// The rows that were chosen, of `all` that there are of these kinds.
fn list(viewer: &Viewer, wanted: &SessionsWanted, chosen: &[&ListRow], all: usize) -> Markup {
    let pages = chosen.len().div_ceil(ON_PAGE).max(1);
    let page = wanted.page.clamp(1, pages);
    let first = (page - 1) * ON_PAGE;
    let shown = &chosen[first..chosen.len().min(first + ON_PAGE)];
    let projects: BTreeSet<String> = chosen.iter().map(|row| row.project.name()).collect();
    let tokens = super::sum(chosen.iter().map(|row| row.tokens_with_subagents.total));
    html! {
        p.lead role="status" {
            (grouped(chosen.len() as u64)) " of " (plural(all, "session"))
            " in " (plural(projects.len(), "project"))
            @if tokens > 0 { ", " (amount(tokens)) " tokens" }
        }
        @if shown.is_empty() {
            p.nothing { "No session is like that. " a href="/sessions" { "Show all" } }
        } @else {
            div.wide-table tabindex="0" role="region" aria-label="Sessions" {
                table.sessions {
                    thead { tr {
                        @for (order, heading, is_number) in ORDERS {
                            th.num[is_number] scope="col" aria-sort=[sorted(wanted, order, is_number)] {
                                a href=(wanted.but("sort", order)) { (heading) }
                            }
                        }
                    } }
                    (groups(viewer, wanted, shown))
                }
            }
            (legend(shown))
        }
        @if pages > 1 {
            nav.pages aria-label="Pages of sessions" {
                @if page > 1 { a href=(wanted.but("page", &(page - 1).to_string())) rel="prev" { "‹ Newer" } }
                span { "Page " (page) " of " (pages) }
                @if page < pages { a href=(wanted.but("page", &(page + 1).to_string())) rel="next" { "Older ›" } }
            }
        }
    }
}

/// The last few sessions, for the overview.
pub(super) fn last(viewer: &Viewer, count: usize) -> Markup {
    let rows = viewer.rows();
    let wanted = SessionsWanted {
        group: "none".to_owned(),
        ..SessionsWanted::default()
    };
    let shown = rows.all.iter().filter(|row| row.is_listed()).take(count);
    html! {
        div.wide-table tabindex="0" role="region" aria-label="Last sessions" {
            table.sessions {
                thead { tr {
                    @for (_, heading, is_number) in ORDERS { th.num[is_number] scope="col" { (heading) } }
                } }
                tbody { @for row in shown { (self::row(row, &wanted, viewer)) } }
            }
        }
    }
}

fn sorted(wanted: &SessionsWanted, order: &str, is_number: bool) -> Option<&'static str> {
    let is_falling = is_number || order.is_empty();
    (wanted.sort == order).then_some(if is_falling {
        "descending"
    } else {
        "ascending"
    })
}

fn groups(viewer: &Viewer, wanted: &SessionsWanted, rows: &[&ListRow]) -> Markup {
    let groups = rows.chunk_by(|a, b| wanted.group_of(a, viewer) == wanted.group_of(b, viewer));
    html! {
        @for rows in groups {
            tbody {
                @if let Some(name) = wanted.group_of(rows[0], viewer) {
                    tr.group { th colspan=(ORDERS.len()) scope="rowgroup" { (name) } }
                }
                @for row in rows { (self::row(row, wanted, viewer)) }
            }
        }
    }
}

fn row(row: &ListRow, wanted: &SessionsWanted, viewer: &Viewer) -> Markup {
    let moment = row.updated.as_deref();
    let moment = moment.map(|time| Moment::new(time, &viewer.options.zone));
    let heading = wanted
        .group_of(row, viewer)
        .filter(|_| wanted.group.is_empty());
    let is_by_day = matches!(heading.as_deref(), Some("Today" | "Yesterday"));
    let (project, title) = (row.project.name(), title_of(row));
    html! {
        tr {
            td.when {
                @if let Some(moment) = &moment {
                    time datetime=(moment.written().as_str()) title=(moment.date_and_clock()) {
                        @if is_by_day { (moment.clock()) } @else { (moment.date_and_clock()) }
                    }
                }
            }
            th.what scope="row" {
                @if let Some((mark, words)) = state_of(row) {
                    span.state title=(words) aria-label=(words) role="img" { (mark) } " "
                }
                a href=(links::session(row.reference)) title=(title) dir="auto" { (title) }
                @if row.kind == Kind::Subagent { " " span.tag { "subagent" } }
                @if !row.source.is_gemini_cli() { " " span.tag { (row.source.as_str()) } }
            }
            td.where { a href=(wanted.but("project", &project)) { (Clean::line(&project).as_str()) } }
            td.num { (prompts_of(row)) }
            td.num.bad[row.counts.tool_failures > 0] {
                @if row.counts.tool_failures > 0 { (grouped(row.counts.tool_failures)) }
            }
            td.num { (tokens_of(row.tokens_with_subagents.total)) }
            td.num.cost { (dollars(row.cost_with_subagents)) }
        }
    }
}

fn prompts_of(row: &ListRow) -> String {
    match row.kind {
        Kind::Log => grouped(row.logged_count),
        Kind::Main | Kind::Subagent | Kind::Sealed => grouped(row.counts.human),
    }
}

/// Zero means unknown here.
pub(super) fn tokens_of(total: u64) -> String {
    match total {
        0 => "–".to_owned(),
        total => amount(total),
    }
}

/// The title of a session.
pub(super) fn title_of(row: &ListRow) -> String {
    let title = row.title.as_deref().unwrap_or("Untitled session");
    Clean::line(row.marks.before(title)).to_string()
}

const ONLY_ARCHIVED: &str = "kept only in the archive: Gemini CLI deleted it";
const LOST: &str = "lost before gemtrail saw it: only the prompts are left";

/// The mark of a session that is not simply there.
fn state_of(row: &ListRow) -> Option<(&'static str, &'static str)> {
    if row.kind == Kind::Log {
        Some(("◌", LOST))
    } else if !row.on_disk && row.archived {
        Some(("○", ONLY_ARCHIVED))
    } else {
        None
    }
}

fn legend(rows: &[&ListRow]) -> Markup {
    let has = |words: &str| {
        rows.iter()
            .any(|row| state_of(row).is_some_and(|it| it.1 == words))
    };
    html! {
        @for (mark, words) in [("○", ONLY_ARCHIVED), ("◌", LOST)] {
            @if has(words) { p.legend { (mark) " " (words) } }
        }
    }
}
