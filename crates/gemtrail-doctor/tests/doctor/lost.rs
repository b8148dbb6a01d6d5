//! Sessions that left a trace but no journal.

use gemtrail_core::model::SessionId;
use gemtrail_doctor::{Cause, LostSession, SurvivorKind};

use crate::home::{CONTEXT, HASH, NOW, TURN, TestHome, journal};

const ID: &str = "bbbbbbbb-1111-4222-8333-444455556666";

fn log(entries: &[(&str, &str, &str)]) -> String {
    let entry = |(at, (id, time, text)): (usize, &(&str, &str, &str))| {
        format!(
            r#"{{"sessionId":"{id}","messageId":{at},"type":"user","message":"{text}","timestamp":"{time}"}}"#
        )
    };
    let entries: Vec<String> = entries.iter().enumerate().map(entry).collect();
    format!("[{}]", entries.join(","))
}

fn only(home: &TestHome) -> LostSession {
    let mut lost = home.report().lost;
    assert_eq!(lost.len(), 1, "{lost:#?}");
    lost.remove(0)
}

fn kinds(lost: &LostSession) -> Vec<SurvivorKind> {
    lost.survives.iter().map(|survivor| survivor.kind).collect()
}

#[test]
fn prompts_without_journal() {
    let home = TestHome::new();
    let entries = [
        (ID, "2026-06-01T10:00:00.000Z", "fix the test"),
        (ID, "2026-06-01T10:05:00.000Z", "/chat save later"),
        (ID, "2026-06-01T10:06:00.000Z", "/quit"),
    ];
    home.put("tmp/my-app/logs.json", log(&entries));
    home.put("tmp/my-app/checkpoint-later.json", r#"{"history":[]}"#);
    home.put("tmp/my-app/checkpoint-other.json", r#"{"history":[]}"#);
    let lost = only(&home);
    assert_eq!(lost.session, Some(SessionId::new(ID)));
    assert_eq!(lost.first.as_deref(), Some("2026-06-01T10:00:00.000Z"));
    assert_eq!(lost.last.as_deref(), Some("2026-06-01T10:06:00.000Z"));
    assert_eq!(lost.prompts.len(), 3);
    assert_eq!(
        kinds(&lost),
        [SurvivorKind::PromptLog, SurvivorKind::Checkpoint]
    );
    assert_eq!(
        lost.cause,
        Cause::Unknown,
        "a slug directory proves no old version"
    );
}

#[test]
fn commands_that_the_model_never_saw_are_no_conversation() {
    let home = TestHome::new();
    let entries = [(ID, NOW, "/help"), (ID, NOW, "/quit")];
    home.put("tmp/my-app/logs.json", log(&entries));
    assert!(home.report().ok);
}

#[test]
fn versions_without_recorder() {
    let home = TestHome::new();
    home.put(&format!("tmp/{HASH}/logs.json"), log(&[(ID, NOW, "hi")]));
    assert_eq!(only(&home).cause, Cause::NoRecorder);
    home.put(&format!("tmp/{HASH}/chats/.keep"), "");
    assert_eq!(
        only(&home).cause,
        Cause::Unknown,
        "since 0.4 there are chats"
    );
}

#[test]
fn deleted_on_request() {
    let home = TestHome::new();
    let entries = [(ID, NOW, "a secret"), (ID, NOW, "/quit --delete")];
    home.put("tmp/my-app/logs.json", log(&entries));
    assert_eq!(only(&home).cause, Cause::DeletedByCommand);
}

#[test]
fn a_stub_that_the_clean_up_left() {
    let home = TestHome::new();
    let stub = journal(ID, "2026-06-02T10:00:00.000Z", &[CONTEXT]);
    home.chat("session-2026-06-02T10-00-bbbbbbbb.jsonl", &stub);
    assert!(home.report().ok, "somebody started it and left again");

    let before = [(ID, "2026-06-01T10:00:00.000Z", "fix the test")];
    home.put("tmp/my-app/logs.json", log(&before));
    let lost = only(&home);
    assert_eq!(lost.cause, Cause::CleanUpBug);
    assert_eq!(kinds(&lost), [SurvivorKind::PromptLog, SurvivorKind::Stub]);

    let after = [(ID, "2026-06-02T10:01:00.000Z", "fix the test")];
    home.put("tmp/my-app/logs.json", log(&after));
    assert_eq!(only(&home).cause, Cause::Unknown, "nothing was resumed");

    std::fs::remove_file(home.path("tmp/my-app/logs.json")).expect("removed");
    home.chat("session-2026-06-02T10-07-bbbbbbbb.jsonl", &stub);
    assert_eq!(only(&home).cause, Cause::CleanUpBug, "two starts, one id");
}

#[test]
fn agents_outputs_plans_and_restore_points_name_their_session() {
    let home = TestHome::new();
    let agent = journal("agent1", "2026-06-01T10:00:00.000Z", &TURN).replace("main", "subagent");
    home.chat(&format!("{ID}/agent1.jsonl"), agent);
    home.put(
        &format!("tmp/my-app/tool-outputs/session-{ID}/read_1.txt"),
        "all of it",
    );
    home.put(
        "tmp/my-app/tool-outputs/session-agent1/read_2.txt",
        "the agent's",
    );
    home.put(&format!("tmp/my-app/{ID}/plans/plan.md"), "# Plan");
    let point = format!(r#"{{"history":[],"messageId":"{ID}########1"}}"#);
    home.put(
        "tmp/my-app/checkpoints/2026-06-01T10-00-00_000Z-a-write_file.json",
        point,
    );
    let lost = only(&home);
    assert_eq!(lost.session, Some(SessionId::new(ID)));
    assert_eq!(
        kinds(&lost),
        [
            SurvivorKind::RestorePoint,
            SurvivorKind::Subagent,
            SurvivorKind::ToolOutput,
            SurvivorKind::Plan,
        ]
    );
    home.chat(
        "session-2026-06-01T10-00-bbbbbbbb.jsonl",
        journal(ID, NOW, &TURN),
    );
    assert!(home.report().lost.is_empty(), "now it is there");
}

#[test]
fn bytes_that_were_put_aside() {
    let home = TestHome::new();
    let name = "session-2026-06-01T10-00-bbbbbbbb.jsonl.unreadable-1794776";
    home.chat(name, journal(ID, NOW, &TURN));
    let lost = only(&home);
    assert_eq!(lost.cause, Cause::SetAside);
    assert_eq!(lost.prompts[0].text, "hello");
    assert_eq!(kinds(&lost), [SurvivorKind::UnreadableJournal]);
}

#[test]
fn a_project_where_somebody_worked_and_nobody_knows_in_which_session() {
    let home = TestHome::new();
    home.put("tmp/my-app/shell_history", "ls\ngit status\n");
    let lost = only(&home);
    assert_eq!(lost.session, None);
    assert_eq!(kinds(&lost), [SurvivorKind::ShellHistory]);
    home.chat(
        "session-2026-06-01T10-00-bbbbbbbb.jsonl",
        journal(ID, NOW, &TURN),
    );
    assert!(
        home.report().ok,
        "the history is that session's, as far as anybody can tell"
    );
}

#[test]
fn prompts_that_another_session_has_are_not_lost() {
    let home = TestHome::new();
    home.chat(
        "session-2026-06-01T10-00-bbbbbbbb.jsonl",
        journal(ID, NOW, &TURN),
    );
    let logged_at = |time: &str| {
        let entries = [("cccccccc-1", time, "hello"), ("cccccccc-1", time, "/quit")];
        home.put("tmp/my-app/logs.json", log(&entries));
    };
    logged_at("2026-11-15T09:59:59.000Z");
    assert!(
        home.report().ok,
        "before 0.36 a resumed session logged under a new id"
    );
    logged_at("2026-06-01T10:00:00.000Z");
    assert_eq!(only(&home).prompts[0].text, "hello", "said at another time");
}
