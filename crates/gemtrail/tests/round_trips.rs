//! What gemtrail writes it reads back, for every recorded file.

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Kind, Message, Role, Session, State};
use gemtrail_core::{Detail, Sources};
use gemtrail_export::{ExportError, FormatOptions, json, jsonl, native};
use gemtrail_store::load_from;
use gemtrail_testkit::fixtures;

/// Every session file and checkpoint of the recordings.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for fixture in fixtures() {
        collect(&fixture.home, &mut files);
    }
    assert!(files.len() > 150, "only {} files", files.len());
    files
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_chat = path.components().any(|part| part.as_os_str() == "chats");
        if path.is_dir() {
            collect(&path, files);
        } else if is_chat || name.starts_with("checkpoint-") {
            files.push(path);
        }
    }
}

fn read(bytes: &[u8], name: &Path) -> Session {
    let journal = load_from(bytes, &name.to_string_lossy(), Detail::Full).expect("bytes in memory");
    Sources::single(journal).assemble()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), ExportError>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("memory takes everything");
    bytes
}

#[test]
fn documents_come_back_as_they_were() {
    for file in files() {
        let session = read(&fs::read(&file).expect("the file"), &file);
        let whole = written(|out| json::write(&session, &FormatOptions::default(), out));
        let again = read(&whole, Path::new("-"));
        let twice = written(|out| json::write(&again, &FormatOptions::default(), out));
        assert!(whole == twice, "{}", file.display());
        let lines = written(|out| jsonl::write(&session, &FormatOptions::default(), out));
        let text = String::from_utf8(lines).expect("UTF-8");
        assert_eq!(jsonl::read_all(&text).expect("our own lines"), [session]);
    }
}

/// What a message says, with what its calls said; not in which way a version wrote it down.
fn said(message: &Message, kind: Kind) -> String {
    // A subagent's journal would be deleted, so it becomes a main one, and its task a prompt.
    let role = match message.role {
        Role::Agent if kind == Kind::Subagent => Role::Human,
        role => role,
    };
    let calls: Vec<_> = message
        .tool_calls
        .iter()
        .map(|call| {
            let args = call.args.as_ref().map(|raw| raw.text().to_owned());
            (
                call.id.clone(),
                &call.name,
                args,
                &call.status,
                &call.output,
                &call.error,
            )
        })
        .collect();
    let Message {
        id,
        time,
        kind,
        text,
        model,
        thoughts,
        tokens,
        references,
        ..
    } = message;
    format!(
        "{id:?} {time:?} {kind} {role:?} {text:?} {model:?} {thoughts:?} {tokens:?} {references:?} {calls:?}"
    )
}

#[test]
fn a_native_journal_says_what_the_session_says() {
    for file in files() {
        let session = read(&fs::read(&file).expect("the file"), &file);
        let journal = written(|out| native::write(&session, &FormatOptions::default(), out));
        let again = read(&journal, &file);
        let current = |of: &Session| -> Vec<String> {
            let messages = of
                .messages
                .iter()
                .filter(|message| message.state == State::Current);
            messages
                .map(|message| said(message, session.kind))
                .collect()
        };
        assert_eq!(current(&session), current(&again), "{}", file.display());
    }
}
