//! One session: everything that was said and done, sent while it is drawn.

use std::io::{self, Write};

use gemtrail_core::model::{Kind, Session, SessionRef, SupersededBy};
use gemtrail_export::Selection;
use gemtrail_export::exporter::{Audience, Format};
use gemtrail_export::html::{self, Drawing, Later, Palette};
use gemtrail_export::present::{Block, Divider, Moment, Options, Presentation, ToolDetail};
use gemtrail_export::text::{Clean, amount, grouped, plural};
use gemtrail_store::{ListRow, Spot};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::frame::PageFrame;
use super::problem::Problem;
use super::{download, tail};
use crate::links;
use crate::read::Read;
use crate::viewer::{Viewer, unreadable};

/// Longer parts are fetched when they are unfolded.
const LIMIT: usize = 6 << 10;

/// Blocks are kept together in stretches, so that a browser lays out hundreds of boxes and not
/// twenty thousand when one of them changes its size.
const STRETCH: &[u8] = b"<div class=\"stretch\">";
const STRETCH_LENGTH: usize = 25;

/// The options for showing sessions: everything.
pub(super) fn options(viewer: &Viewer) -> Options {
    Options {
        selection: Selection::All,
        subagents: true,
        empty: true,
        zone: viewer.options.zone.clone(),
        ..Options::default()
    }
}

/// The addresses that long parts of messages are fetched from.
pub(super) struct PartSource {
    base: String,
    /// Colours are numbered by page, so parts have to know which one they are for.
    query: String,
}

impl PartSource {
    pub(super) fn of(read: &Read, reference: SessionRef) -> Self {
        Self {
            base: links::messages(reference),
            query: links::from(read.from),
        }
    }

    /// The way to draw messages, with long parts left to requests of their own.
    pub(super) fn drawing<'a>(&'a self, palette: &'a Palette) -> Drawing<'a> {
        Drawing {
            tools: ToolDetail::Full,
            palette,
            later: Some(Later {
                base: &self.base,
                query: &self.query,
                limit: LIMIT,
            }),
        }
    }
}

/// The link to the style sheet of the colours on a page, if it has any.
pub(super) fn stylesheet(palette: &Palette, read: &Read, reference: SessionRef) -> Markup {
    html! {
        @if !palette.style().is_empty() {
            link rel="stylesheet" href={ (links::session(reference)) "/colours.css" (links::from(read.from)) };
        }
    }
}

/// Writes the page, or of a very long session the one that the message with this index is on. Its head
/// does not wait for the session.
pub(crate) fn write(
    viewer: &Viewer,
    reference: SessionRef,
    index: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let row = viewer.row(reference);
    let title = row
        .as_ref()
        .map_or_else(|| "Session".to_owned(), super::sessions::title_of);
    let frame = PageFrame::new(&title, "");
    put(out, &frame.opening())?;
    out.flush()?;
    let read = viewer
        .page(reference, &Spot::Index(index))
        .map_err(|error| unreadable(&error))?;
    let options = options(viewer);
    let presentation = read.presentation(&options);
    let palette = Palette::of(&presentation);
    let source = PartSource::of(&read, reference);
    put(
        out,
        &html! {
            (stylesheet(&palette, &read, reference))
            (PreEscaped("<div class=\"page session\">"))
            (html::prompts(&presentation))
            (strip(&presentation))
            (PreEscaped("<main id=\"top\" tabindex=\"-1\">"))
            (head(viewer, &presentation, row.as_ref()))
            (other_pages(&read, reference, "Pages of messages"))
            (PreEscaped("<div id=\"messages\">"))
            (first_day(&read, &source.drawing(&palette), &options))
        },
    )?;
    out.flush()?;
    blocks(&presentation, &source.drawing(&palette), out)?;
    put(
        out,
        &html! {
            (PreEscaped("</div>"))
            (other_pages(&read, reference, "Pages of messages, below"))
            (tail::place(viewer, &read, reference))
            (PreEscaped("</main></div>"))
            (PageFrame::closing())
        },
    )
}

fn put(out: &mut impl Write, markup: &Markup) -> io::Result<()> {
    out.write_all(markup.0.as_bytes())
}

/// Everything that happened. What was taken back is a branch at the side, folded.
fn blocks(
    presentation: &Presentation<'_>,
    drawing: &Drawing<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut is_branch = false;
    let mut in_stretch = 0;
    out.write_all(STRETCH)?;
    for block in presentation.blocks() {
        let begins = match &block {
            Block::Divider(Divider::Superseded(by, _)) => Some(is_taken_back(Some(*by))),
            Block::Message(message) if !is_taken_back(message.superseded_by) => Some(false),
            _ => None,
        };
        if is_branch && begins.is_some() {
            out.write_all(b"</details>")?;
            is_branch = false;
        }
        if in_stretch >= STRETCH_LENGTH && !is_branch {
            in_stretch = 0;
            out.write_all(b"</div>")?;
            out.write_all(STRETCH)?;
        }
        in_stretch += 1;
        match &block {
            Block::Divider(divider) if begins == Some(true) => {
                is_branch = true;
                put(
                    out,
                    &html! {
                        (PreEscaped("<details class=\"branch\">"))
                        summary { (divider.words()) }
                    },
                )?;
            }
            Block::Subagent { name, session } => agent(name, session, drawing, out)?,
            block => put(out, &html::block(block, drawing))?,
        }
        out.write_all(b"\n")?;
    }
    if is_branch {
        out.write_all(b"</details>")?;
    }
    out.write_all(b"</div>")
}

