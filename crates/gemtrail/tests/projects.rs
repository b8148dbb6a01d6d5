//! Root paths: found wherever they stand, proven by their digest, never invented.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gemtrail_testkit::corpus::{Corpus, Size};
use gemtrail_testkit::expected::Expected;
use gemtrail_testkit::runner::Gemtrail;
use gemtrail_testkit::truth::hash_of;
use gemtrail_testkit::{Fixture, fixtures};

fn gemtrail() -> Gemtrail {
    Gemtrail::new(env!("CARGO_BIN_EXE_gemtrail"))
}

/// Path and source of every project, by hash.
fn roots(home: &Path) -> BTreeMap<String, (Option<String>, String)> {
    let rows = gemtrail().projects(home);
    let rows = rows.unwrap_or_else(|problem| panic!("{problem}"));
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    rows.iter()
        .map(|row| {
            let source = text(&row["path_source"]).unwrap_or_default();
            let hash = text(&row["hash"]).unwrap_or_default();
            (hash, (text(&row["path"]), source))
        })
        .collect()
}

fn expected_roots(fixture: &Fixture) -> Vec<String> {
    let truths = Expected::parse(&fixture.expected).expect("an expected file");
    truths.into_iter().map(|truth| truth.project).collect()
}

/// Whether any file below this directory names the path.
fn is_named(path: &str, dir: &Path) -> bool {
    entries(dir).iter().any(|entry| {
        if entry.is_dir() {
            return is_named(path, entry);
        }
        let bytes = fs::read(entry).unwrap_or_default();
        memmem(&bytes, path.as_bytes())
    })
}

fn memmem(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn entries(dir: &Path) -> Vec<std::path::PathBuf> {
    let listing = fs::read_dir(dir).into_iter().flatten().flatten();
    listing.map(|entry| entry.path()).collect()
}

fn is_marker(path: &Path) -> bool {
    path.ends_with(".project_root")
}

/// Copies project directories without what names their roots outright.
fn copy_without_markers(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory can be made");
    for entry in entries(from) {
        let target = to.join(entry.file_name().expect("an entry has a name"));
        if entry.is_dir() {
            copy_without_markers(&entry, &target);
        } else if !is_marker(&entry) {
            fs::copy(&entry, &target).expect("a file can be copied");
        }
    }
}

#[test]
fn recorded_trees_know_their_roots() {
    let mut sources: BTreeMap<String, usize> = BTreeMap::new();
    for fixture in fixtures() {
        let name = fixture.name();
        let found = roots(&fixture.home);
        let expected = expected_roots(&fixture);
        assert!(found.len() <= expected.len(), "{name}: {found:?}");
        for root in expected {
            let Some((path, source)) = found.get(&hash_of(&root)) else {
                assert!(found.is_empty(), "{name}: {root} is missing in {found:?}");
                continue;
            };
            if is_named(&root, &fixture.home) {
                assert_eq!(path.as_ref(), Some(&root), "{name}");
                let known = ["marker", "registry", "hash"];
                assert!(known.contains(&source.as_str()), "{name}: {source}");
            } else {
                assert_eq!((path, source.as_str()), (&None, "none"), "{name}");
            }
            *sources.entry(source.clone()).or_default() += 1;
        }
    }
    assert!(
        sources["marker"] > 50 && sources["hash"] > 20,
        "{sources:?}"
    );
}

#[test]
fn without_markers_and_registry_sessions_prove_the_roots() {
    let mut proven = 0;
    for fixture in fixtures() {
        let copy = tempfile::tempdir().expect("a temporary directory");
        copy_without_markers(&fixture.tmp, &copy.path().join(".gemini/tmp"));
        let found = roots(copy.path());
        for root in expected_roots(&fixture) {
            let is_named = is_named(&root, copy.path());
            match found.get(&hash_of(&root)) {
                Some((path, source)) if is_named => {
                    assert_eq!(path.as_ref(), Some(&root), "{}", fixture.name());
                    assert_eq!(source, "hash", "{}", fixture.name());
                    proven += 1;
                }
                Some((path, _)) => assert_eq!(path, &None, "{}", fixture.name()),
                None => {}
            }
        }
    }
    assert!(proven > 100, "{proven}");
}

#[test]
fn generated_homes_know_their_roots() {
    let size = Size {
        sessions: 60,
        bytes: 3_000_000,
        projects: 8,
    };
    let Some(corpus) = Corpus::generate(size).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let copy = tempfile::tempdir().expect("a temporary directory");
    let stripped = copy.path().join(".gemini");
    copy_without_markers(&corpus.home.join("tmp"), &stripped.join("tmp"));
    for (home, sources) in [
        (&corpus.home, &["marker", "registry", "hash"][..]),
        (&stripped, &["hash"]),
    ] {
        let found = roots(home);
        for root in corpus.roots() {
            let (path, source) = &found[&hash_of(root)];
            if is_named(root, home) {
                assert_eq!(path.as_deref(), Some(root));
                assert!(sources.contains(&source.as_str()), "{root}: {source}");
            } else {
                assert_eq!((path, source.as_str()), (&None, "none"), "{root}");
            }
        }
    }
}
