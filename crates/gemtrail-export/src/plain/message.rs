//! One message.

use std::io;

use gemtrail_core::model::Role;

use super::call;
use super::canvas::Canvas;
use super::sink::Ink;
use crate::present::{Attachment, MessageBlock, Moment, Reasoning, ToolDetail, token_words};
use crate::text;

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
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
        call::draw(canvas, message, tools)?;
        match message.tokens.as_ref().map(token_words) {
            Some(tokens) if !tokens.is_empty() && canvas.details.tokens => {
                canvas.prose(Ink::Faint, &tokens)
            }
            _ => Ok(()),
        }
    })
}

/// `context · 21 lines (--context)`.
fn folded(canvas: &mut Canvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    let name = message.speaker().to_lowercase();
    let lines = text::plural(message.text.trim().lines().count(), "line");
    let rest = format!(" · {lines} (--context)");
    canvas.line(&[(Ink::Speaker(message.role), &name), (Ink::Faint, &rest)])
}

/// `human 3  14:02`.
fn speaker(canvas: &mut Canvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
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

fn words(canvas: &mut Canvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    let text = message.text.trim();
    if message.is_background() {
        return canvas.verbatim(Ink::Faint, text);
    }
    let ink = match message.role {
        Role::Error => Ink::Failure,
        _ => Ink::Text,
    };
    canvas.prose(ink, text)
}

fn thoughts(canvas: &mut Canvas<'_>, thoughts: &[Reasoning<'_>]) -> io::Result<()> {
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

fn attachments(canvas: &mut Canvas<'_>, message: &MessageBlock<'_>) -> io::Result<()> {
    for file in &message.files {
        let line = format!("attached: {} ({})", file.path, file.measure);
        canvas.prose(Ink::Faint, &line)?;
    }
    message
        .attachments
        .iter()
        .try_for_each(|attachment| self::attachment(canvas, attachment))
}

pub(super) fn attachment(canvas: &mut Canvas<'_>, attachment: &Attachment<'_>) -> io::Result<()> {
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
