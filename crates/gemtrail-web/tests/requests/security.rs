//! Every line of the rules for a server on loopback, as a request.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gemtrail_testkit::{examples, made};
use gemtrail_web::Patience;

use super::client::{Answer, Viewer};

fn viewer() -> Viewer {
    Viewer::of(&examples::home())
}

/// Every kind of address: pages, parts, assets, and what does not exist.
fn paths(viewer: &Viewer) -> Vec<String> {
    let sessions = viewer.get("/sessions?kind=all").body;
    let session = link(&sessions, "/sessions/");
    let page = viewer.get(&session).body;
    let mut paths: Vec<String> = [
        "/",
        "/sessions",
        "/search?q=the",
        "/projects",
        "/doctor",
        "/no-such-page",
        "/assets/none.css",
        "/favicon.ico",
    ]
    .map(str::to_owned)
    .into();
    paths.push(link(&page, "/assets/style"));
    paths.push(link_of(&page, "src=\"", "/assets/viewer"));
    paths.push(format!("{session}/live?count=0&mark="));
    paths.push(format!("{session}/download/md"));
    paths.push(format!("{session}/colours.css"));
    paths.push(link(&page, &format!("{session}/messages/")));
    paths.push(format!("{session}/messages/no-such-message"));
    paths.push(session);
    paths
}

/// The first link of a page that starts like this.
fn link(page: &str, start: &str) -> String {
    link_of(page, "href=\"", start)
}

fn link_of(page: &str, attribute: &str, start: &str) -> String {
    let mut links = page
        .split(attribute)
        .skip(1)
        .filter_map(|it| it.split('"').next());
    links
        .find(|it| it.starts_with(start))
        .expect("such a link")
        .to_owned()
}

fn has_all_headers(answer: &Answer, what: &str) {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                  connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    for (name, value) in [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        assert_eq!(answer.header(name), value, "{what}: {name}");
    }
    let cache = answer.header("cache-control");
    if what.contains("/assets/") && answer.status == 200 {
        assert_eq!(cache, "max-age=31536000, immutable", "{what}");
    } else {
        assert_eq!(cache, "no-store", "{what}");
    }
    // Nobody else's page may read anything.
    assert_eq!(answer.header("access-control-allow-origin"), "", "{what}");
}

#[test]
fn every_answer_has_the_headers() {
    let viewer = viewer();
    let cookie = viewer.cookie();
    for path in paths(&viewer) {
        for method in ["GET", "HEAD", "POST"] {
            has_all_headers(
                &viewer.ask(method, &path, &[&cookie]),
                &format!("{method} {path}"),
            );
        }
        has_all_headers(&viewer.ask("GET", &path, &[]), &format!("nobody {path}"));
        has_all_headers(
            &viewer.send("GET", &path, &["Host: evil.example"]),
            &format!("evil {path}"),
        );
    }
    has_all_headers(&viewer.ask("GET", "/?token=x", &[]), "a wrong token");
    let address = format!("/search?q={}", "x".repeat(6000));
    has_all_headers(&viewer.ask("GET", &address, &[&cookie]), "a long address");
    has_all_headers(&viewer.get("/sessions?since=nonsense"), "a wrong time");
}

#[test]
fn a_foreign_host_is_refused_on_every_path_and_first() {
    let viewer = viewer();
    let cookie = viewer.cookie();
    let port = viewer.port;
    for path in paths(&viewer) {
        for host in [
            "Host: evil.example".to_owned(),
            format!("Host: evil.example:{port}"),
            format!("Host: 127.0.0.1.evil.example:{port}"),
            "Host: 127.0.0.1".to_owned(),
            format!("Host: 0.0.0.0:{port}"),
        ] {
            // A page that was rebound to this server: same-origin by its own lights.
            let lines = [host.as_str(), &cookie, "Sec-Fetch-Site: same-origin"];
            assert_eq!(
                viewer.send("GET", &path, &lines).status,
                403,
                "{host} {path}"
            );
            assert_eq!(
                viewer.send("POST", &path, &lines).status,
                403,
                "{host} {path}"
            );
        }
    }
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let host = format!("Host: {host}:{port}");
        assert_eq!(
            viewer.send("GET", "/sessions", &[&host, &cookie]).status,
            200,
            "{host}"
        );
    }
    assert_eq!(
        viewer
            .send(
                "GET",
                "http://evil.example/",
                &[&format!("Host: 127.0.0.1:{port}"), &cookie]
            )
            .status,
        403
    );
}

