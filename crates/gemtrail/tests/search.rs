//! `search` with the real program.

mod support;

use std::collections::BTreeSet;

use gemtrail_testkit::corpus::{Corpus, Size};
use serde_json::Value;
use support::{Person, Ran};

/// Enough for every needle that the generator plants.
const SMALL: Size = Size {
    sessions: 60,
    bytes: 3_000_000,
    projects: 8,
};

fn hits(ran: &Ran) -> Vec<Value> {
    let lines = ran.out.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON Lines")
}

fn sessions(hits: &[Value], state: Option<&str>) -> BTreeSet<String> {
    hits.iter()
        .filter(|hit| state.is_none_or(|state| hit["state"] == state))
        .filter_map(|hit| hit["session"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn every_needle_is_found_where_it_was_put() {
    let Some(corpus) = Corpus::generate(SMALL).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let person = Person::new();
    let home = corpus.home.to_str().expect("the path is text");
    let needles = corpus.needles();
    assert_eq!(needles.len(), 6, "{needles:?}");
    for needle in needles {
        let search = |state: &str| {
            let run = ["search", needle.word, "--home", home, "--limit", "0"];
            let run = [&run[..], &["--state", state, "--json"]].concat();
            hits(&person.run(&run))
        };
        let wanted = |of: &BTreeSet<&str>| of.iter().map(|&id| id.to_owned()).collect();
        let (all, current): (BTreeSet<String>, BTreeSet<String>) =
            (wanted(&needle.sessions), wanted(&needle.current));
        let found = search("all");
        assert_eq!(sessions(&found, None), all, "{}", needle.word);
        assert_eq!(
            sessions(&found, Some("current")),
            current,
            "{}",
            needle.word
        );
        assert_eq!(
            sessions(&search("current"), None),
            current,
            "{}",
            needle.word
        );
        let superseded = search("superseded");
        assert_eq!(
            sessions(&superseded, None),
            sessions(&found, Some("superseded"))
        );
        for hit in &found {
            let marked = hit["highlights"][0].as_array().expect("a range");
            let at = |at: usize| usize::try_from(marked[at].as_u64().expect("a number"));
            let range = at(0).expect("small")..at(1).expect("small");
            let snippet = hit["snippet"].as_str().expect("text").chars();
            let part: String = snippet.skip(range.start).take(range.len()).collect();
            assert_eq!(part, needle.word);
        }
    }
}

/// A home with one session about a cart.
fn person() -> Person {
    let person = Person::new();
    person.write(
        ".gemini/tmp/shop/chats/session-2026-06-01T10-00-2f1e0a52.json",
        r#"{"sessionId":"2f1e0a52-aaaa","projectHash":"shop","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:05:00.000Z","messages":[
{"id":"u1","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":"Fix the Café cart, カートを直して \u001b[31mplease"},
{"id":"g1","timestamp":"2026-06-01T10:00:09.000Z","type":"gemini","model":"gemini-3-pro","content":"Done with the cart",
 "toolCalls":[{"id":"c1","name":"read_file","args":{"file_path":"src/cart.js"},"status":"success","timestamp":"2026-06-01T10:00:05.000Z","result":[{"functionResponse":{"id":"c1","name":"read_file","response":{"output":"let total = 0"}}}]}]}]}"#,
    );
    person
}

/// On a terminal they are below their sessions: see `screens`.
#[test]
fn a_pipe_gets_a_line_per_hit_with_its_address() {
    let person = person();
    let ran = person.run(&["search", "cart"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<Vec<&str>> = ran
        .out
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let columns = |at: usize| lines.iter().map(|line| line[at]).collect::<Vec<_>>();
    let places = columns(0)
        .iter()
        .map(|it| it.split_once(':').expect("a place").1)
        .collect::<Vec<_>>();
    assert_eq!(places, ["1.1", "1.2", "1"]);
    assert_eq!(columns(1)[0], "2026-06-01T10:00:09+00:00");
    assert_eq!(columns(4), ["assistant", "read", "human"]);
    assert_eq!(columns(5)[2], "Fix the Café cart, カートを直して please");
    assert!(lines.iter().all(|line| line.len() == 6), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}') && ran.err.is_empty());
    let flat = person.run(&["search", "cart", "--flat"]);
    assert_eq!(flat.out, ran.out);
}

#[test]
fn found_words_are_highlighted_in_colour_only() {
    let ran = person().run(&["search", "done", "--color", "always"]);
    assert!(
        ran.out.contains("m\u{1b}[31mDone\u{1b}[0m"),
        "{:?}",
        ran.out
    );
}

#[test]
fn nothing_found_says_where_it_looked() {
    let ran = person().run(&["search", "zzz"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(
        ran.err.contains("zzz") && ran.err.contains(".gemini/tmp"),
        "{}",
        ran.err
    );
    let beyond = person().run(&["search", "cart", "--offset", "9"]);
    assert_eq!(beyond.code, Some(1));
    assert!(beyond.err.contains("only 3 matches"), "{}", beyond.err);
}

#[test]
fn pages_say_how_to_go_on() {
    let ran = person().run(&["search", "cart", "--limit", "2"]);
    assert!(
        ran.err.contains("2 of 3 matches") && ran.err.contains("--offset 2"),
        "{}",
        ran.err
    );
    let rest = person().run(&["search", "cart", "--limit", "2", "--offset", "2", "--json"]);
    assert_eq!(hits(&rest).len(), 1);
    assert_eq!(rest.err, "");
}

#[test]
fn bad_queries_are_pointed_at() {
    let person = person();
    let ran = person.run(&["search", "cart * x"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("  cart * x\n       ^\n"), "{}", ran.err);
    let ran = person.run(&["search", "cart", "rolle:human"]);
    assert!(ran.err.contains("did you mean role:?"), "{}", ran.err);
    let ran = person.run(&["search", "--json", "a OR"]);
    let error: Value = serde_json::from_str(&ran.err).expect("one line of JSON");
    assert_eq!(error["code"], "bad-query");
    let ran = person.run(&["search", "x", "--role", "humna"]);
    assert!(ran.err.contains("--role: there is no role"), "{}", ran.err);
    assert_eq!(person.run(&["search"]).code, Some(2));
    let ran = person.run(&["search", "--regex", "a(b"]);
    assert!(ran.err.contains("  a(b\n   ^\n"), "{}", ran.err);
}

#[test]
fn flags_and_fields_are_the_same() {
    let person = person();
    let fields = [
        ("role", "human"),
        ("tool", "read"),
        ("model", "3-pro"),
        ("file", "cart.js"),
        ("status", "success"),
        ("session", "latest"),
        ("session", "@1"),
        ("project", "shop"),
        ("field", "tool_args,text"),
        ("state", "current"),
        ("until", "2026-06-01"),
        ("since", "2026-06-01"),
    ];
    for (name, value) in fields {
        let flag = person.run(&["search", &format!("--{name}"), value, "--json"]);
        let field = person.run(&["search", &format!("{name}:{value}"), "--json"]);
        assert_eq!(flag.out, field.out, "{name}");
        assert!(!hits(&flag).is_empty(), "{name}: {}", flag.err);
    }
    for (field, same) in [
        ("before:2026-06-02", "until:2026-06-01"),
        ("after:2026-06-01", "since:2026-06-01"),
    ] {
        let [field, same] = [field, same].map(|query| person.run(&["search", query, "--json"]));
        assert_eq!(field.out, same.out);
        assert!(!hits(&field).is_empty(), "{}", field.err);
    }
    assert_eq!(
        hits(&person.run(&["search", "cart -role:human", "--json"])).len(),
        2
    );
    assert_eq!(
        hits(&person.run(&["search", "--json", "--", "-role:human", "cart"])).len(),
        2
    );
    assert_eq!(
        hits(&person.run(&["search", "--regex", r"c\w+t\b", "--json"])).len(),
        3
    );
    let ranked = hits(&person.run(&["search", "cart", "--rank", "--json"]));
    assert_eq!(ranked[0]["role"], "human");
}

/// Nothing is cut in a pipe: lines are whole, as far as they have an end.
#[test]
fn hits_in_a_pipe_have_whole_lines() {
    let person = Person::new();
    let line = format!("Exit Code: 1 {}end", "and so on ".repeat(25));
    let text = format!("{line}\n{line}\n{line}");
    let words = [("u1", "hello"), ("g1", text.as_str())];
    let lines = gemtrail_testkit::made::lines("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab", &words);
    let file = "session-2026-06-01T10-00-2f1e0a52.jsonl";
    person.write(&format!(".gemini/tmp/shop/chats/{file}"), &lines);
    let ran = person.run(&["search", "exit", "code"]).expect(0);
    assert!(ran.out.contains(&line), "{}", ran.out);
    let hit = &hits(&person.run(&["search", "--json", "exit", "code"]))[0];
    let snippet = hit["snippet"].as_str().expect("a snippet");
    assert!(snippet.chars().count() < 170, "{snippet}");
}

#[test]
fn what_is_nearly_right_is_found_and_said_so() {
    let person = person();
    for (query, step) in [("cart", "exact"), ("car", "prefix"), ("carrt", "spelling")] {
        let ran = person.run(&["search", query, "--json"]).expect(0);
        assert_eq!(hits(&ran)[0]["match"], step, "{query}");
    }
    let ran = person.run(&["search", "carrt"]).expect(0);
    assert!(ran.err.contains("cart for carrt"), "{}", ran.err);
    let ran = person.run(&["search", "carrt", "--exact"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("without --exact"), "{}", ran.err);
}
