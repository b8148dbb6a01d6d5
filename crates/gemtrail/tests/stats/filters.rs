//! Which requests are counted.

use gemtrail_testkit::made::{chat, lines, message};
use serde_json::{Value, json};

use crate::common::{Counter, Request, rows};

fn total(stats: &Value, name: &str) -> Value {
    stats["tokens"][name]["total"].clone()
}

#[test]
fn times_and_models_choose_requests_and_not_sessions() {
    let counter = Counter::new();
    let flash = Request::at("2026-10-01T12:00:00.000Z");
    let pro = Request {
        model: "gemini-3-pro-preview",
        time: "2026-11-02T12:00:00.000Z",
        ..flash
    };
    counter.session("11111111", &[flash, pro, pro]);
    counter.session("22222222", &[flash]);
    let november = counter.stats(&["--since", "2026-11-01"]);
    assert_eq!([&november["requests"], &november["sessions"]], [2, 1]);
    let october = counter.stats(&["--until", "2026-10-31"]);
    assert_eq!([&october["requests"], &october["sessions"]], [2, 2]);
    assert_eq!(total(&october, "as_written"), 20);
    let of_pro = counter.stats(&["--model", "PRO", "--by", "model"]);
    assert_eq!(
        rows(&of_pro, "/requests"),
        [("gemini-3-pro-preview".to_owned(), 2)]
    );
    assert_eq!(of_pro["mixed_sessions"], 0);
    assert_eq!(counter.stats(&[])["mixed_sessions"], 1);
    let nothing = counter.stats(&["--project", "no such"]);
    assert_eq!([&nothing["requests"], &nothing["sessions"]], [0, 0]);
    assert_eq!(nothing["cost"]["usd"], json!(0.0));
}

#[test]
fn nothing_is_no_failure() {
    let counter = Counter::new();
    std::fs::create_dir(counter.path(".gemini")).expect("it can be made");
    assert_eq!(counter.stats(&[])["sessions"], 0);
    counter.run(&["stats", "--csv"]).expect(0);
}

#[test]
fn agents_belong_to_the_session_they_worked_for() {
    let counter = Counter::new();
    let call = json!({"id": "a1", "timestamp": "2026-06-01T10:10:00.000Z", "type": "gemini",
        "model": "gemini-3-pro", "content": "", "tokens": {"input": 7, "output": 3, "cached": 0,
        "thoughts": 0, "tool": 0, "total": 10}, "toolCalls": [{"id": "c1", "name": "invoke_agent",
        "args": {"agent_name": "scout", "prompt": "look"}, "status": "success", "agentId": "k9"}]});
    let main = lines("11111111-aaaa", &[("u1", "hello")]) + &call.to_string() + "\n";
    counter.write(&chat("11111111.jsonl"), &main);
    let head = json!({"sessionId": "k9", "projectHash": "shop", "kind": "subagent",
        "startTime": "2026-06-01T10:10:00.000Z", "lastUpdated": "2026-06-01T10:20:00.000Z"});
    let agent = format!(
        "{head}\n{}\n{}\n",
        message("u1", "look"),
        message("a1", "done")
    );
    counter.write(".gemini/tmp/shop/chats/11111111-aaaa/k9.jsonl", &agent);
    let stats = counter.stats(&["--by", "agent"]);
    assert_eq!([&stats["requests"], &stats["sessions"]], [2, 1]);
    let wanted = [("scout".to_owned(), 10), ("main".to_owned(), 10)];
    assert_eq!(rows(&stats, "/tokens/total"), wanted);
    let by_session = counter.stats(&["--by", "session"]);
    assert_eq!(
        rows(&by_session, "/requests"),
        [("11111111-aaaa".to_owned(), 2)]
    );
    assert_eq!(by_session["by"][0]["title"], "hello");
    assert_eq!(counter.stats(&["--kind", "subagent"])["requests"], 1);
    assert_eq!(counter.stats(&["--kind", "main"])["requests"], 1);
}

