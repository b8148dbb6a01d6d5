//! One answer for a colleague, and pages in a browser.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Person;
use crate::{read, recorded, text};

#[cfg(unix)]
#[test]
fn a_page_is_opened_in_a_private_place() {
    use std::os::unix::fs::PermissionsExt as _;
    let person = Person::new();
    let home = text(&recorded());
    let open = |more: &[&str], browser: &str| {
        let arguments = [&["--home", &home, "open", "9dd87fa3"], more].concat();
        person.run_in(&person.home(), &arguments, &[("BROWSER", browser)])
    };
    let printed = open(&["--print"], "/none");
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let page = PathBuf::from(printed.out.trim_end());
    assert!(page.starts_with(person.home()), "{}", page.display());
    assert!(read(&page).starts_with("<!"));
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&page), 0o600);
    assert_eq!(mode(page.parent().expect("a directory")), 0o700);
    let script = person.write("browser", "#!/bin/sh\necho \"$1\" > \"$HOME/opened\"\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let opened = open(&[], &text(&script));
    assert_eq!(
        (opened.code, opened.out.as_str()),
        (Some(0), ""),
        "{}",
        opened.err
    );
    assert_eq!(read(&person.home().join("opened")).trim_end(), text(&page));
    let failed = open(&[], "/none");
    assert_eq!(failed.code, Some(2));
    assert!(failed.err.contains(&text(&page)), "{}", failed.err);
}

/// One answer or one call, to hand over.
#[test]
fn a_place_is_exported_alone() {
    let person = Person::new();
    let home = text(&recorded());
    let run = |arguments: &[&str]| person.run(&[&["--home", &home][..], arguments].concat());
    let shown = run(&["show", "9dd87fa3", "--json"]);
    let whole: serde_json::Value = serde_json::from_str(&shown.out).expect("a document");
    let messages = whole["messages"].as_array().expect("messages");
    let has_call = |it: &&serde_json::Value| !it["tool_calls"][0].is_null();
    let calling = messages.iter().find(has_call).expect("a call");
    let place = calling["place"].as_str().expect("a place");
    let (turn, item) = place.split_once('.').expect("not a prompt");
    let call = format!(
        "9dd87fa3:{turn}.{}",
        item.parse::<u32>().expect("a number") + 1
    );
    let name = calling["tool_calls"][0]["name"].as_str().expect("a name");
    for format in ["md", "txt", "html"] {
        let ran = run(&["export", &call, "--format", format]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.out.contains(name) || format == "txt",
            "{name}: {}",
            ran.out
        );
        let all = run(&["export", "9dd87fa3", "--format", format]);
        assert!(ran.out.len() < all.out.len(), "{format}");
    }
    let ran = run(&["export", &format!("9dd87fa3:{place}"), "--format", "json"]);
    let part: serde_json::Value = serde_json::from_str(&ran.out).expect("a document");
    assert_eq!(part["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(part["messages"][0], *calling);
    let refused = run(&["export", &call, "--format", "events"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("md, txt, html, json"), "{refused:?}");
    let several = run(&["export", &call, "latest"]);
    assert_eq!(several.code, Some(2), "{several:?}");
    let nowhere = run(&["export", "9dd87fa3:999"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
}

#[test]
fn a_page_is_opened_at_a_place() {
    let person = Person::new();
    let home = text(&recorded());
    let ran = person.run(&["--home", &home, "open", "9dd87fa3:1", "--print"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let address = ran.out.trim().strip_prefix("file://").expect("an address");
    let (path, anchor) = address.split_once('#').expect("a place");
    let page = read(Path::new(path));
    assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
}
