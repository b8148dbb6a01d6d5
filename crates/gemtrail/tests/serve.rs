//! `serve`, from outside: the first line, the door, and the figures of the overview.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use gemtrail_testkit::examples;
use serde_json::Value;

/// A running viewer.
struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    fn start(arguments: &[&str]) -> Self {
        let data = tempfile::tempdir().expect("a directory");
        let mut child = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
            .arg("--home")
            .arg(examples::home())
            .args(["--utc", "serve", "--no-open", "--port", "0"])
            .args(arguments)
            .env("GEMTRAIL_DATA_DIR", data.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("standard output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        Self {
            child,
            url: line.trim_end().to_owned(),
        }
    }

    fn port(&self) -> u16 {
        let rest = self
            .url
            .strip_prefix("http://127.0.0.1:")
            .expect("loopback");
        rest.split('/')
            .next()
            .and_then(|it| it.parse().ok())
            .expect("a port")
    }

    fn get(&self, path: &str, cookie: &str) -> String {
        let port = self.port();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")
            .expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The cookie that the address gives.
fn enter(serving: &Serving) -> String {
    let path = serving
        .url
        .split_once(&format!(":{}", serving.port()))
        .expect("a path")
        .1;
    let answer = serving.get(path, "");
    assert!(answer.starts_with("HTTP/1.1 303 "), "{answer}");
    let cookie = answer.split("set-cookie: ").nth(1).expect("a cookie");
    cookie.split(';').next().expect("a value").to_owned()
}

#[test]
fn the_first_line_is_the_address_with_its_token() {
    let plain = Serving::start(&[]);
    assert!(plain.url.starts_with("http://127.0.0.1:") && plain.url.contains("/?token="));
    let mut json = Serving::start(&["--json"]);
    let document: Value = serde_json::from_str(&json.url).expect("JSON");
    assert_eq!(document["schema"], "gemtrail.serve/1");
    json.url = document["url"].as_str().expect("an address").to_owned();
    let cookie = enter(&json);
    assert!(json.get("/sessions", &cookie).starts_with("HTTP/1.1 200 "));
    assert!(json.get("/sessions", "").starts_with("HTTP/1.1 401 "));
}

#[test]
fn marks_are_shown_and_cannot_be_set() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("archive.db");
    let archive = archive.to_str().expect("text");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
        let command = command.arg("--home").arg(examples::home());
        let ran = command
            .args(["--archive", archive])
            .args(arguments)
            .output();
        let ran = ran.expect("it runs");
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).expect("text")
    };
    run(&["sync"]);
    let marks = [
        "--pin",
        "--tag",
        "billing",
        "--title",
        "Totals <b>",
        "--note",
        "ask Bob",
    ];
    let marked = run(&[&["mark", "f2e9adea", "--json"], &marks[..]].concat());
    let marked: Value = serde_json::from_str(&marked).expect("JSON");
    let reference = marked["ref"].as_str().expect("a reference");
    let before = std::fs::read(archive).expect("it is there");
    let serving = Serving::start(&["--archive", archive]);
    let cookie = enter(&serving);
    for address in ["/sessions", &format!("/sessions/{reference}")] {
        let page = serving.get(address, &cookie);
        for text in ["★ #billing", "Totals &lt;b&gt;"] {
            assert!(page.contains(text), "{address}: {text}: {page}");
        }
        assert!(!page.contains("method=\"post\""), "{page}");
    }
    assert!(
        serving
            .get(&format!("/sessions/{reference}"), &cookie)
            .contains("Note: ask Bob")
    );
    assert_eq!(std::fs::read(archive).expect("it is there"), before);
}

#[test]
fn the_figures_of_the_overview_are_those_of_stats() {
    let serving = Serving::start(&[]);
    let page = serving.get("/", &enter(&serving));
    let stats = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
        .arg("--home")
        .arg(examples::home())
        .args(["--utc", "stats", "--json", "--by", "day"])
        .output()
        .expect("it runs");
    let text = String::from_utf8(stats.stdout).expect("text");
    let stats: Value = serde_json::from_str(&text).expect("JSON");
    let figure = |name: &str| {
        let end = format!("\" data-figure=\"{name}\"");
        let before = page.split(&end).next().expect("a figure");
        before
            .rsplit("value=\"")
            .next()
            .expect("a value")
            .to_owned()
    };
    assert_eq!(
        figure("billed"),
        stats["tokens"]["billed"]["total"].to_string()
    );
    assert_eq!(figure("live"), stats["tokens"]["live"]["total"].to_string());
    assert_eq!(
        figure("as_written"),
        stats["tokens"]["as_written"]["total"].to_string()
    );
    assert_eq!(figure("sessions"), stats["sessions"].to_string());
    assert_eq!(figure("requests"), stats["requests"].to_string());
    // Both have six decimals, which a number in between loses.
    let exact = |name: &str| {
        let value = text.split(&format!("\"{name}\":")).nth(1).expect("a cost");
        value.split([',', '}']).next().expect("a cost").to_owned()
    };
    assert_eq!(figure("cost"), exact("usd"));
    assert_eq!(figure("saved"), exact("saved_by_cache"));
    let days = stats["by"].as_array().expect("days");
    assert!(!days.is_empty());
    for day in days.iter().filter(|day| day["requests"] != 0) {
        let name = day["key"]["day"].as_str().expect("a day");
        let row = page
            .split(&format!("data-day=\"{name}\""))
            .nth(1)
            .expect("a row");
        let total = row
            .split("<data value=\"")
            .nth(1)
            .and_then(|it| it.split('"').next());
        assert_eq!(
            total,
            Some(day["tokens"]["total"].to_string().as_str()),
            "{name}"
        );
    }
    let tools = stats["tools"].as_array().expect("tools");
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let row = page
            .split(&format!("<code>{name}</code>"))
            .nth(1)
            .expect("a row");
        let values: Vec<&str> = row
            .split("<data value=\"")
            .skip(1)
            .filter_map(|it| it.split('"').next())
            .take(2)
            .collect();
        assert_eq!(
            values,
            [tool["calls"].to_string(), tool["failures"].to_string()],
            "{name}"
        );
    }
}

#[test]
fn a_record_can_be_saved_and_is_valid() {
    let serving = Serving::start(&[]);
    let cookie = enter(&serving);
    let latest = serving.get("/sessions/latest", &cookie);
    let session = latest.split("location: ").nth(1).expect("an address");
    let session = session.lines().next().expect("an address");
    let address = format!("{session}/download/vac");
    assert!(serving.get(session, &cookie).contains(&address));
    let answer = serving.get(&address, &cookie);
    let (head, record) = answer.split_once("\r\n\r\n").expect("a body");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains(".vac.json\""), "{head}");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), record).expect("a file");
    let verified = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
        .args(["verify", "--schema-only", "--record"])
        .arg(file.path())
        .output()
        .expect("it runs");
    assert!(verified.status.success(), "{verified:?}");
}
