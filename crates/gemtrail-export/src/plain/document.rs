//! The document around the messages.

use std::io::{self, Write};

use gemtrail_core::model::Session;

use super::canvas::{Details, Ink, Layout, LineSink, PlainText, TextCanvas};
use super::{canvas, message};
use crate::Result;
use crate::present::{
    Block, CallBlock, Divider, Heading, MessageBlock, Moment, Options, Presentation, ToolDetail,
};
use crate::text::{width, wrapped};

/// Writes the session as plain text.
pub fn write(session: &Session, options: &Options, mut out: impl Write) -> Result {
    let presentation = Presentation::new(session, options);
    draw(&presentation, Layout::default(), &mut PlainText(&mut out))?;
    Ok(out.flush()?)
}

/// Draws a whole document: the head, then the blocks.
pub fn draw(
    presentation: &Presentation<'_>,
    layout: Layout,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    draw_with(presentation, layout, Details::of(layout), sink)
}

/// Draws a whole document with these details.
pub fn draw_with(
    presentation: &Presentation<'_>,
    layout: Layout,
    details: Details,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    let mut canvas = TextCanvas::new(sink, layout);
    canvas.details = details;
    head(&mut canvas, presentation)?;
    body(&mut canvas, presentation)
}

/// Draws the head of a document: the title and the facts.
pub fn draw_head(
    presentation: &Presentation<'_>,
    layout: Layout,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    head(&mut TextCanvas::new(sink, layout), presentation)
}

/// Draws a block as in a document, preceded by an empty line.
pub fn draw_block(
    block: &Block<'_>,
    tools: ToolDetail,
    layout: Layout,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    self::block(&mut TextCanvas::new(sink, layout), block, tools)
}

/// Draws a single message.
pub fn draw_message(
    message: &MessageBlock<'_>,
    tools: ToolDetail,
    layout: Layout,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    message::draw(&mut TextCanvas::new(sink, layout), message, tools)
}

/// Draws a single tool call.
pub fn draw_call(
    call: &CallBlock<'_>,
    tools: ToolDetail,
    layout: Layout,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    message::draw_call(&mut TextCanvas::new(sink, layout), call, tools)
}

fn head(canvas: &mut TextCanvas<'_>, presentation: &Presentation<'_>) -> io::Result<()> {
    let heading = presentation.heading();
    canvas.prose(Ink::Title, &heading.title)?;
    if !presentation.options().minimal {
        if canvas.details.facts {
            facts(canvas, &heading)?;
        } else {
            brief_facts(canvas, &heading)?;
        }
    }
    let rule = "─".repeat(canvas.room());
    canvas.line(&[(Ink::Divider, &rule)])
}

/// Labels in one column, values in the next.
fn facts(canvas: &mut TextCanvas<'_>, heading: &Heading<'_>) -> io::Result<()> {
    let facts = heading.facts();
    let column = facts.iter().map(|fact| fact.label.len()).max().unwrap_or(0) + 2;
    for fact in &facts {
        let rows = wrapped(&fact.value, canvas.room().saturating_sub(column));
        for (i, row) in rows.iter().enumerate() {
            let label = if i == 0 { fact.label } else { "" };
            let label = format!("{label:column$}");
            canvas.line(&[(Ink::Faint, &label), (Ink::Text, row)])?;
        }
    }
    Ok(())
}

/// As many facts as fit into two lines.
fn brief_facts(canvas: &mut TextCanvas<'_>, heading: &Heading<'_>) -> io::Result<()> {
    const BETWEEN: &str = " · ";
    for facts in heading.in_brief() {
        let mut line = String::new();
        for fact in &facts {
            let between = if line.is_empty() { "" } else { BETWEEN };
            if width(&line) + width(between) + width(fact) <= canvas.room() {
                line.push_str(between);
                line.push_str(fact);
            }
        }
        canvas.line(&[(Ink::Faint, &line)])?;
    }
    Ok(())
}

fn body(canvas: &mut TextCanvas<'_>, presentation: &Presentation<'_>) -> io::Result<()> {
    let tools = presentation.options().tools;
    let mut blocks = presentation.blocks();
    blocks.try_for_each(|block| self::block(canvas, &block, tools))
}

fn block(canvas: &mut TextCanvas<'_>, block: &Block<'_>, tools: ToolDetail) -> io::Result<()> {
    canvas.blank()?;
    match block {
        Block::Message(message) => message::draw(canvas, message, tools),
        Block::Divider(divider) => {
            let is_folded = matches!(divider, Divider::Folded(..));
            let mut words = divider.words();
            if is_folded && canvas.layout.excerpt.is_some() {
                words.push_str(" (--superseded shows them)");
            }
            rule(canvas, &words)
        }
        Block::Logged(entry) => {
            let clock = entry.moment.as_ref().map(Moment::clock);
            let clock = clock.unwrap_or_default();
            let lead = format!("{}  {clock}", entry.label());
            canvas.line(&[(Ink::Faint, &lead)])?;
            canvas.indented("› ", |canvas| canvas.prose(Ink::Text, &entry.text))
        }
        Block::Subagent { name, session } => {
            canvas.line(&[(Ink::Verb, "▾ agent "), (Ink::Text, name)])?;
            canvas.inner("┆ ", |canvas| body(canvas, session))
        }
    }
}

/// `┄┄ words ┄┄┄┄┄┄`.
fn rule(canvas: &mut TextCanvas<'_>, words: &str) -> io::Result<()> {
    let words = canvas::cut(words, canvas.room().saturating_sub(6));
    let rest = canvas.room().saturating_sub(width(&words) + 4);
    let line = format!("┄┄ {words} {}", "┄".repeat(rest));
    canvas.line(&[(Ink::Divider, &line)])
}
