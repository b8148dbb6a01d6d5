//! What packages of the program need from it.

mod support;

use std::path::Path;

use support::Person;

#[test]
fn the_version_names_the_commit_and_its_date() {
    let ran = Person::new().run(&["--version"]);
    let line = ran.out.trim_end();
    let rest = line
        .strip_prefix(concat!("gemtrail ", env!("CARGO_PKG_VERSION")))
        .unwrap_or_else(|| panic!("{ran:?}"));
    if rest.is_empty() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(!root.join(".git").exists(), "{line}");
        return;
    }
    let inner = rest
        .strip_prefix(" (")
        .and_then(|it| it.strip_suffix(')'))
        .unwrap_or_else(|| panic!("{line}"));
    let (commit, date) = inner.split_once(' ').unwrap_or_else(|| panic!("{line}"));
    assert!(
        commit.len() == 9 && commit.chars().all(|it| it.is_ascii_hexdigit()),
        "{line}"
    );
    assert!(date.parse::<jiff::civil::Date>().is_ok(), "{line}");
}

#[test]
fn every_command_has_a_man_page() {
    let person = Person::new();
    let ran = person.run(&["man", "."]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let main = std::fs::read_to_string(person.home().join("gemtrail.1")).expect("it is written");
    assert!(main.contains(".TH gemtrail 1"), "{main}");
    for command in ["list", "sync", "search", "archive-forget", "projects-add"] {
        let page = person.home().join(format!("gemtrail-{command}.1"));
        assert!(page.exists(), "{command}");
    }
    let printed = person.run(&["man"]);
    assert_eq!(printed.out, main);
}

#[test]
fn a_directory_that_is_missing_is_an_error() {
    let ran = Person::new().run(&["man", "nowhere"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
