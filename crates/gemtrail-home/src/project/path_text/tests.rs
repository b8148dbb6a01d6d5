use super::*;

fn finds(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let flow = visit(bytes, bytes.len(), |path| {
        let reading = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        all.push(path.readings().map(reading).collect());
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    all
}

fn readings(text: &str) -> Vec<String> {
    finds(text.as_bytes()).concat()
}

#[test]
fn a_string_of_its_own_with_all_ancestors() {
    assert_eq!(
        readings(r#"{"file_path":"/home/al/app/src/a.rs","limit":5}"#),
        [
            "/home/al/app/src/a.rs",
            "/home/al/app/src",
            "/home/al/app",
            "/home/al",
            "/home"
        ]
    );
}

#[test]
fn spaces_belong_to_a_path_that_stands_alone() {
    let lists = r"Directories:**\n  - /srv/demo/Nova Kit_2.0 été\n  - /srv/x\n";
    let found = readings(lists);
    assert_eq!(
        found[..4],
        [
            "/srv/demo/Nova Kit_2.0 été",
            "/srv/demo/Nova Kit_2.0",
            "/srv/demo/Nova",
            "/srv/demo"
        ]
    );
    assert!(found.contains(&"/srv/x".to_owned()));
    let label = readings("The project's directory is: /Users/alice/My App\\nToday");
    assert_eq!(label[0], "/Users/alice/My App");
    let quoted = readings(r#""command":"cd '/a b/c' && ls""#);
    assert!(quoted.contains(&"/a b/c".to_owned()));
}

#[test]
fn a_name_may_hold_any_character_but_the_slash() {
    for (written, name) in [
        (
            r#""file_path":"/srv/my \"app\"/notes.txt""#,
            "/srv/my \"app\"",
        ),
        (
            r#""args":"{\"path\":\"/srv/my \\\"app\\\"/a\"}""#,
            "/srv/my \"app\"",
        ),
        (r#""/srv/a;b/x""#, "/srv/a;b"),
        (r#""/srv/a`b`/x""#, "/srv/a`b`"),
        (r#""/srv/<a>/x""#, "/srv/<a>"),
        (r#""/srv/a|b?*/x""#, "/srv/a|b?*"),
        ("  - /srv/a; b <c>\n", "/srv/a; b <c>"),
        (r#""cd \"/srv/app\"; ls""#, "/srv/app"),
    ] {
        let found = readings(written);
        assert!(found.contains(&name.to_owned()), "{written}: {found:?}");
    }
    assert_eq!(readings("in /srv/app; then"), ["/srv/app", "/srv"]);
    assert_eq!(readings(r#""C:\\a\\b;c""#)[0], "C:\\a\\b");
}

#[test]
fn among_words_a_path_ends_at_the_space() {
    assert_eq!(
        readings("look in /srv/app (or /srv/lib). Then /etc/x."),
        [
            "/srv/app", "/srv", "/srv/lib", "/srv", "/etc/x.", "/etc/x", "/etc"
        ]
    );
    assert_eq!(readings("PATH=/a/b:/c"), ["/a/b", "/a", "/c"]);
    assert_eq!(readings("在/home/x"), ["/home/x", "/home"]);
    assert_eq!(readings("file:///srv/x"), ["/srv/x", "/srv"]);
}

#[test]
fn what_is_no_path() {
    let none = "a/b https://example.org/x // comment /* c */ </p> 1 / 2 \"/\" and/or";
    assert_eq!(readings(none), Vec::<String>::new());
}

#[test]
fn windows_paths_at_every_depth_of_escaping() {
    let expected = ["C:\\Users\\My App\\a.ts", "C:\\Users\\My App"];
    for text in [
        "in:\nC:\\Users\\My App\\a.ts\nnext",
        r#""file_path":"C:\\Users\\My App\\a.ts","x":1"#,
        r#""args":"{\"path\":\"C:\\\\Users\\\\My App\\\\a.ts\"}""#,
        r#""path":"C:/Users/My App/a.ts""#,
        r"list:\n  - C:\\Users\\My App\\a.ts\nnext",
    ] {
        let found = readings(text);
        assert_eq!(found[..2], expected, "{text}");
        assert!(found.contains(&"C:\\Users".to_owned()), "{text}");
    }
    assert_eq!(readings("abc:\\x"), Vec::<String>::new());
}

#[test]
fn escaped_characters_are_decoded() {
    assert_eq!(
        readings(r#""/srv/\u00e9t\u00e9/\ud83d\ude00","#),
        ["/srv/été/😀", "/srv/été", "/srv"]
    );
    assert_eq!(readings(r#""/srv/a\u0007b""#), ["/srv/a", "/srv"]);
    assert_eq!(readings(r#""/srv/a\u00zz""#), ["/srv/a", "/srv"]);
}

#[test]
fn hostile_text_costs_little() {
    let endless = format!("\"/{}", "a".repeat(2 << 20));
    assert!(
        finds(endless.as_bytes()).concat().is_empty(),
        "no system has such names"
    );
    let deep = format!("\"{}\"", "/a".repeat(1 << 20));
    assert_eq!(finds(deep.as_bytes()).concat().len(), MOST_READINGS);
    let wordy = format!("\"/a{}\"", " b".repeat(1 << 20));
    assert!(finds(wordy.as_bytes()).concat().len() <= MOST_DOUBTS + 1);
    assert_eq!(
        finds(b"\"/srv/\x01\x1b[31m/x\" /\xff\xfe/y").len(),
        3,
        "control characters end a path, other bytes do not"
    );
    assert_eq!(readings(r#""/\\\\\\\\\\""#), Vec::<String>::new());
    assert!(finds(br"C:\").len() <= 1);
}

#[test]
fn a_known_path_has_only_its_ancestors() {
    let all = |path: &str| -> Vec<String> {
        PathText::of_path(path)
            .readings()
            .map(|reading| String::from_utf8(reading.to_vec()).unwrap())
            .collect()
    };
    assert_eq!(all("/a b/c: d/"), ["/a b/c: d", "/a b"]);
    assert_eq!(all("C:\\a\\b"), ["C:\\a\\b", "C:\\a"]);
    assert_eq!(all("/"), ["/"]);
}

#[test]
fn nothing_is_visited_after_the_limit() {
    let text = br#""/a" "/b""#;
    let mut count = 0;
    let flow = visit(text, 4, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    assert_eq!(count, 1);
}
