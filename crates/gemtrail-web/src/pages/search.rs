//! Everything that was said and done, in the query language: session by session, while one types.

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::model::{Kind, SessionRef};
use gemtrail_export::text::{Clean, grouped, plural};
use gemtrail_query::{
    Condition, Filter, Forgiven, Hit, MatchKind, Order, Page, Query, QueryError, SessionHits,
    for_people,
};
use gemtrail_store::QueryContext;
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::PageFrame;
use super::hit;
use super::problem::Problem;
use crate::links;
use crate::viewer::Viewer;

/// Sessions on one page; there are links to the others.
const ON_PAGE: usize = 20;

/// Hits of a session that are shown at first, so that it does not hide the next.
const FEW: usize = 3;

/// Hits that are shown of a single session.
const MOST_OF_SESSION: usize = 500;

/// Words that are marked on the page of a session; an address must not get too long.
const MOST_MARKED: usize = 16;

/// The query, its order and the page of sessions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SearchWanted {
    q: String,
    sort: String,
    page: usize,
    /// The session whose hits are wanted, all of them.
    within: String,
    fragment: Option<String>,
}

const EXAMPLES: [(&str, &str); 6] = [
    ("parse error", "both words in one text"),
    ("\"connection refused\" OR timeout", "a phrase, or a word"),
    ("role:human webhook", "only what you typed"),
    (
        "tool:run_shell_command status:failed",
        "commands that failed",
    ),
    ("project:api since:7d", "a project, last 7 days"),
    ("retry* -test", "a prefix, and a word to exclude"),
];

pub(crate) fn page(viewer: &Viewer, wanted: &SearchWanted) -> Result<Markup, Problem> {
    let content = if wanted.q.trim().is_empty() {
        introduction(viewer)
    } else {
        match FoundHits::of(viewer, wanted)? {
            Ok(found) if wanted.fragment.is_some() && !wanted.within.is_empty() => {
                return Ok(found.list(viewer));
            }
            Ok(found) => found.draw(viewer, wanted),
            Err(error) => misunderstood(&wanted.q, &error),
        }
    };
    if wanted.fragment.is_some() {
        return Ok(content);
    }
    let title = match wanted.q.trim() {
        "" => "Search".to_owned(),
        query => format!("Search: {}", Clean::line(query).as_str()),
    };
    let content = html! {
        header.head.plain { h1 { "Search" } }
        form.query role="search" aria-label="Query" action="/search" data-live="found" {
            input type="search" name="q" value=(wanted.q) aria-label="Query" autofocus[wanted.q.is_empty()]
                spellcheck="false" autocomplete="off";
            @if !wanted.sort.is_empty() { input type="hidden" name="sort" value=(wanted.sort); }
            button type="submit" { "Search" }
        }
        div #found { (content) }
    };
    Ok(PageFrame::new(&title, "/search").around(&content))
}

fn introduction(viewer: &Viewer) -> Markup {
    html! {
        @if viewer.rows().all.is_empty() {
            p.nothing { "There are no sessions yet. The " a href="/doctor" { "doctor" } " says where gemtrail looked." }
        }
        p {
            "Finds messages and tool calls that contain all words. If there are none, prefixes, other forms and other spellings "
            "of the words are tried. A title in quotes, the start of an id or an address leads to that session."
        }
        dl.examples {
            @for (query, words) in EXAMPLES {
                dt { a href=(links::with("/search", &[("q", query)])) { code { (query) } } }
                dd { (words) }
            }
        }
    }
}

