//! What was asked, changed, failed and what it cost, by project.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::tz::TimeZone;
use maud::{Markup, html};
use serde::Serialize;

use super::document::{Shown, bar, changed_lines, days, lead};
use super::{DigestDocument, DigestFailure, DigestTotals, SessionDigest};
use crate::markdown::{code_span, words};
use crate::present::Moment;
use crate::text::{Clean, plural, shorten};

/// The schema name of [`WorkReport`].
pub const REPORT_SCHEMA: &str = "gemtrail.report/1";

/// The longest prompt, and the longest command or error, that is shown whole.
const LONGEST: (usize, usize) = (400, 100);

/// At most this many files and failures of a session are named; the others are counted.
const MOST_NAMED: usize = 12;

/// What was done in a period, by project: `report`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkReport {
    /// Always `gemtrail.report/1`.
    pub schema: &'static str,
    /// Only what happened at this time or later.
    pub since: Option<String>,
    /// Only what happened at this time or earlier.
    pub until: Option<String>,
    /// The figures of all projects.
    pub totals: DigestTotals,
    /// The projects, the one with most prompts first.
    pub projects: Vec<ProjectReport>,
    #[serde(skip)]
    days: String,
}

/// What was done in a project.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectReport {
    /// Its name.
    pub project: String,
    /// Its figures.
    pub totals: DigestTotals,
    /// Its sessions, oldest first.
    pub sessions: Vec<SessionDigest>,
}

impl WorkReport {
    pub(super) fn of(digests: Vec<SessionDigest>, document: &DigestDocument) -> Self {
        let mut projects: BTreeMap<String, Vec<SessionDigest>> = BTreeMap::new();
        for digest in digests.into_iter().filter(|digest| !digest.is_empty()) {
            let project = projects.entry(digest.project.clone()).or_default();
            project.push(digest);
        }
        let totals = DigestTotals::of(projects.values().flatten());
        let mut projects: Vec<ProjectReport> = projects
            .into_iter()
            .map(|(project, mut sessions)| {
                sessions.sort_by(|a, b| a.started.cmp(&b.started));
                ProjectReport {
                    project,
                    totals: DigestTotals::of(&sessions),
                    sessions,
                }
            })
            .collect();
        projects.sort_by_key(|it| std::cmp::Reverse(it.totals.prompts));
        let period = document.period;
        Self {
            schema: REPORT_SCHEMA,
            since: period.since.map(|time| time.to_string()),
            until: period.until.map(|time| time.to_string()),
            totals,
            projects,
            days: days(period, document.now, &document.zone),
        }
    }

    /// `3 projects, 12 sessions` and the figures.
    fn summary(&self) -> Vec<String> {
        let (projects, sessions) = (self.projects.len(), self.totals.sessions);
        let mut words = vec![plural(projects, "project"), plural(sessions, "session")];
        words.extend(self.totals.words());
        words
    }
}

impl Shown for WorkReport {
    fn title(&self, _: &TimeZone) -> String {
        format!("Work with Gemini CLI, {}", self.days)
    }

    fn markdown(&self, zone: &TimeZone, _: Option<usize>) -> String {
        let mut out = format!("# {}\n\n{}\n", self.title(zone), self.summary().join(" · "));
        if self.projects.len() > 1 {
            out.push_str("\n| Project | Prompts | Files | Lines | Failed | Cost |\n|---|--:|--:|--:|--:|--:|\n");
            for project in &self.projects {
                let (name, it) = (words(&shorten(&project.project, 24)), &project.totals);
                let cost = it.price_words();
                // Writing to a string cannot fail.
                let _ = writeln!(
                    out,
                    "| {name} | {} | {} | {} | {} | {cost} |",
                    it.prompts,
                    it.files,
                    it.lines(),
                    it.failures
                );
            }
        }
        for project in &self.projects {
            let figures = project.totals.words().join(" · ");
            let _ = write!(out, "\n## {}\n\n{figures}\n", words(&project.project));
            for session in &project.sessions {
                session.markdown(&mut out, zone);
            }
        }
        out
    }

    fn page(&self, zone: &TimeZone) -> Markup {
        let totals = &self.totals;
        let most = self.projects.iter().map(|it| it.totals.tokens.total).max();
        let share = |it: &DigestTotals| it.tokens.total * 100 / most.unwrap_or(0).max(1);
        let tiles = [
            (
                "asked",
                plural(totals.prompts, "prompt"),
                plural(totals.sessions, "session"),
            ),
            ("changed", plural(totals.files, "file"), totals.lines()),
            (
                "failed",
                plural(totals.failures, "call"),
                format!("of {}", plural(totals.calls, "tool call")),
            ),
            ("cost", totals.price_words(), "at list price".to_owned()),
        ];
        html! {
            div.tiles { @for (label, figure, more) in &tiles {
                div { span { (label) } b { (figure) } span { (more) } }
            } }
            @if self.projects.len() > 1 {
                table.sums {
                    thead { tr { th { "Project" } @for name in ["Prompts", "Files", "Lines", "Failed", "Cost"] { th.n { (name) } } } }
                    tbody { @for (at, project) in self.projects.iter().enumerate() {
                        @let it = &project.totals;
                        tr {
                            th { a href={ "#p" (at) } { (Clean::line(&project.project).as_str()) } (bar(share(it))) }
                            td.n { (it.prompts) } td.n { (it.files) } td.n { (it.lines()) }
                            td.n { (it.failures) } td.n { (it.price_words()) }
                        }
                    } }
                }
            }
            @for (at, project) in self.projects.iter().enumerate() {
                section.project id={ "p" (at) } {
                    h2 { (Clean::line(&project.project).as_str()) }
                    (lead(project.totals.words()))
                    @for session in &project.sessions { (session.page(zone)) }
                }
            }
        }
    }
}

