//! Very long sessions, a page at a time. Here every session is one.

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_core::model::Session;
use gemtrail_store::archive::{ArchiveWriter, SyncOptions};
use gemtrail_store::{Library, Places, ReadDetail, SessionFilter, discover};
use gemtrail_testkit::{examples, fixtures, made};
use serde_json::json;
use tempfile::TempDir;

use super::client::{Answer, Viewer};

/// Two viewers of the same home: one shows sessions whole, the other in pages.
struct Both {
    whole: Viewer,
    paged: Viewer,
    sessions: Vec<Session>,
    _archive: TempDir,
}

impl Both {
    fn of(home: &Path, sizes: &[usize]) -> Self {
        let (dir, archive) = archive_of(home);
        let places = Places {
            homes: vec![home.to_owned()],
            ..Places::default()
        };
        let library = Library::open(&places).expect("a home");
        let rows = library.sessions(&SessionFilter::everything());
        let read = |reference| library.read(reference, ReadDetail::Words);
        let sessions = rows.iter().map(|row| read(row.reference));
        Self {
            whole: Viewer::of(home),
            paged: Viewer::in_pages(home, &archive, sizes),
            sessions: sessions.collect::<Result<_, _>>().expect("sessions"),
            _archive: dir,
        }
    }

    /// Both answers, the second one without what says which page it belongs to.
    fn ask(&self, address: &str) -> (Answer, Answer) {
        let mut paged = self.paged.get(address);
        paged.body = without_pages(&paged.body);
        (self.whole.get(address), paged)
    }
}

/// An archive in which every session of a home counts as long.
fn archive_of(home: &Path) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("archive.db");
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let homes = places.homes().expect("homes");
    let found: Vec<_> = homes.iter().map(discover).collect();
    let options = SyncOptions {
        long_from: 0,
        ..SyncOptions::default()
    };
    let mut writer = ArchiveWriter::open(&archive).expect("an archive");
    let synced = writer.sync(&found, &options, &mut |_| {});
    synced.expect("it is taken in");
    (dir, archive)
}

fn address(session: &Session) -> String {
    format!("/sessions/{}", session.reference)
}

fn without_pages(body: &str) -> String {
    let mut parts = body.split("?from=");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.fold(first, |body, part| body + part)
}

/// The anchors of messages and calls, in order.
fn anchors(body: &str) -> Vec<&str> {
    let ids = body.split(" id=\"").skip(1);
    let ids = ids.filter_map(|it| it.split('"').next());
    ids.filter(|id| {
        let rest = id.strip_prefix(['m', 'a']).unwrap_or_default();
        rest.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    })
    .collect()
}

/// The messages of a page as they are drawn.
fn messages(body: &str) -> Vec<&str> {
    let starts = body.match_indices("<article class=\"message");
    let message = |(start, _)| {
        let rest: &str = &body[start..];
        rest.split("</article>").next().unwrap_or(rest)
    };
    starts.map(message).collect()
}

/// A message without what its prompt led to.
fn without_work(message: &str) -> String {
    let Some((before, rest)) = message.split_once("<span class=\"work\">") else {
        return message.to_owned();
    };
    let (_, after) = rest.split_once("</span>").expect("it ends");
    format!("{before}{after}")
}

/// Where a page leads to.
fn way(body: &str, rel: &str) -> Option<String> {
    let (before, _) = body.split_once(&format!("\" rel=\"{rel}\""))?;
    Some(before.rsplit('"').next()?.to_owned())
}

/// All pages of a session, by the links from one to the next.
fn pages(viewer: &Viewer, session: &Session) -> Vec<String> {
    let mut pages = vec![viewer.get(&address(session)).body];
    while let Some(next) = pages.last().and_then(|page| way(page, "next")) {
        let page = viewer.get(&next).body;
        assert!(page.ends_with("</html>\n"));
        pages.push(page);
        assert!(pages.len() <= session.messages.len(), "it ends");
    }
    let last = pages.last().map_or("", String::as_str);
    let mut back = way(last, "prev");
    for page in pages.iter().rev().skip(1) {
        let before = viewer.get(&back.expect("a way back")).body;
        assert_eq!(anchors(&before), anchors(page));
        back = way(&before, "prev");
    }
    assert_eq!(back, None);
    pages
}

