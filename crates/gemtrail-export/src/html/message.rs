//! One message.

use gemtrail_core::model::Role;
use maud::{Markup, html};

use super::call;
use super::call::coloured;
use super::drawing::{Drawing, MessagePart, elsewhere, pictures};
use super::prose::rendered;
use crate::present::{
    AttachedFile, Attachment, MessageBlock, Moment, Reasoning, language_of, token_words,
};
use crate::text;

/// One message, with its tool calls. Its `id` is the anchor of the message.
pub fn message(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    if matches!(message.role, Role::Info | Role::Warning | Role::Error) {
        return notice(message, drawing);
    }
    let role = message.role.as_str();
    html! {
        article.message.(role).opens[message.opens_turn].superseded[message.superseded_by.is_some()]
            id=(message.anchor)
        {
            @if message.opens_turn && !message.is_background() { (who(message, drawing)) }
            @if message.is_background() {
                (background(message, drawing))
            } @else {
                (thoughts(message, drawing))
                (said(message, drawing))
            }
            (call::calls(message, drawing))
            (foot(message, drawing))
        }
    }
}

/// A notice from the user interface.
fn notice(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    let bytes = message.text.len();
    let address = drawing.address(&message.anchor, MessagePart::Text, bytes);
    html! {
        div.notice.(message.role.as_str()).superseded[message.superseded_by.is_some()]
            id=(message.anchor)
        {
            span.name { (message.speaker()) }
            @match &address {
                Some(address) => {
                    span.text { (beginning(&message.text)) " … " }
                    (elsewhere(address, bytes))
                }
                None => { span.text { (message.text.as_str()) } }
            }
            (time(message))
            (raw(message, drawing))
            @for attachment in &message.attachments { (enclosed(attachment)) }
        }
    }
}

