//! Documents in parts.

use std::fs;

use crate::support::Person;
use crate::{NAME, body, export, files, journal, read, text};

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
        ran.err.contains(&format!("wrote {} files to", names.len())),
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
    assert!(
        ran.err.contains("--split has no effect on html"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("it applies to md"), "{}", ran.err);
    assert_eq!(
        export(&person, &["--split", "0", "-o", "x.md"]).code,
        Some(2)
    );
}
