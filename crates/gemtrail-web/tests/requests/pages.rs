//! What the pages show.

use std::fs;
use std::path::Path;

use gemtrail_core::model::{Kind, Session};
use gemtrail_store::{Library, Places, ReadDetail, SessionFilter};
use gemtrail_testkit::{examples, made};

use super::client::Viewer;

fn library(home: &Path) -> Library {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    Library::open(&places).expect("a home")
}

fn write(home: &Path, path: &str, content: &str) {
    let path = home.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, content).expect("a file");
}

fn anchors(session: &Session, prefix: &str, into: &mut Vec<String>) {
    into.extend(
        session
            .messages
            .iter()
            .map(|it| format!("{prefix}m-{}", it.id.as_str())),
    );
    for (at, agent) in session.subagents.iter().enumerate() {
        anchors(agent, &format!("{prefix}a{at}-"), into);
    }
}

#[test]
fn every_session_has_a_page_and_every_message_a_place_on_it() {
    let viewer = Viewer::of(&examples::home());
    let library = library(&examples::home());
    let rows = library.sessions(&SessionFilter::everything());
    assert!(rows.len() > 10);
    let list = viewer.get("/sessions?kind=all").body;
    for row in rows {
        let address = format!("/sessions/{}", row.reference);
        assert!(list.contains(&format!("href=\"{address}\"")), "{address}");
        let page = viewer.get(&address);
        assert_eq!(page.status, 200);
        assert!(page.body.ends_with("</html>\n"));
        let session = library
            .read(row.reference, ReadDetail::Words)
            .expect("a session");
        let mut wanted = Vec::new();
        anchors(&session, "", &mut wanted);
        for anchor in wanted {
            let id = format!("id=\"{anchor}\"");
            assert_eq!(page.body.matches(&id).count(), 1, "{address} {anchor}");
        }
    }
}

#[test]
fn long_parts_are_fetched_and_nothing_is_cut() {
    let home = tempfile::tempdir().expect("a directory");
    let long = format!("It begins.\n\n{}\n\nIt ends.", "many words ".repeat(5000));
    let journal = made::lines("2f1e0a52", &[("u1", &long), ("g1", "short")]);
    write(
        home.path(),
        &format!("{}.jsonl", made::chat("2f1e0a52")),
        &journal,
    );
    let viewer = Viewer::of(home.path());
    let page = viewer
        .get(viewer.get("/sessions/latest").header("location"))
        .body;
    assert!(page.contains("It begins.") && !page.contains("It ends."));
    assert!(
        page.contains("All of it") && page.contains("55 kB"),
        "it says how much is folded"
    );
    let mut parts = page
        .split("data-src=\"")
        .skip(1)
        .filter_map(|it| it.split('"').next());
    let part = parts
        .find(|it| it.ends_with("/text"))
        .expect("a part")
        .to_owned();
    for address in [part.clone(), format!("{part}?fragment=1")] {
        let whole = viewer.get(&address).body;
        assert!(
            whole.contains("It begins.") && whole.contains("It ends."),
            "{address}"
        );
        // The title has some of them once more.
        assert!(whole.matches("many words").count() >= 5000, "{address}");
    }
    assert_eq!(viewer.get(&part.replace("/text", "/call-7")).status, 404);
    let raw = viewer.get(&part.replace("/text", "/raw"));
    assert_eq!(raw.header("content-type"), "text/plain; charset=utf-8");
    assert!(raw.body.contains("It ends."));
}