/// Compares the pages of every session with its whole page; how many sessions have several.
fn compare_pages(both: &Both) -> usize {
    let mut several = 0;
    for session in &both.sessions {
        let what = address(session);
        let whole = both.whole.get(&what).body;
        let pages = pages(&both.paged, session);
        several += usize::from(pages.len() > 1);
        let found: Vec<&str> = pages.iter().flat_map(|page| anchors(page)).collect();
        // An agent that no call names has only a page of its own.
        let is_own = |anchor: &&str| anchor.starts_with('m');
        let mut expected = anchors(&whole);
        expected.retain(|anchor| is_own(anchor) || found.contains(anchor));
        assert_eq!(found, expected, "{what}");
        let drawn = messages(&whole);
        for (number, page) in pages.iter().enumerate() {
            let page = without_pages(page);
            for (at, message) in messages(&page).iter().enumerate() {
                // At the top of a page it is said again who speaks.
                let opens = number > 0 && at == 0;
                // Only where the next prompt is on the page is the work of one known.
                let is_it = |it: &&str| without_work(it) == without_work(message);
                let is_drawn = drawn.iter().any(is_it);
                assert!(opens || is_drawn, "{what}: {message}");
            }
            let is_last = number + 1 == pages.len();
            assert_eq!(page.contains("id=\"live\""), is_last, "{what}");
        }
    }
    several
}

/// Compares everything that is asked about single messages.
fn compare_messages(both: &Both) {
    for session in &both.sessions {
        let what = address(session);
        let whole = both.whole.get(&what).body;
        for anchor in anchors(&whole).iter().filter(|it| !it.contains("-call-")) {
            for end in [
                "",
                "?fragment=1",
                "?fragment=1&from=1",
                "/raw",
                "/text",
                "/thoughts",
                "/call-0?fragment=1",
            ] {
                let address = format!("{what}/messages/{anchor}{end}");
                let (whole, paged) = both.ask(&address);
                assert_eq!(whole.status, paged.status, "{address}");
                assert_eq!(whole.body, paged.body, "{address}");
            }
        }
        for anchor in [
            "m-no-such",
            "m99999",
            "m",
            "mx",
            "a0-m99999",
            "a99-m-1",
            "x",
        ] {
            let answer = both.paged.get(&format!("{what}/messages/{anchor}"));
            assert_eq!(answer.status, 404, "{what} {anchor}");
        }
    }
}

/// Every place is an address that leads to a page with its anchor.
fn compare_places(both: &Both) {
    for session in &both.sessions {
        for message in &session.messages {
            let calls = 0..message.tool_calls.len();
            let calls = calls.map(|call| message.place.of_call(call));
            for place in std::iter::once(message.place).chain(calls) {
                let name = format!("{}:{place}", address(session));
                let to = |viewer: &Viewer| viewer.get(&name).header("location").to_owned();
                let (whole, paged) = (to(&both.whole), to(&both.paged));
                assert_eq!(whole, without_pages(&paged), "{name}");
                let (page, anchor) = paged.split_once('#').expect("an anchor");
                let page = both.paged.get(page).body;
                assert!(page.contains(&format!(" id=\"{anchor}\"")), "{paged}");
            }
        }
        let nowhere = format!("{}:9999.9", address(session));
        assert_eq!(both.paged.get(&nowhere).status, 404);
    }
}

#[test]
fn pages_of_the_sample_home_have_what_the_whole_page_has() {
    let both = Both::of(&examples::home(), &[4, 2, 1]);
    assert!(compare_pages(&both) > 3);
    compare_messages(&both);
    compare_places(&both);
}

#[test]
fn pages_of_recorded_sessions_have_what_the_whole_page_has() {
    let newest = fixtures().map(|it| it.version).max();
    let several = fixtures()
        .filter(|it| Some(it.version) == newest)
        .map(|it| {
            let both = Both::of(&it.home, &[3]);
            compare_places(&both);
            compare_messages(&both);
            compare_pages(&both)
        });
    assert!(several.sum::<usize>() > 3);
}

