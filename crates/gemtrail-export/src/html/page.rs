//! The page around the messages.

use std::io::Write;

use gemtrail_core::model::Session;
use maud::{Markup, html};

use super::drawing::Drawing;
use super::frame::Frame;
use super::message;
use super::palette::Palette;
use crate::ExportError;
use crate::present::{Block, Divider, Fact, Logged, Options, Presentation};

/// Writes the session as one page.
pub fn write(session: &Session, options: &Options, mut out: impl Write) -> Result<(), ExportError> {
    let presentation = Presentation::new(session, options);
    let palette = Palette::of(&presentation);
    let frame = Frame::new(presentation.heading().title, palette.style());
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
                p.lead { (heading.activity()) }
                details.fold {
                    summary { span.what { "All facts" } }
                    dl.inside.facts { @for fact in heading.facts() { (self::fact(&fact)) } }
                }
            }
        }
    }
}

fn fact(fact: &Fact<'_>) -> Markup {
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

fn logged(entry: &Logged<'_>) -> Markup {
    html! {
        div.typed {
            (entry.label()) " "
            @if let Some(moment) = &entry.moment { time { (moment.clock()) } " " }
            code { (entry.text.as_str()) }
        }
    }
}
