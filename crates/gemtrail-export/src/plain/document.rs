//! The document around the messages.

use std::io::{self, Write};

use gemtrail_core::model::Session;

use super::canvas::{Canvas, Ink, Layout};
use super::{message, wrap};
use crate::ExportError;
use crate::present::{Block, Divider, Heading, Options, Presentation};
use crate::text::width;

/// Writes the session as plain text.
pub fn write(session: &Session, options: &Options, out: impl Write) -> Result<(), ExportError> {
    write_with(session, options, Layout::default(), out)
}

/// Writes the session in another layout.
pub fn write_with(
    session: &Session,
    options: &Options,
    layout: Layout<'_>,
    out: impl Write,
) -> Result<(), ExportError> {
    let presentation = Presentation::new(session, options);
    let mut canvas = Canvas::new(out, layout);
    head(&mut canvas, &presentation)?;
    body(&mut canvas, &presentation)?;
    Ok(canvas.flush()?)
}

fn head<W: Write>(canvas: &mut Canvas<'_, W>, presentation: &Presentation<'_>) -> io::Result<()> {
    let heading = presentation.heading();
    canvas.prose(Ink::Title, &heading.title)?;
    if !presentation.options().minimal {
        facts(canvas, &heading)?;
    }
    let rule = "─".repeat(canvas.room());
    canvas.line(&[(Ink::Divider, &rule)])
}

/// Labels in one column, values in the next.
fn facts<W: Write>(canvas: &mut Canvas<'_, W>, heading: &Heading<'_>) -> io::Result<()> {
    let facts = heading.facts();
    let column = facts.iter().map(|fact| fact.label.len()).max().unwrap_or(0) + 2;
    for fact in &facts {
        let rows = wrap::words(&fact.value, canvas.room().saturating_sub(column));
        for (i, row) in rows.iter().enumerate() {
            let label = if i == 0 { fact.label } else { "" };
            let label = format!("{label:column$}");
            canvas.line(&[(Ink::Faint, &label), (Ink::Text, row)])?;
        }
    }
    Ok(())
}

fn body<W: Write>(canvas: &mut Canvas<'_, W>, presentation: &Presentation<'_>) -> io::Result<()> {
    for block in presentation.blocks() {
        match block {
            Block::Message(message) => {
                message::draw(canvas, &message, presentation.options().tools)?;
            }
            Block::Divider(divider) => {
                let is_folded = matches!(divider, Divider::Folded(..));
                let mut words = divider.words();
                if is_folded && canvas.layout.excerpt.is_some() {
                    words.push_str(" (--superseded shows them)");
                }
                canvas.blank()?;
                rule(canvas, &words)?;
            }
            Block::Logged(entry) => {
                let clock = entry
                    .moment
                    .map(|moment| moment.clock())
                    .unwrap_or_default();
                canvas.blank()?;
                canvas.line(&[(Ink::Faint, "typed  "), (Ink::Faint, &clock)])?;
                canvas.indented("› ", |canvas| canvas.prose(Ink::Text, &entry.text))?;
            }
            Block::Subagent { name, session } => {
                canvas.blank()?;
                canvas.line(&[(Ink::Verb, "▾ agent "), (Ink::Text, &name)])?;
                canvas.indented("┆ ", |canvas| body(canvas, &session))?;
            }
        }
    }
    Ok(())
}

/// `┄┄ words ┄┄┄┄┄┄`.
fn rule<W: Write>(canvas: &mut Canvas<'_, W>, words: &str) -> io::Result<()> {
    let words = wrap::cut(words, canvas.room().saturating_sub(6));
    let rest = canvas.room().saturating_sub(width(&words) + 4);
    let line = format!("┄┄ {words} {}", "┄".repeat(rest));
    canvas.line(&[(Ink::Divider, &line)])
}
