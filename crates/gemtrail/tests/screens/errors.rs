//! What people see when something is not as they thought.

use crate::home::sample;
use crate::support::Person;
use crate::terminal::{Face, screen};

#[test]
fn errors_say_what_helps() {
    let person = sample();
    let mut all = String::new();
    for arguments in [
        &["show", "2"][..],
        &["show", "@99"],
        &["show", "@0"],
        &["show", "nothing"],
        &["show", "7bd875c3:99"],
        &["show", "7bd875c3:x"],
        &["resume", "7bd875c3:1"],
        &["list", "acme"],
        &["search", "discout"],
        &["export", "-p", "acme", "-o", "day/"],
        &["export", "--all", "-o", "day.html"],
        &["show", "7bd875c3", "--find", "zebra"],
        &["list", "--project", "acme-shp"],
        &["list", "--project", "zebra"],
        &["list", "--since", "soon"],
        &["list", "--since", "2021-01-01"],
        &["search", "zebra"],
        &["search", "reduce voilà"],
        &["search", "rolle:human cart"],
        &["search", "session_context"],
    ] {
        let shown = screen(&person, Face::Pipe, 80, arguments);
        all.extend(["$ gemtrail ", &arguments.join(" "), "\n", &shown, "\n"]);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn one_id_in_two_projects_is_asked_about() {
    let person = sample();
    let from = ".gemini/tmp/acme-shop/chats/session-2020-11-15T18-40-7bd875c3.jsonl";
    let text = std::fs::read_to_string(person.home().join(from)).expect("it was written");
    person.write(&from.replace("acme-shop", "nova-kit"), &text);
    insta::assert_snapshot!(screen(&person, Face::Pipe, 80, &["show", "7bd875c3"]));
}

/// The projects are in directories of the same name.
#[test]
fn projects_of_one_name_are_told_apart() {
    let person = sample();
    let from = ".gemini/tmp/acme-shop/chats/session-2020-11-15T18-40-7bd875c3.jsonl";
    let text = std::fs::read_to_string(person.home().join(from)).expect("it was written");
    person.write(&from.replace("acme-shop", "acme-shop-1"), &text);
    person.write(
        ".gemini/tmp/acme-shop-1/.project_root",
        "/srv/demo/acme-shop",
    );
    let shown = screen(&person, Face::Pipe, 80, &["show", "7bd875c3"]);
    let listed = screen(&person, Face::Pipe, 80, &["list"]);
    let row = |line: &&str| line.contains("7bd8");
    let listed: Vec<&str> = listed.lines().filter(row).collect();
    assert_eq!(listed.len(), 2, "{listed:?}");
    for row in listed {
        let columns: Vec<&str> = row.split('\t').collect();
        let line = shown.lines().find(|line| line.contains(columns[1]));
        assert!(
            line.is_some_and(|it| it.contains(columns[3])),
            "{row}\n{shown}"
        );
        let found = screen(&person, Face::Pipe, 80, &["show", columns[1]]);
        assert!(found.contains("7bd875c3"), "{found}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn nothing_at_all() {
    let person = Person::new();
    person.write(".gemini/tmp/.keep", "");
    let mut all = String::new();
    for arguments in [
        &["list"][..],
        &["show", "latest"],
        &["show", "@1"],
        &["search", "x"],
    ] {
        let shown = screen(&person, Face::Pipe, 80, arguments);
        all.extend(["$ gemtrail ", &arguments.join(" "), "\n", &shown, "\n"]);
    }
    insta::assert_snapshot!(all);
}
