//! Where documents go, by the built binary: files, directories, parts, standard output.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Person, Ran};

const NAME: &str = "session-2026-11-15T20-45-9dd87fa3";

/// A recorded session with some forty blocks.
fn recorded() -> PathBuf {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/0.61.0/tui_chat");
    root.canonicalize().expect("the recording is there")
}

fn journal() -> String {
    let chats = recorded().join(".gemini/tmp/acme-shop/chats");
    text(&chats.join(format!("{NAME}.jsonl")))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn export(person: &Person, arguments: &[&str]) -> Ran {
    let home = text(&recorded());
    person.run(&[&["--home", &home, "export", "9dd87fa3"], arguments].concat())
}

/// The files of a directory, by name.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the directory is there");
    let names = entries.map(|entry| text(Path::new(&entry.expect("an entry").file_name())));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}

/// What is left of a document without its title.
fn body(document: &str) -> &str {
    document.split_once("\n\n").expect("a title").1
}

#[test]
fn a_split_document_has_all_of_the_whole_one() {
    let person = Person::new();
    let (whole, dir) = (person.home().join("whole.md"), person.home().join("parts"));
    assert_eq!(export(&person, &["-o", &text(&whole)]).code, Some(0));
    let ran = export(
        &person,
        &["--split", "40", "-o", &format!("{}/", text(&dir))],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let names = files(&dir);
    assert!(names.len() > 2, "{names:?}");
    assert!(
        ran.err.contains(&format!("{} files written", names.len())),
        "{}",
        ran.err
    );
    let mut joined = String::new();
    for number in 1..=names.len() {
        let part = read(&dir.join(format!("{NAME}.part-{number}.md")));
        assert!(
            part.lines()
                .next()
                .unwrap()
                .ends_with(&format!("(part {number})"))
        );
        joined.push_str(body(&part));
    }
    assert_eq!(joined, body(&read(&whole)));
}

#[test]
fn a_single_file_is_split_beside_its_name_by_export_and_convert_alike() {
    let person = Person::new();
    let target = text(&person.home().join("e/notes.md"));
    fs::create_dir_all(person.home().join("e")).unwrap();
    fs::create_dir_all(person.home().join("c")).unwrap();
    assert_eq!(
        export(&person, &["--split", "40", "-o", &target]).code,
        Some(0)
    );
    let exported = files(&person.home().join("e"));
    assert_eq!(exported[..2], ["notes.part-1.md", "notes.part-2.md"]);

    let target = text(&person.home().join("c/notes.md"));
    let ran = person.run(&[
        "convert",
        &journal(),
        "--to",
        "md",
        "--split",
        "40",
        "-o",
        &target,
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(files(&person.home().join("c")), exported);
}

#[test]
fn no_part_replaces_a_file_unless_told_to() {
    let person = Person::new();
    let existing = person.write("notes.part-2.md", "mine");
    let target = text(&person.home().join("notes.md"));
    let ran = export(&person, &["--split", "40", "-o", &target]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.err.contains("notes.part-2.md exists already"),
        "{}",
        ran.err
    );
    assert_eq!(read(&existing), "mine");
    assert!(!person.home().join("notes.part-1.md").exists());

    let ran = export(&person, &["--split", "40", "--force", "-o", &target]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(read(&existing).contains("(part 2)"));

    // Fewer parts than before: those that are left over are not silently part of the new document.
    let ran = export(&person, &["--split", "100000", "--force", "-o", &target]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.err.contains("notes.part-2.md does not belong"),
        "{}",
        ran.err
    );
}

#[test]
fn parts_need_files_and_markdown() {
    let person = Person::new();
    let ran = export(&person, &["--split", "40"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.is_empty() && ran.err.contains("-o FILE"), "{ran:?}");
    let ran = person.run(&[
        "convert",
        &journal(),
        "--to",
        "md",
        "--split",
        "40",
        "-o",
        "-",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.is_empty() && ran.err.contains("-o FILE"), "{ran:?}");
    let ran = export(
        &person,
        &["--format", "html", "--split", "40", "-o", "x.html"],
    );
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("only md can be split"), "{}", ran.err);
    assert_eq!(
        export(&person, &["--split", "0", "-o", "x.md"]).code,
        Some(2)
    );
}

#[test]
fn convert_writes_files_under_the_rules_of_export() {
    let person = Person::new();
    let target = person.home().join("session.txt");
    let convert = |more: &[&str]| {
        let target = text(&target);
        let arguments = ["convert", &journal(), "--to", "txt", "-o", &target];
        person.run(&[&arguments, more].concat())
    };
    let ran = convert(&[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
    let first = read(&target);
    assert!(first.contains("Tell me about the cart."));
    assert_eq!(convert(&[]).code, Some(2));
    assert_eq!(convert(&["--force"]).code, Some(0));
    assert_eq!(read(&target), first);

    let dir = format!("{}/", text(&person.home().join("out")));
    let ran = person.run(&["convert", &journal(), "--to", "vac", "-o", &dir]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        files(&person.home().join("out")),
        [format!("{NAME}.vac.json")]
    );
}

#[test]
fn a_dash_is_standard_output_and_markdown_is_the_usual_format() {
    let person = Person::new();
    let dash = export(&person, &["-o", "-"]);
    assert_eq!(dash.out, export(&person, &["--format", "md"]).out);
    assert!(dash.out.starts_with("# "));
}

#[test]
fn filters_beside_named_sessions_are_refused() {
    let person = Person::new();
    let home = text(&recorded());
    for command in ["export", "signals"] {
        for filter in [
            ["--project", "x"],
            ["--since", "7d"],
            ["--until", "7d"],
            ["--model", "x"],
            ["--host", "x"],
            ["--user", "x"],
            ["--kind", "all"],
        ] {
            let arguments = [&["--home", &home, command, "latest"][..], &filter].concat();
            let ran = person.run(&arguments);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
            assert!(ran.err.contains(filter[0]), "{}", ran.err);
            assert!(ran.err.contains("but sessions are named"), "{}", ran.err);
        }
        assert_eq!(
            person.run(&["--home", &home, command, "latest"]).code,
            Some(0)
        );
    }
    let named = person.run(&["--home", &home, "signals", "--project", "acme", "--json"]);
    assert!(
        named.out.contains("9dd87fa3"),
        "filters without names still choose: {named:?}"
    );
}
