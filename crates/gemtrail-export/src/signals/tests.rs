//! Each signal: a session that shows it, and one that just does not.

use gemtrail_core::model::{Kind, Message, MessageId, Role, Session, SupersededBy, ToolCall};

use super::*;
use crate::test_support::{
    answered, assistant, call, calling, cancelled, failed, human, notice, rewound, session,
    superseded, user,
};

fn find(session: &Session, thresholds: &Thresholds) -> SessionSignals {
    SessionSignals::of(session.clone(), thresholds)
}

/// The signals of one kind, with default thresholds.
fn found(session: &Session, kind: SignalKind) -> Vec<Signal> {
    let findings = find(session, &Thresholds::default());
    let signals = findings.signals.into_iter();
    signals.filter(|signal| signal.signal == kind).collect()
}

/// A session in which these calls were made, one per answer, and all ended well.
fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Session {
    let calls = calls.into_iter().map(|call| calling(assistant(""), [call]));
    session(
        [human("do it")]
            .into_iter()
            .chain(calls)
            .chain([assistant("done")]),
    )
}

fn said(prompts: &[&str]) -> Session {
    session(
        prompts
            .iter()
            .flat_map(|text| [human(text), assistant("ok")]),
    )
}

fn at(mut message: Message, time: &str) -> Message {
    message.time = Some(format!("2026-06-01T10:{time}.000Z"));
    message
}

fn ids(numbers: &[usize]) -> Vec<MessageId> {
    let id = |number| MessageId::new(format!("m{number}"));
    numbers.iter().map(id).collect()
}

