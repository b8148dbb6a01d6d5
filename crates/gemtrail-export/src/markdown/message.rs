//! Messages and their tool calls.

use gemtrail_core::model::Role;

use super::document::BlockContext;
use super::inert::inert;
use super::syntax::{code, fenced, folded, html_words, paragraph, push_fenced, quoted, words};
use crate::present::{
    AttachedFile, Attachment, Body, CallBlock, Diff, MessageBlock, Moment, Reasoning, TodoStatus,
    ToolDetail, token_words,
};
use crate::text;

pub(super) fn render(out: &mut String, message: &MessageBlock<'_>, place: BlockContext) {
    let levels = place.levels;
    if message.is_background() {
        // Context is meant for the model, so it is folded.
        let summary = html_words(&title(message).join(" · "));
        return folded(out, &summary, |out| push_fenced(out, "text", &message.text));
    }
    if let Some(kind) = alert(message.role) {
        return notice(out, message, kind);
    }
    if message.opens_turn {
        let title: Vec<_> = title(message).iter().map(|part| words(part)).collect();
        let hashes = "#".repeat(usize::from(levels));
        paragraph(out, &format!("{hashes} {}", title.join(" · ")));
    }
    reasoning(out, &message.reasoning, levels);
    let text = inert(message.text.trim(), levels);
    if !text.is_empty() {
        let is_quoted = matches!(message.role, Role::Human | Role::Agent);
        if is_quoted {
            paragraph(out, &quoted(&text));
        } else {
            paragraph(out, &text);
        }
    }
    for file in &message.files {
        attached_file(out, file);
    }
    attachments(out, &message.attachments);
    render_calls(out, &message.calls, place);
    let tokens = message.tokens.as_ref().map(token_words).unwrap_or_default();
    if !tokens.is_empty() {
        paragraph(out, &format!("*{tokens}*"));
    }
}

/// GitHub's alert type for a notice of this role.
fn alert(role: Role) -> Option<&'static str> {
    match role {
        Role::Info => Some("NOTE"),
        Role::Warning => Some("WARNING"),
        Role::Error => Some("CAUTION"),
        _ => None,
    }
}

/// A notice from the user interface: an alert on GitHub, a quote elsewhere.
fn notice(out: &mut String, message: &MessageBlock<'_>, kind: &str) {
    let title: Vec<_> = title(message).iter().map(|part| words(part)).collect();
    let text = inert(message.text.trim(), 5);
    let content = format!("[!{kind}]\n**{}**\n\n{text}", title.join(" · "));
    paragraph(out, &quoted(content.trim_end()));
    attachments(out, &message.attachments);
}

/// Number, role, time, model and fate, as far as there are any.
fn title(message: &MessageBlock<'_>) -> Vec<String> {
    let parts = [
        message.prompt.map(|number| number.to_string()),
        Some(message.speaker().to_owned()),
        message.moment.as_ref().map(Moment::clock),
        message.model.as_ref().map(ToString::to_string),
        message.fate().map(str::to_owned),
    ];
    parts.into_iter().flatten().collect()
}

fn reasoning(out: &mut String, thoughts: &[Reasoning<'_>], levels: u8) {
    if thoughts.is_empty() {
        return;
    }
    let mut content = String::new();
    let mut subjects = Vec::new();
    for thought in thoughts {
        if !thought.subject.is_empty() {
            subjects.push(html_words(&thought.subject));
            paragraph(&mut content, &format!("**{}**", words(&thought.subject)));
        }
        paragraph(&mut content, &inert(&thought.text, levels));
    }
    let summary = if subjects.is_empty() {
        "Thoughts".to_owned()
    } else {
        format!("Thoughts: {}", subjects.join(" · "))
    };
    folded(out, &summary, |out| out.push_str(&content));
}

fn attached_file(out: &mut String, file: &AttachedFile<'_>) {
    let language = crate::present::language_of(&file.path).unwrap_or_default();
    if file.text.is_empty() {
        let line = format!("Attached: {} {}", code(&file.path), words(&file.measure));
        paragraph(out, &line);
        return;
    }
    let summary = format!(
        "Attached: <code>{}</code> {}",
        html_words(&file.path),
        html_words(&file.measure)
    );
    folded(out, &summary, |out| push_fenced(out, language, &file.text));
}

fn attachments(out: &mut String, attachments: &[Attachment<'_>]) {
    for attachment in attachments {
        self::attachment(out, attachment);
    }
}

/// Pictures are named, not embedded: hardly any viewer shows data URIs.
fn attachment(out: &mut String, attachment: &Attachment<'_>) {
    let size = attachment.bytes().map(text::bytes).unwrap_or_default();
    let text = match attachment {
        Attachment::Image { mime, .. } => format!("Picture: {mime}, {size}"),
        Attachment::Binary { mime, .. } => format!("Binary: {}, {size}", words(mime)),
        Attachment::File { mime, uri } => format!("File: {} {}", words(mime), code(uri)),
        Attachment::Code { language, code } => {
            let is_word = language.bytes().all(|b| b.is_ascii_alphanumeric());
            let info = if is_word {
                language.to_lowercase()
            } else {
                String::new()
            };
            fenced(&info, code)
        }
        Attachment::CodeOutput { outcome, output } => {
            format!("{}\n\n{}", words(outcome), fenced("text", output))
        }
    };
    paragraph(out, &text);
}

/// Calls in full are folded one by one; brief ones are lines of one paragraph.
fn render_calls(out: &mut String, calls: &[CallBlock<'_>], place: BlockContext) {
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
fn line(call: &CallBlock<'_>) -> String {
    let parts = [
        call.outcome.mark().to_string(),
        format!("**{}**", words(&call.verb)),
        code(&call.target),
        words(&call.measure),
    ];
    join(&parts)
}

/// Like [`line`], but in HTML.
fn summary(call: &CallBlock<'_>) -> String {
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
    let parts = parts.iter().map(String::as_str);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

fn content(out: &mut String, call: &CallBlock<'_>, levels: u8) {
    signature(out, call);
    if let Some(error) = &call.error {
        paragraph(out, &fenced("text", error));
    }
    call_body(out, &call.body, levels);
    if let Some(file) = &call.spilled {
        let size = file.bytes.map(text::bytes).unwrap_or_default();
        let words = format!("Whole output: {} {size}", code(&file.path));
        paragraph(out, words.trim_end());
    }
    attachments(out, &call.attachments);
}

/// The tool's name, its status and its arguments.
fn signature(out: &mut String, call: &CallBlock<'_>) {
    let status = call.ended();
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

fn call_body(out: &mut String, body: &Body<'_>, levels: u8) {
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
