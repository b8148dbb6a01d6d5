//! Sessions are found and joined whatever the names of their files.

use std::fs;
use std::path::Path;

use gemtrail_store::{Library, Named, Places, ReadDetail, ResolveError};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "77770a52-aaaa-4bbb-8ccc-0123456789ab";

/// Writes a journal with one message.
fn journal(home: &Path, project: &str, file: &str, id: &str, message: &str) {
    let path = home.join("tmp").join(project).join("chats").join(file);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a temporary directory");
    let text = format!(
        "{{\"sessionId\":\"{id}\",\"projectHash\":\"h\",\"startTime\":\"2026-06-01T10:00:00.000Z\"}}\n\
         {{\"id\":\"{message}\",\"type\":\"user\",\"content\":\"{message}\"}}\n"
    );
    fs::write(path, text).expect("a temporary file");
}

fn library(home: &Path) -> Library {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    Library::open(&places).expect("a home")
}

/// The messages of the one session with this name.
fn said(library: &Library, name: &str) -> Vec<String> {
    let Ok(Named::Session(reference)) = library.resolve(name) else {
        panic!("{name} is not one session");
    };
    let session = library.read(reference, ReadDetail::Document);
    let session = session.expect("it is there");
    session.messages.into_iter().map(|m| m.text).collect()
}

/// How many sessions a name matches.
fn candidates(library: &Library, name: &str) -> usize {
    match library.resolve(name) {
        Ok(_) => 1,
        Err(ResolveError::Ambiguous { candidates, .. }) => candidates.len(),
        Err(_) => 0,
    }
}

#[test]
fn files_with_other_names_are_joined() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let home = home.path();
    journal(
        home,
        "a",
        "session-2026-06-01T10-00-2f1e0a52.jsonl",
        ID,
        "one",
    );
    journal(home, "a", "session-copy.jsonl", ID, "two");
    journal(
        home,
        "a",
        "session-2026-06-01T10-00-77770a52.jsonl",
        ID,
        "three",
    );
    journal(
        home,
        "b",
        "session-2026-06-01T10-00-11110a52.jsonl",
        OTHER,
        "four",
    );
    let library = library(home);
    let mut all = said(&library, ID);
    all.sort();
    assert_eq!(all, ["one", "three", "two"]);
    assert_eq!(said(&library, "2f1e0a52"), said(&library, ID));
    assert_eq!(
        said(&library, OTHER),
        ["four"],
        "its file bears another name"
    );
}

#[test]
fn an_id_in_two_projects_is_ambiguous() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let home = home.path();
    journal(
        home,
        "a",
        "session-2026-06-01T10-00-2f1e0a52.jsonl",
        ID,
        "one",
    );
    journal(home, "b", "session-of-mine.jsonl", ID, "two");
    assert_eq!(candidates(&library(home), ID), 2);
}

#[test]
fn a_subagent_is_found_by_its_own_id() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let home = home.path();
    journal(
        home,
        "a",
        "session-2026-06-01T10-00-2f1e0a52.jsonl",
        ID,
        "one",
    );
    journal(home, "a", &format!("{ID}/helper.jsonl"), OTHER, "two");
    assert_eq!(said(&library(home), OTHER), ["two"]);
}

#[test]
fn ids_are_found_in_any_case() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let home = home.path();
    let file = "session-2026-06-01T10-00-2f1e0a52.jsonl";
    journal(home, "a", file, ID, "one");
    journal(home, "a", "session-of-mine.jsonl", OTHER, "two");
    let library_of = library(home);
    assert_eq!(said(&library_of, &ID.to_uppercase()), ["one"]);
    assert_eq!(said(&library_of, "2F1e0A52"), ["one"]);
    assert_eq!(said(&library_of, &OTHER.to_uppercase()), ["two"]);
    assert_eq!(candidates(&library_of, "2F1é"), 0);
    // Where it matters, case counts.
    journal(home, "a", "session-x.jsonl", "made-up-id", "three");
    journal(home, "a", "session-y.jsonl", "Made-Up-Id", "four");
    let library = library(home);
    assert_eq!(said(&library, "made-up-id"), ["three"]);
    assert_eq!(said(&library, "Made-Up-Id"), ["four"]);
    assert_eq!(candidates(&library, "MADE-UP-ID"), 2);
}

#[test]
fn a_name_may_be_followed_by_a_place() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let home = home.path();
    journal(
        home,
        "a",
        "session-2026-06-01T10-00-2f1e0a52.jsonl",
        ID,
        "one",
    );
    // Ids are any text.
    journal(home, "a", "session-odd.jsonl", "odd:17", "two");
    let library = library(home);
    let named = |text: &str| library.resolve_address(text);
    let whole = named(ID).expect("a session").0;
    let odd = named("odd:17").expect("a session");
    for (text, place) in [
        ("2f1e0a52:1", "1"),
        (&format!("{ID}:1.5"), "1.5"),
        ("2f1e:0.1", "0.1"),
    ] {
        let place = place.parse().expect("a place");
        assert_eq!(named(text), Ok((whole.clone(), Some(place))), "{text}");
    }
    assert_eq!(odd.1, None, "it is the name of a session");
    assert_ne!(odd.0, whole);
    let at_place = named("odd:17:2").expect("a session");
    assert_eq!(at_place, (odd.0, "2".parse().ok()));
    assert_eq!(
        named("nothing:2"),
        Err(ResolveError::Unknown("nothing".to_owned()))
    );
    assert!(named("latest:3").is_ok_and(|(_, place)| place == "3".parse().ok()));
}
