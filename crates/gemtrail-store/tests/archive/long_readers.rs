//! A library that stays open while the archive changes, as in a server.

use std::io::Read as _;

use crate::common::{Sandbox, chat, handle, lines, rows, session, text_of};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const THIRD: &str = "4b1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// An archive with two sessions, of which the second was taken in last.
fn two_sessions() -> Sandbox {
    let sandbox = Sandbox::with_session(ID);
    sandbox.sync();
    let second = lines(OTHER, &[("u1", "of the second"), ("g1", "yes")]);
    sandbox.write(&chat("3a1e0a52.jsonl"), &second);
    sandbox.sync();
    sandbox
}

#[test]
fn a_forgotten_session_is_not_read_as_the_one_that_came_next() {
    let sandbox = two_sessions();
    let library = sandbox.library();
    let forgotten = &library.journals_of(&handle(&library, OTHER))[0];
    assert!(text_of(forgotten).contains("of the second"));

    sandbox.forget(OTHER);
    sandbox.remove(&chat("3a1e0a52.jsonl"));
    let third = lines(THIRD, &[("u1", "of the third"), ("g1", "no")]);
    sandbox.write(&chat("4b1e0a52.jsonl"), &third);
    sandbox.sync();

    let error = forgotten.open().err().expect("its bytes are gone");
    assert!(error.to_string().contains("is missing"), "{error}");
    assert_eq!(session(&library, ID).messages[0].text, "one");
    sandbox.verify();
}

#[test]
fn a_reader_in_the_middle_of_a_file_gets_no_bytes_of_another() {
    let sandbox = Sandbox::with_session(ID);
    sandbox.sync();
    // Several chunks, so that reading goes on after the first.
    let words = |name: &str| -> String {
        let words = (0..60_000).map(|at| format!("{name}{at} "));
        words.collect()
    };
    let long = |id: &str, name: &str| lines(id, &[("u1", &words(name)), ("g1", "yes")]);
    sandbox.write(&chat("3a1e0a52.jsonl"), &long(OTHER, "second"));
    sandbox.sync();
    let library = sandbox.library();
    let journal = &library.journals_of(&handle(&library, OTHER))[0];
    let mut open = journal.open().expect("it can be read");
    let mut start = vec![0; 1000];
    open.read_exact(&mut start).expect("it can be read");

    sandbox.forget(OTHER);
    sandbox.remove(&chat("3a1e0a52.jsonl"));
    sandbox.write(&chat("4b1e0a52.jsonl"), &long(THIRD, "third"));
    sandbox.sync();

    let mut rest = Vec::new();
    let outcome = open.read_to_end(&mut rest);
    assert!(outcome.is_err(), "its bytes are gone");
    assert!(!String::from_utf8_lossy(&rest).contains("third"));
}

#[test]
fn a_file_that_grew_is_read_as_it_is_now() {
    let sandbox = two_sessions();
    let library = sandbox.library();
    let more = [("u1", "of the second"), ("g1", "yes"), ("u2", "and more")];
    for _ in 0..3 {
        sandbox.write(&chat("3a1e0a52.jsonl"), &lines(OTHER, &more));
        sandbox.sync();
    }
    assert_eq!(session(&library, OTHER).messages.len(), 3);
    assert_eq!(rows(&library).len(), 2);
    assert_eq!(sandbox.show(OTHER)["counts"]["messages"], 3);
}

#[test]
fn a_library_keeps_its_projects_while_all_views_are_rebuilt() {
    let sandbox = Sandbox::with_session(ID);
    let of_project = |name: &str, id: &str| {
        let file = chat(&format!("{}.jsonl", &id[..8])).replace("/shop/", &format!("/{name}/"));
        let journal = lines(id, &[("u1", name), ("g1", "yes")]).replace("\"shop\"", "\"other\"");
        sandbox.write(&file, &journal);
    };
    of_project("web", OTHER);
    sandbox.sync();
    let library = sandbox.library();
    let before = rows(&library);

    // A project that comes first, so that all of them get other rows.
    of_project("app", THIRD);
    sandbox.rebuild();
    assert_eq!(rows(&library), before);
    assert_eq!(session(&library, ID).messages[0].text, "one");
    assert_eq!(session(&library, OTHER).project.dir.as_deref(), Some("web"));
}
