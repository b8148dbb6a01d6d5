//! Two sessions side by side.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use gemtrail_core::time;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::document::{Shown, changed_lines};
use super::report::line;
use super::{DigestFile, DigestTool, SessionDigest};
use crate::markdown::words;
use crate::present::Moment;
use crate::text::{amount, plural, shorten, shorten_start, width, wrapped};

/// The schema name of [`Comparison`].
pub const DIFF_SCHEMA: &str = "gemtrail.diff/1";

/// The most lines of a prompt on a screen.
const MOST_LINES: usize = 4;

/// Two sessions, and which prompts, files and tools of them belong together: `diff`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Always `gemtrail.diff/1`.
    pub schema: &'static str,
    /// The one session.
    pub a: SessionDigest,
    /// The other.
    pub b: SessionDigest,
    /// Their prompts in order, those with the same words together.
    pub prompts: Vec<ComparedPrompt>,
    /// The files that either changed, by name.
    pub files: Vec<ComparedFile>,
    /// The tools that either called, by name.
    pub tools: Vec<ComparedTool>,
}

/// A prompt of either session, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedPrompt {
    /// Its position in `a.prompts`, from 0.
    pub a: Option<usize>,
    /// Its position in `b.prompts`.
    pub b: Option<usize>,
    /// True if both have the same words.
    pub same: bool,
}

/// A file that either session changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedFile {
    /// The file.
    pub file: String,
    /// Its changes in the one session.
    pub a: Option<DigestFile>,
    /// Its changes in the other.
    pub b: Option<DigestFile>,
}

/// A tool that either session called.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedTool {
    /// Its name.
    pub name: String,
    /// Its calls in the one session.
    pub a: Option<DigestTool>,
    /// Its calls in the other.
    pub b: Option<DigestTool>,
}

/// One line of a table: what it is about, then both sessions.
struct SideRow {
    label: String,
    sides: [String; 2],
    is_same: bool,
}

impl SideRow {
    fn new(label: impl Into<String>, sides: [String; 2]) -> Self {
        let is_same = sides[0] == sides[1];
        Self {
            label: label.into(),
            sides,
            is_same,
        }
    }
}

impl Comparison {
    pub(super) fn of(a: SessionDigest, b: SessionDigest) -> Self {
        let names = |of: fn(&SessionDigest) -> Vec<&str>| -> BTreeSet<String> {
            of(&a)
                .into_iter()
                .chain(of(&b))
                .map(str::to_owned)
                .collect()
        };
        let file =
            |it: &SessionDigest, name: &str| it.files.iter().find(|it| it.file == name).cloned();
        let tool =
            |it: &SessionDigest, name: &str| it.tools.iter().find(|it| it.name == name).cloned();
        let files = names(|it| it.files.iter().map(|it| it.file.as_str()).collect());
        let tools = names(|it| it.tools.iter().map(|it| it.name.as_str()).collect());
        Self {
            schema: DIFF_SCHEMA,
            prompts: aligned(&a, &b),
            files: files
                .into_iter()
                .map(|name| ComparedFile {
                    a: file(&a, &name),
                    b: file(&b, &name),
                    file: name,
                })
                .collect(),
            tools: tools
                .into_iter()
                .map(|name| ComparedTool {
                    a: tool(&a, &name),
                    b: tool(&b, &name),
                    name,
                })
                .collect(),
            a,
            b,
        }
    }

