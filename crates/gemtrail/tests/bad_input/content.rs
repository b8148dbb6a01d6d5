//! Files whose content is bad.

use serde_json::Value;

use crate::home::{ANSWER, BadHome, METADATA, Outcome, PROMPT};

const NAME: &str = "session-2026-06-01T10-00-bad-sess.jsonl";

/// A finding that must be reported: its code, and the line if it has one.
type Finding = (&'static str, Option<u64>);

/// What was converted. A file in which nothing could be read is refused, but shown.
fn document(home: &BadHome, path: &str, converted: &Outcome) -> Value {
    if converted.code == Some(0) {
        return converted.json();
    }
    assert_eq!(converted.code, Some(2), "{}", converted.stderr);
    assert!(converted.stdout.is_empty());
    assert!(
        converted.stderr.contains("is not a Gemini CLI session"),
        "{}",
        converted.stderr
    );
    let shown = home.run(["show", path, "--json"]).expect_code(0).json();
    assert_eq!(shown["counts"]["messages"], 0);
    shown
}

/// Puts a file into a home, reads it in every way, and gives its document.
fn check(name: &str, bytes: impl AsRef<[u8]>, expected: &[Finding]) -> Value {
    let home = BadHome::new();
    let file = home.put(name, bytes);
    home.expect_others_unharmed();
    let path = file.to_str().expect("a name in UTF-8");

    let converted = home.run(["convert", path, "--to", "json", "-v"]);
    let document = document(&home, path, &converted);
    let told = &converted.stderr;
    for (code, line) in expected {
        let place = line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        let wanted = format!("{path}{place}: {code}: ");
        assert!(told.contains(&wanted), "{wanted:?} in {told}");
    }
    let codes = |document: &Value| -> Vec<(String, Option<u64>)> {
        let findings = document["diagnostics"].as_array().expect("a list");
        let of = |finding: &Value| {
            let code = finding["code"].as_str().expect("a code").to_owned();
            (code, finding["line"].as_u64())
        };
        findings.iter().map(of).collect()
    };
    let wanted: Vec<_> = expected
        .iter()
        .map(|(code, line)| ((*code).to_owned(), *line))
        .collect();
    assert_eq!(codes(&document), wanted, "{document:#}");

    for name in [path, name.split('.').next().expect("a stem")] {
        let shown = home.run(["show", name, "--json"]).expect_code(0).json();
        assert_eq!(codes(&shown), wanted, "show {name}");
        for finding in shown["diagnostics"].as_array().expect("a list") {
            assert_eq!(finding["journal"], path);
        }
        assert_eq!(shown["counts"], document["counts"], "show {name}");
        home.run(["show", name]).expect_code(0).expect_clean();
    }
    for format in [
        "md",
        "txt",
        "html",
        "jsonl",
        "chat",
        "events",
        "usage",
        "transcript",
        "native",
    ] {
        let outcome = home.run(["convert", path, "--to", format, "--quiet"]);
        // Some formats cannot express a file without messages; they say so.
        assert!(matches!(outcome.code, Some(0..=2)), "{format}: {outcome:?}");
    }
    document
}

fn log(lines: &[&str]) -> String {
    lines.join("\n") + "\n"
}

fn texts(document: &Value) -> Vec<&str> {
    let messages = document["messages"].as_array().expect("a list");
    messages
        .iter()
        .filter_map(|message| message["text"].as_str())
        .collect()
}

#[test]
fn files_that_hold_nothing() {
    for (bytes, last_line) in [("", 1), (" \n\t\r\n\n", 4)] {
        let document = check(NAME, bytes, &[("empty-file", Some(last_line))]);
        assert_eq!(document["counts"]["messages"], 0);
    }
    let expected = [("byte-order-mark", Some(1)), ("empty-file", Some(1))];
    check(NAME, "\u{feff}", &expected);
}

#[test]
fn a_file_that_holds_nothing_is_a_stub() {
    let home = BadHome::new();
    home.put(NAME, "");
    let listed = |all: bool| {
        let mut args = vec!["list", "--json"];
        args.extend(all.then_some("--all"));
        home.run(args).expect_code(0).json_lines().len()
    };
    assert_eq!((listed(false), listed(true)), (1, 2));
}

#[test]
fn marks_and_line_ends_of_other_systems() {
    let text = log(&[METADATA, PROMPT, ANSWER]);
    let marked = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    let document = check(NAME, marked, &[("byte-order-mark", Some(1))]);
    assert_eq!(texts(&document), ["a prompt", "an answer"]);
    let document = check(NAME, text.replace('\n', "\r\n"), &[]);
    assert_eq!(texts(&document), ["a prompt", "an answer"]);
    let spaced = PROMPT.replace("a prompt", "one\u{2028}two\u{2029}three");
    let document = check(NAME, log(&[METADATA, &spaced]), &[]);
    assert_eq!(texts(&document), ["one\u{2028}two\u{2029}three"]);
}

#[test]
fn nul_bytes() {
    let inside = PROMPT.replace("a prompt", "a\0prompt");
    let document = check(
        NAME,
        log(&[METADATA, &inside, ANSWER]),
        &[("nul-bytes", Some(2))],
    );
    assert_eq!(texts(&document), ["an answer"]);
    // What a crash of the machine leaves: a block of zeros, and the next start appends to it.
    let mixed = format!("{}{ANSWER}", "\0".repeat(4096));
    let document = check(
        NAME,
        log(&[METADATA, PROMPT, &mixed]),
        &[("nul-bytes", Some(3))],
    );
    assert_eq!(texts(&document), ["a prompt", "an answer"]);
    let expected = [("nul-bytes", Some(1)), ("unknown-format", None)];
    check(NAME, vec![0; 65536], &expected);
}

#[test]
fn text_that_is_no_text() {
    let mut bytes = log(&[METADATA, PROMPT, ANSWER]).into_bytes();
    let at = bytes
        .windows(6)
        .position(|w| w == b"prompt")
        .expect("the prompt");
    bytes[at] = 0xFF;
    let document = check(NAME, bytes, &[("invalid-utf8", Some(2))]);
    assert_eq!(texts(&document)[0], "a \u{FFFD}rompt");

    let lone = PROMPT.replace("a prompt", r"cut \ud83d");
    let document = check(
        NAME,
        log(&[METADATA, &lone]),
        &[("lone-surrogate", Some(2))],
    );
    assert_eq!(texts(&document), ["cut \u{FFFD}"]);
}

#[test]
fn odd_objects() {
    let twice = PROMPT.replace("\"type\"", "\"type\":\"gemini\",\"type\"");
    let document = check(
        NAME,
        log(&[METADATA, &twice]),
        &[("duplicate-key", Some(2))],
    );
    assert_eq!(
        document["messages"][0]["role"], "human",
        "the last one counts"
    );
    let patch = r#"{"$patch":[{"op":"add"}]}"#;
    let document = check(
        NAME,
        log(&[METADATA, patch, PROMPT]),
        &[("unknown-record", Some(2))],
    );
    assert_eq!(document["records"][0]["record"]["$patch"][0]["op"], "add");
    let new = PROMPT.replace("user", "holodeck");
    let document = check(NAME, log(&[METADATA, &new]), &[("unknown-type", Some(2))]);
    assert_eq!(document["messages"][0]["role"], "unknown");
    let rewind = r#"{"$rewindTo":"nobody"}"#;
    let document = check(
        NAME,
        log(&[METADATA, PROMPT, rewind]),
        &[("rewind-target-missing", Some(3))],
    );
    assert_eq!(document["messages"][0]["superseded_by"], "rewind");
    check(NAME, log(&[PROMPT]), &[("missing-session-id", None)]);
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 100_000;
    let arrays = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    let objects = r#"{"a":"#.repeat(DEPTH) + "1" + &"}".repeat(DEPTH);
    for value in [&arrays, &objects] {
        let deep = PROMPT.replace("\"a prompt\"", value);
        let document = check(
            NAME,
            log(&[METADATA, &deep, ANSWER]),
            &[("too-deep", Some(2))],
        );
        assert_eq!(texts(&document), ["an answer"]);
        let expected = [("too-deep", Some(1)), ("unknown-format", None)];
        check(NAME, value, &expected);
    }
}

#[test]
fn a_document_is_deeper_than_its_source_and_reads_again() {
    let home = BadHome::new();
    let nested = "[".repeat(500) + &"]".repeat(500);
    let call = format!(r#"{{"id":"c","name":"x","args":{nested},"result":{nested}}}"#);
    let answer = format!("{},\"toolCalls\":[{call}]}}", &ANSWER[..ANSWER.len() - 1]);
    let prompt = PROMPT.replace("\"a prompt\"", &nested);
    let convert = |name: &str, bytes: &[u8]| {
        let file = home.put(name, bytes);
        let path = file.to_str().expect("a name in UTF-8");
        let outcome = home
            .run(["convert", path, "--to", "json", "-v"])
            .expect_code(0);
        assert_eq!(outcome.stderr, "");
        outcome.stdout
    };
    let document = convert(NAME, log(&[METADATA, &prompt, &answer]).as_bytes());
    assert!(String::from_utf8_lossy(&document).contains(&nested));
    assert_eq!(convert("session-again.json", &document), document);
    home.expect_others_unharmed();
}

#[test]
fn numbers_that_no_counter_holds() {
    for number in [
        "-1",
        "1.5",
        "1e999",
        "99999999999999999999999",
        "\"7\"",
        "[]",
        "true",
    ] {
        let odd = ANSWER.replace("\"total\":7", &format!("\"total\":{number}"));
        let document = check(NAME, log(&[METADATA, &odd]), &[("bad-number", Some(2))]);
        assert_eq!(document["messages"][0]["tokens"]["total"], 0);
        let kept = &document["messages"][0]["extra"]["tokens"];
        assert_eq!(
            kept["input"], 5,
            "what is not understood is kept as written"
        );
    }
    let most = ANSWER.replace("\"total\":7", &format!("\"total\":{}", u64::MAX));
    let twice = log(&[METADATA, &most, &most.replace("m2", "m3")]);
    let document = check(NAME, twice, &[]);
    assert_eq!(
        document["tokens"]["total"],
        u64::MAX,
        "sums stay within bounds"
    );
    let late = PROMPT.replace("2026-06-01T10:00:01.000Z", "+99999-13-45");
    check(NAME, log(&[METADATA, &late]), &[("bad-time", Some(2))]);
}

#[test]
fn wrong_types_and_nulls_everywhere() {
    let fields = [
        "timestamp",
        "type",
        "content",
        "displayContent",
        "model",
        "thoughts",
        "tokens",
        "toolCalls",
    ];
    for value in [
        "null",
        "true",
        "-1.5",
        "\"\"",
        "[]",
        "{}",
        "[null,1,[],{}]",
        "{\"\":[]}",
    ] {
        let members: Vec<String> = fields
            .iter()
            .map(|name| format!("\"{name}\":{value}"))
            .collect();
        let message = format!("{{\"id\":\"m1\",{}}}", members.join(","));
        let checkpoint = format!("{{\"$set\":{{\"messages\":[{value},{message}]}}}}");
        let calls = format!(
            r#"{{"id":"m2","type":"gemini","toolCalls":[{{"id":{value},"name":{value},"args":{value},"status":{value},"result":{value},"resultDisplay":{value},"timestamp":{value},"agentId":{value}}}]}}"#
        );
        let metadata = METADATA.replace("\"main\"", value);
        let home = BadHome::new();
        for (name, text) in [
            (
                "session-a.jsonl",
                log(&[&metadata, &message, &checkpoint, &calls]),
            ),
            (
                "session-b.json",
                format!("{{\n\"sessionId\":{value},\n\"messages\":[\n{message},\n{calls}\n]}}"),
            ),
            (
                "session-c.json",
                format!("{{\"sessionId\":\"c\",\"messages\":{value}}}"),
            ),
            (
                "session-d.json",
                format!("[{value},{{\"role\":{value},\"parts\":{value}}}]"),
            ),
            ("session-e.json", value.to_owned()),
        ] {
            let file = home.put(name, text);
            let path = file.to_str().expect("a name in UTF-8");
            let outcome = home.run(["convert", path, "--to", "json", "-v"]);
            if name == "session-e.json" {
                document(&home, path, &outcome);
            } else {
                outcome.expect_code(0).json();
            }
            home.run(["show", path]).expect_code(0).expect_clean();
        }
        home.expect_others_unharmed();
    }
    let odd = PROMPT.replace("\"user\"", "5");
    let expected = [("unexpected-type", Some(2)), ("unknown-type", Some(2))];
    let document = check(NAME, log(&[METADATA, &odd]), &expected);
    assert_eq!(document["messages"][0]["extra"]["type"], 5);
}

#[test]
fn whole_files_that_end_too_early() {
    let lines = [
        "{",
        r#"  "sessionId": "bad-session","#,
        r#"  "projectHash": "h","#,
        r#"  "messages": ["#,
        &format!("    {PROMPT},"),
        &format!("    {ANSWER}"),
        "  ],",
        r#"  "summary": "done""#,
        "}",
    ]
    .join("\n");
    let home = BadHome::new();
    for end in (1..lines.len()).step_by(23) {
        let file = home.put("session-cut.json", &lines[..end]);
        let path = file.to_str().expect("a name in UTF-8");
        let converted = home.run(["convert", path, "--to", "json"]);
        let document = document(&home, path, &converted);
        let codes: Vec<_> = document["diagnostics"]
            .as_array()
            .expect("a list")
            .iter()
            .collect();
        assert!(
            codes
                .iter()
                .any(|finding| finding["code"] == "truncated-file"),
            "{end}: {codes:?}"
        );
        assert!(codes.iter().all(|finding| finding["line"] != 0));
        home.run(["list", "--all"]).expect_code(0).expect_clean();
    }
    let cut = lines.find("an answer").expect("the answer");
    let document = check(
        "session-cut.json",
        &lines[..cut],
        &[("truncated-file", Some(6))],
    );
    assert_eq!(texts(&document), ["a prompt"]);
    let trailing = format!("{lines}\n\nmore\n");
    let document = check(
        "session-more.json",
        trailing,
        &[("trailing-bytes", Some(11))],
    );
    assert_eq!(document["summary"], "done");
    // A share file, cut off.
    let turns = r#"[{"role":"user","parts":[{"text":"one"}]},{"role":"mod"#;
    let document = check("session-share.json", turns, &[("truncated-file", Some(1))]);
    assert_eq!(texts(&document), ["one"]);
}

#[test]
fn the_ending_of_a_name_means_nothing() {
    let whole =
        format!("{{\n\"sessionId\": \"bad-session\",\n\"messages\": [\n{PROMPT},\n{ANSWER}]\n}}");
    let document = check(NAME, whole, &[]);
    assert_eq!(document["journals"][0]["format"], "json");
    assert_eq!(texts(&document), ["a prompt", "an answer"]);
    let document = check("session-log.json", log(&[METADATA, PROMPT, ANSWER]), &[]);
    assert_eq!(document["journals"][0]["format"], "jsonl");
    assert_eq!(texts(&document), ["a prompt", "an answer"]);
}

#[test]
fn lines_that_were_not_written_in_one_piece() {
    let torn = &ANSWER[..ANSWER.len() / 2];
    let text = [METADATA, PROMPT, torn].join("\n");
    let document = check(NAME, text, &[("torn-line", Some(3))]);
    assert_eq!(texts(&document), ["a prompt"]);
    // What a tool was given may look like a message, and must not become one when the line is torn.
    let record =
        r#"{"id":"x","type":"user","timestamp":"2026-06-01T10:00:00.000Z","content":"never said"}"#;
    let torn = format!(r#"{{"id":"m2","type":"gemini","toolCalls":[{{"id":"c","args":{record}"#);
    let document = check(
        NAME,
        [METADATA, PROMPT, &torn].join("\n"),
        &[("torn-line", Some(3))],
    );
    assert_eq!(texts(&document), ["a prompt"]);

    let mixed = format!("{}{ANSWER}", &PROMPT[..PROMPT.len() / 2]);
    let document = check(
        NAME,
        log(&[METADATA, &mixed]),
        &[("interleaved-lines", Some(2))],
    );
    assert_eq!(texts(&document), ["an answer"]);
    assert_eq!(
        document["messages"][0]["state"], "superseded",
        "Gemini CLI skips the line"
    );
    let garbage = log(&[METADATA, "not JSON at all", PROMPT]);
    let document = check(NAME, garbage, &[("bad-json", Some(2))]);
    assert_eq!(texts(&document), ["a prompt"]);
}

#[test]
fn a_session_that_changes_its_id_goes_by_the_last() {
    let home = BadHome::new();
    let renamed = r#"{"$set":{"sessionId":"another-id"}}"#;
    home.put(NAME, log(&[METADATA, PROMPT, renamed, ANSWER]));
    for name in ["another-id", "session-2026-06-01T10-00-bad-sess", "anoth"] {
        let shown = home.run(["show", name, "--json"]).expect_code(0).json();
        assert_eq!(
            (&shown["id"], &shown["counts"]["messages"]),
            (&"another-id".into(), &2.into())
        );
    }
}
