//! `share-md` and `share-json` against what `/chat share` of real releases wrote for the same session.
//!
//! The session went on after it was shared, so ours has more at the end. What a session file does not
//! hold, ours cannot have: the signatures of thoughts beside calls; before 0.44 the context that opens
//! the conversation; before 0.10 all tool calls with their answers; and which release shared it, which
//! up to 0.20 put the picture before the heading.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn tree(version: &str) -> PathBuf {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded");
    recorded.join(version).join("tui_chat")
}

/// The newest journal of a tree in a format.
fn ours(version: &str, format: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
        .args(["--quiet", "export", "latest", "--format", format, "--home"])
        .arg(tree(version).join(".gemini"))
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

fn real(version: &str, name: &str) -> String {
    fs::read_to_string(tree(version).join(name)).expect("the recording has it")
}

fn entries(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a list of contents")
}

/// Without signatures.
fn unsigned(mut entries: Vec<Value>) -> Vec<Value> {
    let parts = entries
        .iter_mut()
        .filter_map(|entry| entry["parts"].as_array_mut());
    for part in parts.flatten().filter_map(Value::as_object_mut) {
        part.remove("thoughtSignature");
    }
    entries
}

#[test]
fn of_0_61_everything_but_signatures() {
    let shared = real("0.61.0", "out.md");
    let ours_md = ours("0.61.0", "share-md");
    assert!(ours_md.starts_with(&format!("{shared}\n\n---\n\n")));

    let (real, ours) = (real("0.61.0", "out.json"), ours("0.61.0", "share-json"));
    let wanted = unsigned(entries(&real));
    assert_eq!(wanted.len(), 6);
    assert_eq!(entries(&ours)[..6], wanted);
    // Byte for byte, too: layout and order of keys.
    let without: String = real
        .lines()
        .filter(|line| !line.contains("\"thoughtSignature\""))
        .flat_map(|line| [line, "\n"])
        .collect();
    let without = without.replace("        },\n      }\n", "        }\n      }\n");
    let common = without.trim_end().trim_end_matches(']').trim_end();
    assert!(ours.starts_with(common), "{common}");
}

#[test]
fn before_0_44_everything_but_the_context_and_signatures() {
    for version in ["0.26.0", "0.41.2"] {
        let shared = real(version, "out.md");
        let (context, rest) = shared.split_once("\n\n---\n\n").expect("several entries");
        assert!(context.contains("This is the Gemini CLI."));
        let ours_md = ours(version, "share-md");
        assert!(
            ours_md.starts_with(&format!("{rest}\n\n---\n\n")),
            "{version}: {ours_md}"
        );
        let wanted = unsigned(entries(&real(version, "out.json")));
        let ours = entries(&ours(version, "share-json"));
        assert_eq!(ours[..wanted.len() - 1], wanted[1..], "{version}");
    }
}

#[test]
fn of_0_8_what_was_said() {
    let wanted = entries(&real("0.8.2", "out.json"));
    let is_said = |entry: &&Value| entry["parts"][0].get("text").is_some();
    // The context and the thanks for it come first.
    let said: Vec<&Value> = wanted.iter().filter(is_said).skip(2).collect();
    let ours = entries(&ours("0.8.2", "share-json"));
    assert_eq!(said.len(), 4);
    assert_eq!(ours[..4].iter().collect::<Vec<_>>(), said);
}