#[test]
fn hostile_words_are_inert_on_every_page() {
    let home = tempfile::tempdir().expect("a directory");
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)> \"onmouseover=alert(1) \u{202e}\x1b]0;x\x07";
    let journal = made::lines("2f1e0a52", &[("u1", evil), ("g1", evil)]);
    write(
        home.path(),
        &format!("{}.jsonl", made::chat("2f1e0a52")),
        &journal,
    );
    let log = made::log(
        "2026-06-02T10:00:00.000Z",
        &[("3c1e0a52-1111-4111-8111-111111111111", evil)],
    );
    write(home.path(), ".gemini/tmp/shop/logs.json", &log);
    let viewer = Viewer::of(home.path());
    let session = viewer
        .get("/sessions/2f1e0a52")
        .header("location")
        .to_owned();
    let encoded = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%20onload=x";
    for path in [
        "/",
        "/sessions",
        "/projects",
        "/doctor",
        "/search?q=alert",
        &session,
        &format!("{session}/messages/m-u1"),
        &format!("{session}/messages/m-u1?fragment=1"),
        &format!("/search?q={encoded}"),
        &format!(
            "/sessions?q={encoded}&project={encoded}&kind={encoded}&sort={encoded}&group={encoded}"
        ),
        &format!("/?since={encoded}"),
        &format!("/sessions?since={encoded}"),
        &format!("/{encoded}"),
        &format!("/search?q=role:{encoded}"),
        &format!("/search?q=alert&sort={encoded}"),
    ] {
        let page = viewer.get(path).body;
        for odd in [
            "<script>",
            "<img",
            "\"onmouseover",
            "\u{202e}",
            "\x1b",
            "\" onload",
        ] {
            assert!(!page.contains(odd), "{path} has {odd}");
        }
    }
}

#[test]
fn what_was_taken_back_is_a_branch() {
    let home = tempfile::tempdir().expect("a directory");
    let mut journal = made::lines(
        "2f1e0a52",
        &[
            ("u1", "one"),
            ("g1", "two"),
            ("u2", "three"),
            ("g2", "four"),
        ],
    );
    journal.push_str("{\"$rewindTo\":\"u2\"}\n");
    journal += &made::message("u3", "five").to_string();
    journal.push('\n');
    write(
        home.path(),
        &format!("{}.jsonl", made::chat("2f1e0a52")),
        &journal,
    );
    let viewer = Viewer::of(home.path());
    let page = viewer
        .get(viewer.get("/sessions/latest").header("location"))
        .body;
    let branch = page
        .split("<details class=\"branch\">")
        .nth(1)
        .expect("a branch");
    let (inside, after) = branch
        .split_once("</details><")
        .unwrap_or_else(|| branch.split_once("</details>\n").expect("it ends"));
    assert!(
        inside.contains("/rewind: 1 prompt and 1 answer rewound"),
        "{inside}"
    );
    assert!(inside.contains("m-u2") && inside.contains("m-g2"));
    assert!(after.contains("m-u3"));
}

#[test]
fn downloads_have_no_secrets_unless_they_are_wanted() {
    let home = tempfile::tempdir().expect("a directory");
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let journal = made::lines(
        "2f1e0a52",
        &[("u1", &format!("my token is {secret}")), ("g1", "ok")],
    );
    write(
        home.path(),
        &format!("{}.jsonl", made::chat("2f1e0a52")),
        &journal,
    );
    let viewer = Viewer::of(home.path());
    let session = viewer.get("/sessions/latest").header("location").to_owned();
    let page = viewer.get(&session).body;
    assert!(page.contains("Secrets are redacted"));
    let formats: Vec<&str> = gemtrail_export::exporter::Format::built_in()
        .map(|it| it.name)
        .chain(["titles"])
        .collect();
    for format in formats {
        let address = format!("{session}/download/{format}");
        assert!(page.contains(&address), "{format}");
        let file = viewer.get(&address);
        assert_eq!(file.status, 200, "{format}: {}", file.body);
        assert!(
            file.header("content-disposition")
                .starts_with("attachment; filename=\"session-")
        );
        assert!(!file.body.contains(&secret), "{format}");
        let exact = viewer.get(&format!("{address}?secrets=keep"));
        let has_words = !matches!(format, "usage" | "otel");
        assert_eq!(exact.body.contains(&secret), has_words, "{format}");
    }
    assert_eq!(viewer.get(&format!("{session}/download/exe")).status, 404);
}