#[test]
fn nobody_comes_in_without_a_token() {
    let viewer = viewer();
    let wrong = format!("Cookie: gemtrail-{}={}", viewer.port, "08".repeat(32));
    let other_port = format!(
        "Cookie: gemtrail-{}={}",
        viewer.port.wrapping_add(1),
        "07".repeat(32)
    );
    for path in paths(&viewer) {
        assert_eq!(viewer.ask("GET", &path, &[]).status, 401, "{path}");
        assert_eq!(viewer.ask("GET", &path, &[&wrong]).status, 401, "{path}");
        assert_eq!(
            viewer.ask("GET", &path, &[&other_port]).status,
            401,
            "{path}"
        );
        assert_eq!(
            viewer
                .ask("GET", &path, &["Authorization: Bearer 07"])
                .status,
            401,
            "{path}"
        );
    }
}

#[test]
fn other_pages_are_refused() {
    let viewer = viewer();
    let cookie = viewer.cookie();
    for path in paths(&viewer) {
        for line in [
            "Sec-Fetch-Site: same-site",
            "Sec-Fetch-Site: cross-site",
            "Origin: null",
            "Origin: http://evil.example",
        ] {
            assert_eq!(
                viewer.ask("GET", &path, &[&cookie, line]).status,
                403,
                "{line} {path}"
            );
        }
    }
    for line in ["Sec-Fetch-Site: none", "Sec-Fetch-Site: same-origin"] {
        assert_eq!(
            viewer.ask("GET", "/", &[&cookie, line]).status,
            200,
            "{line}"
        );
    }
    let own = format!("Origin: http://127.0.0.1:{}", viewer.port);
    assert_eq!(viewer.ask("GET", "/", &[&cookie, &own]).status, 200);
}

#[test]
fn only_reading_is_possible() {
    let viewer = viewer();
    let cookie = viewer.cookie();
    for path in paths(&viewer) {
        for method in [
            "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT2",
        ] {
            let answer = viewer.ask(method, &path, &[&cookie, "Content-Length: 0"]);
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), "GET, HEAD");
        }
        let head = viewer.ask("HEAD", &path, &[&cookie]);
        assert_eq!(head.body, "", "{path}");
    }
}

#[test]
fn the_token_becomes_a_cookie_and_leaves_the_address() {
    let viewer = viewer();
    let path = viewer
        .launch
        .split_once(&viewer.port.to_string())
        .expect("the port")
        .1
        .to_owned();
    let answer = viewer.ask("GET", &path, &["Sec-Fetch-Site: none"]);
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("location"), "/");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    let cookie = answer.header("set-cookie").to_owned();
    let (pair, attributes) = cookie.split_once("; ").expect("attributes");
    assert!(pair.starts_with(&format!("gemtrail-{}=", viewer.port)));
    assert_eq!(attributes, "HttpOnly; SameSite=Strict; Path=/");
    let token = path.rsplit('=').next().expect("a token");
    assert!(!cookie.contains(token), "the cookie is another secret");
    let cookie = format!("Cookie: {pair}");
    let page = viewer.ask("GET", "/", &[&cookie]);
    assert_eq!(page.status, 200);
    assert!(!page.body.contains(token) && !page.body.contains(pair));
    // It works once.
    let again = viewer.ask("GET", &path, &[]);
    assert_eq!(again.status, 401);
    assert_eq!(again.header("set-cookie"), "");
    assert!(!again.body.contains(token));
    // In the same browser it leads in, and sets nothing.
    let again = viewer.ask("GET", &path, &[&cookie]);
    assert_eq!((again.status, again.header("location")), (303, "/"));
    assert_eq!(again.header("set-cookie"), "");
}

#[test]
fn redirects_lead_to_pages_of_this_server() {
    let viewer = viewer();
    for path in [
        "//evil.example",
        "//evil.example/",
        "/\\evil.example",
        "/%2f%2fevil.example",
        "/?next=//evil.example",
        "/sessions//evil.example",
        "/sessions/..%2f..%2fevil",
        "/https://evil.example",
    ] {
        let answer = viewer.get(path);
        let to = answer.header("location");
        assert!(
            to.is_empty() || to.starts_with("/sessions/"),
            "{path}: {to}"
        );
        assert!(!to.contains("evil"), "{path}: {to}");
    }
    let latest = viewer.get("/sessions/latest");
    assert_eq!(latest.status, 303);
    assert_eq!(viewer.get(latest.header("location")).status, 200);
}

