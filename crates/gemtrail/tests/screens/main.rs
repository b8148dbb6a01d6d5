//! What people see, as a diff: commands that read, in a pipe and on a terminal, narrow and wide,
//! with colour and without.
//!
//! The sessions are of 2020, so that no date depends on the day of the test.
#![cfg(target_os = "linux")]

#[path = "../support/mod.rs"]
mod support;

mod errors;
mod home;
mod places;
mod terminal;

use home::sample;
use terminal::{Face, screen};

/// The screen of a command in every face and width.
macro_rules! assert_screens {
    ($name:literal, $arguments:expr) => {
        let person = sample();
        for (face, columns) in [
            (Face::Pipe, 80),
            (Face::Terminal, 80),
            (Face::Terminal, 160),
            (Face::Colour, 80),
        ] {
            let name = format!("{}-{}-{columns}", $name, face.name());
            insta::assert_snapshot!(name, screen(&person, face, columns, &$arguments));
        }
    };
}

#[test]
fn list() {
    assert_screens!("list", ["list"]);
}

#[test]
fn a_narrow_list() {
    let shown = screen(&sample(), Face::Terminal, 40, &["list", "-q"]);
    for line in shown.lines() {
        assert!(
            unicode_width::UnicodeWidthStr::width(line) <= 40,
            "{line:?} would wrap"
        );
    }
    insta::assert_snapshot!(shown);
}

/// The session ran from 18:40 to 18:49: it is not only the last update that counts.
#[test]
fn a_range_takes_the_sessions_that_were_active_in_it() {
    let person = sample();
    for archive in [false, true] {
        if archive {
            person.run(&["sync"]);
        }
        for (range, count) in [
            (
                ["--since", "2020-11-15T18:44", "--until", "2020-11-15T18:45"],
                1,
            ),
            (["--since", "2020-11-15", "--until", "2020-11-15"], 1),
            (["--since", "2020-11-15", "--until", "2020-11-15T18:39"], 0),
            (["--since", "oct 2020", "--until", "oct 2020"], 3),
            (["--since", "nov 2020", "--until", "nov 2020"], 2),
        ] {
            let arguments = [&["list"], &range[..]].concat();
            let ran = person.run(&arguments);
            assert_eq!(ran.out.lines().count(), count, "{arguments:?}\n{ran:?}");
        }
    }
}

#[test]
fn search() {
    assert_screens!("search", ["search", "discount"]);
}

#[test]
fn flat_search() {
    insta::assert_snapshot!(screen(
        &sample(),
        Face::Terminal,
        80,
        &["search", "--flat", "discount"]
    ));
}

#[test]
fn show() {
    assert_screens!("show", ["show", "7bd875c3"]);
}

#[test]
fn each_option_of_show_changes_one_thing() {
    let person = sample();
    for option in [
        "--thoughts",
        "--tools=brief",
        "--tools=full",
        "--context",
        "--tokens",
        "--facts",
        "--superseded",
    ] {
        let shown = screen(&person, Face::Terminal, 80, &["show", "7bd875c3", option]);
        insta::assert_snapshot!(format!("show{}", option.replace('=', "-")), shown);
    }
}

#[test]
fn lines_fit_the_terminal() {
    let person = sample();
    let long = "lang カート ".repeat(60);
    person.write(
        ".gemini/tmp/shop/chats/session-2020-06-02T10-00-3f1e0a52.json",
        &format!(
            r#"{{"sessionId":"3f1e0a52-bbbb","projectHash":"shop","startTime":"2020-06-02T10:00:00.000Z","lastUpdated":"2020-06-02T10:05:00.000Z","messages":[{{"id":"u","timestamp":"2020-06-02T10:00:01.000Z","type":"user","content":"{long}"}}]}}"#
        ),
    );
    let deep = "/deep".repeat(30) + "/app";
    person.write(".gemini/tmp/deep/.project_root", &deep);
    person.write(".gemini/tmp/deep/logs.json", "[]");
    let odd = "/tmp/\u{1b}[31mred\u{7}/支払い";
    person.write(".gemini/tmp/odd/.project_root", odd);
    person.write(".gemini/tmp/odd/logs.json", "[]");
    for arguments in [
        &["list", "-q"][..],
        &["search", "lang"],
        &["search", "カート", "--flat"],
        &["show", "3f1e0a52"],
        &["show", "3f1e0a52", "--outline"],
        &["projects"],
    ] {
        for columns in [50, 80] {
            let shown = screen(&person, Face::Terminal, columns, arguments);
            assert!(!shown.contains('␛') && !shown.contains('\u{7}'), "{shown}");
            let legend = " ? root path not known";
            for line in shown.lines().filter(|line| !line.starts_with(legend)) {
                let width = unicode_width::UnicodeWidthStr::width(line);
                assert!(width <= columns, "{width} of {columns} columns: {line}");
            }
        }
    }
}

#[test]
fn projects() {
    assert_screens!("projects", ["projects"]);
}

#[test]
fn signals() {
    assert_screens!("signals", ["signals"]);
}

#[test]
fn help() {
    let person = sample();
    for arguments in [
        &["-h"][..],
        &["list", "-h"],
        &["show", "-h"],
        &["search", "-h"],
    ] {
        let name = format!("help-{}", arguments.join("-").replace("--", "-"));
        insta::assert_snapshot!(name, screen(&person, Face::Pipe, 80, arguments));
    }
}