#[test]
fn a_growing_session_is_told_in_pieces() {
    let home = tempfile::tempdir().expect("a directory");
    let path = format!("{}.jsonl", made::chat("2f1e0a52"));
    let mut journal = made::lines("2f1e0a52", &[("u1", "one"), ("g1", "two")]);
    write(home.path(), &path, &journal);
    let viewer = Viewer::of(home.path());
    let session = viewer.get("/sessions/latest").header("location").to_owned();
    let page = viewer.get(&session).body;
    let value = |page: &str, name: &str| {
        let value = page
            .split(&format!("{name}=\""))
            .nth(1)
            .and_then(|it| it.split('"').next());
        value.expect("a value").replace("&quot;", "\"")
    };
    let live = page.split("id=\"live\"").nth(1).expect("a place");
    let (count, mark, tag) = (
        value(live, "data-count"),
        value(live, "data-mark"),
        value(live, "data-tag"),
    );
    assert_eq!(count, "2");
    let address = format!("{session}/live?count={count}&mark={mark}");
    let (cookie, known) = (viewer.cookie(), format!("If-None-Match: {tag}"));
    let same = viewer.ask("GET", &address, &[&cookie, &known]);
    assert_eq!((same.status, same.header("etag")), (304, tag.as_str()));
    journal += &made::message("u2", "three & more").to_string();
    journal.push('\n');
    write(home.path(), &path, &journal);
    let mut news = viewer.ask("GET", &address, &[&cookie, &known]);
    for _ in 0..100 {
        if news.status == 200 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        news = viewer.ask("GET", &address, &[&cookie, &known]);
    }
    assert_eq!(news.status, 200);
    assert_ne!(news.header("etag"), tag);
    assert!(news.body.contains("data-count=\"3\"") && news.body.contains("three &amp; more"));
    assert!(!news.body.contains("data-reload"));
    // A page with other messages is told to reload.
    let other = viewer.get(&format!("{session}/live?count=30&mark=0"));
    assert!(other.body.contains("data-reload"));
}

#[test]
fn lists_are_filtered_sorted_and_grouped_by_address() {
    let viewer = Viewer::of(&examples::home());
    let rows = |path: &str| viewer.get(path).body.matches("<th class=\"what\"").count();
    let all = rows("/sessions");
    assert!(all > 5);
    assert_eq!(rows("/sessions?q=no-such-title-anywhere"), 0);
    assert_eq!(rows("/sessions?until=1999-01-01"), 0);
    assert_eq!(rows("/sessions?sort=tokens&group=none"), all);
    let fragment = viewer.get("/sessions?fragment=1").body;
    assert!(!fragment.contains("<html") && fragment.contains("<table"));
    let sorted = viewer.get("/sessions?sort=tokens").body;
    assert!(sorted.contains("aria-sort=\"descending\""));
    let costs: Vec<f64> = viewer
        .get("/sessions?sort=cost&group=none")
        .body
        .split("<td class=\"num cost\">$")
        .skip(1)
        .filter_map(|it| it.split('<').next()?.replace(',', "").parse().ok())
        .collect();
    assert!(
        costs.len() > 3 && costs.is_sorted_by(|a, b| a >= b),
        "{costs:?}"
    );
}

