//! Planted secrets as Gemini CLI would have recorded them.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Form, Place, Planted};

const SESSION: &str = "2f1e0a52-0000-4000-8000-000000000080";
const STEM: &str = "session-2026-06-01T10-00-2f1e0a52";

/// A home on disk with one session that holds all of them.
#[derive(Debug)]
pub struct Home {
    /// What to pass as `--home`.
    pub path: PathBuf,
    /// The journal in it.
    pub journal: PathBuf,
    /// Deletes the home when dropped.
    pub directory: tempfile::TempDir,
}

impl Home {
    /// Writes the home.
    pub fn write(planted: &[Planted]) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join(".gemini");
        let project = path.join("tmp/acme-shop");
        fs::create_dir_all(project.join("chats"))?;
        fs::write(project.join(".project_root"), "/srv/demo/acme-shop")?;
        fs::write(project.join("logs.json"), logs(planted))?;
        let journal = project.join(format!("chats/{STEM}.jsonl"));
        fs::write(&journal, self::journal(planted))?;
        Ok(Self {
            path,
            journal,
            directory,
        })
    }
}

/// The lines of a journal that holds them, with logged ones as prompts.
pub fn journal(planted: &[Planted]) -> String {
    let mut lines = format!(
        "{}\n",
        json!({"sessionId": SESSION, "projectHash": "00", "kind": "main",
               "startTime": "2026-06-01T10:00:00.000Z", "lastUpdated": "2026-06-01T10:00:00.000Z"})
    );
    for (index, one) in planted.iter().enumerate() {
        if one.place == Place::Logged {
            continue;
        }
        let line = message(index, one).to_string();
        lines.push_str(&match one.form {
            Form::Escaped => over_escaped(&line, one),
            _ => line,
        });
        lines.push('\n');
    }
    lines
}

fn logs(planted: &[Planted]) -> String {
    let logged = planted.iter().filter(|one| one.place == Place::Logged);
    let entries: Vec<_> = logged
        .enumerate()
        .map(|(index, one)| {
            json!({"sessionId": SESSION, "messageId": index, "type": "user", "message": one.text,
                   "timestamp": "2026-06-01T10:00:00.500Z"})
        })
        .collect();
    Value::from(entries).to_string()
}

fn message(index: usize, one: &Planted) -> Value {
    let text = one.text.as_str();
    let said = |kind: &str, content: Value| json!({"type": kind, "content": content});
    let mut message = match one.place {
        Place::Prompt | Place::Logged => said("user", json!([{"text": text}])),
        Place::Answer => said("gemini", json!(text)),
        Place::Error => said("error", json!(text)),
        Place::Context => said(
            "user",
            json!([{"text": format!("<session_context>\n{text}\n</session_context>")}]),
        ),
        Place::Reference => said(
            "user",
            json!([{"text": "Explain @a.txt"},
                   {"text": "\n--- Content from referenced files ---"},
                   {"text": "\nContent from @a.txt:\n"}, {"text": text},
                   {"text": "\n--- End of content ---"}]),
        ),
        Place::Thought => json!({"type": "gemini", "content": "",
            "thoughts": [{"subject": "Looking", "description": text, "timestamp": time(index)}]}),
        Place::Argument => calling(
            "run_shell_command",
            &json!({"command": text}),
            "ok",
            &json!("ok"),
        ),
        Place::Output => calling(
            "run_shell_command",
            &json!({"command": "cat it"}),
            text,
            &json!(text),
        ),
        Place::Diff => calling(
            "replace",
            &json!({"file_path": "a.txt", "old_string": "x", "new_string": text}),
            "Successfully modified file: a.txt",
            &json!({"fileName": "a.txt", "originalContent": "x", "newContent": text,
                   "fileDiff": format!("--- a.txt\n+++ a.txt\n@@ -1,2 +1,9 @@\n one\n{text}\n")}),
        ),
    };
    message["id"] = json!(format!("m{index}"));
    message["timestamp"] = json!(time(index));
    message
}

fn calling(tool: &str, args: &Value, output: &str, display: &Value) -> Value {
    let call = format!("{tool}__1");
    json!({"type": "gemini", "content": "", "model": "gemini-3-pro-preview",
        "toolCalls": [{"id": call, "name": tool, "args": args, "status": "success",
            "timestamp": "2026-06-01T10:00:02.000Z",
            "result": [{"functionResponse": {"id": call, "name": tool, "response": {"output": output}}}],
            "resultDisplay": display}]})
}

fn time(index: usize) -> String {
    format!("2026-06-01T10:{:02}:{:02}.000Z", 1 + index / 60, index % 60)
}

/// The same JSON with unnecessary escapes inside the secret.
fn over_escaped(line: &str, one: &Planted) -> String {
    let mut line = line.to_owned();
    for part in &one.parts {
        let mut escaped = String::new();
        for (index, c) in part.chars().enumerate() {
            match c {
                '/' => escaped.push_str("\\/"),
                // Writing to a string cannot fail.
                c if index % 5 == 1 => drop(write!(escaped, "\\u{:04x}", u32::from(c))),
                c => escaped.push(c),
            }
        }
        line = line.replace(part.as_str(), &escaped);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::planted;

    #[test]
    fn the_journal_is_json_lines_and_hides_what_is_escaped() {
        let all = planted();
        let text = journal(&all);
        for line in text.lines() {
            let parsed: Result<Value, _> = serde_json::from_str(line);
            assert!(parsed.is_ok(), "{line}");
        }
        for one in all.iter().filter(|one| one.form == Form::Escaped) {
            assert_eq!(one.left_in(&text).count(), 0, "{}", one.name);
        }
    }
}
