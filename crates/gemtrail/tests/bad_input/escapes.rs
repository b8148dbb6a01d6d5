//! Nothing from a file reaches the terminal as it is.

use crate::home::{ANSWER, BadHome, METADATA, PROMPT};

/// Sets the title, clears the screen, rings the bell, turns the text round, and more.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{8}\r\u{7f}\u{85}";

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string has a JSON form")
}

#[test]
fn escape_sequences_in_every_field() {
    let evil = quoted(EVIL);
    let metadata = METADATA
        .replace("\"bad-session\"", &quoted(&format!("evil{EVIL}")))
        .replace("\"main\"", &evil);
    let metadata = format!(
        "{},\"summary\":{evil},\"directories\":[{evil}]}}",
        metadata.trim_end_matches('}')
    );
    let prompt = PROMPT
        .replace("\"a prompt\"", &evil)
        .replace("\"m1\"", &evil);
    let answer = ANSWER
        .replace("\"an answer\"", &evil)
        .replace("\"gemini-3-pro\"", &evil);
    let call = format!(
        r#"{{"id":{evil},"name":{evil},"displayName":{evil},"description":{evil},"args":{{{evil}:{evil}}},"status":"error","result":[{{"functionResponse":{{"id":{evil},"name":{evil},"response":{{"error":{evil}}}}}}}],"resultDisplay":{evil}}}"#
    );
    let answer = format!("{},\"toolCalls\":[{call}]}}", &answer[..answer.len() - 1]);
    let unknown = PROMPT.replace("\"user\"", &evil).replace("m1", "m9");
    let time = PROMPT
        .replace("2026-06-01T10:00:01.000Z", "now\\u001b[2J")
        .replace("m1", "m8");
    let lines = [
        metadata,
        prompt,
        answer,
        unknown,
        time,
        EVIL.to_owned(),
        format!("{{{evil}:1}}"),
    ];
    let home = BadHome::new();
    let file = home.put("session-2026-06-01T10-00-evil.jsonl", lines.join("\n"));
    home.expect_others_unharmed();
    let path = file.to_str().expect("a name in UTF-8");
    home.run(["list"]).expect_code(0).expect_clean();
    for extra in [&["--tools", "full", "--thoughts", "--superseded"][..], &[]] {
        let args = [&["show", path], extra].concat();
        home.run(args).expect_code(0).expect_clean();
    }
    let told = home
        .run(["convert", path, "--to", "json", "-v"])
        .expect_code(0)
        .expect_clean();
    assert!(told.stderr.contains("bad-json"), "{}", told.stderr);
    assert_eq!(told.json()["messages"][0]["content"][0]["text"], EVIL);
    for args in [
        &["list", "--json"][..],
        &["show", path, "--json"],
        &["doctor", "--json"],
    ] {
        home.run(args).expect_code(0).expect_clean();
    }
    for format in ["jsonl", "chat", "events"] {
        let args = ["convert", path, "--to", format];
        home.run(args).expect_code(0).expect_clean();
    }
    for format in ["md", "txt", "html", "transcript"] {
        let outcome = home.run(["convert", path, "--to", format]).expect_code(0);
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        assert!(
            !text.contains(['\u{1b}', '\u{9b}', '\u{7}', '\u{202e}']),
            "{format}: {text:?}"
        );
    }
}

#[test]
fn list_search_and_show_treat_invisible_characters_alike() {
    let home = BadHome::new();
    let prompt = PROMPT.replace(
        "\"a prompt\"",
        &quoted("cart a\u{e0041}\u{fff9}\u{1b}[31mred\u{1b}[0m"),
    );
    let file = home.put(
        "session-2026-06-01T10-00-odd.jsonl",
        format!("{METADATA}\n{prompt}\n"),
    );
    let path = file.to_str().expect("a name in UTF-8");
    for args in [
        &["list"][..],
        &["search", "cart"],
        &["search", "cart", "--flat"],
        &["show", path],
    ] {
        let outcome = home.run(args).expect_code(0).expect_clean();
        let text = String::from_utf8_lossy(&outcome.stdout);
        assert!(
            text.contains("cart a‹U+E0041›‹U+FFF9›red"),
            "{args:?}: {text}"
        );
        assert!(!text.contains(['\u{e0041}', '\u{fff9}']), "{args:?}");
    }
}

#[test]
fn escape_sequences_in_arguments_and_errors() {
    let home = BadHome::new();
    home.run(["show", EVIL]).expect_code(1).expect_clean();
    home.run(["convert", EVIL, "--to", "json"])
        .expect_code(2)
        .expect_clean();
    home.run(["list", "--project", EVIL])
        .expect_code(1)
        .expect_clean();
    home.run(["list", "--since", EVIL])
        .expect_code(2)
        .expect_clean();
    // Two sessions with one name, which the message about it must list.
    for (name, start) in [("a", "10"), ("b", "11")] {
        let id = format!("evil{EVIL}{name}");
        let text = METADATA
            .replace("\"bad-session\"", &quoted(&id))
            .replace("T10:", &format!("T{start}:"));
        home.put(
            format!("session-2026-06-01T10-00-{name}.jsonl"),
            format!("{text}\n{PROMPT}\n"),
        );
    }
    home.run(["show", "evil"]).expect_code(2).expect_clean();
}