#[test]
fn hits_lead_to_messages() {
    let viewer = Viewer::of(&examples::home());
    let page = viewer.get("/search?q=role:human").body;
    let hits = page
        .split("href=\"")
        .skip(1)
        .filter_map(|it| it.split('"').next());
    let mut hits = hits.filter(|it| it.contains("#m-"));
    let hit = hits.next().expect("a hit");
    let (session, anchor) = hit.split_once('#').expect("an anchor");
    assert!(
        viewer
            .get(session)
            .body
            .contains(&format!("id=\"{anchor}\""))
    );
    let preview = viewer.get(&format!("{session}/messages/{anchor}?fragment=1"));
    assert!(preview.body.starts_with("<article"), "{}", preview.body);
    // Places are addresses, too.
    let call = viewer.get("/search?q=field:tool_args").body;
    let calls = call
        .split("href=\"")
        .skip(1)
        .filter_map(|it| it.split('"').next());
    let mut calls = calls.filter(|it| it.starts_with("/sessions/") && it.contains(':'));
    let to = viewer
        .get(calls.next().expect("a call"))
        .header("location")
        .to_owned();
    let (session, anchor) = to.split_once('#').expect("an anchor");
    assert!(anchor.contains("-call-"), "{to}");
    assert!(
        viewer
            .get(session)
            .body
            .contains(&format!("id=\"{anchor}\""))
    );
    assert_eq!(viewer.get(&format!("{session}:999.9")).status, 404);
    let wrong = viewer.get("/search?q=role:nobody");
    assert_eq!(wrong.status, 200);
    assert!(wrong.body.contains("role=\"alert\""));
    assert!(viewer.get("/search?q=%22").status == 200);
}

#[test]
fn a_day_has_a_page_and_ways_to_its_neighbours() {
    let viewer = Viewer::of(&examples::home());
    let all = viewer.get("/").body;
    assert!(all.contains("class=\"wide-table calendar\"") && all.contains("Last sessions"));
    let day = all.split("data-day=\"").nth(1).expect("a day");
    let day = day.split('"').next().expect("a day");
    let address = format!("/?since={day}&until={day}");
    assert!(all.contains(&address.replace('&', "&amp;")));
    let page = viewer.get(&address).body;
    // The other days would look empty.
    assert!(!page.contains("calendar") && !page.contains("Last sessions"));
    assert_eq!(page.matches("data-day=").count(), 1);
    let date: jiff::civil::Date = day.parse().expect("a date");
    assert!(page.contains(&date.strftime("<h1>%A, %-d %B %Y</h1>").to_string()));
    for near in [date.yesterday(), date.tomorrow()] {
        let near = near.expect("a day");
        assert!(page.contains(&format!("/?since={near}&amp;until={near}")));
    }
    assert!(viewer.get("/?since=1y").body.contains("calendar"));
    assert!(!viewer.get("/?since=90d").body.contains("calendar"));
}

#[test]
fn a_session_with_many_hits_does_not_hide_the_next() {
    let home = tempfile::tempdir().expect("a directory");
    let words: Vec<String> = (0..9).map(|at| format!("needle number {at}")).collect();
    let ids: Vec<String> = (0..9).map(|at| format!("u{at}")).collect();
    let messages: Vec<(&str, &str)> = ids
        .iter()
        .zip(&words)
        .map(|(id, words)| (id.as_str(), words.as_str()))
        .collect();
    let path = format!("{}.jsonl", made::chat("2f1e0a52"));
    write(home.path(), &path, &made::lines("2f1e0a52", &messages));
    let viewer = Viewer::of(home.path());
    let page = viewer.get("/search?q=needle").body;
    let (shown, folded) = page
        .split_once("<details class=\"fold rest\" data-src=\"")
        .expect("a fold");
    assert_eq!(shown.matches("<li class=\"hit\">").count(), 3);
    assert!(folded.contains("more in this session"));
    // None is left out, for the script and without it.
    let (all, _) = folded.split_once('"').expect("an address");
    assert!(folded.contains(&format!("<a href=\"{all}\">")));
    let all = all.replace("&amp;", "&");
    let part = viewer.get(&format!("{all}&fragment=1")).body;
    assert!(part.starts_with("<ul"), "{part}");
    for page in [viewer.get(&all).body, part] {
        assert_eq!(page.matches("<li class=\"hit\">").count(), 9);
    }
    assert_eq!(viewer.get("/search?q=needle&within=nobody").status, 404);
}

