//! The requirements S004-8 to S004-13 and the resolutions C-1 and C-10.

use gemtrail_export::present::{Options, ToolDetail};
use serde_json::json;

use super::support::{all, brief, call, demo, md, page, session, txt};

#[test]
fn s004_8_gemini_is_shown_as_assistant() {
    let session = session(&[json!({"role": "assistant", "type": "gemini", "text": "Hello."})]);
    let options = Options::default();
    assert!(md(&session, &options).contains("## Assistant · 10:00"));
    assert!(txt(&session, &options).contains("\nassistant  10:00\n"));
    assert!(page(&session, &options).contains("<span class=\"name\">Assistant</span>"));
}

#[test]
fn s004_9_thoughts_are_shown_with_subject_and_text() {
    for text in all(&demo(), &Options::default()) {
        assert!(text.contains("Looking for the delay"));
        assert!(text.contains("before I propose a"));
    }
}

#[test]
fn c_1_thoughts_are_a_switch_that_is_on_at_full_detail() {
    assert!(Options::default().thoughts);
    let off = Options {
        thoughts: false,
        ..Options::default()
    };
    for text in all(&demo(), &off) {
        assert!(!text.contains("Looking for the delay"));
        assert!(text.contains("Then I ask an agent"), "the words stay");
    }
}

#[test]
fn s004_10_tool_calls_have_name_arguments_result_and_status() {
    let session = session(&[json!({
        "role": "assistant", "type": "gemini",
        "tool_calls": [
            call(json!({"name": "glob", "args": {"pattern": "**/*.rs"}, "output": "Found 2 file(s)\na.rs\nb.rs"})),
            call(json!({"args": {"file_path": "/x"}, "status": "error", "error": "File not found: /x"})),
        ],
    })]);
    for text in all(&session, &Options::default()) {
        for part in [
            "glob",
            "pattern",
            "**/*.rs",
            "a.rs",
            "2 files",
            "read_file",
            "/x",
            "File not found",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    let text = md(&session, &Options::default());
    assert!(text.contains("`glob` success") && text.contains("`read_file` error"));
}

#[test]
fn s004_10_detail_goes_from_none_over_brief_to_full() {
    let none = Options {
        tools: ToolDetail::None,
        ..Options::default()
    };
    for text in all(&demo(), &none) {
        assert!(!text.contains("cargo test --test webhook"));
    }
    for text in all(&demo(), &brief()) {
        assert!(text.contains("cargo test --test webhook") && text.contains("exit 101"));
        assert!(!text.contains("running 3 tests"));
    }
    for text in all(&demo(), &Options::default()) {
        assert!(text.contains("running 3 tests"));
    }
}

#[test]
fn s004_11_tokens_of_each_message_and_of_the_session() {
    for text in all(&demo(), &Options::default()) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("18,519 tokens: 18,211 in, 9,120 of it cached, 96 out, 212 for thoughts")
        );
        assert!(text.contains("136,326 tokens: 134,681 in"));
    }
}

#[test]
fn s004_12_each_turn_names_its_model() {
    let text = md(&demo(), &Options::default());
    assert!(text.contains("## Assistant · 13:02 · gemini-3-pro-preview"));
    assert!(text.contains("## Assistant · 13:12 · gemini-3-flash-preview"));
}

#[test]
fn s004_13_everything_captured_is_in_the_document() {
    let hash = "2a482ae933ef3d6db12e1c2ed27fe61aacddecc36cc4a11d28cdb1b63934cda9";
    for text in all(&demo(), &Options::default()) {
        for part in [
            "2f1e0a52-6a1c-4b0e-9d3e-0c6f3b1f77aa",
            hash,
            "Sat 14 Nov 2026, 13:01",
            "Sun 15 Nov 2026, 08:44",
            "13:12",
            "The webhook test fails one time in five",
            "in three clusters",
            "A trait is enough",
            "gemini-3-flash-preview",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }
}

#[test]
fn s004_14_a_hash_without_path_is_shown_by_its_first_eight_characters() {
    let mut session = session(&[json!({"text": "hi"})]);
    session.project.dir = session.project.hash.clone();
    assert!(md(&session, &Options::default()).contains("| Project | abababab |"));
}

#[test]
fn c_10_remarks_of_the_interface_are_shown_and_an_empty_one_is_a_compression() {
    for text in all(&demo(), &Options::default()) {
        assert!(text.contains("Switched to the model"));
        assert!(text.contains("The context window is 80 % full."));
        assert!(text.contains("quota exceeded"));
        assert!(text.contains("/compress ran here"));
    }
}

#[test]
fn minimal_leaves_only_what_was_said() {
    let minimal = Options {
        minimal: true,
        tools: ToolDetail::None,
        ..Options::default()
    };
    for text in all(&demo(), &minimal) {
        for part in [
            "Project hash",
            "2a482ae9",
            "Thoughts",
            "tokens",
            "session_context",
        ] {
            assert!(!text.contains(part), "{part}");
        }
        assert!(text.contains("in three clusters"));
    }
}

#[test]
fn subagents_are_one_line_or_a_session_of_their_own() {
    for text in all(&demo(), &Options::default()) {
        assert!(text.contains("codebase_investigator") && text.contains("2 calls, 14k tokens"));
        assert!(!text.contains("I will search for"));
    }
    let with = Options {
        subagents: true,
        ..Options::default()
    };
    for text in all(&demo(), &with) {
        assert!(text.contains("I will search for"));
        assert!(text.to_lowercase().contains("parent agent"));
    }
}

#[test]
fn times_are_in_the_zone_of_the_reader() {
    let options = Options {
        zone: jiff::tz::TimeZone::fixed(jiff::tz::offset(9)),
        ..Options::default()
    };
    let text = md(&demo(), &options);
    assert!(text.contains("## 1 · Human · 22:02"));
    assert!(text.contains("(UTC+09:00)"));
}

#[test]
fn a_call_that_failed_without_a_word_has_no_empty_block() {
    let failed = call(json!({"status": "error", "error": ""}));
    let answer = json!({"id": "a", "role": "assistant", "text": "x", "tool_calls": [failed]});
    let text = md(&session(&[answer]), &Options::default());
    assert!(
        text.contains("read_file") && !text.contains("```"),
        "{text}"
    );
}
