//! Acceptance: hostile content is inert. The browser's own word on it: `tests/browser/check.mjs`.

use gemtrail_core::model::Session;
use gemtrail_export::present::Options;
use gemtrail_export::{Selection, html};
use serde_json::{Value, json};

use super::support::{all, call, demo_document, md, page, session};

const PAYLOAD: &str = "<script>pwn()</script><img src=x onerror=pwn()><svg onload=pwn()>\
    </title></style></script></textarea></pre></details>--><iframe src=//evil.example>\
    [x](javascript:pwn()) ![p](https://evil.example/p.png) &#x202E;\u{202E}\x1b]0;pwn\x07\x1b[2J\r\x08\u{9b}\
    ```` ~~~~ `` ` \" ' | \\ \u{E0041}";

/// Members whose values are chosen by gemtrail, not by the file.
const FIXED: [&str; 6] = [
    "schema",
    "role",
    "state",
    "kind",
    "superseded_by",
    "path_source",
];

/// Puts the payload at the end of every line of every text of a document.
fn poison(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.replace('\n', &format!("{PAYLOAD}\n")) + PAYLOAD,
        Value::Array(items) => items.iter_mut().for_each(poison),
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| !FIXED.contains(&name.as_str()))
            .for_each(|(_, value)| poison(value)),
        _ => {}
    }
}

fn poisoned() -> Session {
    let mut document = demo_document();
    poison(&mut document);
    serde_json::from_value(document).unwrap()
}

fn options() -> Options {
    Options {
        subagents: true,
        selection: Selection::All,
        ..Options::default()
    }
}

/// Every start tag of a page, with its attributes.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<')
        .skip(1)
        .filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()))
        .map(|tag| tag.split_once('>').map_or(tag, |(tag, _)| tag))
}

fn assert_inert(page: &str) {
    for tag in tags(page) {
        let name = tag.split_ascii_whitespace().next().unwrap_or_default();
        assert!(
            ![
                "script", "iframe", "svg", "style", "object", "embed", "textarea", "base"
            ]
            .contains(&name),
            "<{tag}>"
        );
        let lower = tag.to_ascii_lowercase();
        // Attribute values are quoted, so an attribute follows a quote or a name.
        for attribute in lower.split("\" ").skip(1) {
            assert!(!attribute.starts_with("on"), "<{tag}>");
        }
        assert!(
            !lower.contains("href=\"javascript") && !lower.contains("src=\"http"),
            "<{tag}>"
        );
        assert!(
            name != "img" || tag.contains("src=\"data:image/"),
            "<{tag}>"
        );
    }
}

fn assert_no_controls(text: &str) {
    let is_bad = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}')
    };
    assert_eq!(text.find(is_bad), None);
}

#[test]
fn every_field_of_a_session_may_be_hostile() {
    let session = poisoned();
    let page = page(&session, &options());
    assert_inert(&page);
    for text in all(&session, &options()) {
        assert_no_controls(&text);
        assert!(text.contains("pwn()"), "it is shown, as text");
    }
}

#[test]
fn markdown_is_inert_in_the_most_careless_viewer() {
    let text = md(&poisoned(), &options());
    let mut careless = comrak::Options::default();
    careless.render.r#unsafe = true;
    careless.extension.table = true;
    careless.extension.autolink = true;
    careless.extension.footnotes = true;
    let page = comrak::markdown_to_html(&text, &careless);
    assert_inert(&page);
    assert_no_controls(&page);
    let folds = page.matches("<details>").count();
    assert_eq!(
        folds,
        page.matches("</details>").count(),
        "nobody else closes our folds"
    );
    assert!(folds > 10);
}

#[test]
fn fences_cannot_be_broken_out_of() {
    let output = "```\n````\n</details>\n# Not a heading\n~~~~~\n`````";
    let session = session(&[
        json!({"role": "assistant", "type": "gemini", "text": "```\nnever closed",
            "tool_calls": [call(json!({"output": output}))]}),
        json!({"text": "The next prompt"}),
    ]);
    let text = md(&session, &Options::default());
    let page = comrak::markdown_to_html(&text, &comrak::Options::default());
    assert!(!page.contains("<h1>Not a heading</h1>"), "{page}");
    assert!(page.contains("<h2>1 · Human · 10:01</h2>"), "{page}");
}

#[test]
fn lines_of_ten_megabytes_are_no_trouble() {
    let long = "<b>".repeat(10_000_000 / 3);
    let session = session(&[
        json!({"text": long}),
        json!({
            "role": "assistant", "type": "gemini",
            "tool_calls": [call(json!({"args": {"file_path": "/x"}, "output": long}))],
        }),
    ]);
    let [md, txt, page] = all(&session, &Options::default());
    assert!(md.len() > 20_000_000 && page.len() > 20_000_000);
    assert_inert(&page);
    let widest = txt.lines().map(|line| line.chars().count()).max();
    assert_eq!(widest, Some(80));
}

#[test]
fn the_page_allows_nothing_but_itself() {
    let mut out = Vec::new();
    html::write(&poisoned(), &options(), &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    let policy = page
        .split_once("http-equiv=\"Content-Security-Policy\" content=\"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(policy, _)| policy)
        .unwrap();
    assert!(policy.starts_with("default-src 'none'; img-src data:;"));
    assert!(!policy.contains("unsafe") && !policy.contains("http"));
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("<style").count(), 2);
}
