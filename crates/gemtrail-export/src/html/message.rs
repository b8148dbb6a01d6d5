//! One message.

use gemtrail_core::model::Role;
use maud::{Markup, html};

use super::call;
use super::code::coloured;
use super::palette::Palette;
use super::prose::rendered;
use crate::present::{
    AttachedFile, Attachment, MessageBlock, Moment, Reasoning, ToolDetail, language_of, token_words,
};
use crate::text;

/// One message, with its tool calls. Its `id` is the anchor of the message.
pub fn message(message: &MessageBlock<'_>, tools: ToolDetail, palette: &Palette) -> Markup {
    if matches!(message.role, Role::Info | Role::Warning | Role::Error) {
        return notice(message);
    }
    let role = message.role.as_str();
    html! {
        article.message.(role).opens[message.opens_turn].superseded[message.superseded_by.is_some()]
            id=(message.anchor)
        {
            @if message.opens_turn && !message.is_background() { (who(message)) }
            @if message.is_background() {
                (background(message))
            } @else {
                (thoughts(&message.reasoning))
                (said(message))
            }
            (call::calls(&message.calls, tools, palette))
            (foot(message))
        }
    }
}

/// A notice from the user interface.
fn notice(message: &MessageBlock<'_>) -> Markup {
    html! {
        div.notice.(message.role.as_str()).superseded[message.superseded_by.is_some()]
            id=(message.anchor)
        {
            span.name { (message.speaker()) }
            span.text { (message.text.as_str()) }
            (time(message))
            @for attachment in &message.attachments { (enclosed(attachment)) }
        }
    }
}

fn who(message: &MessageBlock<'_>) -> Markup {
    html! {
        header.who {
            span.name {
                (message.speaker())
                @if let Some(number) = message.prompt { " " (number) }
            }
            (time(message))
            @if let Some(model) = &message.model { span.model { (model.as_str()) } }
            @if let Some(fate) = message.fate() { span.fate { (fate) } }
        }
    }
}

/// The time, which is also the link to the message.
fn time(message: &MessageBlock<'_>) -> Markup {
    let clock = message.moment.as_ref().map(Moment::clock);
    let whole = message
        .moment
        .as_ref()
        .map(|moment| format!("{} {}", moment.date_and_clock(), moment.offset()));
    html! {
        a href={ "#" (message.anchor) } title=[whole] {
            @match clock {
                Some(clock) => { time { (clock) } }
                None => { "link" }
            }
        }
    }
}

fn said(message: &MessageBlock<'_>) -> Markup {
    let keeps_lines = matches!(message.role, Role::Human | Role::Agent | Role::Shell);
    let is_empty =
        message.text.is_empty() && message.files.is_empty() && message.attachments.is_empty();
    html! {
        @if !is_empty {
            div.said dir="auto" {
                (rendered(&message.text, keeps_lines))
                @for file in &message.files { (attached_file(file)) }
                @for attachment in &message.attachments { (enclosed(attachment)) }
            }
        }
    }
}

fn thoughts(thoughts: &[Reasoning<'_>]) -> Markup {
    let subjects: Vec<_> = thoughts
        .iter()
        .map(|thought| thought.subject.as_str())
        .filter(|subject| !subject.is_empty())
        .collect();
    html! {
        @if !thoughts.is_empty() {
            details.fold.thoughts {
                summary {
                    span.what { "Thoughts" }
                    span.more { (subjects.join(" · ")) }
                }
                div.inside.said {
                    @for thought in thoughts {
                        @if !thought.subject.is_empty() { h4 { (thought.subject.as_str()) } }
                        (rendered(&thought.text, false))
                    }
                }
            }
        }
    }
}

/// Context meant for the model, folded.
fn background(message: &MessageBlock<'_>) -> Markup {
    html! {
        details.fold {
            summary {
                span.what { (message.speaker()) }
                (time(message))
                @if let Some(fate) = message.fate() { span.fate { (fate) } }
            }
            pre.inside.plain { (message.text.as_str()) }
        }
        @for attachment in &message.attachments { (enclosed(attachment)) }
    }
}

fn attached_file(file: &AttachedFile<'_>) -> Markup {
    let language = language_of(&file.path).unwrap_or_default();
    html! {
        @if file.text.is_empty() {
            p.enclosed { code { (file.path.as_str()) } " " (file.measure) }
        } @else {
            details.fold {
                summary {
                    code.what { (file.path.as_str()) }
                    span.more { (file.measure) }
                }
                pre.inside { code { (coloured(language, &file.text)) } }
            }
        }
    }
}

/// An attachment. Only images that cannot carry scripts are shown.
pub(super) fn enclosed(attachment: &Attachment<'_>) -> Markup {
    let size = attachment.bytes().map(text::bytes).unwrap_or_default();
    html! {
        @match attachment {
            Attachment::Image { mime, base64 } => {
                figure {
                    img src={ "data:" (mime) ";base64," (base64) } alt="Picture from the session" decoding="async";
                    figcaption { (mime) ", " (size) }
                }
            }
            Attachment::Binary { mime, .. } => { p.enclosed { (mime.as_str()) ", " (size) } }
            Attachment::File { mime, uri } => {
                p.enclosed { (mime.as_str()) " " code { (uri.as_str()) } }
            }
            Attachment::Code { language, code } => {
                pre { code { (coloured(language, code)) } }
            }
            Attachment::CodeOutput { outcome, output } => {
                p.enclosed { (outcome.as_str()) }
                pre.plain { (output.as_str()) }
            }
        }
    }
}

fn foot(message: &MessageBlock<'_>) -> Markup {
    let tokens = message.tokens.as_ref().map(token_words).unwrap_or_default();
    html! {
        @if !tokens.is_empty() {
            footer.foot {
                @if !message.opens_turn { (time(message)) }
                span { (tokens) }
            }
        }
    }
}