/// A session with messages that have no id or share one, commands that only the log has, and colours.
fn odd_session(home: &Path) {
    let journal = format!("{}.jsonl", made::chat("2f1e0a52"));
    let mut lines: Vec<String> = made::lines("2f1e0a52", &[])
        .lines()
        .map(str::to_owned)
        .collect();
    for at in 0..40 {
        let id = match at % 8 {
            6 => format!("odd id {at}"),
            _ if at % 2 == 0 => format!("u{at}"),
            _ => format!("g{at}"),
        };
        let colour = format!("#{:02x}8040", 250 - at);
        let call = json!({"id": format!("c{at}"), "name": "run_shell_command",
            "args": {"command": "ls"}, "status": "success",
            "resultDisplay": [[{"text": "word ".repeat(2000), "bold": false, "italic": false,
                "underline": false, "dim": false, "inverse": false, "fg": colour, "bg": ""}]]});
        let mut message = made::message(&id, &format!("number {at}"));
        message["id"] = id.into();
        message["timestamp"] = format!("2026-06-01T10:{at:02}:00.000Z").into();
        if at % 2 == 1 {
            message["toolCalls"] = json!([call]);
        }
        lines.push(message.to_string());
    }
    write(home, &journal, &(lines.join("\n") + "\n"));
    let command = |at: usize| {
        json!({"sessionId": "2f1e0a52", "messageId": at, "type": "user",
            "message": format!("/command {at}"), "timestamp": format!("2026-06-01T10:{at:02}:30.000Z")})
    };
    let log: Vec<_> = (0..42).step_by(6).map(command).collect();
    write(home, ".gemini/tmp/shop/logs.json", &json!(log).to_string());
}

fn write(home: &Path, path: &str, content: &str) {
    let path = home.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, content).expect("a file");
}

#[test]
fn numbers_colours_and_commands_are_those_of_the_whole_session() {
    let home = tempfile::tempdir().expect("a directory");
    odd_session(home.path());
    let both = Both::of(home.path(), &[7]);
    compare_places(&both);
    let session = &both.sessions[0];
    let whole = both.whole.get(&address(session)).body;
    let pages = pages(&both.paged, session);
    assert_eq!(pages.len(), 6);
    let found: Vec<&str> = pages.iter().flat_map(|page| anchors(page)).collect();
    assert_eq!(found, anchors(&whole));
    assert!(found.contains(&"m6") && found.contains(&"m38"));
    let commands = |body: &str| -> Vec<String> {
        let commands = body.split("/command ").skip(1);
        let number = |it: &str| it.chars().take_while(char::is_ascii_digit).collect();
        commands.map(number).collect()
    };
    let told: Vec<String> = pages.iter().flat_map(|page| commands(page)).collect();
    assert_eq!(told, commands(&whole));
    assert_eq!(told.len(), 7);
    let prompts: Vec<String> = pages.iter().map(|page| without_pages(page)).collect();
    let number = |body: &str| body.matches("<span class=\"no\">").count();
    assert_eq!(
        prompts.iter().map(|it| number(it)).sum::<usize>(),
        number(&whole)
    );
    assert!(
        pages[1].contains("<span class=\"no\">4</span>") && pages[1].contains("<ol start=\"4\">")
    );
    let day = "Mon 1 Jun 2026</";
    assert_eq!(pages[1].matches(day).count(), 1);
    assert_eq!(pages[0].matches(day).count(), whole.matches(day).count());
    for page in &pages {
        let sheet = page
            .split("<link rel=\"stylesheet\" href=\"")
            .last()
            .expect("colours");
        let sheet = sheet.split('"').next().expect("an address");
        assert!(sheet.contains("/colours.css"), "{sheet}");
        let sheet = both.paged.get(sheet).body;
        let colours = sheet.matches(".terminal .f").count();
        assert!((3..=4).contains(&colours), "those of the page: {sheet}");
        // What is fetched later has the colours of the page that it is for.
        let part = page.split("data-src=\"").nth(1).expect("a part");
        let part = part.split('"').next().expect("an address");
        let fragment = both.paged.get(part).body;
        let class = fragment.split("<span class=\"f").nth(1).expect("a colour");
        let class = class.split('"').next().expect("a number");
        let at = part
            .split("/m-g")
            .nth(1)
            .and_then(|it| it.split('/').next());
        let at: usize = at.and_then(|it| it.parse().ok()).expect("a message");
        let rule = format!(".f{class}{{color:#{:02x}8040}}", 250 - at);
        assert!(sheet.contains(&rule), "{rule}: {sheet}");
    }
}

