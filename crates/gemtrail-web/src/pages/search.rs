//! Everything that was said and done, in the query language.

use std::collections::BTreeMap;
use std::ops::Range;

use gemtrail_core::model::{Kind, State};
use gemtrail_export::present::{Moment, label};
use gemtrail_export::text::{Clean, grouped, plural};
use gemtrail_store::QueryContext;
use gemtrail_store::search::{Answer, Hit, Order, Page, Query, QueryError};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::PageFrame;
use crate::links;
use crate::viewer::Viewer;

/// Hits on one page; there are links to the others.
const ON_PAGE: usize = 50;

/// Hits of one session that are shown; the others are folded, so that it does not hide the next.
const AT_ONCE: usize = 5;

/// Facets are counted among so many hits, and the page says so.
const COUNTED: usize = 200;

/// The query, its order and the page of hits.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SearchWanted {
    q: String,
    sort: String,
    page: usize,
}

const EXAMPLES: [(&str, &str); 6] = [
    ("parse error", "both words in one text"),
    ("\"connection refused\" OR timeout", "a phrase, or a word"),
    ("role:human webhook", "only what you typed"),
    (
        "tool:run_shell_command status:error",
        "commands that failed",
    ),
    ("project:api since:7d", "everything of a week in a project"),
    (
        "retry* -test",
        "beginnings of words, and what must not be there",
    ),
];

pub(crate) fn page(viewer: &Viewer, wanted: &SearchWanted) -> Markup {
    let content = if wanted.q.trim().is_empty() {
        introduction()
    } else {
        match answer(viewer, wanted) {
            Ok(found) => shown(viewer, wanted, &found),
            Err(error) => misunderstood(&wanted.q, &error),
        }
    };
    let title = match wanted.q.trim() {
        "" => "Search".to_owned(),
        query => format!("Search: {}", Clean::line(query).as_str()),
    };
    let content = html! {
        header.head.plain { h1 { "Search" } }
        form.query role="search" aria-label="Query" action="/search" {
            input type="search" name="q" value=(wanted.q) aria-label="Query" autofocus[wanted.q.is_empty()] spellcheck="false";
            button type="submit" { "Search" }
        }
        (content)
    };
    PageFrame::new(&title, "/search")
        .searching(&wanted.q)
        .around(&content)
}

fn introduction() -> Markup {
    html! {
        p { "All words must occur in the same text: a message, a thought, an argument or an output." }
        dl.examples {
            @for (query, words) in EXAMPLES {
                dt { a href=(links::with("/search", &[("q", query)])) { code { (query) } } }
                dd { (words) }
            }
        }
    }
}

fn misunderstood(query: &str, error: &QueryError) -> Markup {
    let at = query.get(error.at.clone()).filter(|at| !at.is_empty());
    html! {
        div.notice.error role="alert" {
            span.text {
                (Clean::line(error.message.as_str()).as_str())
                @if let Some(at) = at { ": " code { (Clean::line(at).as_str()) } }
                @if let Some(hint) = &error.hint { ". " (Clean::line(hint.as_str()).as_str()) }
            }
        }
    }
}

/// The hits on a page.
struct FoundHits {
    /// The first hits, which facets are counted among, and the totals.
    first: Answer,
    /// The hits of the page.
    hits: Vec<Hit>,
    page: usize,
    pages: usize,
}

/// However far the page is, no more hits than facets need and it shows are asked for.
fn answer(viewer: &Viewer, wanted: &SearchWanted) -> Result<FoundHits, QueryError> {
    let library = viewer.trail.view();
    let context = QueryContext {
        library: &library,
        now: viewer.now(),
        zone: &viewer.options.zone,
        current_dir: None,
        user_home: viewer.options.user_home.as_deref(),
    };
    let query = Query::parse(&wanted.q, &context)?;
    let part = |offset, limit| Page {
        order: if wanted.sort == "rank" {
            Order::Rank
        } else {
            Order::Newest
        },
        offset,
        limit: Some(limit),
    };
    let first = library.search(&query, &part(0, COUNTED));
    let pages = first.total.div_ceil(ON_PAGE).max(1);
    let page = wanted.page.clamp(1, pages);
    let before = (page - 1) * ON_PAGE;
    let hits = if before + ON_PAGE <= COUNTED {
        let hits = first.hits.iter().skip(before).take(ON_PAGE);
        hits.cloned().collect()
    } else {
        library.search(&query, &part(before, ON_PAGE)).hits
    };
    Ok(FoundHits {
        first,
        hits,
        page,
        pages,
    })
}

