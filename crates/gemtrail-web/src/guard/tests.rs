use axum::http::Request;

use super::*;

const PORT: u16 = 7747;

fn keys() -> Keys {
    Keys {
        launch: [0xab; 32],
        session: [0xcd; 32],
    }
}

/// A request with these headers; the right host and the cookie unless others are given.
fn parts(method: &str, address: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().method(method).uri(address);
    let has = |name: &str| headers.iter().any(|(it, _)| *it == name);
    if !has("host") {
        request = request.header("host", "127.0.0.1:7747");
    }
    if !has("cookie") {
        request = request.header("cookie", format!("gemtrail-7747={}", "cd".repeat(32)));
    }
    for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
        request = request.header(*name, *value);
    }
    request.body(()).expect("a request").into_parts().0
}

fn checked(method: &str, address: &str, headers: &[(&str, &str)]) -> Result<Pass, RequestRefusal> {
    Guard::new(PORT, &keys()).check(&parts(method, address, headers))
}

#[test]
fn only_its_own_names_are_hosts() {
    for host in [
        "127.0.0.1:7747",
        "localhost:7747",
        "LocalHost:7747",
        "[::1]:7747",
    ] {
        assert_eq!(
            checked("GET", "/", &[("host", host)]),
            Ok(Pass::Known),
            "{host}"
        );
    }
    for host in [
        "-",
        "",
        "evil.example",
        "evil.example:7747",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:77470",
        "localhost.evil.example:7747",
        "127.0.0.1:7747.evil.example",
        "127.0.0.1:7747@evil.example",
        "user@127.0.0.1:7747",
        "127.0.0.2:7747",
        "0.0.0.0:7747",
        "[::]:7747",
        "::1:7747",
        "127.1:7747",
        "2130706433:7747",
        "127.0.0.1:7747 ",
    ] {
        for address in ["/", "/sessions", "/assets/x.css", "/unknown"] {
            let answer = checked("GET", address, &[("host", host)]);
            assert_eq!(
                answer,
                Err(RequestRefusal::ForeignHost),
                "{host:?} {address}"
            );
        }
    }
    let twice = [("host", "127.0.0.1:7747"), ("host", "evil.example")];
    assert_eq!(
        checked("GET", "/", &twice),
        Err(RequestRefusal::ForeignHost)
    );
    // The address of a request to a proxy.
    let answer = checked("GET", "http://evil.example/", &[]);
    assert_eq!(answer, Err(RequestRefusal::ForeignHost));
    assert_eq!(
        checked("GET", "http://127.0.0.1:7747/", &[]),
        Ok(Pass::Known)
    );
}

#[test]
fn the_host_comes_before_everything_else() {
    let foreign = [("host", "evil.example:7747"), ("cookie", "-")];
    assert_eq!(
        checked("POST", "/", &foreign),
        Err(RequestRefusal::ForeignHost)
    );
    let launch = format!("/?token={}", "ab".repeat(32));
    let guard = Guard::new(PORT, &keys());
    let rebound = parts("GET", &launch, &[("host", "evil.example:7747")]);
    assert_eq!(guard.check(&rebound), Err(RequestRefusal::ForeignHost));
    // It did not use up the token either.
    let own = parts("GET", &launch, &[("cookie", "-")]);
    assert_eq!(guard.check(&own), Ok(Pass::Launch));
}

