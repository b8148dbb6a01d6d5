//! The few pieces of Markdown that the writer itself produces.

use crate::text::Clean;

/// Escapes text for use on one line, so that nothing in it is Markdown.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in Clean::line(text).chars() {
        if c == '<' {
            // Some dialects take a backslash for the end of an address before it.
            out.push_str("&lt;");
            continue;
        }
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '>' | '&' | '#' | '|' | '~' | '$'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A code span whose delimiter is longer than any run of backticks inside.
pub(crate) fn code(text: &str) -> String {
    let line = Clean::line(text);
    if line.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&line, b'`') + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{line}{pad}{ticks}")
}

/// A code span in a table, where a pipe ends the cell even inside code.
pub(super) fn code_in_table(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A fenced block whose fence is longer than any fence inside.
pub(super) fn fenced(info: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + info.len() + 16);
    push_fenced(&mut out, info, text);
    out
}

/// Like [`fenced`], appended to `out`: outputs are long, and each copy takes time.
pub(super) fn push_fenced(out: &mut String, info: &str, text: &str) {
    let fence = "`".repeat((longest_run(text, b'`') + 1).max(3));
    let text = text.strip_suffix('\n').unwrap_or(text);
    for piece in [&fence, info, "\n", text, "\n", &fence] {
        out.push_str(piece);
    }
}

/// Each line of the text in a block quote.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// Text inside an HTML tag pair; Markdown has no other way to fold text.
pub(super) fn html_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in Clean::line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A paragraph: text with an empty line after it.
pub(super) fn paragraph(out: &mut String, text: &str) {
    out.push_str(text);
    out.push_str("\n\n");
}

/// Text folded under a summary line. `summary` is HTML, `content` appends Markdown.
pub(super) fn folded(out: &mut String, summary: &str, content: impl FnOnce(&mut String)) {
    paragraph(out, &format!("<details><summary>{summary}</summary>"));
    let start = out.len();
    content(out);
    out.truncate(start + out[start..].trim_end().len());
    paragraph(out, "");
    paragraph(out, "</details>");
}

fn longest_run(text: &str, byte: u8) -> usize {
    let (mut longest, mut run, mut next) = (0, 0, 0);
    for at in memchr::memchr_iter(byte, text.as_bytes()) {
        run = if at == next { run + 1 } else { 1 };
        next = at + 1;
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_any_inside() {
        assert_eq!(fenced("rust", "a\n"), "```rust\na\n```");
        assert_eq!(fenced("", "````\nx\n````"), "`````\n````\nx\n````\n`````");
        assert_eq!(code("a ``b`` c"), "```a ``b`` c```");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code_in_table("a|b"), "`a\\|b`");
    }

    #[test]
    fn words_mean_themselves() {
        assert_eq!(
            words("a_b <i> [x] &amp; #1\n|"),
            "a\\_b &lt;i\\> \\[x\\] \\&amp; \\#1 \\|"
        );
        assert_eq!(
            html_words("</summary> & \"\n"),
            "&lt;/summary&gt; &amp; &quot;"
        );
        assert_eq!(quoted("a\n\nb\n"), "> a\n>\n> b");
    }
}
