//! What is written down about the program is what the program says.

use std::path::{Path, PathBuf};
use std::process::Command;

fn gemtrail(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
        .args(args)
        .env("COLUMNS", "100")
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{args:?} failed");
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn the_schemas_are_up_to_date() {
    for name in gemtrail(&["schema"]).lines() {
        let file = docs().join("schema").join(format!("{name}.json"));
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written.replace("\r\n", "\n") == gemtrail(&["schema", name]),
            "{name} differs from docs/schema/{name}.json; `just docs` writes it anew"
        );
    }
}

#[test]
fn the_schemas_of_records_are_up_to_date() {
    for (name, file) in [
        ("vac", "agent-record-v3.cddl"),
        ("vac-v2", "agent-record-v2.cddl"),
    ] {
        let written = std::fs::read_to_string(docs().join("schema").join(file)).unwrap_or_default();
        assert!(
            written.replace("\r\n", "\n") == gemtrail(&["schema", name]),
            "{name} differs from docs/schema/{file}; `just docs` writes it anew"
        );
    }
}

#[test]
fn the_command_reference_is_up_to_date() {
    let written = std::fs::read_to_string(docs().join("reference.md")).unwrap_or_default();
    for (command, help) in helps() {
        let section = format!("## gemtrail {command}\n\n```text\n{}```\n", clean(&help));
        let section = section.replace("## gemtrail \n", "## gemtrail\n");
        assert!(
            written.replace("\r\n", "\n").contains(&section),
            "docs/reference.md does not have the help of {command:?}; `just docs` writes it anew"
        );
    }
}

#[test]
fn every_variable_is_documented() {
    let written = std::fs::read_to_string(docs().join("configuration.md")).unwrap_or_default();
    let (_, table) = written.split_once("## Environment").expect("a heading");
    let source = include_str!("../src/environment.rs");
    let literals = source.split('"').skip(1).step_by(2);
    let own = literals.filter(|text| text.starts_with("GEMTRAIL_") || text.starts_with("GEMINI_"));
    let own: Vec<&str> = own.collect();
    assert!(own.len() > 5, "{own:?}");
    for name in own {
        assert!(table.contains(&format!("`{name}`")), "{name}");
    }
}

/// The help of every command.
fn helps() -> Vec<(String, String)> {
    let top = gemtrail(&["--help"]);
    // They stand in groups, each below a title.
    let listing = top.lines().take_while(|line| *line != "Options:");
    let commands = listing.filter_map(|line| line.strip_prefix("  "));
    let names = commands.filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 20, "{names:?}");
    let mut helps = vec![(String::new(), top.clone())];
    helps.extend(
        names
            .into_iter()
            .map(|name| (name.to_owned(), gemtrail(&[name, "--help"]))),
    );
    helps
}

fn clean(help: &str) -> String {
    help.lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect()
}
