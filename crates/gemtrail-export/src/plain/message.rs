//! Messages and their tool calls: a line each, with the details indented below.

use std::io;

use gemtrail_core::model::Role;

use super::canvas::{Ink, TextCanvas, cut};
use super::markdown;
use crate::present::{
    Attachment, Body, CallBlock, Diff, LineKind, MessageBlock, Moment, Outcome, Reasoning, Todo,
    TodoStatus, ToolDetail, token_words,
};
use crate::text::{self, width};

pub(super) fn draw(
    canvas: &mut TextCanvas<'_>,
    message: &MessageBlock<'_>,
    tools: ToolDetail,
) -> io::Result<()> {
    canvas.at(message.place);
    if matches!(message.role, Role::Context | Role::Hook) && !canvas.details.context {
        return folded(canvas, message);
    }
    if message.opens_turn {
        speaker(canvas, message)?;
    }
    let margin = match message.role {
        Role::Human | Role::Agent | Role::Shell => "│ ",
        _ => "  ",
    };
    canvas.indented(margin, |canvas| {
        thoughts(canvas, &message.reasoning)?;
        words(canvas, message)?;
        attachments(canvas, message)?;
        if !message.calls.is_empty() && !message.text.is_empty() {
            canvas.blank()?;
        }
        draw_calls(canvas, message, tools)?;
        match message.tokens.as_ref().map(token_words) {
            Some(tokens) if !tokens.is_empty() && canvas.details.tokens => {
                canvas.prose(Ink::Faint, &tokens)
            }
            _ => Ok(()),
        }
    })
}

/// `context · 21 lines (--context)`.
fn folded(canvas: &mut TextCanvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    let name = message.speaker().to_lowercase();
    let lines = text::plural(message.text.trim().lines().count(), "line");
    let rest = format!(" · {lines} (--context)");
    canvas.line(&[(Ink::Speaker(message.role), &name), (Ink::Faint, &rest)])
}

/// `human 3  14:02`.
fn speaker(canvas: &mut TextCanvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    let name = message.speaker().to_lowercase();
    let number = message.prompt.map(|number| format!(" {number}"));
    let clock = message.moment.as_ref().map(Moment::clock);
    let facts: Vec<_> = [clock.as_deref(), message.model.as_deref(), message.fate()]
        .into_iter()
        .flatten()
        .map(|fact| format!("  {fact}"))
        .collect();
    canvas.line(&[
        (Ink::Speaker(message.role), &name),
        (Ink::Speaker(message.role), &number.unwrap_or_default()),
        (Ink::Faint, &facts.concat()),
    ])
}

fn words(canvas: &mut TextCanvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    let text = message.text.trim();
    if message.is_background() {
        return canvas.verbatim(Ink::Faint, text);
    }
    let is_markdown = matches!(message.role, Role::Assistant | Role::Agent | Role::Summary);
    if canvas.details.markdown && is_markdown && !text.is_empty() {
        return markdown::draw(canvas, text, 0);
    }
    let ink = match message.role {
        Role::Error => Ink::Failure,
        _ => Ink::Text,
    };
    canvas.prose(ink, text)
}

fn thoughts(canvas: &mut TextCanvas<'_>, thoughts: &[Reasoning<'_>]) -> io::Result<()> {
    for thought in thoughts {
        let text = if thought.subject.is_empty() {
            thought.text.to_string()
        } else {
            format!("{}: {}", thought.subject, thought.text)
        };
        canvas.indented("· ", |canvas| canvas.prose(Ink::Thought, text.trim_end()))?;
    }
    if thoughts.is_empty() {
        return Ok(());
    }
    canvas.blank()
}

fn attachments(canvas: &mut TextCanvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    for file in &message.files {
        let line = format!("attached: {} ({})", file.path, file.measure);
        canvas.prose(Ink::Faint, &line)?;
    }
    message
        .attachments
        .iter()
        .try_for_each(|attachment| self::attachment(canvas, attachment))
}

