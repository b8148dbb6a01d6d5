//! Planted secrets, and recordings that hold none.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use gemtrail_core::model::Session;
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use gemtrail_export::present::{Options, ToolDetail};
use gemtrail_export::redact::{Redactor, redact_session};
use gemtrail_export::{ExportError, html, markdown, plain};
use gemtrail_testkit::secrets::{Home, Place, Planted, journal, ordinary, planted, planted_from};

/// How many of them may be missed.
const MOST_MISSES: usize = 2;

fn session(name: &str, bytes: &[u8]) -> Session {
    Sources::single(SourceJournal {
        path: name.to_owned(),
        bytes: bytes.len() as u64,
        sha256: None,
        earlier: false,
        log: read(bytes, Detail::Full),
    })
    .assemble()
}

fn redactor() -> Redactor {
    Redactor::new(Vec::new()).expect("the tables are right")
}

fn as_json(session: &Session) -> String {
    serde_json::to_string(session).expect("a session has a JSON form")
}

/// Every string of the document, decoded: an escaped secret is still a secret.
fn words(session: &Session) -> String {
    fn push(value: &Value, out: &mut String) {
        match value {
            Value::String(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| push(item, out)),
            Value::Object(members) => members.iter().for_each(|(name, item)| {
                out.push_str(name);
                out.push('\n');
                push(item, out);
            }),
            _ => {}
        }
    }
    let document = serde_json::to_value(session).expect("a session has a JSON form");
    let mut out = String::new();
    push(&document, &mut out);
    out
}

/// The planted secrets that are still there after redaction. Each gets a session of its own, so
/// that none is found only because another one was.
fn missed(planted: &[Planted]) -> Vec<&'static str> {
    let is_missed = |one: &&Planted| {
        let mut alone = (*one).clone();
        if alone.place == Place::Logged {
            alone.place = Place::Prompt;
        }
        let lines = journal(std::slice::from_ref(&alone));
        let session = session("session-planted.jsonl", lines.as_bytes());
        assert!(
            one.left_in(&words(&session)).next().is_some(),
            "{}",
            one.name
        );
        let redacted = words(&redact_session(&session, &mut redactor()));
        one.left_in(&redacted).next().is_some()
    };
    planted
        .iter()
        .filter(is_missed)
        .map(|one| one.name)
        .collect()
}

#[test]
fn planted_secrets_are_found() {
    for seed in 0..5 {
        let all = planted_from(seed);
        let missed = missed(&all);
        println!(
            "{} of {} found, not {missed:?}",
            all.len() - missed.len(),
            all.len()
        );
        assert!(missed.len() <= MOST_MISSES, "missed: {missed:?}");
    }
}

#[test]
fn ordinary_texts_stay_as_they_are() {
    let texts = ordinary();
    assert!(texts.len() >= 100, "{} texts", texts.len());
    let changed: Vec<String> = texts
        .iter()
        .filter_map(|text| {
            let redacted = redactor().text(text).into_owned();
            (redacted != *text).then_some(redacted)
        })
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n\n"));
}

#[test]
fn all_of_them_together_pass_the_last_look() {
    let home = Home::write(&planted()).expect("a temporary directory");
    let bytes = fs::read(&home.journal).expect("it was just written");
    let mut redactor = redactor();
    let redacted = redact_session(&session("session-planted.jsonl", &bytes), &mut redactor);
    let output = as_json(&redacted).into_bytes();
    let checker = redactor.checker();
    let passed = checker.pass(&output);
    assert!(*passed.expect("nothing is left") == *output);
    let again = redact_session(&redacted, &mut self::redactor());
    assert_eq!(again, redacted);
}

#[test]
fn recordings_without_secrets_stay_as_they_are() {
    let mut files = Vec::new();
    collect(&gemtrail_testkit::fixtures::directory(), &mut files);
    assert!(files.len() > 150, "{} files", files.len());
    for file in files {
        let bytes = fs::read(&file).expect("a file of the repository");
        let session = session(&file.to_string_lossy(), &bytes);
        let mut redactor = redactor();
        let redacted = redact_session(&session, &mut redactor);
        assert!(
            redacted == session && redactor.secrets() == 0,
            "{}: {:?}",
            file.display(),
            redactor.report().lines()
        );
    }
}

/// Every JSON file of a recording.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|end| end == "json" || end == "jsonl")
        {
            files.push(path);
        }
    }
}

/// Every output that contains words of the session, by name.
fn outputs(session: &Session) -> Vec<(&'static str, Vec<u8>)> {
    let options = Options {
        thoughts: true,
        tools: ToolDetail::Full,
        ..Options::default()
    };
    let mut outputs = Vec::new();
    let mut add = |name, write: &dyn Fn(&mut Vec<u8>) -> Result<(), ExportError>| {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("memory takes everything");
        outputs.push((name, bytes));
    };
    add("md", &|out| markdown::write(session, &options, out));
    add("html", &|out| html::write(session, &options, out));
    add("txt", &|out| plain::write(session, &options, out));
    outputs.push(("json", as_json(session).into_bytes()));
    let pretty = serde_json::to_vec_pretty(session).expect("a session has a JSON form");
    outputs.push(("pretty json", pretty));
    outputs
}

#[test]
fn what_writers_make_of_a_redacted_session_passes_the_last_look_as_it_is() {
    let texts: Vec<Planted> = planted();
    let ordinary = ordinary().into_iter().enumerate().map(|(index, text)| {
        let mut one = texts[index % texts.len()].clone();
        // What a reader sees of a form or an escape is another matter.
        one.form = gemtrail_testkit::secrets::Form::Plain;
        one.text = text;
        one
    });
    let all: Vec<Planted> = ordinary.chain(texts.clone()).collect();
    let session = session("session-planted.jsonl", journal(&all).as_bytes());
    let mut redactor = redactor();
    let redacted = redact_session(&session, &mut redactor);
    for (format, output) in outputs(&redacted) {
        let checker = redactor.checker();
        let passed = checker.pass(&output);
        let passed = passed.unwrap_or_else(|left| panic!("{format}: {left}"));
        let (passed, output) = (
            String::from_utf8_lossy(&passed),
            String::from_utf8_lossy(&output),
        );
        let mended: Vec<(&str, &str)> = output
            .lines()
            .zip(passed.lines())
            .filter(|(before, after)| before != after)
            .collect();
        assert!(mended.is_empty(), "{format}: {mended:#?}");
    }
}
