//! Digests as documents: a report on many sessions, or two side by side, in every form.

use std::io::Write;

use gemtrail_core::model::Session;
use gemtrail_core::prices::Prices;
use gemtrail_core::view::ProjectNames;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use super::{Comparison, DigestPeriod, DigestTotals, SessionDigest, WorkReport};
use crate::Result;
use crate::exporter::{Audience, Format, SessionFormat, SessionWriter};
use crate::html::PageFrame;
use crate::plain::{Layout, PlainText, draw_markdown};
use crate::stats::dollars;
use crate::text::{Clean, amount, grouped, plural};

const STYLE: &str = include_str!("page.css");

/// The forms of these documents. All but `json` are for people.
pub static FORMS: [Format; 4] = [
    form("md", Audience::People),
    form("html", Audience::People),
    form("txt", Audience::People),
    form("json", Audience::Programs),
];

const fn form(name: &'static str, audience: Audience) -> Format {
    Format {
        name,
        about: "",
        ending: name,
        audience,
        redacts_files: matches!(audience, Audience::People),
        options: &[],
        includes_subagents: true,
        has_digests: false,
        joins_sessions: true,
    }
}

/// A document of many sessions.
#[derive(Clone, Debug)]
pub struct DigestDocument {
    /// Its form: one of [`FORMS`].
    pub form: &'static Format,
    /// Compares two sessions, in place of a report on all of them.
    pub compares: bool,
    /// Only what happened then.
    pub period: DigestPeriod,
    /// The time of writing.
    pub now: Timestamp,
    /// The reader's zone.
    pub zone: TimeZone,
    /// The names of projects.
    pub names: ProjectNames,
    /// The width of what the Markdown is drawn on, if it is.
    pub columns: Option<usize>,
}

impl SessionFormat for DigestDocument {
    fn format(&self) -> &Format {
        self.form
    }

    fn writer(&self) -> Box<dyn SessionWriter + '_> {
        Box::new(DigestWriter {
            document: self,
            digests: Vec::new(),
        })
    }
}

struct DigestWriter<'a> {
    document: &'a DigestDocument,
    digests: Vec<SessionDigest>,
}

impl SessionWriter for DigestWriter<'_> {
    fn session(&mut self, session: &Session, _: &mut dyn Write) -> Result {
        let document = self.document;
        let project = document.names.name(&session.project);
        let prices = Prices::built_in();
        let digest = SessionDigest::of(session, project, document.period, prices);
        self.digests.push(digest);
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> Result {
        let digests = std::mem::take(&mut self.digests);
        if !self.document.compares {
            return self
                .document
                .write(&WorkReport::of(digests, self.document), out);
        }
        match <[SessionDigest; 2]>::try_from(digests) {
            Ok([a, b]) => self.document.write(&Comparison::of(a, b), out),
            Err(_) => Ok(()),
        }
    }
}

/// What a document shows.
pub(super) trait Shown: Serialize {
    fn title(&self, zone: &TimeZone) -> String;
    fn markdown(&self, zone: &TimeZone, columns: Option<usize>) -> String;
    fn page(&self, zone: &TimeZone) -> Markup;
}

impl DigestDocument {
    fn write(&self, shown: &impl Shown, out: &mut dyn Write) -> Result {
        match self.form.name {
            "json" => {
                serde_json::to_writer(&mut *out, shown)?;
                writeln!(out)?;
            }
            "html" => {
                let title = shown.title(&self.zone);
                let frame = PageFrame::new(Clean::line(&title), STYLE.to_owned());
                let page = html! {
                    (frame.opening())
                    (frame.main_opening())
                    header.head { h1 { (Clean::line(&title).as_str()) } }
                    (shown.page(&self.zone))
                    (frame.closing())
                };
                out.write_all(page.into_string().as_bytes())?;
            }
            "txt" => {
                let layout = Layout::default();
                let text = shown.markdown(&self.zone, Some(layout.columns));
                draw_markdown(&Clean::text(text), "", layout, &mut PlainText(&mut *out))?;
            }
            _ => out.write_all(shown.markdown(&self.zone, self.columns).as_bytes())?,
        }
        Ok(out.flush()?)
    }
}

impl DigestTotals {
    /// The figures in words, one after the other; what there is none of is left out.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec![plural(self.prompts, "prompt")];
        if self.files > 0 {
            words.push(format!(
                "{} changed, {}",
                plural(self.files, "file"),
                self.lines()
            ));
        }
        if self.calls > 0 {
            let failed = match self.failures {
                0 => String::new(),
                failures => format!(", {} failed", grouped(failures)),
            };
            words.push(plural(self.calls, "tool call") + &failed);
        }
        if self.requests > 0 {
            words.push(format!("{} tokens", amount(self.tokens.total)));
            words.push(format!("{} at list price", self.price_words()));
        }
        words
    }

    /// `+12 −3`
    pub(super) fn lines(&self) -> String {
        changed_lines(self.added, self.removed)
    }

    /// `$1.20`, or `at least $1.20` if there are requests without a price.
    pub(super) fn price_words(&self) -> String {
        let mark = if self.complete || self.cost.is_none() {
            ""
        } else {
            "at least "
        };
        format!("{mark}{}", dollars(self.cost))
    }
}

pub(super) fn changed_lines(added: usize, removed: usize) -> String {
    format!("+{} −{}", grouped(added as u64), grouped(removed as u64))
}

/// Figures beside each other, as the heads of all pages have them.
pub(super) fn lead(words: impl IntoIterator<Item = String>) -> Markup {
    html! { p.lead { @for words in words { span { (words) } } } }
}

/// A bar of so many percent; the policy of the page allows no style of its own.
pub(super) fn bar(percent: u64) -> Markup {
    PreEscaped(format!(
        "<svg class=\"share\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect width=\"{percent}\" height=\"4\"/></svg>"
    ))
}

/// `12 – 19 Nov 2026`
pub(super) fn days(period: DigestPeriod, now: Timestamp, zone: &TimeZone) -> String {
    let local = |at: Timestamp| at.to_zoned(zone.clone());
    let day = |at: &Zoned, format| at.strftime(format).to_string();
    let last = local(period.until.map_or(now, |until| until.min(now)));
    let last_day = day(&last, "%-d %b %Y");
    let Some(first) = period.since.map(local) else {
        return format!("until {last_day}");
    };
    let first_day = match (first.year() == last.year(), first.month() == last.month()) {
        _ if first.date() == last.date() => return last_day,
        (true, true) => day(&first, "%-d"),
        (true, false) => day(&first, "%-d %b"),
        (false, _) => day(&first, "%-d %b %Y"),
    };
    format!("{first_day} – {last_day}")
}
