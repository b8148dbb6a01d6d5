//! What scripts can rely on: with `--json` every line on standard error is JSON, too.

mod support;

use serde_json::Value;
use support::{Person, Ran};

/// The one line on standard error.
#[track_caller]
fn told(ran: &Ran) -> Value {
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    serde_json::from_str(&ran.err).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn wrong_use_is_an_error_like_others() {
    let person = Person::new();
    for (arguments, wanted) in [
        (&["--json", "show"][..], "<SESSION>"),
        (&["show", "--json"], "<SESSION>"),
        (&["list", "--json", "--bogus"], "--bogus"),
        (
            &["search", "x", "--state", "foo", "--json"],
            "possible values",
        ),
        (&["--json", "lst"], "lst"),
        (&["--json", "archive"], "a command is missing"),
        (&["sync", "--json", "--poll", "1"], "--watch"),
        (
            &["list", "--json", "--archive", "a", "--no-archive"],
            "--no-archive",
        ),
        (
            &[
                "list",
                "--json",
                "--project",
                "a\nb",
                "--limit",
                "x\n\u{1b}[1m",
            ],
            "--limit",
        ),
    ] {
        let ran = person.run(arguments);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert_eq!(ran.out, "");
        let error = told(&ran);
        assert_eq!(error["schema"], "gemtrail.error/1");
        assert_eq!(error["code"], "usage");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(wanted), "{message}");
        assert!(!message.starts_with("error"), "{message}");
        assert!(!error["hint"].as_str().expect("a hint").is_empty());
    }
    let hint = told(&person.run(&["--json", "lst"]))["hint"].clone();
    assert!(hint.as_str().expect("a hint").contains("'list'"), "{hint}");
}

#[test]
fn without_json_wrong_use_is_told_to_people() {
    let person = Person::new();
    let ran = person.run(&["show"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    // A word of a query is no option.
    let ran = person.run(&["list", "--bogus", "--", "--json"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    for arguments in [["--json", "--help"], ["--json", "--version"]] {
        let ran = person.run(&arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(ran.out.contains("gemtrail") || ran.out.contains("Gemini"));
    }
}

#[test]
fn an_error_in_a_query_says_where() {
    let person = Person::new();
    person.project("app");
    let error = told(&person.run(&["search", "ünï", "rolle:human", "--json"]));
    assert_eq!(error["code"], "bad-query");
    assert_eq!((&error["at"], &error["length"]), (&4.into(), &5.into()));
    // Elsewhere there is no such place.
    let error = told(&person.run(&["search", "x", "--since", "soon", "--json"]));
    assert_eq!(error.get("at"), None, "{error}");
}

#[test]
fn notes_are_lines_of_json() {
    let person = Person::new();
    person.project("app");
    person.write(".config/gemtrail/config.toml", "colour = 1\n");
    let ran = person.run(&["show", "nothing-like-it", "--json"]);
    assert_eq!(ran.code, Some(1));
    let lines: Vec<Value> = ran
        .err
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{}", ran.err);
    assert_eq!(lines[0]["schema"], "gemtrail.note/1");
    assert!(
        lines[0]["message"]
            .as_str()
            .expect("text")
            .contains("`colour`")
    );
    assert_eq!(lines[1]["schema"], "gemtrail.error/1");
    let quiet = person.run(&["show", "nothing-like-it", "--json", "--quiet"]);
    assert_eq!(told(&quiet)["code"], "not-found");
}

#[test]
fn errors_and_notes_have_schemas() {
    let person = Person::new();
    for name in ["error", "note"] {
        let ran = person.run(&["schema", name]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let schema: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert!(schema["properties"]["message"].is_object(), "{schema}");
    }
}
