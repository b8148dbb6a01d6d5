//! `origin` and `files`, on a session and a repository that are made here.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const ROOT: &str = "/srv/demo/shop";
const BEFORE: &str = "export const RATE = 0.19;\nexport const NAME = \"shop\";\n";
const AFTER: &str =
    "export const RATE = 0.2;\nexport const NAME = \"shop\";\nexport const ROUND = 2;\n";

struct Sandbox(tempfile::TempDir);

impl Sandbox {
    /// A home with one session, whose tool changed one file, and the file as it was left.
    fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        let call = |id: &str, status: &str, before: &str, after: &str| {
            json!({"id": id, "name": "replace", "status": status, "timestamp": "2026-06-01T10:00:05.000Z",
                "args": {"file_path": format!("{ROOT}/src/tax.js"), "old_string": "x", "new_string": "y"},
                "resultDisplay": {"fileDiff": "", "fileName": "tax.js", "filePath": format!("{ROOT}/src/tax.js"),
                    "originalContent": before, "newContent": after}})
        };
        let records = [
            json!({"sessionId": "2f1e0a52-1111-4222-8333-444455556666", "projectHash": "x",
                "startTime": "2026-06-01T10:00:00.000Z", "lastUpdated": "2026-06-01T10:00:00.000Z", "kind": "main"}),
            json!({"id": "u1", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": [{"text": "raise the tax"}]}),
            json!({"id": "g1", "timestamp": "2026-06-01T10:00:05.000Z", "type": "gemini", "content": "Done.", "model": "gemini-3-pro-preview",
                "toolCalls": [call("c1", "success", BEFORE, AFTER), call("c2", "cancelled", AFTER, "export const NEVER = 1;\n")]}),
        ];
        let journal: String = records.iter().fold(String::new(), |text, record| {
            text + &record.to_string() + "\n"
        });
        sandbox.write("home/.gemini/tmp/shop/.project_root", ROOT);
        sandbox.write(
            "home/.gemini/tmp/shop/chats/session-2026-06-01T10-00-2f1e0a52.jsonl",
            &journal,
        );
        sandbox.write("repo/src/tax.js", AFTER);
        sandbox
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args([
                "-c",
                "user.name=dana",
                "-c",
                "user.email=dana@example.com",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .current_dir(self.path().join("repo"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(
            status.status.success(),
            "{}",
            String::from_utf8_lossy(&status.stderr)
        );
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", message]);
    }

    /// Exit code, output and errors of the program, run in the repository.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
            .args(["--home", &self.path().join("home").to_string_lossy()])
            .args(arguments)
            .current_dir(self.path().join("repo"))
            .env("HOME", self.path())
            .env_remove("GEMTRAIL_ARCHIVE")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code().unwrap(),
            text(&output.stdout),
            text(&output.stderr),
        )
    }

    /// Who made each run of lines: start, end, author, prompt.
    fn lines(&self, arguments: &[&str]) -> Vec<(u64, u64, String, String)> {
        let (code, out, err) = self.run(&[&["origin", "--json"], arguments].concat());
        assert_eq!(code, 0, "{err}");
        let document: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(document["schema"], "gemtrail.origin/1");
        let lines = match document["lines"].as_array() {
            Some(lines) => lines.clone(),
            None => document["commits"][0]["files"][0]["lines"]
                .as_array()
                .unwrap()
                .clone(),
        };
        let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
        let run = |it: &Value| {
            (
                it["start"].as_u64().unwrap(),
                it["end"].as_u64().unwrap(),
                text(&it["by"]),
                text(&it["prompt"]),
            )
        };
        lines.iter().map(run).collect()
    }
}

fn run(start: u64, end: u64, by: &str) -> (u64, u64, String, String) {
    let prompt = if by == "unknown" {
        "–"
    } else {
        "raise the tax"
    };
    (start, end, by.to_owned(), prompt.to_owned())
}

#[test]
fn lines_lead_to_their_prompt_if_the_file_is_proven_to_be_the_same() {
    let sandbox = Sandbox::new();
    let expected = [run(1, 1, "model"), run(2, 2, "unknown"), run(3, 3, "model")];
    assert_eq!(sandbox.lines(&["src/tax.js"]), expected);
    assert_eq!(sandbox.lines(&["src/tax.js:2-3"]), expected[1..]);
    // With other words, nothing proves that it is this file, unless somebody says so.
    let changed = AFTER.replace("\"shop\"", "\"store\"");
    sandbox.write("repo/src/tax.js", &changed);
    assert_eq!(sandbox.lines(&["src/tax.js"]), [run(1, 3, "unknown")]);
}

#[test]
fn commits_lead_to_the_prompts_of_the_lines_that_they_added() {
    let sandbox = Sandbox::new();
    sandbox.write("repo/src/tax.js", BEFORE);
    sandbox.git(&["init", "-q"]);
    sandbox.commit("first");
    sandbox.write("repo/src/tax.js", AFTER);
    sandbox.commit("raise");
    assert_eq!(
        sandbox.lines(&["HEAD"]),
        [run(1, 1, "model"), run(3, 3, "model")]
    );
    sandbox.write(
        "repo/src/tax.js",
        &format!("{AFTER}export const HAND = 1;\n"),
    );
    sandbox.commit("by hand");
    assert_eq!(sandbox.lines(&["HEAD"]), [run(4, 4, "unknown")]);
    let (_, table, _) = sandbox.run(&["origin", "HEAD~2..HEAD", "--format", "md"]);
    assert!(table.contains("| 2 | 66 % | raise the tax |"), "{table}");
    // A file that is gone, as a commit has it.
    std::fs::remove_file(sandbox.path().join("repo/src/tax.js")).unwrap();
    let gone = sandbox.lines(&["src/tax.js", "--at", "HEAD"]);
    assert_eq!(gone[0], run(1, 1, "model"));
}

#[test]
fn commits_without_a_session_get_none() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q"]);
    for number in 0..200 {
        sandbox.write(
            "repo/src/tax.js",
            &format!("export const RATE = {number};\nexport const OTHER = {number};\n"),
        );
        sandbox.commit("bump");
    }
    let (code, out, err) = sandbox.run(&["origin", "--json", "HEAD~199..HEAD"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("\"session\""), "{out}");
}

#[test]
fn what_cannot_be_traced_is_said_plainly() {
    let sandbox = Sandbox::new();
    let (code, _, err) = sandbox.run(&["origin", "no-such-file"]);
    assert_eq!(code, 1);
    assert!(err.contains("no-such-file does not exist"), "{err}");
    sandbox.write("repo/other.txt", "by hand\n");
    let (code, out, _) = sandbox.run(&["origin", "other.txt", "--json"]);
    assert_eq!(code, 0);
    assert!(out.contains("unknown"), "{out}");
}

#[test]
fn files_name_every_change() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["files", "--json"][..],
        &["files", "src/tax.js", "--json"],
        &["files", "src", "--json"],
    ] {
        let (code, out, err) = sandbox.run(arguments);
        assert_eq!(code, 0, "{err}");
        let row: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(row["schema"], "gemtrail.file/1");
        assert_eq!(
            (&row["file"], &row["prompt"]),
            (&json!("src/tax.js"), &json!("raise the tax"))
        );
        assert_eq!(
            (&row["added"], &row["removed"], &row["kind"]),
            (&json!(2), &json!(1), &json!("edit"))
        );
    }
    let (code, _, err) = sandbox.run(&["files", "nothing.js"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn lists_and_statistics_by_file() {
    let sandbox = Sandbox::new();
    let (code, out, err) = sandbox.run(&["list", "--file", "src/tax.js", "--json"]);
    assert_eq!((code, out.lines().count()), (0, 1), "{err}");
    let (code, _, err) = sandbox.run(&["list", "--file", "src/other.js"]);
    assert_eq!(code, 1);
    assert!(err.contains("changed src/other.js"), "{err}");
    let (code, out, err) = sandbox.run(&["stats", "--by", "file", "--json"]);
    assert_eq!(code, 0, "{err}");
    let stats: Value = serde_json::from_str(&out).unwrap();
    let rows = stats["by"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{out}");
    assert_eq!(rows[0]["key"]["file"], "src/tax.js");
    assert_eq!(
        (&rows[0]["calls"], &rows[0]["sessions"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn hostile_files_are_answered_or_refused() {
    let sandbox = Sandbox::new();
    let huge = "x\n".repeat(300_000);
    for (name, text) in [
        ("empty.txt", ""),
        ("binary.bin", "\0\u{1}\u{2}\n\0"),
        ("dos.txt", "a\r\nb\r\n"),
        ("open.txt", "no end"),
        ("huge.txt", &huge),
        ("name:17", "a file that is called so\n"),
        ("--help", "an option?\n"),
        ("HEAD", "not a revision\n"),
    ] {
        sandbox.write(&format!("repo/{name}"), text);
        let (code, out, err) = sandbox.run(&["origin", "--json", "--", name]);
        assert_eq!(code, 0, "{name}: {err}");
        let document: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(document["file"], name);
        assert!(!out.contains("session"), "{name}: {out}");
    }
    for name in [
        "..",
        ".",
        "/dev/null/x",
        "a..b\n",
        "--",
        ":1",
        "src/tax.js:9-1",
    ] {
        let (code, out, err) = sandbox.run(&["origin", "--json", "--", name]);
        assert!(code == 1 || code == 2, "{name}: {out}{err}");
    }
    // A link leads to the file it names, and one to a device is refused.
    #[cfg(unix)]
    {
        let repo = sandbox.path().join("repo");
        std::os::unix::fs::symlink("src/tax.js", repo.join("link.js")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", repo.join("zero")).unwrap();
        std::os::unix::fs::symlink("loop", repo.join("loop")).unwrap();
        assert_eq!(sandbox.run(&["origin", "--json", "link.js"]).0, 0);
        for name in ["zero", "loop"] {
            let (code, out, _) = sandbox.run(&["origin", "--json", name]);
            assert!(code == 1 || code == 2, "{name}: {out}");
        }
    }
}
