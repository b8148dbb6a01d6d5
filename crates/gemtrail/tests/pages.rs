//! Every command of the pages about formats and skills runs, and prints what the page says it does.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::Ran;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of the sample home, which commands may write beside.
fn sample_home() -> support::Person {
    let person = support::Person::new();
    let from = root().join("examples/home/.gemini");
    let mut copy = Command::new("cp");
    let status = copy.arg("-R").arg(from).arg(person.home()).status();
    assert!(status.expect("cp runs").success());
    person
}

/// Runs a line as a shell does.
fn run(person: &support::Person, line: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_gemtrail"));
    let programs = program.parent().expect("it is in a directory");
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(person.home())
        .env_clear()
        .env("HOME", person.home())
        .env("GEMTRAIL_SYSTEM_CONFIG", person.write("system.toml", ""))
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .output()
        .expect("the shell runs");
    Ran::of(output)
}

/// The blocks of code on a page, with what they are called.
fn blocks(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((name, inside.collect()));
        }
    }
    blocks
}

/// True if one of these lines is the one of the page, white space around it and what it cuts off aside.
fn has_line(out: &str, wanted: &str) -> bool {
    let wanted = wanted.trim();
    out.lines()
        .map(str::trim)
        .any(|line| match wanted.strip_suffix('…') {
            Some(start) => line.starts_with(start),
            None => line == wanted,
        })
}

/// Runs the commands of a page in their order, and returns their number.
fn run_page(name: &str) -> usize {
    let page = fs::read_to_string(root().join("docs").join(name)).expect("the page is there");
    let person = sample_home();
    let (mut count, mut out) = (0, String::new());
    for (kind, lines) in blocks(&page) {
        for line in lines {
            if kind == "console" {
                let ran = run(&person, line);
                assert_eq!(ran.code, Some(0), "{name}: {line}: {}", ran.err);
                out = ran.out;
                count += 1;
            } else {
                assert!(has_line(&out, line), "{name}: {line}\nis not in\n{out}");
            }
        }
    }
    let in_tables = page.lines().filter_map(|line| {
        let (_, command) = line.strip_prefix("| ")?.rsplit_once("| `gemtrail ")?;
        command.strip_suffix("` |")
    });
    for command in in_tables {
        let ran = run(&person, &format!("gemtrail {command}"));
        assert_eq!(ran.code, Some(0), "{name}: {command}: {}", ran.err);
        count += 1;
    }
    count
}

#[test]
fn every_command_of_the_page_about_formats_runs() {
    assert!(run_page("formats.md") > 35);
}

#[test]
fn every_command_of_the_page_for_skills_runs() {
    assert!(run_page("skills.md") >= 10);
}

#[test]
fn the_page_about_formats_has_every_format_and_is_found() {
    let person = support::Person::new();
    let page = fs::read_to_string(root().join("docs/formats.md")).expect("the page is there");
    let help = person.run(&["export", "--help"]).out;
    let (_, formats) = help
        .split_once("The format [default")
        .expect("a list of formats");
    let (_, formats) = formats.split_once("Possible values:").expect("their names");
    let names = formats
        .lines()
        .skip(1)
        .map_while(|line| line.trim().strip_prefix("- "));
    let names: Vec<&str> = names.filter_map(|line| line.split(':').next()).collect();
    assert!(names.len() > 18, "{names:?}");
    for name in names {
        assert!(
            page.contains(&format!("--format {name}")),
            "{name} has no example"
        );
    }
    let readme = fs::read_to_string(root().join("README.md")).expect("the page is there");
    assert!(help.contains("docs/formats.md") && readme.contains("(docs/formats.md)"));
}
