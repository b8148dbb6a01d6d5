//! `convert` and `sign` of files that are not sessions, or only partly.

use std::fs;
use std::path::Path;

use crate::support::Person;

const FORMATS: [&str; 6] = ["json", "events", "chat", "vac", "transcript", "usage"];

fn write(person: &Person, name: &str, bytes: &[u8]) -> String {
    let path = person.home().join(name);
    fs::write(&path, bytes).expect("it can be written");
    path.to_string_lossy().into_owned()
}

fn nothing() -> Vec<(&'static str, Vec<u8>)> {
    let utf16: Vec<u8> = "{\"sessionId\":\"x\"}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let noise = (0..3000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2]);
    vec![
        ("cut.json", b"{\"history\": [".to_vec()),
        ("odd.json", b"{\"history\":\"nope\"}".to_vec()),
        ("empty.json", Vec::new()),
        ("space.json", b" \n ".to_vec()),
        ("hello.json", b"hello\n".to_vec()),
        ("object.json", b"{}".to_vec()),
        ("utf16.json", utf16),
        ("noise.json", noise.collect()),
        (
            "document.json",
            b"{\"schema\":\"gemtrail.session/1\",\"id\":7}".to_vec(),
        ),
    ]
}

#[test]
fn convert_of_no_session_writes_nothing() {
    let person = Person::new();
    for (name, bytes) in nothing() {
        let file = write(&person, name, &bytes);
        for format in FORMATS {
            let target = person.home().join("target");
            let to_file = ["-o", target.to_str().expect("UTF-8")];
            for more in [&[][..], &to_file] {
                let arguments = [&["convert", file.as_str(), "--to", format][..], more].concat();
                let ran = person.run(&arguments);
                assert_eq!(ran.code, Some(2), "{name} {format}: {ran:?}");
                assert_eq!(ran.out, "", "{name} {format}");
                assert!(
                    ran.err.contains("is not a Gemini CLI session"),
                    "{}",
                    ran.err
                );
                assert!(!target.exists(), "{name} {format}");
            }
        }
    }
}

#[test]
fn sign_of_no_session_writes_nothing() {
    let person = Person::new();
    let keys = person.home().join("keys");
    let keys = keys.to_str().expect("UTF-8");
    assert_eq!(person.run(&["keygen", "--out", keys]).code, Some(0));
    for (name, bytes) in nothing() {
        let file = write(&person, name, &bytes);
        let key = format!("{keys}/signing-key.pem");
        let ran = person.run(&["sign", "--key", &key, "--record", &file, "--out", "out.sig"]);
        assert_eq!(ran.code, Some(2), "{name}: {ran:?}");
        assert!(
            !Path::new(&person.home().join("out.sig")).exists(),
            "{name}"
        );
    }
}

#[test]
fn what_could_not_be_read_is_said() {
    let person = Person::new();
    let good = r#"{"role":"user","parts":[{"text":"hello"}]}"#;
    for (name, text) in [
        ("cut.json", format!("{{\"history\": [{good}, {{\"role\":")),
        ("roles.json", format!("{{\"history\": [{good}, {{}}]}}")),
        (
            "lines.jsonl",
            "{\"sessionId\":\"s\",\"projectHash\":\"h\"}\nnoise\n{\"id\":\"m\",\"type\":\"user\",\"content\":\"hello\"}\n".to_owned(),
        ),
    ] {
        let file = write(&person, name, text.as_bytes());
        let ran = person.run(&["convert", &file, "--to", "chat"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.out.contains("hello"), "{ran:?}");
        assert!(ran.err.contains("could be read: "), "{name}: {}", ran.err);
    }
    let whole = write(
        &person,
        "whole.json",
        format!("{{\"history\": [{good}]}}").as_bytes(),
    );
    assert_eq!(person.run(&["convert", &whole, "--to", "chat"]).err, "");
}

#[test]
fn a_shared_conversation_in_markdown_is_refused_with_a_word() {
    let person = Person::new();
    let shared = "## USER \u{1F9D1}\u{200D}\u{1F4BB}\n\nhello\n\n---\n\n## MODEL \u{2728}\n\nhi";
    let file = write(&person, "share.md", shared.as_bytes());
    let ran = person.run(&["convert", &file, "--to", "transcript"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    assert!(
        ran.err.contains("`/chat share` wrote as Markdown"),
        "{}",
        ran.err
    );
}

#[test]
fn a_file_that_is_no_session_is_neither_shown_nor_exported() {
    let person = Person::new();
    for (name, bytes) in nothing() {
        let file = write(&person, name, &bytes);
        let target = person.home().join("target.md");
        let target = target.to_str().expect("UTF-8");
        for arguments in [
            &["show", file.as_str()][..],
            &["show", file.as_str(), "--json"],
            &["export", file.as_str()],
            &["export", file.as_str(), "-o", target],
            &["open", file.as_str(), "--print"],
        ] {
            let ran = person.run(arguments);
            assert_eq!(ran.code, Some(2), "{name} {arguments:?}: {ran:?}");
            assert_eq!(ran.out, "", "{name}");
            assert!(ran.err.contains("is not a Gemini CLI session"), "{ran:?}");
        }
        assert!(!Path::new(target).exists(), "{name}");
    }
}

#[test]
fn a_forgotten_option_is_pointed_out() {
    let person = Person::new();
    person.project("shop");
    write(&person, "a.md", b"# Mine\n");
    for name in ["a.md", "b.html"] {
        let ran = person.run(&["export", "latest", name]);
        assert_eq!(ran.out, "", "{ran:?}");
        assert!(
            ran.err.contains(&format!("-o {name} writes there")),
            "{ran:?}"
        );
    }
    let mine = fs::read_to_string(person.home().join("a.md")).expect("it is there");
    assert_eq!(mine, "# Mine\n");
}
