//! The overview: the figures of `stats`.

use std::sync::Arc;

use gemtrail_core::prices::Prices;
use gemtrail_core::stats::{Key, StatsOptions};
use gemtrail_doctor::{RiskOptions, risk_count};
use gemtrail_export::stats::{OVERVIEW, Overview};
use gemtrail_export::text::Clean;
use gemtrail_query::when::{self, Edge};
use gemtrail_store::{Library, SessionFilter};
use jiff::civil::Date;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::frame::PageFrame;
use super::problem::Problem;
use super::{figures, graphs};
use crate::kept::Meaning;
use crate::links;
use crate::viewer::Viewer;

/// Of what the figures are.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Period {
    since: String,
    until: String,
}

const PERIODS: [(&str, &str); 5] = [
    ("", "All time"),
    ("7d", "7 days"),
    ("30d", "30 days"),
    ("90d", "90 days"),
    (YEAR, "A year"),
];

const YEAR: &str = "1y";

/// Sessions that are named on this page; the page of each list has all.
const NAMED: usize = 6;

pub(crate) fn page(viewer: &Arc<Viewer>, period: &Period) -> Result<Markup, Problem> {
    let figures = drawn(viewer, period)?;
    let day = period.day();
    let title = day.map_or_else(|| "Overview".to_owned(), written);
    let content = html! {
        header.head.overview {
            h1 { (title) }
            nav.presets aria-label="Period" {
                @for (since, name) in PERIODS {
                    @let is_here = period.since == since && period.until.is_empty();
                    a href=(links::with("/", &[("since", since)])) aria-current=[is_here.then_some("true")] { (name) }
                }
            }
        }
        @if period.is_all() { (first(viewer)) }
        (PreEscaped(&*figures))
        @if let Some(day) = day { (neighbours(day)) }
    };
    Ok(PageFrame::new(&title, "/").around(&content))
}

impl Period {
    fn is_all(&self) -> bool {
        self.since.is_empty() && self.until.is_empty()
    }

    /// Its meaning at this moment.
    fn meaning(&self, viewer: &Viewer) -> Result<Meaning, Problem> {
        let (now, zone) = (viewer.now(), &viewer.options.zone);
        let time = |text: &str, edge| match text {
            "" => Ok(None),
            text => when::parse(text, edge, now, zone).map(Some).ok_or_else(|| {
                let text = Clean::line(text);
                Problem::Wrong(format!("“{}” is not a date, time or age.", text.as_str()))
            }),
        };
        Ok(Meaning {
            now,
            today: now.to_zoned(zone.clone()).date(),
            since: time(&self.since, Edge::Start)?,
            until: time(&self.until, Edge::End)?,
        })
    }

    /// The day, if it is a single one.
    fn day(&self) -> Option<Date> {
        let day = self.since.parse().ok();
        day.filter(|_| self.since == self.until)
    }

    /// True if the other days of a year are empty only because they are not asked for.
    fn is_short(&self) -> bool {
        !self.is_all() && self.since != YEAR
    }
}

fn written(day: Date) -> String {
    day.strftime("%A, %-d %B %Y").to_string()
}

/// The days before and after.
fn neighbours(day: Date) -> Markup {
    let link = |day: Date| graphs::day_address(&day.to_string());
    html! {
        nav.pages aria-label="Days" {
            @if let Ok(before) = day.yesterday() { a href=(link(before)) rel="prev" { "‹ " (written(before)) } }
            @if let Ok(after) = day.tomorrow() { a href=(link(after)) rel="next" { (written(after)) " ›" } }
        }
    }
}

/// Sessions that will be deleted, and how to keep them; then the last sessions.
fn first(viewer: &Viewer) -> Markup {
    let options = RiskOptions {
        now: viewer.now(),
        system: viewer.options.system.clone(),
        archive: None,
    };
    let risk = risk_count(&viewer.trail.view(), &options).sentence();
    html! {
        @if let Some(risk) = risk {
            div.notice.error role="status" {
                span.text {
                    b { (risk) } " " code { "gemtrail sync" } " keeps them, " code { "gemtrail setup" } " does so from now on. "
                    a href="/doctor" { "Which ones" }
                }
            }
        }
        @if !viewer.rows().all.is_empty() {
            section.last {
                h2 { "Last sessions " span.aside { a href="/sessions" { "All sessions" } } }
                (super::sessions::last(viewer, NAMED))
            }
        }
    }
}

/// The figures of a period, drawn once per view and day, or as often as it moves on.
fn drawn(viewer: &Viewer, period: &Period) -> Result<Arc<str>, Problem> {
    let library = viewer.trail.view();
    let meaning = period.meaning(viewer)?;
    let key = (period.since.clone(), period.until.clone());
    let draw = || Ok(draw(viewer, &library, period, &meaning));
    viewer.figures.of(key, &library, meaning, draw)
}

fn draw(viewer: &Viewer, library: &Library, period: &Period, meaning: &Meaning) -> String {
    let (now, zone) = (meaning.now, &viewer.options.zone);
    let filter = SessionFilter {
        since: meaning.since,
        until: meaning.until,
        ..SessionFilter::default()
    };
    let options = StatsOptions {
        zone: zone.clone(),
        week_start: viewer.options.week_start,
        since: filter.since,
        until: filter.until,
        model: None,
        prices: Prices::built_in(),
        breakdowns: OVERVIEW.iter().map(|keys| keys.to_vec()).collect(),
    };
    let stats = library.stats(&filter, &options);
    let overview = Overview::new(&stats, now, zone, viewer.options.week_start);
    let rows = |key: Key| {
        let by = stats.by(&[key]);
        by.map_or_else(Vec::new, |by| stats.row_documents(by, now))
    };
    let figures = figures::Figures {
        document: stats.document(&[], now),
        overview: &overview,
        days: rows(Key::Day),
        models: rows(Key::Model),
        projects: rows(Key::Project),
        sessions: rows(Key::Session),
        is_day: period.day().is_some(),
        has_year: !period.is_short(),
    };
    figures.draw().into_string()
}