fn shell(command: &str) -> ToolCall {
    failed(
        "run_shell_command",
        &format!(r#"{{"command":"{command}"}}"#),
        "no",
    )
}

#[test]
fn three_failures_in_a_row_are_a_cascade() {
    let read = || answered("read_file", r#"{"file_path":"a"}"#, "a");
    let session = calls([
        shell("make"),
        failed("glob", "{}", "no"),
        shell("ls -l /tmp"),
        read(),
    ]);
    let cascade = &found(&session, SignalKind::ToolFailureCascade)[0];
    assert_eq!((cascade.count, cascade.severity), (3, Severity::Medium));
    assert_eq!(cascade.messages, ids(&[2, 3, 4]));
    assert_eq!(
        cascade.detail,
        "3 calls in a row failed: run_shell_command ×2, glob"
    );

    let broken_off = calls([shell("make"), shell("ls"), read(), shell("make")]);
    assert_eq!(found(&broken_off, SignalKind::ToolFailureCascade), []);
}

#[test]
fn a_cancelled_call_neither_counts_nor_ends_a_cascade() {
    let stop = || cancelled("replace", "{}");
    let two = calls([shell("make"), stop(), shell("ls -l")]);
    assert_eq!(found(&two, SignalKind::ToolFailureCascade), []);
    let three = calls([shell("make"), stop(), shell("ls -l"), shell("pwd")]);
    assert_eq!(found(&three, SignalKind::ToolFailureCascade)[0].count, 3);
}

#[test]
fn six_failures_are_worse() {
    let six = calls((0..6).map(|number| shell(&format!("{number}"))));
    let cascade = &found(&six, SignalKind::ToolFailureCascade)[0];
    assert_eq!(cascade.severity, Severity::High);
}

#[test]
fn the_same_call_three_times_is_a_loop() {
    let same = || answered("run_shell_command", r#"{"command":"cargo test"}"#, "ok");
    let looping = &found(&calls([same(), same(), same()]), SignalKind::RetryLoop)[0];
    assert_eq!(looping.messages, ids(&[2, 3, 4]));
    assert_eq!(found(&calls([same(), same()]), SignalKind::RetryLoop), []);
}

#[test]
fn a_similar_call_after_a_failure_is_a_retry() {
    let tries = calls([
        shell("cargo test a"),
        shell("cargo test b"),
        shell("cargo test c"),
    ]);
    assert_eq!(found(&tries, SignalKind::RetryLoop)[0].count, 3);
    let others = calls([shell("cargo test"), shell("python3 -m venv x"), shell("ls")]);
    assert_eq!(found(&others, SignalKind::RetryLoop), []);
}

#[test]
fn reading_one_file_after_the_other_is_work() {
    let read = |name| {
        answered(
            "read_file",
            &format!(r#"{{"file_path":"src/{name}.rs"}}"#),
            "x",
        )
    };
    let session = calls([read("a"), read("b"), read("c"), read("d")]);
    assert_eq!(found(&session, SignalKind::RetryLoop), []);
}

#[test]
fn three_prompts_that_say_the_same_are_a_storm() {
    let storm = said(&[
        "Fix the login test",
        "fix the  login tests",
        "Please fix the login test",
    ]);
    let storm = &found(&storm, SignalKind::RephraseStorm)[0];
    assert_eq!((storm.count, &storm.messages), (3, &ids(&[1, 3, 5])));

    let two = said(&[
        "Fix the login test",
        "Fix the login tests",
        "Now the docs, please",
    ]);
    assert_eq!(found(&two, SignalKind::RephraseStorm), []);
    let commands = said(&[
        "continue",
        "continue",
        "continue",
        "/compress now",
        "/compress now",
        "/compress now",
    ]);
    assert_eq!(found(&commands, SignalKind::RephraseStorm), []);
}

#[test]
fn prompts_that_were_taken_back_count() {
    let text = "Fix the login test";
    let session = session([
        rewound(human(text)),
        superseded(human(text), SupersededBy::Rollback),
        human(text),
        assistant("done"),
    ]);
    assert_eq!(found(&session, SignalKind::RephraseStorm)[0].count, 3);
}

#[test]
fn an_unanswered_prompt_at_the_end_is_an_abandonment() {
    let left = session([human("a"), assistant("b"), human("c")]);
    let signal = &found(&left, SignalKind::AbandonSignal)[0];
    assert_eq!((signal.seconds, &signal.messages), (Some(0), &ids(&[3])));
    let answered = session([human("a"), assistant("b")]);
    assert_eq!(found(&answered, SignalKind::AbandonSignal), []);
}

#[test]
fn the_end_has_to_come_within_two_minutes() {
    let stopped = |time| {
        let stop = calling(assistant(""), [cancelled("replace", "{}")]);
        let mut session = session([at(human("a"), "00:00"), at(stop, "00:10")]);
        session.messages[1].tool_calls[0].time = Some(format!("2026-06-01T10:{time}.000Z"));
        session
    };
    assert_eq!(found(&stopped("02:00"), SignalKind::AbandonSignal).len(), 1);
    assert_eq!(found(&stopped("02:01"), SignalKind::AbandonSignal), []);
}

#[test]
fn who_rewinds_and_stops_has_not_walked_away() {
    let session = session([human("a"), assistant("b"), rewound(human("c"))]);
    assert_eq!(found(&session, SignalKind::AbandonSignal), []);
}

#[test]
fn a_wait_of_a_minute_is_a_stall() {
    let wait = |time| session([at(human("a"), "00:00"), at(assistant("b"), time)]);
    let stall = &found(&wait("01:00"), SignalKind::LongStall)[0];
    assert_eq!((stall.seconds, &stall.messages), (Some(60), &ids(&[1, 2])));
    assert_eq!(found(&wait("00:59"), SignalKind::LongStall), []);
    assert_eq!(
        found(&wait("05:00"), SignalKind::LongStall)[0].severity,
        Severity::High
    );
}

#[test]
fn the_persons_own_time_is_no_stall() {
    let reading = session([at(assistant("a"), "00:00"), at(human("b"), "30:00")]);
    assert_eq!(found(&reading, SignalKind::LongStall), []);
    for slow in [
        cancelled("replace", "{}"),
        answered("ask_user", "{}", "yes"),
    ] {
        let mut asked = session([
            at(human("a"), "00:00"),
            at(calling(assistant(""), [slow]), "00:01"),
        ]);
        asked.messages[1].tool_calls[0].time = Some("2026-06-01T10:40:00.000Z".to_owned());
        assert_eq!(found(&asked, SignalKind::LongStall), []);
    }
}

#[test]
fn two_compressions_are_churn() {
    let snapshot = || user(Role::Summary, "<state_snapshot>s</state_snapshot>");
    let churn = session([
        human("a"),
        snapshot(),
        assistant("b"),
        snapshot(),
        assistant("c"),
    ]);
    let churn = &found(&churn, SignalKind::ContextChurn)[0];
    assert_eq!(churn.messages, ids(&[2, 4]));
    let once = session([human("a"), snapshot(), assistant("b")]);
    assert_eq!(found(&once, SignalKind::ContextChurn), []);
}

#[test]
fn a_cancelled_call_is_told() {
    let session = calls([
        cancelled("replace", "{}"),
        shell("ls"),
        cancelled("glob", "{}"),
    ]);
    let refused = &found(&session, SignalKind::PermissionFriction)[0];
    assert_eq!((refused.count, &refused.messages), (2, &ids(&[2, 4])));
    assert_eq!(refused.detail, "2 calls were cancelled: replace, glob");
    assert_eq!(
        found(&calls([shell("ls")]), SignalKind::PermissionFriction),
        []
    );
}

#[test]
fn outcomes() {
    let outcome = |messages: Vec<Message>| {
        find(&session(messages), &Thresholds::default())
            .facets
            .outcome
    };
    let with = |call| calling(assistant("I will."), [call]);
    let completed = Some(SessionOutcome::Completed);
    assert_eq!(outcome(vec![]), None);
    assert_eq!(outcome(vec![human("a"), assistant("b")]), completed);
    assert_eq!(
        outcome(vec![human("a"), with(shell("x")), assistant("b")]),
        completed
    );
    let errored = Some(SessionOutcome::Errored);
    assert_eq!(outcome(vec![human("a"), with(shell("x"))]), errored);
    assert_eq!(
        outcome(vec![human("a"), notice(Role::Error, "Quota")]),
        errored
    );
    let abandoned = Some(SessionOutcome::Abandoned);
    assert_eq!(outcome(vec![human("a")]), abandoned);
    assert_eq!(
        outcome(vec![human("a"), with(call("glob", "{}"))]),
        abandoned
    );
}

#[test]
fn a_subagent_hands_in_its_work() {
    let mut session = session([
        user(Role::Agent, "look around"),
        calling(assistant(""), [answered("complete_task", "{}", "ok")]),
    ]);
    session.kind = Kind::Subagent;
    let findings = find(&session, &Thresholds::default());
    assert_eq!(findings.facets.outcome, Some(SessionOutcome::Completed));
    assert_eq!((findings.facets.turns, findings.signals), (1, vec![]));
}

#[test]
fn facets_tell_what_kind_of_session_it_was() {
    let read = |path| answered("read_file", &format!(r#"{{"file_path":"{path}"}}"#), "x");
    let session = calls([
        read("/w/a.rs"),
        read("b.py"),
        shell("ls"),
        cancelled("replace", "{}"),
    ]);
    let facets = find(&session, &Thresholds::default()).facets;
    assert_eq!(facets.languages, ["python", "rust"]);
    let tools: Vec<_> = facets
        .tools
        .iter()
        .map(|t| (t.tool.as_str(), t.calls, t.failed, t.cancelled))
        .collect();
    assert_eq!(
        tools,
        [
            ("file_read", 2, 0, 0),
            ("file_edit", 1, 0, 1),
            ("shell_exec", 1, 1, 0)
        ]
    );
    assert!((facets.failure_rate.unwrap() - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!((facets.duration_seconds, facets.turns), (Some(50), 1));
    assert_eq!(
        find(&said(&["a"]), &Thresholds::default())
            .facets
            .failure_rate,
        None
    );
}

#[test]
fn thresholds_can_be_set_one_by_one() {
    let thresholds: Thresholds = serde_json::from_str(r#"{"cancelled_calls":2}"#).unwrap();
    assert_eq!(thresholds.stall_seconds, 60);
    let session = calls([cancelled("replace", "{}")]);
    assert_eq!(find(&session, &thresholds).signals, []);
    assert!(serde_json::from_str::<Thresholds>(r#"{"typo":2}"#).is_err());
}

#[test]
fn totals_count_signals_and_sessions() {
    let thresholds = Thresholds::default();
    let noisy = calls([
        shell("a"),
        shell("b"),
        shell("c"),
        cancelled("replace", "{}"),
    ]);
    let document = Signals::new(
        thresholds,
        [noisy.clone(), noisy, said(&["hi"])]
            .map(|session| SessionSignals::of(session, &thresholds))
            .into(),
    );
    let totals: Vec<_> = document
        .totals
        .iter()
        .map(|t| (t.signal, t.count, t.sessions))
        .collect();
    assert_eq!(
        totals,
        [
            (SignalKind::ToolFailureCascade, 2, 2),
            (SignalKind::RetryLoop, 2, 2),
            (SignalKind::PermissionFriction, 2, 2)
        ]
    );
}