#[test]
fn what_is_typed_is_found_before_it_is_complete() {
    let home = tempfile::tempdir().expect("a directory");
    let messages = [
        ("u1", "why do two coupons make the total negative?"),
        ("g1", "applyCoupon truncates the subtotal twice"),
        ("u2", "why do two coupons make the total negative?"),
    ];
    let path = format!("{}.jsonl", made::chat("2f1e0a52"));
    write(home.path(), &path, &made::lines("2f1e0a52", &messages));
    let viewer = Viewer::of(home.path());
    let session = viewer.get("/sessions/latest").header("location").to_owned();
    for typed in [
        "co",
        "coup",
        "coupons",
        "coupons%20role:hum",
        "coupons%20%22two%20co",
    ] {
        let part = viewer.get(&format!("/search?q={typed}&fragment=1")).body;
        assert!(part.contains("<mark>"), "{typed}: {part}");
        assert!(!part.contains("<main"), "{typed}");
        // Both prompts are the same.
        assert!(part.contains("2 times"), "{typed}: {part}");
    }
    let page = viewer.get("/search?q=subtotals%20truncating").body;
    assert!(
        page.contains("<p class=\"how\">No text has all the words"),
        "{page}"
    );
    // The title leads to the first hit, where the words are marked.
    let title = page
        .split_once("<p class=\"source\"><a href=\"")
        .expect("a title")
        .1;
    let address = title.split_once('"').expect("an address").0;
    assert!(
        address.starts_with(&format!("{session}?find=")),
        "{address}"
    );
    assert!(
        address.contains("subtotal") && address.contains("#m-"),
        "{address}"
    );
    let by_place = viewer.get(&format!("{session}:1.1?find=subtotal%20x"));
    let to = by_place.header("location");
    assert!(
        to.starts_with(&format!("{session}?find=subtotal%20x#")),
        "{to}"
    );
    let nothing = viewer.get("/search?q=coupons%20before:2001-01-01").body;
    assert!(
        nothing.contains("without the dates there are 2 matches"),
        "{nothing}"
    );
}

#[test]
fn many_prompts_are_several_lists_that_count_on() {
    let home = tempfile::tempdir().expect("a directory");
    let ids: Vec<String> = (1..=120).map(|at| format!("u{at}")).collect();
    let messages: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), id.as_str())).collect();
    let path = format!("{}.jsonl", made::chat("2f1e0a52"));
    write(home.path(), &path, &made::lines("2f1e0a52", &messages));
    let viewer = Viewer::of(home.path());
    let session = viewer.get("/sessions/latest").header("location").to_owned();
    let page = viewer.get(&session).body;
    let (prompts, _) = page.split_once("</nav><main").expect("a list of prompts");
    let lists: Vec<usize> = prompts
        .split("<ol")
        .skip(1)
        .map(|list| list.matches("<li").count())
        .collect();
    assert_eq!(lists, [50, 50, 20]);
    assert!(prompts.contains("<ol start=\"51\">") && prompts.contains("<ol start=\"101\">"));
    assert!(prompts.contains("href=\"#m-u120\""));
}

#[test]
fn pages_of_hits_count_sessions() {
    let home = tempfile::tempdir().expect("a directory");
    for at in 0..45 {
        let words: Vec<(String, String)> = (0..4 + at % 3)
            .map(|number| {
                (
                    format!("u{number}"),
                    format!("needle number-{at}- {number}"),
                )
            })
            .collect();
        let words: Vec<(&str, &str)> = words
            .iter()
            .map(|(id, words)| (id.as_str(), words.as_str()))
            .collect();
        let id = format!("2f1e0a{at:02}-aaaa-4bbb-8ccc-0123456789ab");
        let path = format!("{}.jsonl", made::chat(&id[..8]));
        write(home.path(), &path, &made::lines(&id, &words));
    }
    let viewer = Viewer::of(home.path());
    let query = "/search?q=needle%20role:human";
    let found = |page: &str| -> Vec<String> {
        let page = viewer.get(&format!("{query}&page={page}")).body;
        let sessions = page.split("<li class=\"group\">").skip(1);
        let sessions = sessions.filter_map(|it| it.split_once("number-")?.1.split_once('-'));
        sessions.map(|(number, _)| number.to_owned()).collect()
    };
    let mut all: Vec<String> = ["1", "2", "3"].map(found).concat();
    assert_eq!((found("2").len(), found("3").len()), (20, 5));
    assert_eq!(found("99999999"), found("3"));
    assert_eq!(found("18446744073709551615"), found("3"));
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 45);
    let page = viewer.get(&format!("{query}&page=3")).body;
    assert!(page.contains("Page 3 of 3") && page.contains("in 45 sessions"));
    // Facets count everything, on all pages alike.
    assert!(page.contains("title=\"45 sessions\">45</span>"), "{page}");
}