fn matches(count: usize) -> String {
    match count {
        1 => "1 match".to_owned(),
        count => format!("{} matches", grouped(count as u64)),
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
    found: Forgiven,
    /// The sessions of the page.
    sessions: Vec<SessionHits>,
    /// What was not understood at the end of the query.
    unfinished: Option<QueryError>,
    /// Why nothing was found, if that is plain.
    hint: Option<String>,
    page: usize,
    pages: usize,
}

impl FoundHits {
    /// Runs the query. A session has at most as many hits as are shown of it, so the first ones are
    /// those of the sessions up to the end of the page.
    fn of(viewer: &Viewer, wanted: &SearchWanted) -> Result<Result<Self, QueryError>, Problem> {
        let library = viewer.trail.view();
        let context = QueryContext {
            library: &library,
            now: viewer.now(),
            zone: &viewer.options.zone,
            current_dir: None,
            user_home: viewer.options.user_home.as_deref(),
        };
        let (mut query, unfinished) = match Query::parse_typed(&wanted.q, &context) {
            Ok(parsed) => parsed,
            Err(error) => return Ok(Err(error)),
        };
        if !wanted.within.is_empty() {
            let session = wanted.within.parse().map_err(|_| Problem::NoSession)?;
            query.filters.push(Filter::only(Condition::Ref(session)));
        }
        let is_of_one = query.filters.name_sessions();
        query.per_session = (!is_of_one).then_some(FEW);
        let order = if wanted.sort == "rank" {
            Order::Rank
        } else {
            Order::Newest
        };
        let search = |page: usize| {
            let most = page.saturating_mul(ON_PAGE * FEW);
            let page = Page {
                order,
                offset: 0,
                limit: Some(if is_of_one { MOST_OF_SESSION } else { most }),
            };
            library.search_as_typed(&query, &page)
        };
        let mut found = search(1);
        let sessions = if is_of_one { 1 } else { found.answer.sessions };
        let pages = sessions.div_ceil(ON_PAGE).max(1);
        let page = wanted.page.clamp(1, pages);
        if page > 1 {
            found = search(page);
        }
        let sessions = for_people(&found.answer).into_iter();
        let is_within = |it: &SessionHits| it.hits[0].reference.as_str() == wanted.within;
        let sessions = sessions.filter(|it| wanted.within.is_empty() || is_within(it));
        let sessions = sessions.skip((page - 1) * ON_PAGE);
        let hint = || library.why_nothing(&query, false);
        let is_empty = found.answer.total == 0;
        Ok(Ok(Self {
            sessions: sessions.take(ON_PAGE).collect(),
            hint: is_empty.then(hint).flatten(),
            unfinished,
            found,
            page,
            pages,
        }))
    }

    fn draw(&self, viewer: &Viewer, wanted: &SearchWanted) -> Markup {
        let answer = &self.found.answer;
        let is_exact = matches!(answer.step, MatchKind::Exact | MatchKind::Name);
        html! {
            @if let Some(error) = &self.unfinished { (misunderstood(&wanted.q, error)) }
            p.lead role="status" {
                (matches(answer.total)) " in " (plural(answer.sessions, "session"))
                @if answer.context_only > 0 {
                    "; only injected context has it in " (plural(answer.context_only, "more session")) " ("
                    a href=(wanted.also("role", "context")) { "show" } ")"
                }
            }
            @if let Some(how) = answer.how() { p.how { (Clean::line(how.as_str()).as_str()) } }
            @if answer.total == 0 {
                p.nothing {
                    "No matches"
                    @if let Some(hint) = &self.hint { ": " (hint) }
                    ". " code { "OR" } " finds alternatives."
                }
            } @else {
                @if is_exact {
                    nav.orders aria-label="Order" {
                        @for (sort, name) in [("", "Newest first"), ("rank", "Best first")] {
                            a href=(SearchWanted::at(&wanted.q, sort, 1)) aria-current=[(wanted.sort == sort).then_some("true")] { (name) }
                        }
                    }
                }
                div.columns {
                    ol.hits { @for session in &self.sessions { (self.session(session, viewer, wanted)) } }
                    (self.facets(viewer, wanted))
                }
            }
            @if self.pages > 1 {
                nav.pages aria-label="Pages of sessions" {
                    @if self.page > 1 { a href=(SearchWanted::at(&wanted.q, &wanted.sort, self.page - 1)) rel="prev" { "‹ Before" } }
                    span { "Page " (self.page) " of " (grouped(self.pages as u64)) }
                    @if self.page < self.pages { a href=(SearchWanted::at(&wanted.q, &wanted.sort, self.page + 1)) rel="next" { "More ›" } }
                }
            }
        }
    }

    /// The hits of one session, and the way to the others.
    fn session(&self, session: &SessionHits, viewer: &Viewer, wanted: &SearchWanted) -> Markup {
        let first = &session.hits[0];
        let title = Clean::line(first.title.as_deref().unwrap_or("Untitled session"));
        let in_pages = viewer.is_long(first.reference);
        let left = session.besides(session.hits.len());
        let all = wanted.all_of(first.reference);
        html! {
            li.group {
                p.source {
                    // A checkpoint that no session repeats has no page.
                    @match &first.file {
                        Some(file) => code { (Clean::line(viewer.shown_path(file)).as_str()) },
                        None => a href=(self.address(first, in_pages)) dir="auto" { (title.as_str()) },
                    }
                    span.where { (Clean::line(first.project.name()).as_str()) }
                    @if first.kind == Kind::Subagent { span.tag { "subagent" } }
                    @if !first.written_by.is_gemini_cli() { span.tag { (first.written_by.as_str()) } }
                }
                ul { @for it in &session.hits { (hit::item(it, &self.address(it, in_pages), viewer)) } }
                @if left > 0 && wanted.within.is_empty() && first.file.is_none() {
                    details.fold.rest data-src=(all) {
                        summary { span.what { (grouped(left as u64)) " more in this session" } }
                        div.inside { p.elsewhere { a href=(all) { "All matches in this session" } } }
                    }
                } @else if left > 0 {
                    p.legend { "These are the first " (grouped(session.hits.len() as u64)) "." }
                }
            }
        }
    }

    /// All hits of the only session, for the script.
    fn list(&self, viewer: &Viewer) -> Markup {
        html! {
            @for session in &self.sessions {
                @let in_pages = viewer.is_long(session.hits[0].reference);
                ul { @for it in &session.hits { (hit::item(it, &self.address(it, in_pages), viewer)) } }
            }
        }
    }

    /// The address of a hit, on whose page the words are marked.
    fn address(&self, hit: &Hit, in_pages: bool) -> String {
        let mut words = self.found.query.marked_words();
        words.truncate(MOST_MARKED);
        links::marking(&hit::address(hit, in_pages), &words.join(" "))
    }

    /// Ways to narrow down. What is counted is counted among all hits.
    fn facets(&self, viewer: &Viewer, wanted: &SearchWanted) -> Markup {
        let hits = || self.sessions.iter().flat_map(|session| &session.hits);
        let roles: BTreeSet<&str> = hits().filter_map(|hit| Some(hit.role?.as_str())).collect();
        let tools: BTreeSet<&str> = hits().filter_map(|hit| hit.tool.as_deref()).collect();
        let times = [
            ("today", "Today"),
            ("7d", "7 days"),
            ("30d", "30 days"),
            ("1y", "A year"),
        ];
        let projects = self.projects(viewer);
        html! {
            aside.facets aria-label="Narrow down" {
                @if !projects.is_empty() {
                    div {
                        h2 { "Project" }
                        ul {
                            @for (name, count) in &projects {
                                li {
                                    a href=(wanted.also("project", name)) { (Clean::line(name.as_str()).as_str()) }
                                    " " span.count title=(plural(*count, "session")) { (count) }
                                }
                            }
                        }
                    }
                }
                @for (heading, field, values) in [("Role", "role", roles), ("Tool", "tool", tools)] {
                    @if !values.is_empty() {
                        div {
                            h2 { (heading) }
                            ul { @for value in values { li { a href=(wanted.also(field, value)) { (Clean::line(value).as_str()) } } } }
                        }
                    }
                }
                div {
                    h2 { "Time" }
                    ul { @for (since, name) in times { li { a href=(wanted.also("since", since)) { (name) } } } }
                }
            }
        }
    }

    /// The projects of all sessions with hits, and in how many of these each is.
    fn projects(&self, viewer: &Viewer) -> Vec<(String, usize)> {
        let rows = viewer.rows();
        let found = &self.found.answer.by_session;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows
            .all
            .iter()
            .filter(|row| found.contains_key(&row.reference))
        {
            *counts.entry(row.project.name()).or_default() += 1;
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(8);
        counts
    }
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

    /// All hits of a session.
    fn all_of(&self, session: SessionRef) -> String {
        let parameters = [
            ("q", self.q.as_str()),
            ("sort", &self.sort),
            ("within", session.as_str()),
        ];
        links::with("/search", &parameters)
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
