//! Whole documents, to be looked at when they change.

use std::io;

use gemtrail_core::model::SessionRow;
use gemtrail_export::html::{self, IndexEntry};
use gemtrail_export::plain::{self, Ink, Layout, LineSink};
use gemtrail_export::present::{Options, Presentation};
use jiff::tz::TimeZone;
use serde_json::json;

use super::support::{brief, call, demo, md, page, session, txt};

fn with_subagents() -> Options {
    Options {
        subagents: true,
        ..Options::default()
    }
}

#[test]
fn markdown_in_full() {
    insta::assert_snapshot!(md(&demo(), &with_subagents()));
}

#[test]
fn markdown_in_brief() {
    insta::assert_snapshot!(md(&demo(), &brief()));
}

#[test]
fn markdown_minimal() {
    let options = Options {
        minimal: true,
        ..brief()
    };
    insta::assert_snapshot!(md(&demo(), &options));
}

#[test]
fn plain_text_in_full() {
    let text = txt(&demo(), &with_subagents());
    for line in text.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn plain_text_in_brief() {
    insta::assert_snapshot!(txt(&demo(), &brief()));
}

#[test]
fn plain_text_for_a_terminal() {
    struct Marked(String);
    impl LineSink for Marked {
        fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
            for (ink, text) in spans {
                let marks = match ink {
                    Ink::Failure | Ink::Added | Ink::Removed | Ink::Verb => ["‹", text, "›"],
                    _ => ["", text, ""],
                };
                self.0.push_str(&marks.concat());
            }
            self.0.push('\n');
            Ok(())
        }
    }
    let layout = Layout {
        columns: 60,
        excerpt: Some(3),
    };
    let (session, options) = (demo(), Options::default());
    let mut out = Marked(String::new());
    plain::draw(&Presentation::new(&session, &options), layout, &mut out).unwrap();
    insta::assert_snapshot!(out.0);
}

#[test]
fn a_page() {
    let session = session(&[
        json!({"text": "Look at @a.rs\nplease", "references": [{"path": "a.rs", "text": "fn a() {}\n"}]}),
        json!({"role": "assistant", "type": "gemini", "model": "gemini-3-pro-preview", "text": "It is *empty*.",
        "thoughts": [{"subject": "Reading", "text": "A function.", "time": null}],
        "tokens": {"input": 10, "output": 2, "cached": 5, "thoughts": 1, "tool": 0, "total": 13},
        "tool_calls": [
            call(json!({"name": "replace", "args": {"file_path": "a.rs", "old_string": "fn a() {}", "new_string": "fn a() { b() }"}})),
            call(json!({"name": "write_todos", "args": {"todos": [{"description": "Call b", "status": "completed"}]}})),
            call(json!({"name": "run_shell_command", "args": {"command": "ls"}, "output": "Output: a.rs\nExit Code: 2", "exit_code": 2,
                "display": [[{"text": "a.rs", "bold": true, "fg": "#00ff00", "bg": ""}]]})),
        ]}),
        json!({"role": "error", "type": "error", "text": "Out of quota"}),
    ]);
    let page = page(&session, &Options::default());
    let (_, page) = page.split_once("<body>").unwrap();
    insta::assert_snapshot!(page.replace("><", ">\n<"));
}

#[test]
fn an_index() {
    let row = SessionRow::from_session(demo());
    let entries = [IndexEntry {
        row: &row,
        file: "session-2026-11-14T13-01-2f1e0a52.html",
    }];
    let mut out = Vec::new();
    html::write_index("Sessions of <acme>", &entries, &TimeZone::UTC, &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    let (_, list) = page.split_once("<main id=\"top\">").unwrap();
    let (list, _) = list.split_once("</main>").unwrap();
    insta::assert_snapshot!(list.replace("><", ">\n<"));
}