#[test]
fn files_cannot_be_asked_for() {
    let viewer = viewer();
    for path in [
        "/etc/passwd",
        "/sessions/..%2f..%2f..%2fetc%2fpasswd",
        "/sessions/%2fetc%2fpasswd",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/../Cargo.toml",
        "/sessions/.",
        "/sessions/~",
        "/sessions/%00",
        "/sessions/aaaa%0d%0aX:%20y",
        "/.git/config",
    ] {
        assert_eq!(viewer.get(path).status, 404, "{path}");
    }
}

#[test]
fn large_heads_are_refused() {
    let viewer = viewer();
    let cookie = viewer.cookie();
    let header = |size: usize| format!("X-Large: {}", "x".repeat(size));
    let address = |size: usize| format!("/search?q={}", "x".repeat(size));
    for size in [20_000, 200_000, 3_000_000] {
        let answer = viewer.ask("GET", "/", &[&cookie, &header(size)]);
        assert_eq!(answer.status, 431, "{size}");
        has_all_headers(&answer, "a large header");
    }
    for size in [5000, 100_000, 3_000_000] {
        let answer = viewer.get(&address(size));
        assert_eq!(answer.status, 414, "{size}");
        has_all_headers(&answer, "a long address");
    }
    let many = vec!["A: b"; 100];
    let answer = viewer.ask("GET", "/", &many);
    assert_eq!(answer.status, 431);
    has_all_headers(&answer, "many headers");
}

#[test]
fn what_is_not_http_is_refused_like_everything_else() {
    let viewer = viewer();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"hello\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: \x01\r\n\r\n",
        b"GET / HTTP/1.1\nX: a\n b\n\n",
        b"GET http:// HTTP/1.1\r\n\r\n",
        b"\r\n\r\n\x00",
    ] {
        let words = String::from_utf8_lossy(bytes);
        let answer = viewer.raw(bytes).expect("an answer");
        assert_eq!(answer.status, 400, "{words:?}");
        has_all_headers(&answer, &words);
    }
}

#[test]
fn a_connection_is_for_one_request_and_bodies_are_not_read() {
    let viewer = viewer();
    let head = format!("Host: 127.0.0.1:{}\r\n{}\r\n", viewer.port, viewer.cookie());
    let second = format!("GET /projects HTTP/1.1\r\n{head}\r\n");
    for lines in [
        String::new(),
        "Connection: keep-alive\r\n".to_owned(),
        format!("Content-Length: {}\r\n", second.len()),
        "Content-Length: 4\r\nContent-Length: 5\r\n".to_owned(),
        "Content-Length: x\r\n".to_owned(),
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n".to_owned(),
        "Transfer-Encoding: gzip\r\n".to_owned(),
        "Expect: 100-continue\r\nContent-Length: 5\r\n".to_owned(),
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n".to_owned(),
        "Connection: Upgrade\r\nUpgrade: websocket\r\n".to_owned(),
    ] {
        for (method, status) in [("GET", 200), ("POST", 405)] {
            let request = format!("{method} /doctor HTTP/1.1\r\n{head}{lines}\r\n{second}");
            let answer = viewer.raw(request.as_bytes()).expect("an answer");
            assert_eq!(answer.status, status, "{lines}");
            assert_eq!(answer.header("connection"), "close", "{lines}");
            assert!(!answer.body.contains("HTTP/1.1"), "{lines}: one answer");
            has_all_headers(&answer, &lines);
        }
    }
    // However much of it there is, and if it never comes.
    for body in ["x".repeat(3 << 20), String::new()] {
        let request = format!("POST / HTTP/1.1\r\n{head}Content-Length: 9999999\r\n\r\n{body}");
        let answer = viewer.raw(request.as_bytes()).expect("an answer");
        assert_eq!(answer.status, 405);
        has_all_headers(&answer, "a body");
    }
}