impl SearchWanted {
    fn at(query: &str, sort: &str, page: usize) -> String {
        let page = if page > 1 {
            page.to_string()
        } else {
            String::new()
        };
        links::with("/search", &[("q", query), ("sort", sort), ("page", &page)])
    }

    /// The query with one more condition.
    fn also(&self, field: &str, value: &str) -> String {
        let value = if value.contains([' ', '"', ':']) {
            format!("\"{}\"", value.replace('"', ""))
        } else {
            value.to_owned()
        };
        Self::at(&format!("{} {field}:{value}", self.q.trim()), &self.sort, 1)
    }
}

fn shown(viewer: &Viewer, wanted: &SearchWanted, found: &FoundHits) -> Markup {
    let (answer, page, pages) = (&found.first, found.page, found.pages);
    html! {
        p.lead role="status" {
            (plural(answer.total, "hit")) " in " (plural(answer.sessions, "session"))
            @if answer.context_only > 0 {
                "; only injected context has it in " (plural(answer.context_only, "more session")) " ("
                a href=(wanted.also("role", "context")) { "show" } ")"
            }
        }
        @if answer.total == 0 {
            p.nothing { "Nothing was found. " code { "pre*" } " finds beginnings of words, " code { "OR" } " alternatives." }
        } @else {
            nav.orders aria-label="Order" {
                @for (sort, name) in [("", "Newest first"), ("rank", "Best first")] {
                    a href=(SearchWanted::at(&wanted.q, sort, 1)) aria-current=[(wanted.sort == sort).then_some("true")] { (name) }
                }
            }
            div.columns {
                ol.hits {
                    @for hits in found.hits.chunk_by(|a, b| (a.reference, &a.file) == (b.reference, &b.file)) { (of_session(hits, viewer)) }
                }
                (facets(wanted, answer))
            }
        }
        @if pages > 1 {
            nav.pages aria-label="Pages of hits" {
                @if page > 1 { a href=(SearchWanted::at(&wanted.q, &wanted.sort, page - 1)) rel="prev" { "‹ Before" } }
                span { "Page " (page) " of " (grouped(pages as u64)) }
                @if page < pages { a href=(SearchWanted::at(&wanted.q, &wanted.sort, page + 1)) rel="next" { "More ›" } }
            }
        }
    }
}

/// Hits of one session, one after another.
fn of_session(hits: &[Hit], viewer: &Viewer) -> Markup {
    let first = &hits[0];
    let title = Clean::line(first.title.as_deref().unwrap_or("Untitled session"));
    let in_pages = viewer.is_long(first.reference);
    let hit = |hit: &Hit| self::hit(hit, &address(hit, in_pages), viewer);
    html! {
        li.group {
            p.source {
                // A checkpoint that no session repeats has no page.
                @match &first.file {
                    Some(file) => code { (Clean::line(viewer.shown_path(file)).as_str()) },
                    None => a href=(links::session(first.reference)) dir="auto" { (title.as_str()) },
                }
                span.where { (Clean::line(first.project.name()).as_str()) }
                @if first.kind == Kind::Subagent { span.tag { "subagent" } }
                @if !first.written_by.is_gemini_cli() { span.tag { (first.written_by.as_str()) } }
            }
            ul { @for it in hits.iter().take(AT_ONCE) { (hit(it)) } }
            @if hits.len() > AT_ONCE {
                details.fold.rest {
                    summary { span.what { (plural(hits.len() - AT_ONCE, "more hit")) " in this session" } }
                    ul { @for it in hits.iter().skip(AT_ONCE) { (hit(it)) } }
                }
            }
        }
    }
}

/// A hit: when it was, the words around it, and the message itself when it is unfolded.
fn hit(hit: &Hit, address: &str, viewer: &Viewer) -> Markup {
    let moment = hit.time.as_deref();
    let moment = moment.map(|time| Moment::new(time, &viewer.options.zone));
    html! {
        li.hit {
            @let when = moment.map_or_else(|| "open".to_owned(), |moment| moment.date_and_clock());
            @if hit.file.is_some() {
                span.at { (when) }
            } @else {
                a.at href=(address) title="Open it in the session" { time { (when) } }
            }
            @match preview(hit) {
                Some(source) => details.fold data-src=(source) {
                    summary { (what(hit)) (snippet(hit)) (fate(hit)) }
                    div.inside { p.elsewhere { a href=(address) { "Open it in the session" } } }
                },
                None => p.plain { (what(hit)) (snippet(hit)) (fate(hit)) },
            }
        }
    }
}

