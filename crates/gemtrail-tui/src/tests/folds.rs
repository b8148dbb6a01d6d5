//! Folding and unfolding in a session.

use std::time::{Duration, Instant};

use gemtrail_testkit::made;
use serde_json::{Value, json};

use super::homes::home;
use super::robot::Robot;
use crate::keys::Key;
use crate::state::ItemPart;

/// A home of one session.
fn home_of(lines: &[Value]) -> tempfile::TempDir {
    let mut text = made::lines("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab", &[]);
    for line in lines {
        text += &(line.to_string() + "\n");
    }
    home(&[(made::chat("2f1e0a52.jsonl"), text)])
}

/// To the next line for messages that were taken back.
fn go_to_folded(robot: &mut Robot) {
    loop {
        robot.press(&[Key::Down]);
        let chosen = robot.state.open.as_ref().and_then(|it| it.chosen());
        if matches!(chosen.unwrap().part, ItemPart::Folded(..)) {
            return;
        }
    }
}

#[test]
fn what_is_unfolded_does_not_look_like_what_was_before() {
    let dir = home_of(&[
        made::message("u1", "hello"),
        made::message("g1", "good day"),
        made::message("u2", "the first mistake"),
        json!({"$rewindTo": "u2"}),
        made::message("u3", "go on"),
        made::message("g3", "gladly"),
        made::message("u4", "the second mistake"),
        json!({"$rewindTo": "u4"}),
        made::message("u5", "thank you"),
    ]);
    let mut robot = Robot::new(dir.path(), (80, 40));
    robot.press(&[Key::Enter]);
    go_to_folded(&mut robot);
    robot.press(&[Key::Enter]);
    assert!(robot.line("first mistake").is_some(), "{}", robot.screen());
    robot.press(&[Key::Enter]);
    assert!(robot.line("first mistake").is_none(), "{}", robot.screen());
    go_to_folded(&mut robot);
    robot.press(&[Key::Enter]);
    assert!(robot.line("second mistake").is_some(), "{}", robot.screen());
    assert!(robot.line("first mistake").is_none(), "{}", robot.screen());
}

/// Ids are not looked for among all items: that would take half a minute here.
#[test]
fn very_many_calls_are_unfolded_at_once() {
    let call = |id: String| {
        json!({"id": id, "name": "read_file", "args": {"file_path": "a"}, "status": "success",
            "timestamp": "2026-06-01T10:00:05.000Z"})
    };
    let answer = |at: usize| {
        let mut message = made::message(&format!("g{at}"), "");
        let calls = (0..100).map(|of| call(format!("c{at}-{of}")));
        message["toolCalls"] = calls.collect();
        message
    };
    let mut lines = vec![made::message("u1", "read everything")];
    lines.extend((0..300).map(answer));
    let dir = home_of(&lines);
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter]);
    let open = robot.state.open.as_mut().unwrap();
    assert!(open.items().len() > 30_000);
    let start = Instant::now();
    open.unfold_all();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
    assert!(open.is_open(&open.items()[30_000]));
}