/// Sends a piece every 200 milliseconds until the server has hung up.
fn trickled(viewer: &Viewer, pieces: impl Iterator<Item = &'static [u8]>) -> Option<Answer> {
    let mut stream = viewer.connected();
    let mut reading = stream.try_clone().expect("a socket");
    let answer = std::thread::spawn(move || {
        let mut answer = Vec::new();
        let _ = reading.read_to_end(&mut answer);
        answer
    });
    for piece in pieces {
        if answer.is_finished() || stream.write_all(piece).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let answer = answer.join().expect("a thread");
    (!answer.is_empty()).then(|| Answer::parse(&answer))
}

#[test]
fn a_client_that_sends_too_slowly_is_dropped() {
    let patience = Patience {
        head: Duration::from_secs(2),
        ..Patience::default()
    };
    let viewer = Viewer::with(&examples::home(), patience);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let slow = [
            // It stops in the middle.
            vec![&b"GET / HTTP/1.1\r\nHost:"[..]],
            // It goes on, but never ends.
            [&b"GET / HTTP/1.1\r\n"[..]]
                .into_iter()
                .chain(std::iter::repeat_n(&b"A: b\r\n"[..], 60))
                .collect(),
            std::iter::repeat_n(&b"G"[..], 60).collect(),
        ];
        for pieces in slow {
            let viewer = &viewer;
            scope.spawn(move || {
                let answer = trickled(viewer, pieces.into_iter()).expect("an answer");
                assert_eq!(answer.status, 408);
                has_all_headers(&answer, "a slow head");
            });
        }
        // A browser that opens a connection in advance gets nothing that it could take for an
        // answer to what it asks for later.
        scope.spawn(|| assert!(trickled(&viewer, std::iter::empty()).is_none()));
        // Others are answered meanwhile.
        assert_eq!(viewer.get("/projects").status, 200);
    });
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// A home with a session whose page is larger than what the buffers of a socket take.
fn large_home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a directory");
    let words = "many words ".repeat(450);
    let ids: Vec<String> = (0..4000).map(|at| format!("u{at}")).collect();
    let messages: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), words.as_str())).collect();
    let path = home
        .path()
        .join(format!("{}.jsonl", made::chat("2f1e0a52")));
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, made::lines("2f1e0a52", &messages)).expect("a file");
    home
}

/// Asks for the large session, and takes it as it likes.
fn taken(viewer: &Viewer, session: &str, take: impl FnOnce(&mut TcpStream)) {
    let mut stream = viewer.connected();
    let (port, cookie) = (viewer.port, viewer.cookie());
    write!(
        stream,
        "GET {session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookie}\r\n\r\n"
    )
    .expect("it listens");
    take(&mut stream);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    let end = rest.get(rest.len().saturating_sub(20)..);
    let end = String::from_utf8_lossy(end.unwrap_or_default()).into_owned();
    assert!(!end.contains("</html>"), "it was not dropped: {end}");
}

/// Takes nothing until the server has hung up: then nothing can be sent any more.
fn until_dropped(stream: &mut TcpStream) {
    let start = Instant::now();
    while stream.write_all(b"x").is_ok() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it waits forever"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_client_that_stops_reading_is_dropped() {
    let home = large_home();
    let patience = Patience {
        standstill: Duration::from_secs(1),
        ..Patience::default()
    };
    let viewer = Viewer::with(home.path(), patience);
    let session = viewer.get("/sessions/latest").header("location").to_owned();
    assert!(viewer.get(&session).body.ends_with("</html>\n"));
    std::thread::scope(|scope| {
        // More than pages are made at a time.
        for _ in 0..8 {
            scope.spawn(|| taken(&viewer, &session, until_dropped));
        }
        // Others are answered meanwhile.
        for _ in 0..5 {
            assert_eq!(viewer.get("/projects").status, 200);
        }
    });
}

#[test]
fn a_client_that_reads_too_slowly_is_dropped() {
    let home = large_home();
    let patience = Patience {
        answer: Duration::from_secs(3),
        ..Patience::default()
    };
    // With a more patient client, since making the page takes time, too.
    let latest = Viewer::of(home.path()).get("/sessions/latest");
    let viewer = Viewer::with(home.path(), patience);
    let start = Instant::now();
    taken(&viewer, latest.header("location"), |stream| {
        // Something again and again.
        let mut piece = vec![0; 4 << 10];
        while start.elapsed() < Duration::from_secs(6) {
            let _ = stream.read(&mut piece);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}

/// Every file below a directory: its bytes and when it was written.
fn state(directory: &Path, into: &mut BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            state(&path, into);
        } else {
            let written = path
                .metadata()
                .and_then(|it| it.modified())
                .expect("a time");
            into.insert(path.clone(), (fs::read(&path).expect("a file"), written));
        }
    }
}

#[test]
fn no_request_changes_anything_on_disk() {
    let mut before = BTreeMap::new();
    state(&examples::home(), &mut before);
    let viewer = viewer();
    for path in paths(&viewer) {
        viewer.get(&path);
    }
    let mut after = BTreeMap::new();
    state(&examples::home(), &mut after);
    assert!(before == after);
}