/// Lines that say a message again are written, but billed once; inside a `$set` is no line.
#[test]
fn what_is_written_is_counted_line_by_line() {
    let counter = Counter::new();
    let answer = message("a1", "yes");
    let set =
        json!({"$set": {"messages": [message("u1", "hello"), answer, message("a2", "more")]}});
    let text = lines("11111111", &[("u1", "hello"), ("a1", "yes"), ("a1", "yes")]);
    let text = format!("{text}{set}\n{}\n", json!({"$rewindTo": "a2"}));
    counter.write(&chat("11111111.jsonl"), &text);
    let stats = counter.stats(&[]);
    assert_eq!(total(&stats, "as_written"), 20);
    assert_eq!(total(&stats, "billed"), 20);
    assert_eq!(total(&stats, "live"), 10);
    // The same session in a second file.
    counter.write(
        &chat("11111111.json"),
        &gemtrail_testkit::made::whole("11111111", &[("u1", "hello"), ("a1", "yes")]),
    );
    let stats = counter.stats(&[]);
    assert_eq!(total(&stats, "as_written"), 30);
    assert_eq!(total(&stats, "billed"), 20);
}

#[test]
fn wrong_use_is_explained() {
    let counter = Counter::new();
    for arguments in [
        &["stats", "--by", "year"][..],
        &["stats", "--by", "day,day"],
        &["stats", "--csv", "--json"],
    ] {
        let ran = counter.run(arguments).expect(2);
        assert!(!ran.err.is_empty());
    }
}

fn edit(id: &str, tool: &str, path: &str, status: &str) -> Value {
    json!({"id": id, "name": tool, "args": {"file_path": path, "content": "…"}, "status": status,
        "timestamp": "2026-06-01T10:10:00.000Z", "result": [{"functionResponse": {"id": id,
        "name": tool, "response": {"output": "done"}}}]})
}

/// From disk and from the archive.
#[test]
fn files_most_edited_are_those_that_calls_changed() {
    let counter = Counter::new();
    let session = |id: &str, calls: &[Value]| {
        let answer = json!({"id": "a1", "timestamp": "2026-06-01T10:10:00.000Z", "type": "gemini",
            "model": "gemini-3-pro", "content": "", "toolCalls": calls, "tokens": {"input": 7,
            "output": 3, "cached": 0, "thoughts": 0, "tool": 0, "total": 10}});
        let text = lines(id, &[("u1", "hello")]) + &answer.to_string() + "\n";
        counter.write(&chat(&format!("{}.jsonl", &id[..8])), &text);
    };
    session(
        "11111111-aaaa",
        &[
            edit("c1", "write_file", "/srv/shop/src/a.rs", "success"),
            edit("c2", "replace", "/srv/shop/src/a.rs", "success"),
            edit("c3", "replace", "/srv/shop/src/a.rs", "error"),
            edit("c4", "replace", "/srv/shop/src/b.rs", "cancelled"),
            edit("c5", "read_file", "/srv/shop/src/b.rs", "success"),
        ],
    );
    session(
        "22222222-bbbb",
        &[
            edit("c1", "replace", "/srv/shop/src/a.rs", "success"),
            edit("c2", "replace", "/elsewhere/c.rs", "success"),
        ],
    );
    let expected = json!([
        {"project": "shop", "project_name": "shop", "path": "src/a.rs", "edits": 3, "sessions": 2},
        {"project": "shop", "project_name": "shop", "path": "/elsewhere/c.rs", "edits": 1, "sessions": 1},
    ]);
    counter.write(".gemini/tmp/shop/.project_root", "/srv/shop");
    assert_eq!(counter.stats(&[])["files"], expected);
    counter.run(&["sync"]).expect(0);
    assert_eq!(counter.stats(&[])["files"], expected);
    let told = counter.run(&["stats"]).expect(0);
    assert!(told.out.contains("Files most edited"), "{}", told.out);
}

#[test]
fn a_model_that_takes_over_is_named() {
    let counter = Counter::new();
    let pro = Request {
        model: "gemini-3-pro-preview",
        ..Request::at("2026-10-01T12:00:00.000Z")
    };
    let flash = Request {
        model: "gemini-3-flash-preview",
        ..pro
    };
    counter.session("11111111", &[pro, pro, flash, pro, flash]);
    counter.session("22222222", &[flash, flash]);
    assert_eq!(
        counter.stats(&[])["switches"],
        json!([
            {"from": "gemini-3-pro-preview", "to": "gemini-3-flash-preview", "times": 2, "sessions": 1},
            {"from": "gemini-3-flash-preview", "to": "gemini-3-pro-preview", "times": 1, "sessions": 1},
        ])
    );
}
