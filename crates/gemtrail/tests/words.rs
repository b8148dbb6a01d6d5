//! What people see of the commands that write, for reviewers: a change of words is a change of these.
#![cfg(unix)]

mod support;
#[cfg(target_os = "linux")]
#[path = "screens/terminal.rs"]
#[expect(dead_code, reason = "the screens of other tests need more of it")]
mod terminal;

use std::fmt::Write as _;
use std::process::Command;

use gemtrail_testkit::fixtures;
use support::Person;

/// Somebody with a recorded home in which a session is in danger, whenever the test runs.
fn person() -> Person {
    let person = Person::new();
    let fixture = fixtures().find(|fixture| fixture.name() == "0.61.0/multi_gap");
    let home = fixture.expect("the fixture exists").home;
    let home = if home.join(".gemini").exists() {
        home.join(".gemini")
    } else {
        home
    };
    let to = person.home().join(".gemini");
    gemtrail_testkit::made::copy(&home, &to).expect("it can be copied");
    person.write(
        ".gemini/settings.json",
        r#"{"general": {"sessionRetention": {"enabled": true, "maxAge": "36500d"}}}"#,
    );
    person
}

/// What a command says on that many columns: standard output, then standard error.
fn told(person: &Person, columns: usize, arguments: &[&str]) -> String {
    let columns = columns.to_string();
    let nowhere = person.home().join("no-settings.json");
    let variables = [
        ("COLUMNS", columns.as_str()),
        (
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            nowhere.to_str().expect("text"),
        ),
    ];
    let ran = person.run_in(&person.home(), arguments, &variables);
    let text = format!("{}{}", ran.out, ran.err);
    let home = person.home();
    settled(&text.replace(home.to_str().expect("text"), "/home/alice"))
}

/// Without what differs from machine to machine and from run to run.
fn settled(text: &str) -> String {
    numbers_hidden(&text.replace(&host(), "HOST"))
}

/// A word without the escape sequences that colour it.
fn without_colour(word: &str) -> String {
    let mut parts = word.split("␛[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or("", |(_, rest)| rest)
    })
}

fn host() -> String {
    let name = Command::new("uname").arg("-n").output().expect("it runs");
    format!("on {}", String::from_utf8_lossy(&name.stdout).trim())
}

/// Sizes of archives, times and months depend on more than this program.
fn numbers_hidden(text: &str) -> String {
    let is_number = |word: &str| {
        let word = word.trim_start_matches('(');
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == ',')
    };
    let is_unit = |word: &str| {
        ["B", "kB", "MB", "%"].contains(&word.trim_end_matches([',', ')', ';', '.', ':']))
    };
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let mut shown = Vec::new();
        for (at, coloured) in words.iter().enumerate() {
            let word = &without_colour(coloured);
            let next = &without_colour(words.get(at + 1).copied().unwrap_or_default());
            let is_date = word.len() >= 7 && word.starts_with("20") && word.contains('-');
            let is_clock = word.len() >= 5 && word.as_bytes()[2] == b':' && word.is_ascii();
            if is_number(word) && is_unit(next) {
                shown.push(if word.starts_with('(') { "(N" } else { "N" });
            } else if is_date {
                shown.push("DATE");
            } else if is_clock {
                shown.push("TIME");
            } else {
                shown.push(coloured);
            }
        }
        lines.push(shown.join(" ").trim_end().to_owned());
    }
    lines.join("\n")
}

#[test]
fn doctor() {
    for columns in [80, 160] {
        let person = person();
        let without = told(&person, columns, &["doctor"]);
        insta::assert_snapshot!(format!("doctor_without_archive_{columns}"), without);
        assert_eq!(person.run(&["sync"]).code, Some(0));
        let with = told(&person, columns, &["doctor"]);
        insta::assert_snapshot!(format!("doctor_with_archive_{columns}"), with);
    }
}

