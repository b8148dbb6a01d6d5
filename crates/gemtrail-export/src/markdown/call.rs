//! Tool calls.

use super::document::Place;
use super::inert::inert;
use super::message::attachment;
use super::syntax::{code, fenced, folded, html_words, paragraph, push_fenced, words};
use crate::present::{Body, Call, Diff, TodoStatus, ToolDetail};
use crate::text;

/// Calls in full are folded one by one; brief ones are lines of one paragraph.
pub(super) fn render(out: &mut String, calls: &[Call<'_>], place: Place) {
    match place.tools {
        ToolDetail::None => {}
        ToolDetail::Brief if calls.is_empty() => {}
        ToolDetail::Brief => {
            let lines: Vec<_> = calls.iter().map(line).collect();
            paragraph(out, &lines.join("\\\n"));
        }
        ToolDetail::Full => {
            for call in calls {
                folded(out, &summary(call), |out| content(out, call, place.levels));
            }
        }
    }
}

/// `✓ **read** `src/retry.rs` 180 lines`.
fn line(call: &Call<'_>) -> String {
    let parts = [
        call.outcome.mark().to_string(),
        format!("**{}**", words(&call.verb)),
        code(&call.target),
        words(&call.measure),
    ];
    join(&parts)
}

/// Like [`line`], but in HTML.
fn summary(call: &Call<'_>) -> String {
    let target = if call.target.is_empty() {
        String::new()
    } else {
        format!("<code>{}</code>", html_words(&call.target))
    };
    let parts = [
        call.outcome.mark().to_string(),
        format!("<b>{}</b>", html_words(&call.verb)),
        target,
        html_words(&call.measure),
    ];
    join(&parts)
}

fn join(parts: &[String]) -> String {
    let parts: Vec<_> = parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(String::as_str)
        .collect();
    parts.join(" ")
}

fn content(out: &mut String, call: &Call<'_>, levels: u8) {
    signature(out, call);
    if let Some(error) = &call.error {
        paragraph(out, &fenced("text", error));
    }
    body(out, &call.body, levels);
    if let Some(file) = &call.spilled {
        let size = file.bytes.map(text::bytes).unwrap_or_default();
        let words = format!("Whole output: {} {size}", code(&file.path));
        paragraph(out, words.trim_end());
    }
    call.attachments
        .iter()
        .for_each(|attached| attachment(out, attached));
}

/// The tool's name, its status and its arguments.
fn signature(out: &mut String, call: &Call<'_>) {
    let status = call.status.as_deref().unwrap_or("no answer recorded");
    let server = call
        .server
        .as_deref()
        .map(|server| format!("on {}", code(server)));
    let arguments = call.arguments_json();
    let is_short = !arguments.contains('\n');
    let parts = [
        code(&call.name),
        server.unwrap_or_default(),
        words(status),
        if is_short {
            code(&arguments)
        } else {
            String::new()
        },
    ];
    paragraph(out, &join(&parts));
    if !is_short {
        paragraph(out, &fenced("json", &arguments));
    }
}

fn body(out: &mut String, body: &Body<'_>, levels: u8) {
    let text = match body {
        Body::Nothing => return,
        Body::Text { text, language } => {
            push_fenced(out, language.unwrap_or("text"), text);
            String::new()
        }
        Body::Prose(text) => inert(text, levels).into_owned(),
        Body::Diff(diff) => {
            push_fenced(out, "diff", &unified(diff));
            String::new()
        }
        Body::Terminal(terminal) => fenced("text", &terminal.plain()),
        Body::Todos(todos) => {
            let lines: Vec<_> = todos
                .iter()
                .map(|todo| {
                    let done = if todo.status == TodoStatus::Completed {
                        "x"
                    } else {
                        " "
                    };
                    let status = match todo.status {
                        TodoStatus::Completed | TodoStatus::Pending => String::new(),
                        status => format!(" ({})", status.as_str()),
                    };
                    format!("- [{done}] {}{status}", words(&todo.text))
                })
                .collect();
            lines.join("\n")
        }
    };
    paragraph(out, &text);
}

fn unified(diff: &Diff<'_>) -> String {
    let mut out = String::new();
    for line in diff.lines() {
        out.push_str(line.kind.prefix());
        out.push_str(line.text);
        out.push('\n');
    }
    out
}
