//! `docs/diagnostics.md` lists every code with its meaning and advice, and nothing else.

use gemtrail_core::model::Code;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnostics.md");

#[test]
fn the_table_has_every_code() {
    let document = std::fs::read_to_string(DOCUMENT).expect("docs/diagnostics.md");
    let found: Vec<&str> = document
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let expected: Vec<String> = Code::ALL
        .iter()
        .map(|code| {
            let (name, meaning, advice) = (code.as_str(), code.meaning(), code.advice());
            format!("| `{name}` | {meaning} | {advice} |")
        })
        .collect();
    assert!(
        found == expected,
        "the table should be\n{}",
        expected.join("\n")
    );
}