#[test]
fn sync_and_the_archive() {
    for columns in [80, 160] {
        let person = person();
        let other = Person::new();
        let mut all = String::new();
        let mut say = |person: &Person, arguments: &[&str]| {
            let text = told(person, columns, arguments);
            let command = arguments.join(" ");
            writeln!(all, "$ gemtrail {command}\n{text}\n").expect("memory takes it");
        };
        say(&person, &["sync"]);
        say(&person, &["sync"]);
        say(&person, &["archive", "info"]);
        say(&person, &["archive", "verify"]);
        say(&person, &["archive", "forget", "aa8009be", "--dry-run"]);
        say(&person, &["archive", "backup", "backup.db"]);
        say(&person, &["archive", "import", "backup.db"]);
        std::fs::rename(
            person.home().join("backup.db"),
            other.home().join("backup.db"),
        )
        .expect("it can be moved");
        say(&other, &["archive", "import", "backup.db"]);
        say(&other, &["archive", "import", "none.db"]);
        say(&person, &["restore", "aa8009be", "--dry-run"]);
        say(&person, &["resume", "aa8009be"]);
        insta::assert_snapshot!(format!("archive_{columns}"), all);
    }
}

/// The same on a terminal, with colours and without.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal() {
    use terminal::{Face, screen_with};
    for (face, columns) in [
        (Face::Terminal, 80),
        (Face::Terminal, 160),
        (Face::Colour, 80),
    ] {
        let person = person();
        let nowhere = person.home().join("no-settings.json");
        let nowhere = nowhere.to_str().expect("text");
        let variables = [("GEMINI_CLI_SYSTEM_SETTINGS_PATH", nowhere)];
        let mut all = String::new();
        for arguments in [
            &["doctor"][..],
            &["sync", "--quiet"],
            &["sync"],
            &["doctor"],
            &["archive", "info"],
            &["export", "aa8009be", "-o", "a.md"],
            &["restore", "aa8009be", "--dry-run"],
            &["show", "nothing"],
            &["lsit"],
        ] {
            let text = screen_with(&person, face, columns, &variables, arguments);
            let (command, text) = (arguments.join(" "), settled(&text));
            writeln!(all, "$ gemtrail {command}\n{text}\n").expect("memory takes it");
        }
        insta::assert_snapshot!(format!("{}_{columns}", face.name()), all);
    }
}

#[test]
fn exports() {
    let person = person();
    let mut all = String::new();
    for arguments in [
        &["export", "aa8009be", "-o", "a.md"][..],
        &["export", "aa8009be", "-o", "a.md"],
        &["export", "aa8009be", "-o", "a.docx"],
        &["export", "aa8009be", "-o", "a.json"],
        &["export", "--all", "-o", "pages/", "-f", "html"],
        &["export", "aa8009be", "--no-redact", "-o", "b.html"],
        &["open", "aa8009be", "--print"],
    ] {
        let text = told(&person, 80, arguments);
        let command = arguments.join(" ");
        writeln!(all, "$ gemtrail {command}\n{text}\n").expect("memory takes it");
    }
    insta::assert_snapshot!(all);
}

/// Help without the options that every command has.
fn own_help(help: &str) -> String {
    let Some((before, global)) = help.split_once("Global options:") else {
        return help.to_owned();
    };
    let after = global
        .find("\n\nExample")
        .map_or("", |at| &global[at + 2..]);
    let after = match global.find("\n\nWhere it goes") {
        Some(at) => &global[at + 2..],
        None => after,
    };
    format!("{before}{after}")
}

#[test]
fn help() {
    let person = Person::new();
    for columns in [80, 160] {
        for command in [
            "sync",
            "restore",
            "resume",
            "archive",
            "doctor",
            "export",
            "open",
            "config",
            "completions",
            "man",
            "setup",
        ] {
            let text = own_help(&told(&person, columns, &[command, "-h"]));
            insta::assert_snapshot!(format!("help_{command}_{columns}"), text);
        }
        let text = own_help(&told(&person, columns, &["archive", "import", "--help"]));
        insta::assert_snapshot!(format!("help_archive_import_{columns}"), text);
    }
}
