//! Opening a session at a place.

use serde_json::Value;

use crate::home::sample;
use crate::terminal::{Face, paged, screen, screen_with};

#[test]
fn a_place_is_shown_alone_in_a_pipe() {
    let person = sample();
    let shown = |address: &str| screen(&person, Face::Pipe, 80, &["show", address]);
    insta::assert_snapshot!("turn", shown("7bd875c3:1"));
    insta::assert_snapshot!("call", shown("7bd875c3:1.2"));
    // Rewound, so usually folded.
    insta::assert_snapshot!("rewound", shown("7bd875c3:2"));
    insta::assert_snapshot!("context", shown("7bd875c3:0"));
}

#[test]
fn every_address_that_search_prints_can_be_shown() {
    let person = sample();
    let hits = screen(
        &person,
        Face::Pipe,
        80,
        &["search", "discount", "--context"],
    );
    assert!(hits.lines().count() > 3, "{hits}");
    for hit in hits.lines() {
        let (address, rest) = hit.split_once('\t').expect("columns");
        let shown = screen(&person, Face::Pipe, 80, &["show", address]);
        assert!(shown.contains("discount"), "{address} {rest}\n{shown}");
    }
}

#[test]
fn data_of_a_place_has_its_messages_only() {
    let person = sample();
    let ids = |address: &str| {
        let shown = screen(&person, Face::Pipe, 80, &["show", "--json", address]);
        let session: Value = serde_json::from_str(&shown).expect("a document");
        let messages = session["messages"].as_array().expect("messages").clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let one = |it: &Value| format!("{} {}", text(&it["place"]), text(&it["id"]));
        messages.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(ids("7bd875c3:1"), ["1 u1", "1.1 g1", "1.4 g2"]);
    assert_eq!(ids("7bd875c3:1.3"), ["1.1 g1"]);
    assert_eq!(ids("7bd875c3:0.1"), ["0.1 c1"]);
    assert_eq!(ids("7bd875c3").len(), 7);
}

#[test]
fn words_are_found_wherever_they_are() {
    let person = sample();
    let find = |word: &str| {
        screen(
            &person,
            Face::Pipe,
            80,
            &["show", "7bd875c3", "--find", word],
        )
    };
    insta::assert_snapshot!("find", find("discount"));
    // Usually cut off, left out and folded.
    for hidden in ["// file", "belongs beside", "Sunday", "voilà"] {
        assert!(
            find(hidden).to_lowercase().contains(&hidden.to_lowercase()),
            "{hidden}"
        );
    }
}

#[test]
fn an_outline_numbers_all_prompts() {
    let person = sample();
    for face in [Face::Pipe, Face::Terminal] {
        let shown = screen(&person, face, 80, &["show", "7bd875c3", "--outline"]);
        insta::assert_snapshot!(format!("outline-{}", face.name()), shown);
    }
}

/// A pager that tells what it was told.
#[test]
fn less_opens_at_the_place() {
    let person = sample();
    let pager = person.write(
        "bin/less",
        "#!/bin/sh\necho \"$LESSCHARSET\"\nprintf '<%s>\\n' \"$@\"\nsed -n '1,2p'\n",
    );
    let mut rights = std::fs::metadata(&pager)
        .expect("it is there")
        .permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
    std::fs::set_permissions(&pager, rights).expect("it can be made executable");
    let pager = pager.display().to_string();
    let shown = |arguments: &[&str]| paged(&person, &pager, arguments);
    insta::assert_snapshot!("pager-whole", shown(&["show", "7bd875c3"]));
    insta::assert_snapshot!("pager-place", shown(&["show", "7bd875c3:1.2"]));
    insta::assert_snapshot!(
        "pager-find",
        shown(&["show", "7bd875c3", "--find", "done:"])
    );
    // The title has it, too; and the place starts before the word.
    insta::assert_snapshot!(
        "pager-find-below-title",
        shown(&["show", "7bd875c3", "--find", "discount"])
    );
    insta::assert_snapshot!(
        "pager-find-in-place",
        shown(&["show", "7bd875c3:1.3", "--find", "failing"])
    );
}

#[test]
fn a_dumb_terminal_gets_no_colour() {
    let person = sample();
    let variables = [("TERM", "dumb")];
    let shown = screen_with(&person, Face::Colour, 80, &variables, &["show", "7bd875c3"]);
    assert!(!shown.contains('␛'), "{shown}");
}

/// `show` mentions the subagents of a session.
#[test]
fn subagents_are_pointed_out() {
    let person = sample();
    let dir = ".gemini/tmp/acme-shop/chats/7bd875c3-aaaa-4bbb-8ccc-0123456789ab";
    let agent = r#"{"sessionId":"agent-1","projectHash":"x","kind":"subagent","startTime":"2020-11-15T18:41:00.000Z","lastUpdated":"2020-11-15T18:42:00.000Z"}
{"id":"a1","type":"user","timestamp":"2020-11-15T18:41:01.000Z","content":[{"text":"Look at the cart."}]}
"#;
    person.write(&format!("{dir}/agent-1.jsonl"), agent);
    let shown = |more: &[&str]| {
        let arguments = [&["show", "7bd875c3"], more].concat();
        screen(&person, Face::Terminal, 80, &arguments)
    };
    let hint = "hint: --subagents includes what its 1 subagent did";
    assert!(shown(&[]).contains(hint), "{}", shown(&[]));
    assert!(!shown(&["--subagents"]).contains(hint));
}
