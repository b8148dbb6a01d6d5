//! A forgotten session is gone for good.

use std::fs;

use serde_json::json;

use gemtrail_testkit::made::{
    NEEDLE_ID as ID, NEEDLE_LOGGED as LOGGED, NEEDLE_OTHER as OTHER, NEEDLES, needles,
};

use crate::common::{Sandbox, all_rows, chat, ids, lines, log, message, rows, session_of, whole};

/// A session with a needle in everything that is its own, and another one.
fn sandbox_with_needles() -> Sandbox {
    let sandbox = Sandbox::new();
    needles(|path, text| {
        sandbox.write(path, text);
    });
    sandbox
}

fn found(sandbox: &Sandbox, needle: &str) -> usize {
    sandbox.search(needle).len()
}

/// Nothing of it is left, in any byte or any answer.
#[track_caller]
fn expect_forgotten(sandbox: &Sandbox, when: &str) {
    for needle in NEEDLES {
        assert!(!sandbox.has_bytes(needle), "{needle} {when}");
        assert_eq!(found(sandbox, needle), 0, "{needle} {when}");
    }
    assert_eq!(ids(&sandbox.rows()), [OTHER], "{when}");
    sandbox.verify();
}

#[test]
fn a_session_of_another_project_with_the_same_id_stays() {
    let sandbox = Sandbox::with_session(ID);
    let other = chat("2f1e0a52.jsonl").replace("/shop/", "/web/");
    let journal = lines(ID, &[("u1", "of the web"), ("g1", "yes")]).replace("shop", "web");
    sandbox.write(&other, &journal);
    sandbox.write(".gemini/tmp/shop/.project_root", "/srv/alice/shop");
    sandbox.write(".gemini/tmp/web/.project_root", "/srv/alice/web");
    for name in ["shop", "web"] {
        let output = format!(".gemini/tmp/{name}/tool-outputs/session-{ID}/a.txt");
        sandbox.write(&output, name);
        let prompts = log(LOGGED, &[(ID, &format!("/logged in {name}"))]);
        sandbox.write(&format!(".gemini/tmp/{name}/logs.json"), &prompts);
    }
    sandbox.sync();
    sandbox.remove(".gemini/tmp/web");
    sandbox.sync();
    let library = sandbox.library();
    assert_eq!(rows(&library).len(), 2);
    let rows = all_rows(&library);
    let row = rows
        .iter()
        .find(|row| row.first_prompt.as_deref() == Some("one"));
    let report = sandbox.forget_session(&session_of(&library, row.expect("it is there").reference));
    assert_eq!(report.sessions, 1);
    assert_eq!(report.files.len(), 2, "{report:?}");
    let left = sandbox.show(ID);
    assert_eq!(left["messages"][0]["text"], "of the web");
    assert_eq!(left["logged"][0]["text"], "/logged in web");
    assert_eq!(found(&sandbox, "shop"), 0);
    sandbox.verify();
}

#[test]
fn what_another_session_has_as_well_stays_its_own() {
    let sandbox = sandbox_with_needles();
    sandbox.sync();
    sandbox.forget(ID);
    // The same file, read again by another session.
    let mut call = message("g3", "read");
    let path = format!("tool-outputs/session-{OTHER}/read_file_2.txt");
    let answer = format!("Output too large. For full output see: /srv/t/{path}");
    call["toolCalls"] = json!([{"id": "c2", "name": "read_file", "status": "success", "result": [
        {"functionResponse": {"id": "c2", "name": "read_file", "response": {"output": answer}}}]}]);
    let journal = lines(OTHER, &[("u1", "stays")]) + &call.to_string() + "\n";
    sandbox.write(&chat("3a1e0a52-1.jsonl"), &journal);
    sandbox.write(&format!(".gemini/tmp/shop/{path}"), NEEDLES[5]);
    sandbox.sync();
    assert_eq!(found(&sandbox, NEEDLES[5]), 1);
    sandbox.remove(".gemini/tmp/shop/tool-outputs");
    sandbox.sync();
    assert_eq!(found(&sandbox, NEEDLES[5]), 1);
}