fn fate(hit: &Hit) -> Markup {
    html! { @if hit.state == Some(State::Superseded) { " " span.tag { "no longer in the conversation" } } }
}

fn what(hit: &Hit) -> Markup {
    let who = hit.role.map(label);
    html! {
        span.what {
            @match (&hit.tool, who) {
                (Some(tool), _) => (Clean::line(tool.as_str()).as_str()),
                (None, Some(who)) => (who),
                (None, None) => (hit.field.as_str()),
            }
        }
        " "
    }
}

/// The words around the match, with the match marked.
fn snippet(hit: &Hit) -> Markup {
    let starts: Vec<usize> = hit.snippet.char_indices().map(|(at, _)| at).collect();
    let byte = |character: usize| starts.get(character).copied().unwrap_or(hit.snippet.len());
    let ranges: Vec<_> = hit
        .highlights
        .iter()
        .map(|[a, b]| byte(*a)..byte(*b))
        .collect();
    let (text, ranges) = Clean::with_ranges(hit.snippet.as_str(), &ranges);
    // The name of the tool is beside it already.
    let first = match &hit.tool {
        Some(tool) if text.starts_with(&format!("{tool} ")) => tool.len() + 1,
        _ => 0,
    };
    let first = if ranges.iter().all(|range| range.start >= first) {
        first
    } else {
        0
    };
    // Matches come in order and do not overlap.
    let starts = std::iter::once(first).chain(ranges.iter().map(|range| range.end));
    let last = ranges.last().map_or(first, |range| range.end);
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    html! {
        span.snippet dir="auto" {
            @for (start, range) in starts.zip(&ranges) {
                (part(start..range.start))
                mark { (part(range.clone())) }
            }
            (part(last..text.len()))
        }
    }
}

/// Ids that are plain words are anchors.
fn anchor(hit: &Hit) -> Option<String> {
    let id = hit
        .message
        .as_ref()
        .filter(|_| hit.file.is_none())?
        .as_str();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_anchor = !id.is_empty() && id.len() <= 64 && id.bytes().all(is_plain);
    is_anchor.then(|| format!("m-{id}"))
}

/// The address of a hit in its session, which may be shown in pages.
fn address(hit: &Hit, in_pages: bool) -> String {
    let session = links::session(hit.reference);
    match (anchor(hit), hit.place) {
        (Some(anchor), _) if hit.call.is_none() && !in_pages => format!("{session}#{anchor}"),
        // To the call, to a message whose id cannot be an anchor, or to whichever page has it.
        (_, Some(place)) => format!("{session}:{place}"),
        _ => session,
    }
}

/// The address that the message is fetched from when the hit is unfolded.
fn preview(hit: &Hit) -> Option<String> {
    let anchor = anchor(hit)?;
    Some(format!("{}/{anchor}", links::messages(hit.reference)))
}

fn facets(wanted: &SearchWanted, answer: &Answer) -> Markup {
    let count = |of: &dyn Fn(&Hit) -> Option<String>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for value in answer.hits.iter().filter_map(of) {
            *counts.entry(value).or_default() += 1;
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(8);
        counts
    };
    let groups = [
        (
            "Role",
            "role",
            count(&|hit| Some(hit.role?.as_str().to_owned())),
        ),
        ("Tool", "tool", count(&|hit| hit.tool.clone())),
        ("Project", "project", count(&|hit| Some(hit.project.name()))),
    ];
    let times = [
        ("today", "Today"),
        ("7d", "7 days"),
        ("30d", "30 days"),
        ("1y", "A year"),
    ];
    html! {
        aside.facets aria-label="Narrow down" {
            @if answer.total > answer.hits.len() {
                p.legend { "Counted among the first " (answer.hits.len()) " hits" }
            }
            @for (heading, field, values) in &groups {
                @if !values.is_empty() {
                    h2 { (heading) }
                    ul {
                        @for (value, count) in values {
                            li {
                                a href=(wanted.also(field, value)) { (Clean::line(value.as_str()).as_str()) }
                                " " span.count { (count) }
                            }
                        }
                    }
                }
            }
            h2 { "Time" }
            ul { @for (since, name) in times { li { a href=(wanted.also("since", since)) { (name) } } } }
        }
    }
}
