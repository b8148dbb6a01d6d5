//! Where documents go, by the built binary: files, directories, standard output.

#[path = "../support/mod.rs"]
mod support;

mod destinations;
mod formats;
mod handing_over;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Person, Ran};

const NAME: &str = "session-2026-11-15T20-45-9dd87fa3";

/// A recorded session with some forty blocks.
fn recorded() -> PathBuf {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/0.61.0/tui_chat");
    root.canonicalize().expect("the recording is there")
}

fn journal() -> String {
    let chats = recorded().join(".gemini/tmp/acme-shop/chats");
    text(&chats.join(format!("{NAME}.jsonl")))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn export(person: &Person, arguments: &[&str]) -> Ran {
    let home = text(&recorded());
    person.run(&[&["--home", &home, "export", "9dd87fa3"], arguments].concat())
}

/// The files of a directory, by name.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the directory is there");
    let names = entries.map(|entry| text(Path::new(&entry.expect("an entry").file_name())));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}