#[test]
fn an_agent_that_bears_its_parents_id_leaves_it_its_prompts() {
    let sandbox = Sandbox::with_session(ID);
    let mut agent: Vec<String> = lines(ID, &[("u2", "look"), ("g2", "seen")])
        .lines()
        .map(str::to_owned)
        .collect();
    agent[0] = agent[0].replacen('{', r#"{"kind":"subagent","#, 1);
    let file = format!(".gemini/tmp/shop/chats/{ID}/agent1.jsonl");
    sandbox.write(&file, &(agent.join("\n") + "\n"));
    let logged = |more: &[(&str, &str)]| log(LOGGED, &[&[(ID, "/first")], more].concat());
    sandbox.write(".gemini/tmp/shop/logs.json", &logged(&[]));
    sandbox.sync();
    assert_eq!(
        sandbox.show(ID)["subagents"].as_array().map(Vec::len),
        Some(1)
    );
    sandbox.forget("agent1");
    assert_eq!(sandbox.show(ID)["subagents"], json!([]));
    sandbox.write(".gemini/tmp/shop/logs.json", &logged(&[(ID, "/second")]));
    sandbox.sync();
    let left = sandbox.show(ID);
    let logged = left["logged"].as_array().expect("a list");
    let logged: Vec<&str> = logged.iter().filter_map(|it| it["text"].as_str()).collect();
    assert_eq!(logged, ["/first", "/second"]);
    assert_eq!(left["messages"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_has_no_views_yet_is_forgotten_too() {
    let sandbox = sandbox_with_needles();
    sandbox.sync();
    // As after a run that was killed before the views were built, or an upgrade.
    sandbox
        .database()
        .execute_batch(
            "DELETE FROM journal; DELETE FROM session; DROP TABLE output;
             UPDATE state SET version = 0",
        )
        .expect("it can be written");
    let report = sandbox.forget(ID);
    assert_eq!(report.files.len(), 3, "{report:?}");
    expect_forgotten(&sandbox, "without views");
}

#[test]
fn all_versions_are_forgotten() {
    let sandbox = sandbox_with_needles();
    let file = chat("2f1e0a52.jsonl");
    sandbox.sync();
    sandbox.write(&file, &lines(ID, &[("u1", "rewritten"), ("g1", "yes")]));
    sandbox.sync();
    sandbox.remove(&file);
    sandbox.sync();
    let report = sandbox.forget(ID);
    assert_eq!(report.versions, 4);
    expect_forgotten(&sandbox, "with its versions");
    // Neither version is taken in again.
    sandbox.write(&file, &lines(ID, &[("u1", "rewritten"), ("g1", "yes")]));
    sandbox.sync();
    expect_forgotten(&sandbox, "when the last version is back");
}

#[test]
fn a_session_known_from_the_log_only_is_forgotten_too() {
    let sandbox = sandbox_with_needles();
    sandbox.remove(&chat("2f1e0a52.jsonl"));
    sandbox.remove(&format!(".gemini/tmp/shop/chats/{ID}"));
    sandbox.remove(".gemini/tmp/shop/tool-outputs");
    // And a log that Gemini CLI set aside because it was truncated.
    let torn = log(
        LOGGED,
        &[
            (OTHER, "unsaid before"),
            (ID, NEEDLES[0]),
            (OTHER, "unsaid after"),
        ],
    );
    let torn = &torn[..torn.len() - 20];
    sandbox.write(".gemini/tmp/shop/logs.json.malformed.1.bak", torn);
    sandbox.sync();
    assert_eq!(ids(&sandbox.rows()), [ID, OTHER]);
    sandbox.forget(ID);
    expect_forgotten(&sandbox, "from the log");
    let kept: i64 = sandbox.number(
        "SELECT content.bytes FROM content JOIN version ON version.content = content.id
         JOIN file ON file.id = version.file WHERE file.kind = 'log-backup'",
    );
    assert!(
        kept > 100 && kept < i64::try_from(torn.len()).expect("small"),
        "{kept}"
    );
}

#[test]
fn one_of_many_sessions_with_the_same_id() {
    let sandbox = Sandbox::new();
    for name in ["aaaa0001", "bbbb0002"] {
        let content = lines("a2a-server", &[("u1", name), ("g1", "yes")]);
        sandbox.write(&chat(&format!("{name}.jsonl")), &content);
    }
    sandbox.sync();
    assert_eq!(sandbox.rows().len(), 2);
    sandbox.forget("session-2026-06-01T10-00-aaaa0001");
    let rows = sandbox.rows();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["first_prompt"], "bbbb0002");
    assert!(
        !sandbox.has_bytes("aaaa0001 "),
        "words end with a space in the index"
    );
    assert_eq!(found(&sandbox, "aaaa0001"), 0);
    assert_eq!(found(&sandbox, "bbbb0002"), 1);
    sandbox.verify();
}

#[test]
fn a_file_that_held_two_sessions_keeps_the_other() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.json");
    sandbox.write(&file, &whole(ID, &[("u1", NEEDLES[0])]));
    sandbox.sync();
    sandbox.write(&file, &whole(OTHER, &[("u1", "stays")]));
    sandbox.sync();
    sandbox.forget(ID);
    expect_forgotten(&sandbox, "of two");
    assert_eq!(sandbox.show(OTHER)["messages"][0]["text"], "stays");
}

#[test]
fn forgetting_that_was_interrupted_is_finished_by_the_next_run() {
    let sandbox = sandbox_with_needles();
    sandbox.sync();
    // As after a run that was killed between deleting and wiping.
    let database = sandbox.database();
    database
        .execute_batch(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM unit);
             DELETE FROM unit; DELETE FROM line; DELETE FROM session;
             INSERT INTO setting(name, value) VALUES('wipe', 1);",
        )
        .expect("it can be written");
    drop(database);
    assert!(
        sandbox.has_bytes(NEEDLES[0]),
        "deleted words are still there"
    );
    sandbox.remove(".gemini");
    fs::create_dir(sandbox.path(".gemini")).expect("it can be made");
    sandbox.sync();
    assert!(!sandbox.has_bytes(NEEDLES[0]));
    assert_eq!(
        sandbox.number("SELECT count(*) FROM setting WHERE name = 'wipe'"),
        0
    );
}
