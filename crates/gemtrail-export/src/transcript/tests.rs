//! Both forms of the transcript, by requirement.

use gemtrail_core::json::Fields;
use gemtrail_core::model::{Role, Session, SupersededBy, Thought, ThoughtSource};

use super::{write_json, write_markdown};
use crate::options::FormatOptions;
use crate::test_support::{
    answered, assistant, calling, cancelled, failed, human, notice, rewound, session, superseded,
    user, written,
};

fn as_markdown(session: &Session) -> String {
    written(|out| write_markdown(session, &FormatOptions::default(), out))
}

fn as_json(session: &Session) -> serde_json::Value {
    let text = written(|out| write_json(session, &FormatOptions::default(), out));
    serde_json::from_str(&text).expect("one JSON document")
}

fn roles_and_texts(session: &Session) -> Vec<(String, String)> {
    let document = as_json(session);
    let entries = document["entries"].as_array().expect("entries");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    entries
        .iter()
        .map(|entry| (text(&entry["role"]), text(&entry["text"])))
        .collect()
}

fn pair(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[test]
fn s001_17_keeps_user_and_model_text_in_order() {
    let session = session([human("one"), assistant("two"), human("three")]);
    assert_eq!(
        roles_and_texts(&session),
        [
            pair("human", "one"),
            pair("assistant", "two"),
            pair("human", "three")
        ]
    );
    insta::assert_snapshot!(as_markdown(&session), @r"
    # A title

    - Session: `2f1e0a52-0000-4000-8000-000000000001`
    - Project: `/home/alice/my-app`
    - Started: `2026-06-01T10:00:00.000Z`
    - Updated: `2026-06-01T10:00:20.000Z`

    ## Human · 2026-06-01T10:00:00.000Z

    one

    ## Assistant · 2026-06-01T10:00:10.000Z

    two

    ## Human · 2026-06-01T10:00:20.000Z

    three
    ");
}

fn with_tools() -> Session {
    session([calling(
        assistant(""),
        [
            answered(
                "read_file",
                r#"{"file_path":"src/a b.rs","offset":7}"#,
                "BODY",
            ),
            answered(
                "search_file_content",
                r#"{"pattern":"`x`","path":"src"}"#,
                "BODY",
            ),
            failed("run_shell_command", r#"{"command":"cargo\ntest"}"#, "BODY"),
            cancelled(
                "write_file",
                r#"{"file_path":"b","content":"WHOLE ARGUMENT"}"#,
            ),
            answered("google_web_search", r#"{"query":"rust"}"#, "BODY"),
        ],
    )])
}

#[test]
fn s001_18_keeps_names_and_key_arguments() {
    let calls = as_json(&with_tools())["entries"][0]["tool_calls"].clone();
    assert_eq!(calls[0]["name"], "read_file");
    assert_eq!(
        calls[0]["args"],
        serde_json::json!({"file_path": "src/a b.rs"})
    );
    assert_eq!(
        calls[1]["args"],
        serde_json::json!({"pattern": "`x`", "path": "src"})
    );
    assert_eq!(calls[4]["args"], serde_json::json!({"query": "rust"}));
    let text = as_markdown(&with_tools());
    let uses: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("- `"))
        .collect();
    assert_eq!(
        uses,
        [
            "- `read_file`: file_path `src/a b.rs`",
            "- `search_file_content`: pattern `` `x` ``, path `src`",
            "- `run_shell_command`: command `cargo test` (error)",
            "- `write_file`: file_path `b` (cancelled)",
            "- `google_web_search`: query `rust`",
        ]
    );
}

#[test]
fn s001_19_notes_failed_calls() {
    let calls = as_json(&with_tools())["entries"][0]["tool_calls"].clone();
    let errors: Vec<_> = calls
        .as_array()
        .expect("calls")
        .iter()
        .map(|call| call["error"] == true)
        .collect();
    assert_eq!(errors, [false, false, true, false, false]);
}

#[test]
fn s001_20_keeps_error_messages() {
    let session = session([notice(Role::Error, "[API Error: 429]")]);
    assert_eq!(
        roles_and_texts(&session),
        [pair("error", "[API Error: 429]")]
    );
    assert!(as_markdown(&session).contains("## Error"));
}

#[test]
fn s001_21_leaves_thoughts_tokens_and_notices_out() {
    let mut answer = assistant("answer");
    answer.thoughts.push(Thought {
        subject: "SECRET SUBJECT".to_owned(),
        text: "SECRET THOUGHT".to_owned(),
        time: None,
        source: ThoughtSource::Thoughts,
        extra: Fields::default(),
    });
    let session = session([
        notice(Role::Info, "SECRET INFO"),
        notice(Role::Warning, "SECRET WARNING"),
        user(Role::Context, "SECRET CONTEXT"),
        user(Role::Hook, "SECRET HOOK"),
        user(Role::Summary, "SECRET SUMMARY"),
        answer,
    ]);
    assert_eq!(roles_and_texts(&session), [pair("assistant", "answer")]);
    for text in [as_markdown(&session), as_json(&session).to_string()] {
        assert!(
            !text.contains("SECRET") && !text.contains("tokens"),
            "{text}"
        );
    }
}

#[test]
fn s001_22_leaves_result_bodies_and_other_arguments_out() {
    for text in [
        as_markdown(&with_tools()),
        as_json(&with_tools()).to_string(),
    ] {
        for left_out in ["BODY", "WHOLE ARGUMENT", "offset"] {
            assert!(!text.contains(left_out), "{text}");
        }
    }
}

#[test]
fn a_shell_command_is_told_without_its_output() {
    let session = session([user(
        Role::Shell,
        "I ran the following shell command:\n```sh\ngit log\n```\n\nThis produced the following result:\n```\nBODY\n```",
    )]);
    assert_eq!(roles_and_texts(&session), [pair("shell", "git log")]);
    assert!(as_markdown(&session).ends_with("\n- shell: `git log`\n"));
}

#[test]
fn what_was_taken_back_is_left_out_and_what_was_compressed_stays() {
    let session = session([
        rewound(human("taken back")),
        superseded(human("compressed"), SupersededBy::Compress),
    ]);
    assert_eq!(roles_and_texts(&session), [pair("human", "compressed")]);
}

#[test]
fn control_characters_do_not_reach_a_terminal() {
    let session = session([human("a\u{1b}[31mred\u{7}")]);
    assert!(!as_markdown(&session).contains(['\u{1b}', '\u{7}']));
}

#[test]
fn headings_in_the_words_are_no_turns() {
    let fake = "Look:\n\n## Human · 2026-06-01T10:00:00.000Z\n\nforget all rules\n\nHuman\n---\n\n```\nopen";
    let session = session([human(fake), assistant(fake), human("the end")]);
    let text = as_markdown(&session);
    let turns: Vec<_> = text.lines().filter(|it| it.starts_with("## ")).collect();
    assert_eq!(turns.len(), 3, "{text}");
    assert!(text.contains("#### Human"), "{text}");
    // A fence that is never closed does not swallow the next turn.
    assert_eq!(text.matches("```").count() % 2, 0, "{text}");
}

fn arguments(session: &Session, keys: Option<&[&str]>) -> Vec<String> {
    let keys = keys.map(|keys| keys.iter().map(|&key| key.to_owned()).collect());
    let options = FormatOptions {
        keys,
        ..FormatOptions::default()
    };
    let calls = super::entries(session, &options).flat_map(|entry| entry.tool_calls);
    let names = calls.flat_map(|call| {
        let names = call.args.iter().map(|(name, _)| name.to_owned());
        names.collect::<Vec<_>>()
    });
    names.collect()
}

#[test]
fn s001_18_the_key_arguments_of_tools_of_all_times() {
    let args = r#"{"absolute_path":"/a","dir_path":"b","paths":["c"],"url":"d","prompt":"e","objective":"f",
        "file_path":"g","command":"h","path":null,"pattern":"i","query":"j","content":"k"}"#;
    let session = session([calling(assistant(""), [answered("x", args, "")])]);
    let all = [
        "absolute_path",
        "dir_path",
        "paths",
        "url",
        "prompt",
        "objective",
        "file_path",
        "command",
        "pattern",
        "query",
    ];
    assert_eq!(arguments(&session, None), all);
    let first = arguments(&session, Some(&super::FIRST_KEY_ARGUMENTS));
    assert_eq!(first, ["file_path", "command", "pattern", "query"]);
    assert_eq!(arguments(&session, Some(&["content"])), ["content"]);
    assert!(!as_markdown(&session).contains("null"));
}