#[test]
fn any_name_of_a_session_keeps_the_place() {
    let home = tempfile::tempdir().expect("a directory");
    let path = format!("{}.jsonl", made::chat("2f1e0a52"));
    let journal = made::lines("2f1e0a52", &[("u1", "one"), ("g1", "two"), ("u2", "three")]);
    write(home.path(), &path, &journal);
    let viewer = Viewer::of(home.path());
    let to = |path: &str| viewer.get(path).header("location").to_owned();
    let session = to("/sessions/2f1e0a52");
    assert!(session.starts_with("/sessions/") && !session.contains('#'));
    let place = to(&format!("{session}:2"));
    assert_eq!(place, format!("{session}#m-u2"));
    for name in ["2f1e0a52:2", "latest:2", "@1:2"] {
        assert_eq!(to(&format!("/sessions/{name}")), place, "{name}");
    }
    assert_eq!(viewer.get("/sessions/2f1e0a52:99").status, 404);
}

#[test]
fn counts_that_cannot_be_added_are_shown_all_the_same() {
    let home = tempfile::tempdir().expect("a directory");
    for id in ["2f1e0a52", "3f1e0a52"] {
        let journal = made::lines(id, &[("u1", "one"), ("g1", "two")]);
        let most = u64::MAX.to_string();
        let journal = journal
            .replace("\"input\":7", &format!("\"input\":{most}"))
            .replace("\"output\":3", &format!("\"output\":{most}"))
            .replace("\"total\":10", &format!("\"total\":{most}"));
        assert!(journal.contains(&most));
        // Models without a price are added up, too.
        let journal = journal.replace("gemini-3-pro", &format!("unknown-{id}"));
        write(home.path(), &format!("{}.jsonl", made::chat(id)), &journal);
    }
    let rows = library(home.path()).sessions(&SessionFilter::everything());
    let totals = rows.iter().map(|row| row.tokens_with_subagents.total);
    assert_eq!(totals.collect::<Vec<u64>>(), [u64::MAX; 2]);
    let viewer = Viewer::of(home.path());
    for path in ["/", "/?since=1y", "/sessions", "/projects"] {
        let page = viewer.get(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
    }
}

#[test]
fn sessions_are_counted_among_those_of_their_kind() {
    let viewer = Viewer::of(&examples::home());
    let rows = library(&examples::home()).sessions(&SessionFilter::everything());
    let agents = rows.iter().filter(|row| row.kind == Kind::Subagent);
    let agents = agents.filter(|row| row.has_conversation).count();
    assert!(agents > 0);
    let lead = |path: &str| {
        let page = viewer.get(path).body;
        let lead = page.split_once("role=\"status\">").expect("a lead").1;
        lead.split_once(" in ").expect("projects").0.to_owned()
    };
    let plural = if agents == 1 { "" } else { "s" };
    let counted = lead("/sessions?kind=subagent");
    assert_eq!(counted, format!("{agents} of {agents} session{plural}"));
    let none = lead("/sessions?kind=subagent&q=no-such-title-anywhere");
    assert_eq!(none, format!("0 of {agents} session{plural}"));
    let all = rows.len();
    assert_eq!(
        lead("/sessions?kind=all"),
        format!("{all} of {all} sessions")
    );
}
