//! What every format for people is made of.

use gemtrail_core::model::{Session, SupersededBy};
use gemtrail_export::Selection;
use gemtrail_export::present::{
    Block, Body, CallBlock, Divider, MessageBlock, Options, Outcome, Presentation,
};
use serde_json::{Value, json};

use super::support::{call, demo, session};

fn messages<'a>(session: &'a Session, options: &'a Options) -> Vec<MessageBlock<'a>> {
    let blocks = Presentation::new(session, options).blocks();
    blocks
        .filter_map(|block| match block {
            Block::Message(message) => Some(*message),
            _ => None,
        })
        .collect()
}

/// Presents one call and looks at it.
fn with_call(fields: Value, look: impl Fn(&CallBlock<'_>)) {
    let mut session =
        session(&[json!({"role": "assistant", "type": "gemini", "tool_calls": [call(fields)]})]);
    session.project.path = Some("/src/app".to_owned());
    let options = Options::default();
    look(&messages(&session, &options)[0].calls[0]);
}

fn line(call: &CallBlock<'_>) -> String {
    let (mark, measure) = (call.outcome.mark(), &call.measure);
    format!("{mark} {} {} {measure}", call.verb, call.target)
}

#[test]
fn an_edit_without_recorded_diff_is_shown_from_its_arguments() {
    let args =
        json!({"file_path": "/src/app/a.rs", "old_string": "one\ntwo", "new_string": "one\n2"});
    with_call(json!({"name": "replace", "args": args}), |call| {
        assert_eq!(line(call), "✓ edit a.rs +1 −1");
        assert!(matches!(&call.body, Body::Diff(diff) if diff.file.as_str() == "a.rs"));
        assert_eq!(call.arguments_json(), r#"{"file_path": "/src/app/a.rs"}"#);
    });
    let args = json!({"file_path": "/src/app/new.rs", "content": "one\ntwo\n"});
    with_call(json!({"name": "write_file", "args": args}), |call| {
        assert_eq!(line(call), "✓ write new.rs +2 −0");
    });
}

#[test]
fn a_command_that_fails_has_failed_although_its_call_succeeded() {
    let output = "Output: oops\nExit Code: 101\nProcess Group PGID: 7";
    let fields = json!({"name": "run_shell_command", "args": {"command": "make"},
        "output": output, "exit_code": 101});
    with_call(fields, |call| {
        assert_eq!(call.outcome, Outcome::Failed);
        assert_eq!(line(call), "✗ shell make exit 101");
        assert!(matches!(&call.body, Body::Text { text, .. } if text.as_str() == "oops"));
    });
}

#[test]
fn a_screen_is_shown_unless_the_report_holds_more() {
    let screen = json!([[{"text": "last line", "fg": "#ff0000"}]]);
    let fields = |output: &str| json!({"name": "run_shell_command", "output": output, "display": screen.clone()});
    with_call(fields("Output: last line"), |call| {
        assert!(matches!(&call.body, Body::Terminal(_)));
    });
    with_call(fields("Output: first line\nlast line"), |call| {
        assert!(matches!(&call.body, Body::Text { text, .. } if text.starts_with("first")));
    });
}

#[test]
fn other_outcomes() {
    with_call(json!({"status": "cancelled"}), |call| {
        assert_eq!(call.outcome, Outcome::Cancelled);
        assert_eq!(call.measure, "cancelled");
    });
    with_call(json!({"status": null}), |call| {
        assert_eq!(call.outcome, Outcome::Unanswered);
    });
    with_call(
        json!({"status": "error", "error": "no", "output": "no"}),
        |call| {
            assert_eq!(call.outcome, Outcome::Failed);
            assert!(
                matches!(call.body, Body::Nothing),
                "the error is shown once"
            );
        },
    );
}

#[test]
fn consecutive_answers_are_one_turn() {
    let answer = json!({"role": "assistant", "type": "gemini", "model": "m1", "text": "a"});
    let other = json!({"role": "assistant", "type": "gemini", "model": "m2", "text": "b"});
    let session = session(&[
        json!({"text": "one"}),
        answer.clone(),
        answer.clone(),
        other,
        json!({"text": "two"}),
        json!({"text": "three"}),
    ]);
    let options = Options::default();
    let messages = messages(&session, &options);
    let opens: Vec<_> = messages.iter().map(|message| message.opens_turn).collect();
    assert_eq!(opens, [true, true, false, true, true, true]);
    let prompts: Vec<_> = messages
        .iter()
        .filter_map(|message| message.prompt)
        .collect();
    assert_eq!(prompts, [1, 2, 3]);
}

#[test]
fn what_was_typed_elsewhere_stands_where_its_time_says() {
    let mut session = session(&[json!({"text": "one"}), json!({"text": "two"})]);
    session.logged = serde_json::from_value(json!([
        {"time": "2026-11-15T10:00:30.000Z", "text": "/stats"},
        {"time": null, "text": "/quit"},
    ]))
    .unwrap();
    let options = Options::default();
    let order: Vec<_> = Presentation::new(&session, &options)
        .blocks()
        .map(|block| match block {
            Block::Message(message) => message.text.to_string(),
            Block::Logged(entry) => entry.text.to_string(),
            _ => String::new(),
        })
        .collect();
    assert_eq!(order, ["one", "/stats", "two", "/quit"]);
}

#[test]
fn a_new_day_has_its_line_in_the_zone_of_the_reader() {
    let session = session(&[
        json!({"text": "one", "time": "2026-11-15T14:59:00.000Z"}),
        json!({"text": "two", "time": "2026-11-15T15:01:00.000Z"}),
    ]);
    let days = |zone| {
        let options = Options {
            zone,
            ..Options::default()
        };
        Presentation::new(&session, &options)
            .blocks()
            .filter(|block| matches!(block, Block::Divider(Divider::Day(_))))
            .count()
    };
    assert_eq!(days(jiff::tz::TimeZone::UTC), 0);
    assert_eq!(days(jiff::tz::TimeZone::fixed(jiff::tz::offset(9))), 1);
}

#[test]
fn runs_of_superseded_messages_are_counted_by_their_fate() {
    let gone = |by: &str| json!({"text": "x", "state": "superseded", "superseded_by": by});
    let session = session(&[
        gone("rewind"),
        gone("rewind"),
        gone("rollback"),
        json!({"text": "y"}),
    ]);
    let options = Options::default();
    let folds: Vec<_> = Presentation::new(&session, &options)
        .blocks()
        .filter_map(|block| match block {
            Block::Divider(Divider::Folded(by, tally)) => Some((by, tally.prompts)),
            _ => None,
        })
        .collect();
    assert_eq!(
        folds,
        [(SupersededBy::Rewind, 2), (SupersededBy::Rollback, 1)]
    );
}

#[test]
fn the_list_of_prompts_agrees_with_the_blocks() {
    let session = demo();
    for selection in [Selection::Current, Selection::Conversation, Selection::All] {
        let options = Options {
            selection,
            ..Options::default()
        };
        let listed: Vec<_> = Presentation::new(&session, &options)
            .prompts()
            .map(|prompt| (Some(prompt.number), prompt.anchor))
            .collect();
        let shown: Vec<_> = messages(&session, &options)
            .into_iter()
            .filter(|message| message.prompt.is_some())
            .map(|message| (message.prompt, message.anchor))
            .collect();
        assert_eq!(listed, shown);
    }
}

#[test]
fn anchors_are_plain_words() {
    let session = session(&[
        json!({"id": "5d0c-A_1", "text": "a"}),
        json!({"id": "\"><script>", "text": "b"}),
        json!({"id": "", "text": "c"}),
    ]);
    let options = Options::default();
    let anchors: Vec<_> = messages(&session, &options)
        .into_iter()
        .map(|message| message.anchor)
        .collect();
    assert_eq!(anchors, ["m-5d0c-A_1", "m1", "m2"]);
}

#[test]
fn the_outline_says_which_messages_were_taken_back() {
    use gemtrail_export::present::Piece;
    let session = demo();
    let options = Options::default();
    let presentation = Presentation::new(&session, &options);
    let pieces: Vec<Piece<'_>> = presentation.pieces().collect();
    assert_eq!(pieces.len(), presentation.blocks().count());
    let mut folded = 0;
    for piece in pieces {
        if let Piece::Folded { messages, .. } = piece {
            let messages = &session.messages[messages];
            assert!(messages.iter().all(|message| !message.is_current()));
            folded += messages.len();
        }
    }
    let taken_back = session.messages.iter().filter_map(|it| it.superseded_by);
    assert_eq!(folded, taken_back.filter(|by| by.takes_back()).count());
    assert!(folded > 0, "the example has some");
}
