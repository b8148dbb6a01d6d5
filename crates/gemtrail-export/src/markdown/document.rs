//! The document around the messages, whole or in parts.

use std::io::Write;

use gemtrail_core::model::Session;

use super::message;
use super::syntax::{self, code_in_table, paragraph, words};
use crate::ExportError;
use crate::present::{Block, Moment, Options, Presentation, ToolDetail};

/// Writes the session as one document.
pub fn write(session: &Session, options: &Options, mut out: impl Write) -> Result<(), ExportError> {
    let presentation = Presentation::new(session, options);
    let place = Place::top(&presentation);
    out.write_all(head(&presentation, None).as_bytes())?;
    // One buffer for all blocks: to make one grow takes longer than to fill it.
    let mut text = String::new();
    for block in presentation.blocks() {
        text.clear();
        render(&mut text, block, place);
        out.write_all(text.as_bytes())?;
    }
    Ok(out.flush()?)
}

/// Splits the session into documents of roughly this many lines. A part ends between two blocks, so
/// that a single long message may exceed the limit.
pub fn parts(session: &Session, options: &Options, lines_per_part: usize) -> Vec<String> {
    let presentation = Presentation::new(session, options);
    let place = Place::top(&presentation);
    let mut parts = Vec::new();
    let mut part = head(&presentation, Some(1));
    let mut lines = part.lines().count();
    let mut has_block = false;
    let mut text = String::new();
    for block in presentation.blocks() {
        text.clear();
        render(&mut text, block, place);
        let length = text.lines().count();
        if has_block && lines + length > lines_per_part {
            parts.push(part);
            part = part_title(&presentation, parts.len() + 1);
            lines = part.lines().count();
        }
        part.push_str(&text);
        lines += length;
        has_block = true;
    }
    parts.push(part);
    parts
}

/// Title and facts.
fn head(presentation: &Presentation<'_>, part: Option<usize>) -> String {
    let mut out = match part {
        Some(part) => part_title(presentation, part),
        None => format!("# {}\n\n", words(&presentation.heading().title)),
    };
    if presentation.options().minimal {
        return out;
    }
    // A table needs a header row; GitHub shows an empty one as a thin line.
    let mut rows = vec!["| | |".to_owned(), "|---|---|".to_owned()];
    for fact in presentation.heading().facts() {
        let value = if fact.is_code {
            code_in_table(&fact.value)
        } else {
            words(&fact.value)
        };
        rows.push(format!("| {} | {value} |", fact.label));
    }
    paragraph(&mut out, &rows.join("\n"));
    out
}

fn part_title(presentation: &Presentation<'_>, part: usize) -> String {
    let title = words(&presentation.heading().title);
    format!("# {title} (part {part})\n\n")
}

/// What a block's position in the document requires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) tools: ToolDetail,
    /// How many heading levels the document itself uses here.
    pub(super) levels: u8,
}

impl Place {
    /// At the top level, below title and turns.
    fn top(presentation: &Presentation<'_>) -> Self {
        Self {
            tools: presentation.options().tools,
            levels: 2,
        }
    }

    /// Inside a subagent's session.
    fn inside(self) -> Self {
        Self {
            levels: (self.levels + 1).min(5),
            ..self
        }
    }
}

/// Appends a block, followed by an empty line.
fn render(out: &mut String, block: Block<'_>, place: Place) {
    match block {
        Block::Message(message) => message::render(out, &message, place),
        Block::Divider(divider) => {
            paragraph(out, "---");
            paragraph(out, &format!("*{}*", words(&divider.words())));
        }
        Block::Logged(entry) => {
            let clock = entry.moment.as_ref().map(Moment::clock).unwrap_or_default();
            let line = format!(
                "*{} {}* {}",
                entry.label(),
                words(&clock),
                syntax::code(&entry.text)
            );
            paragraph(out, &line);
        }
        Block::Subagent { name, session } => {
            let summary = format!("Subagent <b>{}</b>", syntax::html_words(&name));
            syntax::folded(out, &summary, |out| {
                for block in session.blocks() {
                    render(out, block, place.inside());
                }
            });
        }
    }
}
