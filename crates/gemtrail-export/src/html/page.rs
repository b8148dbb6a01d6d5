//! The page around the messages, and an index page that links to many.

use std::io::Write;

use gemtrail_core::model::{Session, SessionRow, Tokens};
use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::drawing::{Drawing, Palette};
use super::frame::PageFrame;
use super::message;
use crate::Result;
use crate::present::{Block, Divider, HeadingFact, LoggedEntry, Moment, Options, Presentation};
use crate::text::{Clean, amount, plural};

/// Writes the session as one page.
pub fn write(session: &Session, options: &Options, mut out: impl Write) -> Result {
    let presentation = Presentation::new(session, options);
    let palette = Palette::of(&presentation);
    let frame = PageFrame::new(presentation.heading().title, palette.style());
    let opening = html! {
        (frame.opening())
        (prompts(&presentation))
        (frame.main_opening())
        (head(&presentation))
    };
    out.write_all(opening.into_string().as_bytes())?;
    let drawing = Drawing::whole(options.tools, &palette);
    for block in presentation.blocks() {
        let block = self::block(&block, &drawing);
        out.write_all(block.into_string().as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.write_all(frame.closing().into_string().as_bytes())?;
    Ok(out.flush()?)
}

/// Prompts in one list. A browser that skips what is out of sight looks at every box that may be
/// skipped in every frame, so there should be hundreds of these and not thousands.
const TOGETHER: usize = 50;

/// The list of prompts, with links to each of them.
pub fn prompts(presentation: &Presentation<'_>) -> Markup {
    let prompts: Vec<_> = presentation.prompts().collect();
    let start = |at: usize| presentation.prompts_before() + (at * TOGETHER) as u64;
    html! {
        @if !prompts.is_empty() {
            nav.turns aria-label="Prompts" {
                details open {
                    summary data-count=(prompts.len()) { "Prompts" }
                    @for (at, prompts) in prompts.chunks(TOGETHER).enumerate() {
                        ol start=[Some(start(at)).filter(|it| *it > 0).map(|it| it + 1)] {
                            @for prompt in prompts {
                                li.gone[prompt.is_superseded] {
                                    a href={ "#" (prompt.anchor) } {
                                        span.no { (prompt.number) }
                                        span.says dir="auto" { (excerpt(&prompt.text)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The start of a prompt; at most two lines of it are visible.
fn excerpt(text: &str) -> &str {
    const LONGEST: usize = 160;
    text.char_indices()
        .nth(LONGEST)
        .map_or(text, |(end, _)| &text[..end])
}

/// The title and the facts.
pub fn head(presentation: &Presentation<'_>) -> Markup {
    let heading = presentation.heading();
    html! {
        header.head {
            h1 dir="auto" { (heading.title.as_str()) }
            @if !presentation.options().minimal {
                p.lead {
                    @for words in [heading.project.to_string(), heading.span(), heading.models().to_string()] {
                        @if !words.is_empty() { span { (words) } }
                    }
                }
                p.lead {
                    @for words in [heading.activity(), tokens(&presentation.session().tokens), heading.cost()] {
                        @if !words.is_empty() { span { (words) } }
                    }
                }
                details.fold {
                    summary { span.what { "Details" } }
                    dl.inside.facts { @for fact in heading.facts() { (self::fact(&fact)) } }
                }
            }
        }
    }
}

fn fact(fact: &HeadingFact<'_>) -> Markup {
    html! {
        dt { (fact.label) }
        dd {
            @if fact.is_code { code { (fact.value.as_str()) } }
            @else { (fact.value.as_str()) }
        }
    }
}

/// One block of a page.
pub fn block(block: &Block<'_>, drawing: &Drawing<'_>) -> Markup {
    match block {
        Block::Message(message) => message::message(message, drawing),
        Block::Divider(divider) => self::divider(divider),
        Block::Logged(entry) => logged(entry),
        Block::Subagent { name, session } => html! {
            details.agentwork {
                summary { "Subagent " b { (name.as_str()) } }
                @for block in session.blocks() { (self::block(&block, drawing)) }
            }
        },
    }
}

fn divider(divider: &Divider<'_>) -> Markup {
    let is_day = matches!(divider, Divider::Day(_));
    html! {
        div.divider.day[is_day] role="separator" { span { (divider.words()) } }
    }
}

fn logged(entry: &LoggedEntry<'_>) -> Markup {
    html! {
        div.typed {
            (entry.label()) " "
            @if let Some(moment) = &entry.moment { time { (moment.clock()) } " " }
            code { (entry.text.as_str()) }
        }
    }
}

/// A session and the file that holds its page.
#[derive(Clone, Copy, Debug)]
pub struct IndexEntry<'a> {
    /// The session.
    pub row: &'a SessionRow,
    /// The file's name, in the directory of the index.
    pub file: &'a str,
}

/// Writes a list of the sessions in the given order, with a line for each new day.
pub fn write_index(
    title: &str,
    entries: &[IndexEntry<'_>],
    zone: &TimeZone,
    mut out: impl Write,
) -> Result {
    let title = Clean::line(title);
    let frame = PageFrame::new(title.clone(), String::new());
    let count = plural(entries.len(), "session");
    let opening = html! {
        (frame.opening())
        (frame.main_opening())
        header.head {
            h1 { (title.as_str()) }
            p.lead { (count) }
        }
    };
    out.write_all(opening.into_string().as_bytes())?;
    let mut day: Option<Moment<'_>> = None;
    for entry in entries {
        let updated = entry.row.updated.as_deref();
        let moment = updated.map(|time| Moment::new(time, zone));
        let is_new_day = moment.as_ref().is_some_and(|moment| {
            moment.is_known() && !day.as_ref().is_some_and(|day| day.same_day(moment))
        });
        let piece = html! {
            @if let Some(moment) = moment.as_ref().filter(|_| is_new_day) {
                div.divider.day role="separator" { span { (moment.date()) } }
            }
            (self::entry(entry, moment.as_ref()))
        };
        out.write_all(piece.into_string().as_bytes())?;
        out.write_all(b"\n")?;
        if is_new_day {
            day = moment;
        }
    }
    out.write_all(frame.closing().into_string().as_bytes())?;
    Ok(out.flush()?)
}

fn entry(entry: &IndexEntry<'_>, moment: Option<&Moment<'_>>) -> Markup {
    let row = entry.row;
    let title = Clean::line(row.title.as_deref().unwrap_or("Untitled session"));
    html! {
        a.entry href=(link(entry.file)) {
            span.when { @if let Some(moment) = moment { time { (moment.clock()) } } }
            span.text dir="auto" { (title.as_str()) }
            span.where { (Clean::line(row.project.name()).as_str()) }
            span.measure {
                (plural(row.counts.human, "prompt")) ", " (tokens(&row.tokens))
            }
        }
    }
}

/// Zero means unknown here, so it is shown as a dash.
fn tokens(tokens: &Tokens) -> String {
    match tokens.total {
        0 => "–".to_owned(),
        total => format!("{} tokens", amount(total)),
    }
}

/// A relative link to a file next to the page, whatever its name.
fn link(file: &str) -> String {
    let encoded = file.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    std::iter::once("./".to_owned()).chain(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn a_link_never_leaves_the_directory() {
        assert_eq!(link("session-a.html"), "./session-a.html");
        assert_eq!(link("javascript:x"), "./javascript%3Ax");
        assert_eq!(link("../支"), "./..%2F%E6%94%AF");
    }
}
