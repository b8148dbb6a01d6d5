//! Tool calls, edits and code.

use std::fmt::Write as _;
use std::ops::Range;

use gemtrail_core::model::Place;
use maud::{Escaper, Markup, PreEscaped, html};

use super::drawing::{Drawing, MessagePart, Palette, elsewhere, weight};
use super::message::enclosed;
use super::prose::rendered;
use crate::highlight::{TokenKind, tokens};
use crate::present::{
    Body, CallBlock, Diff, DiffLine, FileChanges, LineKind, MessageBlock, Todo, TodoStatus,
    ToolDetail, call_anchor, language_of,
};
use crate::text;

/// The calls of a message.
pub(super) fn calls(message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    let calls = &message.calls;
    html! {
        @if !calls.is_empty() && drawing.tools != ToolDetail::None {
            div.calls {
                @for (at, call) in calls.iter().enumerate() {
                    (placed(call, &message.anchor, at, drawing))
                }
            }
        }
    }
}

/// One tool call: a line that unfolds if full detail is wanted.
pub fn call(call: &CallBlock<'_>, drawing: &Drawing<'_>) -> Markup {
    html! {
        @if drawing.tools == ToolDetail::Full {
            details.call.(call.outcome.as_str()) open[is_worth_seeing(&call.body)] {
                summary.row { (row(call)) }
                div.inside { (inside(call, drawing.palette)) }
            }
        } @else {
            div.call.(call.outcome.as_str()) {
                div.row { (row(call)) }
            }
        }
    }
}

/// A call at its place in a message. On a page that a server sends, it has an anchor of its own,
/// and what is long is fetched when it is unfolded.
fn placed(call: &CallBlock<'_>, anchor: &str, at: usize, drawing: &Drawing<'_>) -> Markup {
    let Some(later) = drawing.later.filter(|_| drawing.tools == ToolDetail::Full) else {
        return self::call(call, drawing);
    };
    let part = MessagePart::Call(at);
    let bytes = weight(call);
    let address = drawing.address(anchor, part, bytes);
    let name = call_anchor(anchor, at);
    html! {
        details.call.(call.outcome.as_str()) id=(name) data-src=[&address]
            open[address.is_none() && is_worth_seeing(&call.body)]
        {
            summary.row { (row(call)) }
            div.inside {
                @match &address {
                    Some(address) => { (elsewhere(address, bytes)) }
                    None => { (inside(call, drawing.palette)) }
                }
            }
            p.handles {
                a href={ "#" (name) } { "Link to this call" }
                " · " a href={ (later.base) "/" (anchor) "/raw" } { "Raw record" }
            }
        }
    }
}

fn row(call: &CallBlock<'_>) -> Markup {
    html! {
        span.mark title=(call.outcome.as_str()) { (call.outcome.mark()) }
        span.verb { (call.verb.as_str()) }
        code.target { (call.target.as_str()) }
        span.measure { (measure(call)) }
    }
}

fn measure(call: &CallBlock<'_>) -> Markup {
    html! {
        @match &call.body {
            Body::Diff(diff) if call.measure.starts_with('+') => {
                span.plus { "+" (diff.added) } " " span.minus { "−" (diff.removed) }
            }
            _ => (call.measure),
        }
    }
}

/// True if a body is open by default: readers look for small edits and plans.
fn is_worth_seeing(body: &Body<'_>) -> bool {
    const SMALL: u64 = 40;
    match body {
        Body::Diff(diff) => diff.added + diff.removed <= SMALL,
        Body::Todos(_) => true,
        _ => false,
    }
}

/// The unfolded part of a call.
pub(super) fn inside(call: &CallBlock<'_>, palette: &Palette) -> Markup {
    // An edit or a plan itself says more than the arguments that led to it.
    let is_body_first = matches!(call.body, Body::Diff(_) | Body::Todos(_));
    html! {
        @if !is_body_first { (arguments(call)) }
        @if let Some(error) = &call.error {
            pre.trouble { (error.as_str()) }
        }
        (body(&call.body, palette))
        @if let Some(file) = &call.spilled {
            p.enclosed {
                "Whole output: " code { (file.path.as_str()) }
                @if let Some(bytes) = file.bytes { " " (text::bytes(bytes)) }
            }
        }
        @for attachment in &call.attachments { (enclosed(attachment)) }
        @if is_body_first { (arguments(call)) }
    }
}

fn arguments(call: &CallBlock<'_>) -> Markup {
    html! {
        div.asked {
            p.tool {
                (call.name.as_str())
                @if let Some(server) = &call.server { " · " (server.as_str()) }
                " · " (call.ended())
                @if let Some(moment) = &call.moment { " · " (moment.clock_with_seconds()) }
            }
            @if !call.arguments.is_empty() {
                dl.args {
                    @for argument in &call.arguments {
                        dt { (argument.name.as_str()) }
                        dd { (argument.value.as_str()) }
                    }
                }
            }
        }
    }
}