fn is_taken_back(by: Option<SupersededBy>) -> bool {
    matches!(by, Some(SupersededBy::Rewind | SupersededBy::Rollback))
}

/// Writes the work of a subagent, where it was called.
fn agent(
    name: &str,
    presentation: &Presentation<'_>,
    drawing: &Drawing<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let session = presentation.session();
    put(
        out,
        &html! {
            (PreEscaped("<details class=\"agentwork\">"))
            summary {
                "What " b { (name) } " did"
                span.measure { (work(session)) }
            }
            p.elsewhere { a href=(links::session(session.reference)) { "On a page of its own" } }
        },
    )?;
    blocks(presentation, drawing, out)?;
    out.write_all(b"</details>")
}

/// `8 calls, 212k tokens`.
fn work(session: &Session) -> String {
    let calls = plural(session.counts.tool_calls, "call");
    format!("{calls}, {} tokens", amount(session.tokens.total))
}

/// The title, the facts, and the ways from here.
fn head(viewer: &Viewer, presentation: &Presentation<'_>, row: Option<&ListRow>) -> Markup {
    let session = presentation.session();
    let project = session.project.name();
    html! {
        nav.crumbs aria-label="Where this is" {
            a href="/sessions" { "Sessions" } " › "
            a href=(links::with("/sessions", &[("project", &project)])) { (Clean::line(&project).as_str()) }
            @if let Some(parent) = row.and_then(|row| row.parent_ref) {
                " › " a href=(links::session(parent)) { "the session that called this subagent" }
            }
        }
        (html::head(presentation))
        (marks(session))
        @if session.kind == Kind::Log {
            p.lead { "Gemini CLI deleted this session before it was archived: only its prompts are left, as its log has them." }
        }
        @if let Some(row) = row.filter(|row| !row.on_disk && row.archived) {
            p.lead { "Kept only in the archive. Put it back: " code { "gemtrail restore " (row.reference) } }
        }
        div.extras {
            a.button href={ (links::session(session.reference)) "/files" } { "Files changed" }
            @for (name, words) in [("html", "HTML"), ("md", "Markdown"), ("json", "JSON")] {
                a.button href={ (links::session(session.reference)) "/download/" (name) } download title={ "Download as " (words) ", without secrets" } { (words) }
            }
            button type="button" data-control="find" hidden title="Find in this session (f)" { "Find" }
            button type="button" data-control="unfold" hidden title="Expand or collapse everything (e)" { "Expand all" }
            @if session.kind == Kind::Main {
                button type="button" data-copy={ "gemtrail resume " (session.reference) } hidden { "Copy resume command" }
            }
            @if !session.subagents.is_empty() {
                details.fold.agents {
                    summary { span.what { (plural(session.subagents.len(), "subagent")) } }
                    div.inside { (tree(&session.subagents)) }
                }
            }
            (downloads(viewer, session.reference))
            @if !session.diagnostics.is_empty() { (oddities(session, viewer)) }
        }
    }
}

