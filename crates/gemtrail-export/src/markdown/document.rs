//! The document around the messages.

use std::io::Write;

use gemtrail_core::model::Session;

use super::message;
use super::syntax::{self, code_in_table, paragraph, words};
use crate::Result;
use crate::present::{Block, Moment, Options, Presentation, ToolDetail};

/// Writes the session as one document.
pub fn write(session: &Session, options: &Options, mut out: impl Write) -> Result {
    let presentation = Presentation::new(session, options);
    let place = BlockContext::top(&presentation);
    out.write_all(head(&presentation).as_bytes())?;
    // One buffer for all blocks: to make one grow takes longer than to fill it.
    let mut text = String::new();
    for block in presentation.blocks() {
        text.clear();
        render(&mut text, block, place);
        out.write_all(text.as_bytes())?;
    }
    Ok(out.flush()?)
}

/// Title and facts.
fn head(presentation: &Presentation<'_>) -> String {
    let mut out = format!("# {}\n\n", words(&presentation.heading().title));
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

/// The requirements of a block's position in the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockContext {
    pub(super) tools: ToolDetail,
    /// The number of heading levels that the document itself uses here.
    pub(super) levels: u8,
}

impl BlockContext {
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
fn render(out: &mut String, block: Block<'_>, place: BlockContext) {
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