#[test]
fn what_is_no_number_is_the_first_page() {
    let home = tempfile::tempdir().expect("a directory");
    odd_session(home.path());
    let both = Both::of(home.path(), &[7]);
    let session = address(&both.sessions[0]);
    let at = |from: &str| both.paged.get(&format!("{session}?from={from}"));
    let first = both.paged.get(&session).body;
    for odd in [
        "",
        "abc",
        "-1",
        "1.5",
        "0",
        "99999999999999999999999",
        "%3Cscript%3Ealert(1)",
    ] {
        let page = at(odd);
        assert_eq!(page.status, 200, "{odd}");
        assert_eq!(page.body, first, "{odd}");
        let sheet = both.paged.get(&format!("{session}/colours.css?from={odd}"));
        assert_eq!(sheet.status, 200, "{odd}");
        let message = both
            .paged
            .get(&format!("{session}/messages/m-u2?from={odd}"));
        assert_eq!(message.status, 200, "{odd}");
        assert!(!message.body.contains("alert(1)"), "{odd}");
    }
    let last = at("39").body;
    assert!(last.contains("Messages 36–40 of 40"), "{last}");
    for far in ["40", "18446744073709551615"] {
        assert_eq!(at(far).body, last, "{far}");
    }
    // Any message calls its page, by any name of the session.
    assert_eq!(at("3").body, first);
    let named = both.paged.get("/sessions/latest?from=9");
    assert_eq!(named.header("location"), format!("{session}?from=9"));
    // A session with one page is as it is.
    let whole = both.whole.get(&format!("{session}?from=9")).body;
    assert_eq!(anchors(&whole), anchors(&both.whole.get(&session).body));
}

#[test]
fn hits_lead_to_the_page_that_has_them() {
    let home = tempfile::tempdir().expect("a directory");
    odd_session(home.path());
    let both = Both::of(home.path(), &[7]);
    let found = both.paged.get("/search?q=number").body;
    let all = found.split_once("rest\" data-src=\"").expect("more hits").1;
    let all = all.split_once('"').expect("an address").0;
    let found = both.paged.get(&all.replace("&amp;", "&")).body;
    let hits = found.split("<a class=\"at\" href=\"").skip(1);
    let hits: Vec<&str> = hits.filter_map(|it| it.split('"').next()).collect();
    assert!(hits.len() > 30);
    for hit in hits.iter().filter(|it| it.contains(':')) {
        let to = both.paged.get(hit).header("location").to_owned();
        let (page, anchor) = to.split_once('#').expect("an anchor");
        let page = both.paged.get(page).body;
        assert!(page.contains(&format!(" id=\"{anchor}\"")), "{hit}");
    }
    assert!(!hits.iter().any(|hit| hit.contains('#')));
}

#[test]
fn the_last_page_grows() {
    let home = tempfile::tempdir().expect("a directory");
    odd_session(home.path());
    let both = Both::of(home.path(), &[7]);
    let session = address(&both.sessions[0]);
    let page = both.paged.get(&format!("{session}?from=39")).body;
    let live = page.split("id=\"live\"").nth(1).expect("a place");
    let value = |name: &str| {
        let value = live.split(&format!("{name}=\"")).nth(1);
        value.and_then(|it| it.split('"').next()).expect("a value")
    };
    let (source, count, mark) = (value("data-src"), value("data-count"), value("data-mark"));
    assert_eq!(source, format!("{session}/live?from=35"));
    assert_eq!(count, "5");
    let ask = || {
        both.paged
            .get(&format!("{source}&count={count}&mark={mark}"))
            .body
    };
    assert!(ask().contains("data-count=\"5\"") && !ask().contains("data-reload"));
    // A page that is no longer the last one leads on.
    let earlier = both
        .paged
        .get(&format!("{session}/live?from=28&count=9&mark=0"));
    let next = format!("id=\"goes-on\"><a href=\"{session}?from=35\"");
    assert!(earlier.body.contains(&next), "{}", earlier.body);
    // What is new is taken in.
    let path = home
        .path()
        .join(format!("{}.jsonl", made::chat("2f1e0a52")));
    let mut journal = fs::read_to_string(&path).expect("a journal");
    journal += &made::message("u99", "one more").to_string();
    journal.push('\n');
    fs::write(&path, journal).expect("a file");
    let start = std::time::Instant::now();
    while !ask().contains("one more") {
        assert!(start.elapsed().as_secs() < 30, "{}", ask());
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(ask().contains("data-count=\"6\"") && !ask().contains("data-reload"));
    assert!(
        !ask().contains("m-u32"),
        "what is before the page is not sent"
    );
    // It is indexed as the short session that it is, in one page.
    let places = both.paged.get(&format!("{session}:2"));
    assert_eq!(places.header("location"), format!("{session}?from=2#m-u2"));
    let whole = both.paged.get(&format!("{session}?from=2")).body;
    assert_eq!(anchors(&whole).last(), Some(&"m-u99"));
    assert!(whole.contains("/colours.css?from=2\"") && !whole.contains("class=\"pages\""));
    let full = both
        .paged
        .get(&format!("{session}/live?from=30&count=9&mark=0"))
        .body;
    assert!(full.contains("data-reload"));
}
