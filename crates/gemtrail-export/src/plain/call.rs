//! Tool calls: a line each, with the details indented below.

use std::io;

use super::canvas::Canvas;
use super::message::attachment;
use super::sink::Ink;
use super::wrap::cut;
use crate::present::{
    Body, Call, Diff, LineKind, MessageBlock, Outcome, Todo, TodoStatus, ToolDetail,
};
use crate::text::{self, width};

/// The width of the verb column.
const VERB_COLUMNS: usize = 8;

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    message: &MessageBlock<'_>,
    tools: ToolDetail,
) -> io::Result<()> {
    let mut calls = message.calls.iter().enumerate();
    calls.try_for_each(|(index, call)| {
        let place = message.place.of_call(index);
        canvas.at(place);
        canvas.whole_at(place, |canvas| one(canvas, call, tools))
    })
}

/// One call.
pub(super) fn one(canvas: &mut Canvas<'_>, call: &Call<'_>, tools: ToolDetail) -> io::Result<()> {
    line(canvas, call)?;
    match tools {
        ToolDetail::Full => canvas.indented("    ", |canvas| details(canvas, call)),
        ToolDetail::None | ToolDetail::Brief => Ok(()),
    }
}

/// `✓ read    src/retry.rs                              180 lines`.
fn line(canvas: &mut Canvas<'_>, call: &Call<'_>) -> io::Result<()> {
    let mark = format!("{} ", call.outcome.mark());
    let verb = format!("{:VERB_COLUMNS$}", call.verb.as_str());
    let taken = width(&mark) + width(&verb) + width(&call.measure) + 2;
    let room = canvas.room().saturating_sub(taken).max(8);
    let target = cut(&call.target, room);
    let gap = " ".repeat(room.saturating_sub(width(&target)) + 1);
    let ink = match call.outcome {
        Outcome::Succeeded => Ink::Success,
        Outcome::Failed => Ink::Failure,
        Outcome::Cancelled | Outcome::Unanswered => Ink::Faint,
    };
    canvas.line(&[
        (ink, &mark),
        (Ink::Verb, &verb),
        (Ink::Text, " "),
        (Ink::Text, &target),
        (Ink::Text, &gap),
        (Ink::Faint, &call.measure),
    ])
}

fn details(canvas: &mut Canvas<'_>, call: &Call<'_>) -> io::Result<()> {
    // In an excerpt, the line above says enough.
    if canvas.layout.excerpt.is_none() {
        let signature = format!("{} {}", call.name, call.arguments_json());
        canvas.prose(Ink::Faint, signature.trim_end())?;
    }
    if let Some(error) = &call.error {
        canvas.verbatim(Ink::Failure, error)?;
    }
    body(canvas, call)?;
    if let Some(file) = &call.spilled {
        let size = file.bytes.map(text::bytes).unwrap_or_default();
        canvas.prose(
            Ink::Faint,
            format!("whole output: {} {size}", file.path).trim_end(),
        )?;
    }
    call.attachments
        .iter()
        .try_for_each(|attached| attachment(canvas, attached))
}

fn body(canvas: &mut Canvas<'_>, call: &Call<'_>) -> io::Result<()> {
    match &call.body {
        Body::Nothing => Ok(()),
        Body::Text { text, .. } => output(canvas, call.outcome, text),
        Body::Prose(text) => canvas.prose(Ink::Text, text),
        Body::Terminal(terminal) => output(canvas, call.outcome, &terminal.plain()),
        Body::Todos(todos) => todos.iter().try_for_each(|todo| self::todo(canvas, todo)),
        Body::Diff(diff) => self::diff(canvas, diff),
    }
}

fn output(canvas: &mut Canvas<'_>, outcome: Outcome, text: &str) -> io::Result<()> {
    match outcome {
        Outcome::Failed => canvas.verbatim_end(Ink::Text, text),
        _ => canvas.verbatim(Ink::Text, text),
    }
}

fn todo(canvas: &mut Canvas<'_>, todo: &Todo<'_>) -> io::Result<()> {
    let (mark, ink) = match todo.status {
        TodoStatus::Completed => ("[x] ", Ink::Faint),
        TodoStatus::InProgress => ("[>] ", Ink::Text),
        TodoStatus::Pending => ("[ ] ", Ink::Text),
        TodoStatus::Cancelled => ("[-] ", Ink::Faint),
        TodoStatus::Blocked => ("[!] ", Ink::Text),
    };
    canvas.prose(ink, &format!("{mark}{}", todo.text))
}

fn diff(canvas: &mut Canvas<'_>, diff: &Diff<'_>) -> io::Result<()> {
    let is_excerpt = canvas.layout.excerpt.is_some();
    let limit = canvas.layout.excerpt.unwrap_or(usize::MAX);
    // An excerpt has no room for unchanged lines.
    let lines: Vec<_> = diff
        .lines()
        .filter(|line| !is_excerpt || matches!(line.kind, LineKind::Added | LineKind::Removed))
        .collect();
    for line in lines.iter().take(limit) {
        let ink = match line.kind {
            LineKind::Added => Ink::Added,
            LineKind::Removed => Ink::Removed,
            LineKind::Hunk | LineKind::Note => Ink::Faint,
            LineKind::Context => Ink::Text,
        };
        let gap = if line.kind == LineKind::Hunk { "" } else { " " };
        canvas.row(ink, &format!("{}{gap}{}", line.kind.prefix(), line.text))?;
    }
    canvas.left_out(lines.len().saturating_sub(limit))
}
