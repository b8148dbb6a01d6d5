//! Every home that a real Gemini CLI left is synced and deleted; what commands say stays the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gemtrail_testkit::fixtures;
use serde_json::Value;

use crate::common::{Keeper, copy, one, without};

const FORMATS: &str = "json jsonl md html txt transcript transcript-json chat events usage vac \
                       share-md share-json native";

const QUERIES: [&[&str]; 10] = [
    &["file"],
    &["the OR a"],
    &["\"state_snapshot\""],
    &["role:human"],
    &["field:tool_output -error"],
    &["read*", "--rank"],
    &["field:log"],
    // In the middle of an output that was put into a file of its own.
    &["a0120"],
    &["--regex", r"\w+\.(txt|md)"],
    &["--", "-the"],
];

/// Where commands look.
struct Look<'a> {
    keeper: &'a Keeper,
    arguments: Vec<String>,
}

impl Look<'_> {
    fn run(&self, arguments: &[&str]) -> crate::common::Ran {
        let own = self.arguments.iter().map(String::as_str);
        let all: Vec<&str> = own.chain(arguments.iter().copied()).collect();
        self.keeper.run(&all)
    }

    fn rows(&self) -> Vec<Value> {
        self.run(&["list", "--json", "--all", "--kind", "all"])
            .expect(0)
            .lines()
    }

    fn hits(&self) -> Vec<Vec<Value>> {
        let hits = |query: &&[&str]| {
            let ran = self.run(&[&["search", "--json", "--limit", "0"], *query].concat());
            ran.expect(0).lines()
        };
        QUERIES.iter().map(hits).collect()
    }

    /// What `export` writes, by format and file.
    fn exports(&self, into: &str, formats: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for format in formats.split_whitespace() {
            let dir = self.keeper.path(&format!("{into}/{format}"));
            let to = format!("{}/", dir.display());
            let mut arguments = vec!["export", "--all", "--kind", "all", "--format", format];
            arguments.extend(["-o", &to]);
            if format == "vac" {
                arguments.extend(["--created", "2026-01-01T00:00:00Z"]);
            }
            let ran = self.run(&arguments);
            // Formats that cannot say what a session has, say that.
            assert!(matches!(ran.code, Some(0 | 2)), "{format}: {}", ran.err);
            collect(&dir, format, &mut files);
        }
        fs::remove_dir_all(self.keeper.path(into)).expect("it can be removed");
        files
    }
}

fn collect(dir: &Path, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &name, files);
        } else {
            files.insert(name, fs::read(entry.path()).expect("it can be read"));
        }
    }
}

/// What `export` wrote as JSON, agents included, by what `show` finds it by.
fn documents(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Value> {
    let files = files.iter().filter(|(name, _)| name.starts_with("json/"));
    let mut rest: Vec<Value> = files
        .map(|(_, bytes)| serde_json::from_slice(bytes).expect("JSON"))
        .collect();
    let mut documents = BTreeMap::new();
    // First all that are exported by themselves.
    while !rest.is_empty() {
        let inner = rest
            .iter()
            .filter_map(|it| it["subagents"].as_array().cloned());
        let inner: Vec<Value> = inner.flatten().collect();
        for document in std::mem::replace(&mut rest, inner) {
            documents.entry(name_of(&document)).or_insert(document);
        }
    }
    documents
}

/// Agents of old versions have the id of their parent.
fn name_of(row: &Value) -> String {
    let name = row["stems"].get(0).unwrap_or(&row["id"]);
    name.as_str().expect("it has a name").to_owned()
}

#[track_caller]
fn same(what: &str, a: &[Value], b: &[Value], aside: &[&str]) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (without(a.clone(), aside), without(b.clone(), aside));
        assert!(a == b, "{what}:\n{a}\n{b}");
    }
}

#[track_caller]
fn same_files(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) {
    assert!(a.keys().eq(b.keys()), "{} and {} files", a.len(), b.len());
    for (name, bytes) in a {
        assert!(*bytes == b[name], "{name} is another");
    }
}

/// Of the disk alone these cannot be told, or not in the same way.
const ARCHIVED: [&str; 4] = ["on_disk", "archived", "host", "user"];

#[test]
fn deleted_homes_read_as_before() {
    let keeper = Keeper::new();
    let mut homes = Vec::new();
    for (number, fixture) in fixtures().enumerate() {
        let dir = keeper.path(&format!("homes/{number}"));
        let name = fixture.home.file_name().expect("it has a name");
        copy(&fixture.home, &dir.join(name));
        homes.push(dir.join(name).to_string_lossy().into_owned());
    }
    assert!(homes.len() > 150, "{}", homes.len());
    let homes: Vec<&str> = homes.iter().flat_map(|home| ["--home", home]).collect();
    let file = keeper.archive();
    let file = file.to_str().expect("the path is text");
    let look = |arguments: &[&'_ str]| Look {
        keeper: &keeper,
        arguments: arguments.iter().map(|it| (*it).to_owned()).collect(),
    };

    let disk = look(&[&["--no-archive"], homes.as_slice()].concat());
    let (disk_rows, disk_hits) = (disk.rows(), disk.hits());
    let disk_documents = documents(&disk.exports("disk", "json"));
    let report = one(&look(&[&["--archive", file], homes.as_slice()].concat())
        .run(&["sync", "--json"])
        .expect(0));
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    keeper.verify();

    let both = look(&[&["--archive", file, "--no-sync"], homes.as_slice()].concat());
    let (both_rows, both_hits, both_files) =
        (both.rows(), both.hits(), both.exports("both", FORMATS));
    same(
        "rows of disk and archive",
        &disk_rows,
        &both_rows,
        &ARCHIVED,
    );
    assert!(
        both_rows
            .iter()
            .all(|row| row["on_disk"] == (row["kind"] != "log"))
    );
    for (query, (disk, both)) in QUERIES.iter().zip(disk_hits.iter().zip(&both_hits)) {
        same(&format!("{query:?}"), disk, both, &[]);
    }

    // Stubs are not exported.
    let mut documents_then = documents(&both_files);
    for name in both_rows.iter().map(name_of) {
        let shown = || one(&both.run(&["show", &name, "--json"]));
        documents_then.entry(name.clone()).or_insert_with(shown);
    }

    fs::remove_dir_all(keeper.path("homes")).expect("they can be removed");
    let gone = look(&["--no-sync"]);
    let (rows, hits) = (gone.rows(), gone.hits());
    assert!(rows.iter().all(|row| row["on_disk"] == false));
    same("rows of the archive", &both_rows, &rows, &["on_disk"]);
    for (query, (both, gone)) in QUERIES.iter().zip(both_hits.iter().zip(&hits)) {
        same(&format!("{query:?}"), both, gone, &[]);
    }
    same_files(&both_files, &gone.exports("gone", FORMATS));

    let then = &documents_then;
    let named = |(name, disk): (&String, &Value)| (disk.clone(), then[name].clone());
    let (a, b): (Vec<Value>, Vec<Value>) = disk_documents.iter().map(named).unzip();
    same("documents of disk and archive", &a, &b, &ARCHIVED);
    let shown = |name: String| {
        (
            one(&gone.run(&["show", &name, "--json"])),
            then[&name].clone(),
        )
    };
    let (a, b): (Vec<Value>, Vec<Value>) = rows.iter().map(name_of).map(shown).unzip();
    same("shown now and then", &a, &b, &[]);
}
