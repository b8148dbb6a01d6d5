//! Contract §7: what became of messages that are no longer current.

use gemtrail_core::model::Session;
use gemtrail_export::Selection;
use gemtrail_export::present::Options;
use serde_json::json;

use super::support::{all, call, session};

fn conversation() -> Session {
    let gone =
        |text: &str, by: &str| json!({"text": text, "state": "superseded", "superseded_by": by});
    let answer = |text: &str, by: &str| json!({"text": text, "state": "superseded", "superseded_by": by, "role": "assistant", "type": "gemini"});
    session(&[
        gone("compressed words", "compress"),
        answer("compressed answer", "compress"),
        json!({"text": "kept words"}),
        gone("rewound words", "rewind"),
        answer("rewound answer", "rewind"),
        gone("cancelled words", "rollback"),
        gone("words of another branch", "resume"),
        gone("restored words", "restore"),
        json!({"text": "last words"}),
    ])
}

fn written(selection: Selection) -> [String; 3] {
    let options = Options {
        selection,
        ..Options::default()
    };
    all(&conversation(), &options)
}

#[test]
fn what_was_taken_back_is_one_line_without_words() {
    for text in written(Selection::Conversation) {
        assert!(
            text.contains("/rewind: 1 prompt and 1 answer rewound"),
            "{text}"
        );
        assert!(text.contains("1 prompt rolled back: failed or cancelled"));
        for words in ["rewound words", "rewound answer", "cancelled words"] {
            assert!(!text.contains(words), "{words}");
        }
    }
}

#[test]
fn what_was_compressed_or_left_behind_stands_in_place_after_a_divider() {
    for text in written(Selection::Conversation) {
        let places: Vec<_> = [
            "1 prompt and 1 answer compressed away later",
            "compressed words",
            "kept words",
            "1 prompt left behind by a resume",
            "words of another branch",
            "1 prompt left behind by /restore",
            "restored words",
            "last words",
        ]
        .iter()
        .map(|part| {
            text.rfind(part)
                .unwrap_or_else(|| panic!("{part} in {text}"))
        })
        .collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}

#[test]
fn the_agents_of_a_rewound_message_are_taken_back_with_it() {
    let mut session = session(&[
        json!({"text": "kept"}),
        json!({"role": "assistant", "type": "gemini", "state": "superseded", "superseded_by": "rewind",
            "tool_calls": [call(json!({"name": "invoke_agent", "agent": "agent-1"}))]}),
    ]);
    let mut agent = self::session(&[json!({"role": "agent", "text": "agent words"})]);
    agent.id = "agent-1".into();
    session.subagents.push(agent);
    for (selection, is_shown) in [
        (Selection::Current, false),
        (Selection::Conversation, false),
        (Selection::All, true),
    ] {
        let options = Options {
            selection,
            subagents: true,
            ..Options::default()
        };
        for text in all(&session, &options) {
            assert_eq!(text.contains("agent words"), is_shown, "{text}");
        }
    }
}

#[test]
fn superseded_shows_everything() {
    for text in written(Selection::All) {
        for words in [
            "rewound words",
            "rewound answer",
            "cancelled words",
            "kept words",
        ] {
            assert!(text.contains(words), "{words}");
        }
        assert!(text.contains("answer rewound"));
    }
}

#[test]
fn live_leaves_no_trace() {
    for text in written(Selection::Current) {
        for words in [
            "rewound",
            "cancelled",
            "compressed",
            "branch",
            "restored",
            "rolled back",
            "left behind",
        ] {
            assert!(!text.contains(words), "{words}");
        }
        assert!(text.contains("kept words") && text.contains("last words"));
    }
}
