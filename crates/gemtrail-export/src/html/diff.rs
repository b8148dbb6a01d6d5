//! Edits with line numbers, signs and colours. Only the text itself can be selected and copied.

use maud::{Markup, html};

use super::code::marked;
use crate::present::{Diff, DiffLine, LineKind, language_of};

pub(super) fn diff(diff: &Diff<'_>) -> Markup {
    let language = language_of(&diff.file).unwrap_or_default();
    html! {
        div.diff tabindex="0" {
            div.lines {
                @for line in diff.lines() { (self::line(&line, language)) }
            }
        }
    }
}

fn line(line: &DiffLine<'_>, language: &str) -> Markup {
    let class = match line.kind {
        LineKind::Added => "a",
        LineKind::Removed => "r",
        LineKind::Hunk | LineKind::Note => "h",
        LineKind::Context => "e",
    };
    let language = if class == "h" { "" } else { language };
    html! {
        div.(class) {
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