    /// The tables, each below its title.
    fn tables(&self, zone: &TimeZone) -> [(&'static str, Vec<SideRow>); 4] {
        let both = |label: &str, of: &dyn Fn(&SessionDigest) -> String| {
            SideRow::new(label, [of(&self.a), of(&self.b)])
        };
        let facts = vec![
            both("session", &|it| it.reference.to_string()),
            both("title", &SessionDigest::heading),
            both("project", &|it| it.project.clone()),
            both("started", &|it| {
                let started = it.started.as_deref();
                started.map_or_else(dash, |at| Moment::new(at, zone).date_and_clock())
            }),
            both("took", &|it| it.duration().unwrap_or_else(dash)),
            both("models", &|it| it.models.join(", ")),
            both("prompts", &|it| it.totals.prompts.to_string()),
            both("files", &|it| {
                format!("{}, {}", it.totals.files, it.totals.lines())
            }),
            both("calls", &|it| calls(it.totals.calls, it.totals.failures)),
            both("tokens", &|it| amount(it.totals.tokens.total)),
            both("cost", &|it| it.totals.price_words()),
        ];
        let prompt = |of: &SessionDigest, at: Option<usize>| {
            at.and_then(|at| of.prompts.get(at))
                .map_or_else(String::new, |it| line(&it.text, 600))
        };
        let prompts = self.prompts.iter().map(|it| {
            let number = |at: Option<usize>| at.map_or_else(dash, |at| (at + 1).to_string());
            let mark = if it.same { "=" } else { "≠" };
            let label = format!("{} {mark} {}", number(it.a), number(it.b));
            SideRow::new(label, [prompt(&self.a, it.a), prompt(&self.b, it.b)])
        });
        let change = |it: &Option<DigestFile>| {
            it.as_ref()
                .map_or_else(dash, |it| changed_lines(it.added, it.removed))
        };
        let files = self.files.iter();
        let files = files.map(|it| SideRow::new(it.file.as_str(), [change(&it.a), change(&it.b)]));
        let called = |it: &Option<DigestTool>| {
            it.as_ref()
                .map_or_else(dash, |it| calls(it.calls, it.failures))
        };
        let tools = self.tools.iter();
        let tools = tools.map(|it| SideRow::new(it.name.as_str(), [called(&it.a), called(&it.b)]));
        [
            ("", facts),
            ("Prompts", prompts.collect()),
            ("Files", files.collect()),
            ("Tools", tools.collect()),
        ]
    }
}

impl SessionDigest {
    /// From the first to the last moment.
    fn duration(&self) -> Option<String> {
        let moment = |time: &Option<String>| time.as_deref().and_then(time::parse);
        let minutes = moment(&self.updated)?
            .duration_since(moment(&self.started)?)
            .as_mins();
        Some(match (minutes / 60, minutes % 60) {
            (0, 0) => "less than a minute".to_owned(),
            (0, minutes) => plural(minutes, "minute"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        })
    }
}

impl Shown for Comparison {
    fn title(&self, _: &TimeZone) -> String {
        let [a, b] = [&self.a, &self.b].map(|it| it.session.short().to_owned());
        format!("Sessions {a} and {b}")
    }

    fn markdown(&self, zone: &TimeZone, columns: Option<usize>) -> String {
        let mut out = format!("# {}\n", self.title(zone));
        for (title, rows) in self.tables(zone) {
            if rows.is_empty() {
                continue;
            }
            if !title.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(out, "\n## {title}\n");
            }
            out.push_str("\n| | A | B |\n|---|---|---|\n");
            let widest = rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
            let label = columns.map_or(widest, |columns| widest.min(columns / 2));
            let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(label + 6) / 2);
            for row in rows {
                let [a, b] = row.sides.map(|side| match columns {
                    Some(_) => wrapped(&side, room)
                        .into_iter()
                        .map(Cow::into_owned)
                        .collect(),
                    None => vec![side],
                });
                let label = shorten_start(&row.label, label.max(1));
                for at in 0..a.len().max(b.len()).clamp(1, MOST_LINES) {
                    let cell = |side: &[String]| {
                        let text = side.get(at).map_or("", String::as_str);
                        let is_cut = at + 1 == MOST_LINES && side.len() > MOST_LINES;
                        let text = if is_cut {
                            format!("{text} …")
                        } else {
                            text.to_owned()
                        };
                        words(&shorten(&text, room))
                    };
                    let label = if at == 0 {
                        words(&label)
                    } else {
                        String::new()
                    };
                    let _ = writeln!(out, "| {label} | {} | {} |", cell(&a), cell(&b));
                }
            }
        }
        out
    }

    fn page(&self, zone: &TimeZone) -> Markup {
        html! {
            @for (title, rows) in self.tables(zone) {
                @if !rows.is_empty() {
                    @if !title.is_empty() { h2 { (title) } }
                    table.sums.sides {
                        thead { tr { th { span.skip { "of" } } th { "A" } th { "B" } } }
                        tbody { @for row in rows {
                            tr.other[!row.is_same && !title.is_empty()] {
                                th { (row.label) }
                                @for side in &row.sides { td dir="auto" { (side) } }
                            }
                        } }
                    }
                }
            }
        }
    }
}

/// Prompts with the same words beside each other, and what stands between them in their order.
fn aligned(a: &SessionDigest, b: &SessionDigest) -> Vec<ComparedPrompt> {
    let texts = |of: &SessionDigest| -> Vec<String> {
        of.prompts
            .iter()
            .map(|it| it.text.trim().to_owned())
            .collect()
    };
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &texts(a), &texts(b)) {
        let (left, right) = (op.old_range(), op.new_range());
        let same = matches!(op, DiffOp::Equal { .. });
        for at in 0..left.len().max(right.len()) {
            found.push(ComparedPrompt {
                a: left.clone().nth(at),
                b: right.clone().nth(at),
                same,
            });
        }
    }
    found
}

fn calls(calls: u64, failures: u64) -> String {
    match failures {
        0 => calls.to_string(),
        failures => format!("{calls}, {failures} failed"),
    }
}

fn dash() -> String {
    "–".to_owned()
}