/// The session at a glance: each prompt with its calls, failures and tokens, as high as the work it led to.
fn strip(presentation: &Presentation<'_>) -> Markup {
    const WIDTH: u64 = 28;
    let prompts = presentation
        .prompts()
        .map(|it| (presentation.work(it.index).unwrap_or_default(), it));
    let prompts: Vec<_> = prompts.collect();
    let most = prompts
        .iter()
        .map(|(work, _)| work.tokens)
        .max()
        .unwrap_or(0)
        .max(1);
    let mut y = 0;
    let rows = prompts.iter().map(|(work, prompt)| {
        let height = 4 + work.calls.min(30);
        let top = y;
        y += height + 1;
        (top, height, work, prompt)
    });
    let rows: Vec<_> = rows.collect();
    html! {
        @if rows.len() > 2 {
            nav.strip aria-label="The session at a glance" {
                svg viewBox={ "0 0 " (WIDTH + 4) " " (y) } preserveAspectRatio="none" {
                    @for (top, height, work, prompt) in &rows {
                        @let words = format!("{}. {}", prompt.number, work.words());
                        a href={ "#" (prompt.anchor) } tabindex="-1" aria-label=(words) {
                            title { (words) "\n" (prompt.text.chars().take(80).collect::<String>()) }
                            rect.hold width=(WIDTH + 4) y=(top) height=(height + 1) {}
                            rect.prompt width="3" y=(top) height=(height) {}
                            rect.work x="5" width=(2 + work.tokens.saturating_mul(WIDTH - 3) / most) y=(top) height=(height) {}
                            @if work.failures > 0 {
                                rect.bad x="5" width="4" y=(top) height=(height * work.failures.min(work.calls) / work.calls.max(1)) {}
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What the person marked.
fn marks(session: &Session) -> Markup {
    let marks = &session.marks;
    let labels = marks.before("");
    html! {
        @if !labels.is_empty() { p.lead { "Marked " b { (Clean::line(labels.trim_end()).as_str()) } } }
        @if let Some(note) = &marks.note { p.lead { "Note: " (Clean::text(note).as_str()) } }
    }
}

/// The subagents, and theirs.
fn tree(agents: &[Session]) -> Markup {
    html! {
        ul.tree {
            @for agent in agents {
                li {
                    a href=(links::session(agent.reference)) dir="auto" {
                        (Clean::line(agent.title.as_deref().unwrap_or("Subagent")).as_str())
                    }
                    " " span.measure { (work(agent)) }
                    @if !agent.subagents.is_empty() { (tree(&agent.subagents)) }
                }
            }
        }
    }
}

fn downloads(viewer: &Viewer, reference: SessionRef) -> Markup {
    let address =
        |format: &Format| format!("{}/download/{}", links::session(reference), format.name);
    let formats = download::formats(viewer);
    let audiences = [
        (Audience::People, "To read"),
        (Audience::Programs, "For programs"),
    ];
    html! {
        details.fold.downloads {
            summary { span.what { "All formats" } }
            div.inside {
                p { "Secrets are redacted. “with secrets” gives you the original." }
                @for (audience, words) in audiences {
                    h2 { (words) }
                    ul {
                        @for format in formats.iter().filter(|it| it.audience == audience) {
                            li {
                                a href=(address(format)) download { (format.name) }
                                " " span.about { (format.about) }
                                " · " a.exact href={ (address(format)) "?secrets=keep" } download
                                    aria-label={ (format.name) " with secrets" } { "with secrets" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn oddities(session: &Session, viewer: &Viewer) -> Markup {
    html! {
        details.fold.oddities {
            summary { span.what { (plural(session.diagnostics.len(), "oddity")) " in the files" } }
            ul.inside {
                @for it in &session.diagnostics {
                    li {
                        code { (it.code.as_str()) } " " (Clean::line(it.message.as_str()).as_str())
                        @if let Some(journal) = &it.journal {
                            " – " code { (Clean::line(viewer.shown_path(journal)).as_str())
                                @if let Some(line) = it.line { ":" (line) } }
                        }
                    }
                }
            }
        }
    }
}

/// The style sheet of the terminal colours of a session, or of a page of it.
pub(crate) fn colours(
    viewer: &Viewer,
    reference: SessionRef,
    index: usize,
) -> Result<String, Problem> {
    let read = viewer.page(reference, &Spot::Index(index))?;
    let options = options(viewer);
    Ok(Palette::of(&read.presentation(&options)).style())
}

/// The page of a session that is wanted: that of the message with this index.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Start {
    from: String,
    /// The words that the script marks.
    find: String,
}

impl Start {
    /// An address with the words that are to be marked there.
    pub(crate) fn marking(&self, address: &str) -> String {
        links::marking(address, &self.find)
    }

    /// The index, if the address has one that is a number.
    pub(crate) fn index(&self) -> Option<usize> {
        self.from.parse().ok()
    }
}

/// The ways from a page to the others. Pages differ in length where messages are large, so each is
/// called by a message that is on it.
fn other_pages(read: &Read, reference: SessionRef, label: &str) -> Markup {
    if read.is_whole() {
        return html! {};
    }
    let (before, total) = (read.first(), read.total);
    let end = before + read.session.messages.len();
    let later = |index: usize| (end < total).then(|| links::page(reference, Some(index)));
    let earlier = |index: Option<usize>| (before > 0).then(|| links::page(reference, index));
    let number = |number: usize| grouped(number as u64);
    html! {
        nav.pages aria-label=(label) data-messages=(links::messages(reference)) {
            (link("« First", earlier(None), None))
            (link("‹ Earlier", earlier(before.checked_sub(1)), Some("prev")))
            span { "Messages " (number(before + 1)) "–" (number(end)) " of " (number(total)) }
            (link("Later ›", later(end), Some("next")))
            (link("Last »", later(total.saturating_sub(1)), None))
        }
    }
}

/// The day on which a later page begins. Within a page, a day is only announced where it changes.
fn first_day(read: &Read, drawing: &Drawing<'_>, options: &Options) -> Markup {
    let first = read.session.messages.first().filter(|_| read.first() > 0);
    let time = first.and_then(|message| message.time.as_deref());
    let moment = time.map(|time| Moment::new(time, &options.zone));
    html! {
        @if let Some(moment) = moment.filter(Moment::is_known) {
            (html::block(&Block::Divider(Divider::Day(moment)), drawing))
        }
    }
}

fn link(words: &str, to: Option<String>, rel: Option<&str>) -> Markup {
    html! {
        @match to {
            Some(to) => a href=(to) rel=[rel] { (words) },
            None => span aria-disabled="true" { (words) },
        }
    }
}