impl SessionDigest {
    /// Its title as one line.
    pub(super) fn heading(&self) -> String {
        let title = self.title.as_deref().unwrap_or("Untitled session");
        Clean::line(title).as_str().to_owned()
    }

    /// The time of its start, then the figures.
    fn facts(&self, zone: &TimeZone) -> Vec<String> {
        let started = self.started.as_deref();
        let started = started.map(|time| Moment::new(time, zone).date_and_clock());
        started.into_iter().chain(self.totals.words()).collect()
    }

    fn markdown(&self, out: &mut String, zone: &TimeZone) {
        let (title, facts) = (
            words(&shorten(&self.heading(), 120)),
            self.facts(zone).join(" · "),
        );
        let _ = write!(out, "\n### {title}\n\n{facts}\n\n");
        for (at, prompt) in self.prompts.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", at + 1, words(&line(&prompt.text, LONGEST.0)));
        }
        let changed = self.files.iter().map(|file| {
            let lines = changed_lines(file.added, file.removed);
            format!("{} {lines}", code_span(&file.file))
        });
        let failed = self.failed();
        let failed = failed.iter().map(|(what, why, times)| {
            let why = words(&with_times(why, *times));
            format!("{} {why}", code_span(what)).trim_end().to_owned()
        });
        for (label, all) in [
            ("Changed", changed.collect::<Vec<_>>()),
            ("Failed", failed.collect()),
        ] {
            if all.is_empty() {
                continue;
            }
            let _ = write!(out, "\n{label}:\n\n");
            for one in all.iter().take(MOST_NAMED) {
                let _ = writeln!(out, "- {one}");
            }
            if let Some(more) = all.len().checked_sub(MOST_NAMED + 1) {
                let _ = writeln!(out, "- and {} more", more + 1);
            }
        }
    }

    fn page(&self, zone: &TimeZone) -> Markup {
        let failed = self.failed();
        let more = |all: usize| all.saturating_sub(MOST_NAMED);
        html! {
            article.session {
                h3 dir="auto" { (self.heading()) }
                (lead(self.facts(zone)))
                ol { @for prompt in &self.prompts { li dir="auto" { (line(&prompt.text, LONGEST.0)) } } }
                @if !self.files.is_empty() {
                    ul.changed {
                        @for file in self.files.iter().take(MOST_NAMED) {
                            li {
                                code { (Clean::line(&file.file).as_str()) } " "
                                span.plus { "+" (file.added) } " " span.minus { "−" (file.removed) }
                            }
                        }
                        @if more(self.files.len()) > 0 { li { "and " (more(self.files.len())) " more" } }
                    }
                }
                @if !failed.is_empty() {
                    ul.failed {
                        @for (what, why, times) in failed.iter().take(MOST_NAMED) {
                            li { code { (what) } " " (with_times(why, *times)) }
                        }
                        @if more(failed.len()) > 0 { li { "and " (more(failed.len())) " more" } }
                    }
                }
            }
        }
    }

    /// What failed, why, and how often; in the order in which it first did.
    fn failed(&self) -> Vec<(String, String, usize)> {
        let mut failed: Vec<(String, String, usize)> = Vec::new();
        for failure in &self.failures {
            let what = match failure.target.as_str() {
                "" => &failure.tool,
                target => target,
            };
            let (what, why) = (line(what, LONGEST.1), failure.reason());
            match failed.iter_mut().find(|it| it.0 == what && it.1 == why) {
                Some(known) => known.2 += 1,
                None => failed.push((what, why, 1)),
            }
        }
        failed
    }
}

impl DigestFailure {
    fn reason(&self) -> String {
        let said = self
            .error
            .as_deref()
            .and_then(|error| error.trim().lines().next());
        match (said, self.exit_code) {
            (_, Some(code)) if code != 0 => format!("exit code {code}"),
            (Some(said), _) => line(said, LONGEST.1),
            (None, _) => String::new(),
        }
    }
}

/// The words, and how often if that is more than once.
fn with_times(words: &str, times: usize) -> String {
    match (words, times) {
        (words, 1) => words.to_owned(),
        ("", times) => format!("{times} times"),
        (words, times) => format!("{words}, {times} times"),
    }
}

/// A text on one line, cut if it is longer.
pub(super) fn line(text: &str, longest: usize) -> String {
    shorten(Clean::line(text).as_str(), longest)
}