pub(super) fn attachment(
    canvas: &mut TextCanvas<'_>,
    attachment: &Attachment<'_>,
) -> io::Result<()> {
    let size = attachment.bytes().map(text::bytes).unwrap_or_default();
    match attachment {
        Attachment::Image { mime, .. } => canvas.prose(Ink::Faint, &format!("[{mime}, {size}]")),
        Attachment::Binary { mime, .. } => canvas.prose(Ink::Faint, &format!("[{mime}, {size}]")),
        Attachment::File { mime, uri } => canvas.prose(Ink::Faint, &format!("[{mime} {uri}]")),
        Attachment::Code { code, .. } => canvas.verbatim(Ink::Text, code),
        Attachment::CodeOutput { outcome, output } => {
            canvas.line(&[(Ink::Faint, outcome)])?;
            canvas.verbatim(Ink::Text, output)
        }
    }
}

/// The width of the verb column.
const VERB_COLUMNS: usize = 8;

fn draw_calls(
    canvas: &mut TextCanvas<'_>,
    message: &MessageBlock<'_>,
    tools: ToolDetail,
) -> io::Result<()> {
    let mut calls = message.calls.iter().enumerate();
    calls.try_for_each(|(index, call)| {
        let place = message.place.of_call(index);
        canvas.at(place);
        canvas.whole_at(place, |canvas| draw_call(canvas, call, tools))
    })
}

/// One call.
pub(super) fn draw_call(
    canvas: &mut TextCanvas<'_>,
    call: &CallBlock<'_>,
    tools: ToolDetail,
) -> io::Result<()> {
    line(canvas, call)?;
    match tools {
        ToolDetail::Full => canvas.indented("    ", |canvas| details(canvas, call)),
        ToolDetail::None | ToolDetail::Brief => Ok(()),
    }
}

/// `✓ read    src/retry.rs                              180 lines`.
fn line(canvas: &mut TextCanvas<'_>, call: &CallBlock<'_>) -> io::Result<()> {
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

fn details(canvas: &mut TextCanvas<'_>, call: &CallBlock<'_>) -> io::Result<()> {
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

fn body(canvas: &mut TextCanvas<'_>, call: &CallBlock<'_>) -> io::Result<()> {
    match &call.body {
        Body::Nothing => Ok(()),
        Body::Text { text, .. } => output(canvas, call.outcome, text),
        Body::Prose(text) if canvas.details.markdown => markdown::draw(canvas, text, 0),
        Body::Prose(text) => canvas.prose(Ink::Text, text),
        Body::Terminal(terminal) => output(canvas, call.outcome, &terminal.plain()),
        Body::Todos(todos) => todos.iter().try_for_each(|todo| self::todo(canvas, todo)),
        Body::Diff(diff) => self::diff(canvas, diff),
    }
}

fn output(canvas: &mut TextCanvas<'_>, outcome: Outcome, text: &str) -> io::Result<()> {
    match outcome {
        Outcome::Failed => canvas.verbatim_end(Ink::Text, text),
        _ => canvas.verbatim(Ink::Text, text),
    }
}

fn todo(canvas: &mut TextCanvas<'_>, todo: &Todo<'_>) -> io::Result<()> {
    let (mark, ink) = match todo.status {
        TodoStatus::Completed => ("[x] ", Ink::Faint),
        TodoStatus::InProgress => ("[>] ", Ink::Text),
        TodoStatus::Pending => ("[ ] ", Ink::Text),
        TodoStatus::Cancelled => ("[-] ", Ink::Faint),
        TodoStatus::Blocked => ("[!] ", Ink::Text),
    };
    canvas.prose(ink, &format!("{mark}{}", todo.text))
}

fn diff(canvas: &mut TextCanvas<'_>, diff: &Diff<'_>) -> io::Result<()> {
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
