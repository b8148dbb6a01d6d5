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