#[test]
fn only_its_own_pages_send_requests() {
    for site in ["same-origin", "none"] {
        assert_eq!(
            checked("GET", "/", &[("sec-fetch-site", site)]),
            Ok(Pass::Known)
        );
    }
    for site in ["same-site", "cross-site", "", "Same-Origin"] {
        let answer = checked("GET", "/", &[("sec-fetch-site", site)]);
        assert_eq!(answer, Err(RequestRefusal::ForeignPage), "{site}");
    }
    let both = [("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
    assert_eq!(checked("GET", "/", &both), Err(RequestRefusal::ForeignPage));
    for origin in ["http://127.0.0.1:7747", "http://localhost:7747"] {
        assert_eq!(checked("GET", "/", &[("origin", origin)]), Ok(Pass::Known));
    }
    for origin in [
        "null",
        "",
        "http://evil.example",
        "https://127.0.0.1:7747",
        "http://127.0.0.1:80",
        "http://127.0.0.1:7747.evil.example",
    ] {
        let answer = checked("GET", "/", &[("origin", origin)]);
        assert_eq!(answer, Err(RequestRefusal::ForeignPage), "{origin}");
    }
}

#[test]
fn it_is_for_reading_only() {
    assert_eq!(checked("HEAD", "/", &[]), Ok(Pass::Known));
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "PROPFIND",
    ] {
        assert_eq!(
            checked(method, "/", &[]),
            Err(RequestRefusal::Method),
            "{method}"
        );
    }
}

#[test]
fn long_heads_are_refused() {
    let long = format!("/search?q={}", "x".repeat(5000));
    assert_eq!(checked("GET", &long, &[]), Err(RequestRefusal::Address));
    let large = "x".repeat(17 << 10);
    assert_eq!(
        checked("GET", "/", &[("x-large", &large)]),
        Err(RequestRefusal::Headers)
    );
}

#[test]
fn the_cookie_has_the_port_in_its_name() {
    let right = "cd".repeat(32);
    let known = |cookie: &str| checked("GET", "/", &[("cookie", cookie)]).is_ok();
    assert!(known(&format!("gemtrail-7747={right}")));
    assert!(known(&format!(
        "a=b; gemtrail-7747=old; gemtrail-7747={right}; c"
    )));
    for wrong in [
        "-".to_owned(),
        "gemtrail-7747=".to_owned(),
        format!("gemtrail-7748={right}"),
        format!("gemtrail={right}"),
        format!("gemtrail-7747={right}0"),
        format!("gemtrail-7747={}", &right[1..]),
        format!("gemtrail-7747={}", "ab".repeat(32)),
        format!("x=gemtrail-7747={right}"),
    ] {
        assert!(!known(&wrong), "{wrong}");
    }
    let cookie = Guard::new(PORT, &keys()).cookie();
    let (pair, attributes) = cookie.split_once("; ").expect("attributes");
    assert_eq!(pair, format!("gemtrail-7747={right}"));
    assert_eq!(attributes, "HttpOnly; SameSite=Strict; Path=/");
}

#[test]
fn the_launch_token_works_once_and_only_at_the_front_door() {
    let guard = Guard::new(PORT, &keys());
    let token = "ab".repeat(32);
    let check =
        |address: &str, cookie: &str| guard.check(&parts("GET", address, &[("cookie", cookie)]));
    let launch = format!("/?token={token}");
    assert_eq!(check("/", "-"), Err(RequestRefusal::NoToken));
    assert_eq!(check("/?token=", "-"), Err(RequestRefusal::NoToken));
    assert_eq!(
        check(&format!("/?token={}", &token[1..]), "-"),
        Err(RequestRefusal::NoToken)
    );
    assert_eq!(
        check(&format!("/sessions?token={token}"), "-"),
        Err(RequestRefusal::NoToken)
    );
    // The secret of the cookie is not a token.
    assert_eq!(
        check(&format!("/?token={}", "cd".repeat(32)), "-"),
        Err(RequestRefusal::NoToken)
    );
    let head = parts("HEAD", &launch, &[("cookie", "-")]);
    assert_eq!(guard.check(&head), Err(RequestRefusal::NoToken));
    assert_eq!(check(&launch, "-"), Ok(Pass::Launch));
    assert_eq!(check(&launch, "-"), Err(RequestRefusal::NoToken));
    // A second click in the same browser leads in all the same.
    assert_eq!(
        check(&launch, &format!("gemtrail-7747={}", "cd".repeat(32))),
        Ok(Pass::Again)
    );
    assert_eq!(
        launch_address(PORT, &keys()),
        format!("http://127.0.0.1:7747/?token={token}")
    );
}

#[test]
fn browsers_leave_out_the_usual_port() {
    let guard = |port: u16, host: &str, origin: &str| {
        let cookie = format!("gemtrail-{port}={}", "cd".repeat(32));
        let headers = [("host", host), ("origin", origin), ("cookie", &cookie)];
        Guard::new(port, &keys()).check(&parts("GET", "/", &headers))
    };
    for name in ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"] {
        let origin = format!("http://{name}");
        assert_eq!(guard(80, name, &origin), Ok(Pass::Known), "{name}");
        assert_eq!(
            guard(443, name, "-"),
            Err(RequestRefusal::ForeignHost),
            "{name}"
        );
    }
    for name in ["evil.example", "127.0.0.1:", "127.0.0.1:8080", "127.0.0.2"] {
        assert_eq!(
            guard(80, name, "-"),
            Err(RequestRefusal::ForeignHost),
            "{name}"
        );
    }
}