fn body(body: &Body<'_>, palette: &Palette) -> Markup {
    html! {
        @match body {
            Body::Nothing => {}
            Body::Text { text, language } => {
                pre.output tabindex="0" { code { (coloured(language.unwrap_or_default(), text)) } }
            }
            Body::Prose(text) => { div.said { (rendered(text, false)) } }
            Body::Diff(edit) => { (diff(edit)) }
            Body::Todos(list) => { (todos(list)) }
            Body::Terminal(terminal) => { (palette.terminal(terminal)) }
        }
    }
}

fn todos(todos: &[Todo<'_>]) -> Markup {
    let class = |status| match status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "progress",
        TodoStatus::Completed => "completed",
        TodoStatus::Cancelled => "cancelled",
        TodoStatus::Blocked => "blocked",
    };
    html! {
        ul.todos {
            @for todo in todos {
                li.(class(todo.status)) title=(todo.status.as_str()) { (todo.text.as_str()) }
            }
        }
    }
}

/// The code as highlighted spans.
pub(super) fn coloured(language: &str, code: &str) -> Markup {
    marked(language, code, None)
}

/// Like [`coloured`], with a part of the code marked.
pub(super) fn marked(language: &str, code: &str, mark: Option<&Range<usize>>) -> Markup {
    let mut out = String::with_capacity(code.len() + code.len() / 2);
    let mut at = 0;
    tokens(language, code, |token, text| {
        let end = at + text.len();
        let inside = mark.map_or(end..end, |mark| {
            mark.start.clamp(at, end)..mark.end.clamp(at, end)
        });
        piece(&mut out, token, &code[at..inside.start]);
        if !inside.is_empty() {
            out.push_str("<mark>");
            piece(&mut out, token, &code[inside.clone()]);
            out.push_str("</mark>");
        }
        piece(&mut out, token, &code[inside.end..end]);
        at = end;
    });
    PreEscaped(out)
}

fn piece(out: &mut String, token: TokenKind, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(class) = token.class() {
        out.push_str("<span class=\"");
        out.push_str(class);
        out.push_str("\">");
    }
    // Writing to a string cannot fail.
    let _ = Escaper::new(out).write_str(text);
    if token.class().is_some() {
        out.push_str("</span>");
    }
}

pub(super) fn diff(diff: &Diff<'_>) -> Markup {
    let language = language_of(&diff.file).unwrap_or_default();
    html! {
        div.diff tabindex="0" {
            div.lines {
                @for line in diff.lines() { (self::line(&line, language, None)) }
            }
        }
    }
}

/// All that a session changed in a file. Each added line says which prompt wrote it, with a link to the
/// call at the address that `address` gives.
pub fn file_diff(changes: &FileChanges, address: impl Fn(Place) -> String) -> Markup {
    let language = language_of(&changes.diff.file).unwrap_or_default();
    let mut before = None;
    html! {
        div.diff tabindex="0" role="region" aria-label={ "Changes of " (changes.name.as_str()) } {
            div.lines {
                @for line in changes.diff.lines() {
                    @let added = line.new.filter(|_| line.kind == LineKind::Added);
                    @let place = added.and_then(|line| changes.origin(line));
                    @let is_same = std::mem::replace(&mut before, place) == place;
                    @let margin = html! {
                        span.from {
                            @if let Some(place) = place.filter(|_| !is_same) {
                                a href=(address(place)) title={ "Written for prompt " (place.turn) } { "#" (place.turn) }
                            }
                        }
                    };
                    (self::line(&line, language, Some(&margin)))
                }
            }
        }
    }
}

fn line(line: &DiffLine<'_>, language: &str, margin: Option<&Markup>) -> Markup {
    let class = match line.kind {
        LineKind::Added => "a",
        LineKind::Removed => "r",
        LineKind::Hunk | LineKind::Note => "h",
        LineKind::Context => "e",
    };
    let language = if class == "h" { "" } else { language };
    html! {
        div.(class) {
            @if let Some(margin) = margin { (margin) }
            i data-n=[line.old] {}
            i data-n=[line.new] {}
            b data-s=[sign(line.kind)] {}
            // A line feed, so that copied lines stay separate lines.
            span.code { (marked(language, line.text, line.changed.as_ref())) "\n" }
        }
    }
}

fn sign(kind: LineKind) -> Option<&'static str> {
    match kind {
        LineKind::Added => Some("+"),
        LineKind::Removed => Some("−"),
        LineKind::Context | LineKind::Hunk | LineKind::Note => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_a_part_across_colours() {
        assert_eq!(
            marked("rust", "let a<b", Some(&(2..6))).into_string(),
            "<span class=\"k\">le</span><mark><span class=\"k\">t</span></mark>\
             <mark> a&lt;</mark>b"
        );
    }
}
