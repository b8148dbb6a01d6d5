//! `docs/requirements.md`: each requirement with the tests that fail when it is broken.
//!
//! A test names the requirements it keeps in its own name (`s001_17_…`, `c_9_…`). What they say stands
//! in `statements.txt`. `GEMTRAIL_WRITE_DOCS=1 cargo test -p gemtrail --test requirements` writes the
//! document anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const STATEMENTS: &str = include_str!("statements.txt");

const INTRODUCTION: &str = "\
# Requirements

What gemtrail promises, and for each promise the tests that fail when it is broken. The requirements come from five
ways of looking at the same files: records that can be verified, transcripts for writing about work, chats, events, and
documents. Where these disagree, each purpose has a view of its own; the last section says how.

Generated from the names of the tests by `just docs`; a test keeps it in step, and fails if a requirement has none.
";

/// A test, by the file it stands in and its name.
type Test = (String, String);

#[test]
fn s004_17_every_requirement_has_a_test_and_the_list_is_up_to_date() {
    let tests = tests_by_requirement();
    let known: Vec<&str> = statements().map(|(id, _)| id).collect();
    let (by_s, by_c): (Vec<&&str>, Vec<&&str>) = known.iter().partition(|id| id.starts_with('S'));
    assert_eq!((by_s.len(), by_c.len()), (95, 26));
    let untested: Vec<&&str> = known
        .iter()
        .filter(|id| !tests.contains_key(**id))
        .collect();
    assert!(untested.is_empty(), "no test names {untested:?}");
    let unknown: Vec<&String> = tests
        .keys()
        .filter(|id| !known.contains(&id.as_str()))
        .collect();
    assert!(
        unknown.is_empty(),
        "tests name {unknown:?}, which no statement explains"
    );
    let runs_the_program = |(file, _): &Test| file.starts_with("crates/gemtrail/tests/");
    assert!(tests.values().flatten().any(runs_the_program));

    let file = root().join("docs/requirements.md");
    let document = document(&tests);
    if is_to_be_written() {
        fs::write(&file, &document).expect("the document can be written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written.replace("\r\n", "\n") == document,
        "docs/requirements.md does not list the tests as they are; `just docs` writes it anew"
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test has no other way to be asked for something"
)]
fn is_to_be_written() -> bool {
    std::env::var_os("GEMTRAIL_WRITE_DOCS").is_some()
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// Ids and what they say.
fn statements() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = STATEMENTS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' '))
}

fn document(tests: &BTreeMap<String, Vec<Test>>) -> String {
    let mut out = INTRODUCTION.to_owned();
    for line in STATEMENTS.lines() {
        if let Some(group) = line.strip_prefix("## ") {
            let _ = write!(
                out,
                "\n## {group}\n\n| Id | What holds | Tests |\n|---|---|---|\n"
            );
        } else if let Some((id, what)) = line.split_once(' ').filter(|_| !line.starts_with('#')) {
            let named = tests.get(id).into_iter().flatten();
            let links: Vec<String> = named
                .map(|(file, name)| format!("[`{name}`](../{file})"))
                .collect();
            let _ = writeln!(out, "| {id} | {what} | {} |", links.join("<br>"));
        }
    }
    out
}

/// The tests of the workspace that name a requirement.
fn tests_by_requirement() -> BTreeMap<String, Vec<Test>> {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    files.sort();
    let mut tests: BTreeMap<String, Vec<Test>> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        let place = file.strip_prefix(root()).expect("it is in the workspace");
        let place = place.to_string_lossy().replace('\\', "/");
        for name in names_of_tests(&text) {
            for id in ids(name) {
                let found = (place.clone(), name.to_owned());
                tests.entry(id).or_default().push(found);
            }
        }
    }
    tests
}

fn sources(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The functions right below a `#[test]`, other attributes in between.
fn names_of_tests(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
            names.push(rest.split('(').next().unwrap_or_default());
        }
        is_test = line == "#[test]" || is_test && line.starts_with('#');
    }
    names
}

/// The ids in the name of a test: `s001_17_c_9_keeps_words` has S001-17 and C-9.
fn ids(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let mut ids = Vec::new();
    for pair in words.windows(2).filter(|pair| is_number(pair[1])) {
        match pair[0].strip_prefix('s') {
            Some(group) if group.len() == 3 && is_number(group) => {
                ids.push(format!("S{group}-{}", pair[1]));
            }
            _ if pair[0] == "c" => ids.push(format!("C-{}", pair[1])),
            _ => {}
        }
    }
    ids
}

#[test]
fn ids_are_read_from_names() {
    assert_eq!(ids("s001_17_c_9_keeps_2_words"), ["S001-17", "C-9"]);
    assert_eq!(ids("keeps_s_3_words"), [""; 0]);
    let text = "#[test]\nfn s000_1_a() {}\n#[test]\n#[cfg(unix)]\nfn b() {}\nfn c() {}\n";
    assert_eq!(names_of_tests(text), ["s000_1_a", "b"]);
}
