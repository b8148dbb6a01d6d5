//! Homes for these tests.

use std::fs;
use std::path::Path;

use gemtrail_testkit::made;
use serde_json::json;
use tempfile::TempDir;

/// Everything that a transcript may try to do to a terminal.
pub(super) const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}]52;c;aGE=\u{7}\u{9b}31m\u{1b}[?1049l\r\u{8}\u{202e}x\u{0}\u{1b}Pq\u{1b}\\ end";

/// Writes files into a new home.
pub(super) fn home(files: &[(String, String)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// A home of one session of many messages.
pub(super) fn long_home(messages: usize) -> TempDir {
    let mut text = made::lines("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab", &[]);
    for at in 0..messages {
        let id = if at % 2 == 0 {
            format!("u{at}")
        } else {
            format!("g{at}")
        };
        let words = format!("message number {at}\n\nwith two paragraphs");
        text += &(made::message(&id, &words).to_string() + "\n");
    }
    home(&[(made::chat("2f1e0a52.jsonl"), text)])
}

/// A home whose texts are hostile everywhere, and full of characters that are hard to draw.
pub(super) fn hostile_home() -> TempDir {
    let wide = "支払い 👩‍💻 ❤️ 🇩🇪 👍🏽 ｶﾞ e\u{301} \u{200b}";
    let mut files = Vec::new();
    for (at, name) in ["2f1e0a52", "3f1e0a52", "4f1e0a52"].into_iter().enumerate() {
        let id = format!("{name}-aaaa-4bbb-8ccc-0123456789ab");
        let mut call = made::message(
            "g2",
            &format!("{HOSTILE}\n\n| a | {wide} |\n|---|---|\n| {HOSTILE} | b |"),
        );
        call["toolCalls"] = json!([{"id": "c1", "name": "run_shell_command",
            "args": {"command": format!("echo {HOSTILE} {wide}")}, "status": "error",
            "timestamp": "2026-06-01T10:00:05.000Z", "resultDisplay": [[{"text": HOSTILE, "fg": "#ff0000"}]],
            "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command",
                "response": {"error": format!("{HOSTILE}\n{wide}\n").repeat(20)}}}]}]);
        call["thoughts"] = json!([{"subject": HOSTILE, "description": wide,
            "timestamp": "2026-06-01T10:00:05.000Z"}]);
        call["model"] = json!(HOSTILE);
        let prompt = format!("{at} {HOSTILE} needle {wide} @x");
        let text = made::lines(&id, &[("u1", &prompt), ("g1", HOSTILE)])
            + &call.to_string()
            + "\n"
            + &made::message("u3", &format!("again {wide}")).to_string()
            + "\n"
            + &json!({"$rewindTo": "u3"}).to_string()
            + "\n";
        files.push((made::chat(&format!("{name}.jsonl")), text));
    }
    home(&files)
}