fn who(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    html! {
        header.who {
            span.name {
                (message.speaker())
                @if let Some(number) = message.prompt { " " (number) }
            }
            (time(message))
            (raw(message, drawing))
            @if let Some(model) = &message.model { span.model { (model.as_str()) } }
            @if let Some(fate) = message.fate() { span.fate { (fate) } }
            @if let Some(work) = message.work.map(|work| work.words()).filter(|words| !words.is_empty()) {
                span.work { (work) }
            }
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
    let tokens = message.tokens.as_ref().map(token_words);
    let tokens = tokens.filter(|words| !words.is_empty());
    let whole: Vec<String> = whole.into_iter().chain(tokens).collect();
    let whole = Some(whole.join("\n")).filter(|whole| !whole.is_empty());
    html! {
        a href={ "#" (message.anchor) } title=[whole] {
            @match clock {
                Some(clock) => { time { (clock) } }
                None => { "link" }
            }
        }
    }
}

fn said(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    let is_empty =
        message.text.is_empty() && message.files.is_empty() && message.attachments.is_empty();
    let bytes = message.text.len() + pictures(&message.attachments);
    let address = drawing.address(&message.anchor, MessagePart::Text, bytes);
    html! {
        @if let Some(address) = address {
            div.said dir="auto" {
                (rendered(beginning(&message.text), keeps_lines(message)))
                (rest(&address, bytes))
                (files(message, drawing))
            }
        } @else if !is_empty {
            div.said dir="auto" {
                (rendered(&message.text, keeps_lines(message)))
                (files(message, drawing))
                @for attachment in &message.attachments { (enclosed(attachment)) }
            }
        }
    }
}

/// Everything that was said in words and pictures.
pub(super) fn words(message: &MessageBlock<'_>) -> Markup {
    html! {
        div.said dir="auto" {
            @if message.is_background() {
                pre.plain { (message.text.as_str()) }
            } @else {
                (rendered(&message.text, keeps_lines(message)))
            }
            @for attachment in &message.attachments { (enclosed(attachment)) }
        }
    }
}

/// True if the message keeps its line breaks, because a person typed it.
fn keeps_lines(message: &MessageBlock<'_>) -> bool {
    matches!(message.role, Role::Human | Role::Agent | Role::Shell)
}

/// The rest of something long, fetched when it is unfolded.
fn rest(address: &str, bytes: usize) -> Markup {
    html! {
        details.fold.rest data-src=(address) {
            summary { span.what { "All of it" } span.more { (text::bytes(bytes as u64)) } }
            div.inside { (elsewhere(address, bytes)) }
        }
    }
}

/// The first paragraphs of a long text: enough to know what it is.
fn beginning(text: &str) -> &str {
    const LONGEST: usize = 1200;
    let ends = (0..=LONGEST.min(text.len())).rev();
    let end = ends.into_iter().find(|end| text.is_char_boundary(*end));
    let end = end.unwrap_or_default();
    let head = &text[..end];
    let cut = head.rfind("\n\n").or_else(|| head.rfind('\n'));
    match cut.filter(|cut| *cut > LONGEST / 4) {
        Some(cut) if end < text.len() => &head[..cut],
        _ => head,
    }
}

fn thoughts(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    let thoughts = &message.reasoning;
    let subjects: Vec<_> = thoughts
        .iter()
        .map(|thought| thought.subject.as_str())
        .filter(|subject| !subject.is_empty())
        .collect();
    let bytes = thoughts.iter().map(|thought| thought.text.len()).sum();
    let address = drawing.address(&message.anchor, MessagePart::Thoughts, bytes);
    html! {
        @if !thoughts.is_empty() {
            details.fold.thoughts data-src=[&address] {
                summary {
                    span.what { "Thoughts" }
                    span.more { (subjects.join(" · ")) }
                }
                div.inside.said {
                    @match &address {
                        Some(address) => { (elsewhere(address, bytes)) }
                        None => { (reasons(thoughts)) }
                    }
                }
            }
        }
    }
}

/// The model's reasoning.
pub(super) fn reasons(thoughts: &[Reasoning<'_>]) -> Markup {
    html! {
        @for thought in thoughts {
            @if !thought.subject.is_empty() { h4 { (thought.subject.as_str()) } }
            (rendered(&thought.text, false))
        }
    }
}

/// Context meant for the model, folded.
fn background(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    let bytes = message.text.len() + pictures(&message.attachments);
    let address = drawing.address(&message.anchor, MessagePart::Text, bytes);
    html! {
        details.fold data-src=[&address] {
            summary {
                span.what { (message.speaker()) }
                (time(message))
                @if let Some(fate) = message.fate() { span.fate { (fate) } }
            }
            @match &address {
                Some(address) => { div.inside { (elsewhere(address, bytes)) } }
                None => { pre.inside.plain { (message.text.as_str()) } }
            }
        }
        @if address.is_none() {
            @for attachment in &message.attachments { (enclosed(attachment)) }
        }
    }
}

fn files(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    html! {
        @for (at, file) in message.files.iter().enumerate() {
            @let bytes = file.text.len();
            @let address = drawing.address(&message.anchor, MessagePart::File(at), bytes);
            @if file.text.is_empty() {
                p.enclosed { code { (file.path.as_str()) } " " (file.measure) }
            } @else {
                details.fold data-src=[&address] {
                    summary {
                        code.what { (file.path.as_str()) }
                        span.more { (file.measure) }
                    }
                    @match &address {
                        Some(address) => { div.inside { (elsewhere(address, bytes)) } }
                        None => { (file_text(file)) }
                    }
                }
            }
        }
    }
}

/// The text of a file that a prompt pulled in.
pub(super) fn file_text(file: &AttachedFile<'_>) -> Markup {
    let language = language_of(&file.path).unwrap_or_default();
    html! {
        pre.inside { code { (coloured(language, &file.text)) } }
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

/// A link to the record, on a page that a server sends.
fn raw(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    html! {
        @if let Some(later) = drawing.later {
            @if message.prompt.is_none() {
                span.place title="Where this is in the session" { (message.place) }
            }
            a.raw href={ (later.base) "/" (message.anchor) "/raw" } title="The record as it was written" { "raw" }
        }
    }
}

fn foot(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    let has_head = message.opens_turn && !message.is_background();
    html! {
        @if !has_head && (!message.opens_turn || drawing.later.is_some()) {
            footer.foot {
                @if !message.opens_turn { (time(message)) }
                (raw(message, drawing))
            }
        }
    }
}
