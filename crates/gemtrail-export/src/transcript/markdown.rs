//! `transcript`: the dialogue as Markdown.

use std::borrow::Cow;
use std::io::{self, Write};

use gemtrail_core::json::Raw;
use gemtrail_core::model::Session;

use super::{Entry, Speaker, ToolUse, TranscriptOptions, entries};
use crate::ExportError;
use crate::markdown::inert;
use crate::text::Clean;

/// The level of the headings above turns.
const TURN_LEVEL: u8 = 2;

/// Writes a head with title and facts, then one section per turn.
pub fn write(
    session: &Session,
    options: &TranscriptOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    write_head(session, out)?;
    for entry in entries(session, options) {
        write_entry(&entry, out)?;
    }
    Ok(())
}

fn write_head(session: &Session, out: &mut impl Write) -> io::Result<()> {
    let title = Clean::line(session.title.as_deref().unwrap_or("Session"));
    writeln!(out, "# {title}\n")?;
    let project = session
        .project
        .path
        .clone()
        .unwrap_or_else(|| session.project.name());
    let facts = [
        ("Session", Some(session.id.as_str())),
        ("Project", Some(project.as_str())),
        ("Started", session.started.as_deref()),
        ("Updated", session.updated.as_deref()),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            writeln!(out, "- {name}: {}", code(value))?;
        }
    }
    Ok(())
}

fn write_entry(entry: &Entry<'_>, out: &mut impl Write) -> io::Result<()> {
    let speaker = match entry.role {
        Speaker::Human | Speaker::Shell => "Human",
        Speaker::Agent => "Agent",
        Speaker::Assistant => "Assistant",
        Speaker::Error => "Error",
    };
    write!(out, "\n## {speaker}")?;
    if let Some(time) = entry.time {
        write!(out, " · {}", Clean::line(time))?;
    }
    writeln!(out)?;
    if entry.role == Speaker::Shell {
        return writeln!(out, "\n- shell: {}", code(entry.text));
    }
    if !entry.text.is_empty() {
        // Headings in the words must not look like the next turn.
        let text = Clean::text(entry.text);
        writeln!(out, "\n{}", inert(&text, TURN_LEVEL))?;
    }
    if !entry.tool_calls.is_empty() {
        writeln!(out)?;
    }
    for call in &entry.tool_calls {
        write_tool_use(call, out)?;
    }
    Ok(())
}

fn write_tool_use(call: &ToolUse<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "- {}", code(call.name))?;
    for (index, (name, value)) in call.args.iter().enumerate() {
        let separator = if index == 0 { ": " } else { ", " };
        write!(out, "{separator}{name} {}", code(&plain(value)))?;
    }
    if call.error {
        write!(out, " (error)")?;
    }
    if call.cancelled {
        write!(out, " (cancelled)")?;
    }
    writeln!(out)
}

/// The characters of a string, or the JSON text of anything else.
fn plain(value: &Raw) -> Cow<'_, str> {
    value.node().as_str().unwrap_or(Cow::Borrowed(value.text()))
}

/// A code span that nothing inside can close: one backtick more than the longest run of them.
fn code(text: &str) -> String {
    let text = Clean::line(text);
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A space keeps a backtick at either end from joining the delimiter; Markdown strips it again.
    let pad = if text.is_empty() || text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}
