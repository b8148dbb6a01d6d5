//! Every line of the rules for a server on loopback, as a request.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gemtrail_testkit::examples;

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
    let large = format!("X-Large: {}", "x".repeat(20_000));
    assert_eq!(viewer.ask("GET", "/", &[&cookie, &large]).status, 431);
    let huge = format!("X-Huge: {}", "x".repeat(200_000));
    assert_eq!(viewer.ask("GET", "/", &[&cookie, &huge]).status, 431);
    let long = format!("/search?q={}", "x".repeat(5000));
    assert_eq!(viewer.get(&long).status, 414);
}

#[test]
fn whoever_sends_slowly_is_dropped() {
    let viewer = viewer();
    let mut slow = TcpStream::connect(("127.0.0.1", viewer.port)).expect("a connection");
    slow.set_read_timeout(Some(Duration::from_secs(40)))
        .expect("a socket");
    slow.write_all(b"GET / HTTP/1.1\r\nHost:")
        .expect("it listens");
    // Others are answered meanwhile.
    assert_eq!(viewer.get("/projects").status, 200);
    let mut rest = Vec::new();
    let ended = slow.read_to_end(&mut rest);
    assert!(
        ended.is_ok() || ended.is_err_and(|it| it.kind() == std::io::ErrorKind::ConnectionReset)
    );
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
