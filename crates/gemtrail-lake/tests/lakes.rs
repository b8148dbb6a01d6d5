//! Lakes of small homes: what must go is gone, even if the run was asked for something else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_core::prices::Prices;
use gemtrail_core::time;
use gemtrail_export::redact::Redactor;
use gemtrail_lake::{
    LakeChanges, LakeOptions, LakeTable, Level, OriginId, Precision, PseudonymKey, check, merge,
};
use gemtrail_store::{Library, Places};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

const JUNE: &str = "2f1e0a52-0000-4000-8000-000000000001";
const OTHER: &str = "4c0ffee0-0000-4000-8000-000000000003";
const JULY: &str = "3dbd4d2a-0000-4000-8000-000000000002";
const PASSWORD: &str = "q7RtvB2xLm9ZpK";

/// A home and a lake.
struct Team {
    dir: tempfile::TempDir,
    redactor: Redactor,
}

impl Team {
    /// Two sessions of two projects in June, one in July.
    fn new() -> Self {
        let team = Self {
            dir: tempfile::tempdir().expect("a directory"),
            redactor: Redactor::new(Vec::new()).expect("the rules are fine"),
        };
        team.say("one", JUNE, "06", "planted");
        team.say("two", OTHER, "06", "planted");
        team.say("two", JULY, "07", "planted");
        team
    }

    fn lake(&self) -> PathBuf {
        self.dir.path().join("lake")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(".gemini/tmp").join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        fs::write(path, text).expect("written");
    }

    fn say(&self, project: &str, id: &str, month: &str, words: &str) {
        self.write(&format!("{project}/.project_root"), &root(project));
        self.write(
            &chat(project, id, month),
            &journal(id, "main", month, words),
        );
    }

    fn forget(&self, project: &str, id: &str, month: &str) {
        let path = chat(project, id, month);
        let path = self.dir.path().join(".gemini/tmp").join(path);
        fs::remove_file(path).expect("removed");
    }

    fn options(&self) -> LakeOptions<'_> {
        LakeOptions {
            origin: OriginId::random(b"one"),
            machine: None,
            host: Some("laptop".to_owned()),
            user: Some("ann".to_owned()),
            level: Level::Metrics,
            key: PseudonymKey::new("key"),
            precision: Precision::Exact,
            tools: BTreeSet::new(),
            exclude: Vec::new(),
            prices: Prices::built_in(),
            redactor: &self.redactor,
            rules: String::new(),
            since: None,
            tables: Vec::new(),
        }
    }

    /// Only what is new since July.
    fn since_july(&self) -> LakeOptions<'_> {
        LakeOptions {
            since: time::parse("2026-07-01T00:00:00Z"),
            ..self.options()
        }
    }

    fn run(&self, options: &LakeOptions<'_>) -> LakeChanges {
        let places = Places {
            homes: vec![self.dir.path().join(".gemini")],
            ..Places::default()
        };
        let library = Library::open(&places).expect("a library");
        let written = gemtrail_lake::write(&library, &self.lake(), options, &|| ());
        written.expect("a lake")
    }

    /// Runs, and makes sure that a run about everything would change nothing.
    fn run_to_the_end(&self, options: LakeOptions<'_>) {
        self.run(&options);
        let whole = LakeOptions {
            since: None,
            tables: Vec::new(),
            ..options
        };
        let again = self.run(&whole);
        assert_eq!((again.written, again.removed), (0, 0), "{again:?}");
        self.assert_good();
    }

    fn assert_good(&self) {
        let checked = check(&self.lake(), &OriginId::random(b"one")).expect("a check");
        assert!(checked.is_there && checked.is_good(), "{checked:?}");
    }

    /// The data files with their bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.lake().join("v1"), &mut files);
        files.retain(|path, _| path.extension().is_some_and(|it| it == "parquet"));
        files
    }

    fn manifest(&self) -> PathBuf {
        let [manifest] = &entries(&self.lake().join("v1/_origins"))[..] else {
            panic!("one manifest");
        };
        manifest.clone()
    }

    /// All texts in the files whose path has this in it.
    fn texts(&self, part: &str) -> Vec<String> {
        let files = self.files().into_keys();
        let files = files.filter(|path| path.to_string_lossy().contains(part));
        files.flat_map(|path| texts(&path)).collect()
    }
}

fn root(project: &str) -> String {
    format!("/src/{project}")
}

fn chat(project: &str, id: &str, month: &str) -> String {
    format!(
        "{project}/chats/session-2026-{month}-01T10-00-{}.jsonl",
        &id[..8]
    )
}

fn journal(id: &str, kind: &str, month: &str, words: &str) -> String {
    let time = |minute: u8| format!("2026-{month}-01T10:{minute:02}:00.000Z");
    let header = serde_json::json!({"sessionId": id, "projectHash": "x", "kind": kind,
        "startTime": time(0), "lastUpdated": time(5)});
    let prompt = serde_json::json!({"id": "bbbb", "timestamp": time(1), "type": "user",
        "content": [{"text": words}]});
    let answer = serde_json::json!({"id": "aaaa", "timestamp": time(2), "type": "gemini",
        "model": "gemini-3-pro-preview", "content": "answer",
        "tokens": {"input": 7, "output": 3, "cached": 1, "thoughts": 2, "tool": 0, "total": 12}});
    format!("{header}\n{prompt}\n{answer}\n")
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    entries.map(|it| it.expect("an entry").path()).collect()
}

fn collect(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for path in entries(dir) {
        if path.is_dir() {
            collect(&path, files);
        } else {
            let bytes = fs::read(&path).expect("bytes");
            files.insert(path, bytes);
        }
    }
}

fn texts(path: &Path) -> Vec<String> {
    let file = fs::File::open(path).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let mut texts = Vec::new();
    for row in reader.get_row_iter(None).expect("rows") {
        for (_, field) in row.expect("a row").get_column_iter() {
            if let Field::Str(text) = field {
                texts.push(text.clone());
            }
        }
    }
    texts
}

fn is_of(month: &str) -> impl Fn(&PathBuf) -> bool {
    move |path| {
        path.to_string_lossy()
            .contains(&format!("month=2026-{month}"))
    }
}

#[test]
fn what_was_not_asked_for_stays() {
    let team = Team::new();
    team.run(&team.options());
    let before = team.files();
    team.say("one", JUNE, "06", "planted, and more");
    team.say("one", "5eed0000-0000-4000-8000-000000000004", "06", "new");
    team.run(&LakeOptions {
        tables: vec![LakeTable::Requests],
        ..team.since_july()
    });
    assert_eq!(team.files(), before);
    team.run(&LakeOptions {
        tables: vec![LakeTable::Requests],
        ..team.options()
    });
    for (path, bytes) in team.files() {
        let is_asked = path.to_string_lossy().contains("v1/requests/month=2026-06");
        assert_eq!(before[&path] != bytes, is_asked, "{path:?}");
    }
    // A higher level is for what was asked for, too.
    team.run(&LakeOptions {
        level: Level::Full,
        ..team.since_july()
    });
    assert!(team.texts("month=2026-07").contains(&"planted".to_owned()));
    assert!(!team.texts("month=2026-06").contains(&"planted".to_owned()));
    team.assert_good();
}

#[test]
fn stricter_settings_are_for_all_months() {
    let team = Team::new();
    let changes: [fn(&mut LakeOptions<'_>); 4] = [
        |it| it.precision = Precision::Day,
        |it| it.key = PseudonymKey::new("another"),
        |it| it.exclude = vec![root("one")],
        |it| it.level = Level::Metrics,
    ];
    let all = || LakeOptions {
        level: Level::Redacted,
        ..team.options()
    };
    for change in changes {
        let since_july = LakeOptions {
            since: team.since_july().since,
            ..all()
        };
        let one_table = LakeOptions {
            tables: vec![LakeTable::Requests],
            ..all()
        };
        for mut narrow in [since_july, one_table] {
            team.run(&all());
            change(&mut narrow);
            team.run_to_the_end(narrow);
            assert!(!team.texts("sessions/month=2026-06").is_empty());
        }
    }
}

#[test]
fn forgotten_sessions_are_gone_from_tables_and_months_not_asked_for() {
    for tables in [Vec::new(), vec![LakeTable::Projects]] {
        let team = Team::new();
        let full = LakeOptions {
            level: Level::Full,
            ..team.options()
        };
        team.run(&full);
        assert!(team.texts("month=2026-06").contains(&JUNE.to_owned()));
        team.forget("one", JUNE, "06");
        team.run_to_the_end(LakeOptions {
            level: Level::Full,
            tables,
            ..team.since_july()
        });
        assert!(!team.texts("v1").contains(&JUNE.to_owned()));
        assert!(team.texts("month=2026-06").contains(&OTHER.to_owned()));
    }
}

/// It was not asked for, so it must not have words now, and what it has must not stay.
#[test]
fn nothing_is_made_again_at_a_higher_level() {
    let team = Team::new();
    team.run(&team.options());
    team.run(&LakeOptions {
        level: Level::Full,
        precision: Precision::Day,
        ..team.since_july()
    });
    assert!(!team.files().keys().any(is_of("06")));
    assert!(team.files().keys().any(is_of("07")));
    team.assert_good();
}

#[test]
fn a_manifest_that_cannot_be_read_costs_nothing() {
    let team = Team::new();
    team.run(&team.options());
    let before = team.files();
    for is_there in [true, false] {
        if is_there {
            fs::write(team.manifest(), "{").expect("written");
        } else {
            fs::remove_file(team.manifest()).expect("removed");
        }
        team.run(&team.since_july());
        assert_eq!(team.files(), before);
        team.assert_good();
    }
}

#[test]
fn a_stopped_run_leaves_nothing_that_is_taken_for_good() {
    let team = Team::new();
    team.run(&team.options());
    let (manifest, before) = (team.manifest(), team.files());
    let old = fs::read(&manifest).expect("a manifest");
    let stop = || {
        fs::write(&manifest, &old).expect("written");
        let name = manifest.with_extension("changing");
        let scratch = team.lake().join(".tmp");
        fs::create_dir_all(&scratch).expect("a directory");
        fs::write(scratch.join(name.file_name().expect("a name")), "").expect("written");
    };
    // Before it had done anything.
    stop();
    team.run(&team.since_july());
    assert_eq!(team.files(), before);
    // Before it could write its manifest.
    team.say("one", JUNE, "06", "planted");
    team.say("one", "5eed0000-0000-4000-8000-000000000004", "06", "new");
    team.run(&team.options());
    assert_ne!(team.files(), before);
    stop();
    team.run_to_the_end(team.since_july());
}

#[test]
fn people_who_left_are_gone_from_merged_files() {
    let team = Team::new();
    team.run(&team.options());
    let folded = team.dir.path().join("folded");
    let now = time::parse("2026-09-01T00:00:00Z").expect("a time");
    let fold = || merge(&team.lake(), &folded, now).expect("a merge");
    assert_eq!(fold().written, 5);
    // Files are deleted; directories stay.
    for path in team.files().into_keys().filter(is_of("06")) {
        fs::remove_file(path).expect("removed");
    }
    assert_eq!(fold().removed, 2);
    let mut left = BTreeMap::new();
    collect(&folded, &mut left);
    assert_eq!(left.len(), 3, "{:?}", left.keys());
    for path in team.files().into_keys() {
        fs::remove_file(path).expect("removed");
    }
    assert_eq!(fold().removed, 3);
    left.clear();
    collect(&folded, &mut left);
    assert!(left.is_empty(), "{:?}", left.keys());
}

/// A session that proves a secret, and its subagents in the same month and in the next.
fn family(team: &Team, proof: &str) {
    team.say("one", JUNE, "06", proof);
    for (id, month) in [("a1a1a1a1", "06"), ("a2a2a2a2", "07")] {
        let words = format!("Is {PASSWORD} the same?");
        let text = journal(id, "subagent", month, &words);
        team.write(&format!("one/chats/{JUNE}/{id}.jsonl"), &text);
    }
}

#[test]
fn a_secret_of_a_session_is_one_in_its_subagents() {
    let team = Team::new();
    let redacted = LakeOptions {
        level: Level::Redacted,
        ..team.options()
    };
    let has_it = |part: &str| team.texts(part).iter().any(|it| it.contains(PASSWORD));
    family(&team, "nothing yet");
    team.run(&redacted);
    assert!(has_it("month=2026-06") && has_it("month=2026-07"));
    let questions = |part: &str| {
        let texts = team.texts(part).into_iter();
        texts.filter(|it| it.ends_with("the same?")).count()
    };
    let asked = (
        questions("messages/month=2026-06"),
        questions("messages/month=2026-07"),
    );
    assert_eq!(asked, (1, 1));
    // What was said in June matters for July.
    family(&team, &format!("DB_PASSWORD={PASSWORD}"));
    team.run_to_the_end(redacted);
    assert!(!has_it("v1"));
    let asked = (
        questions("messages/month=2026-06"),
        questions("messages/month=2026-07"),
    );
    assert_eq!(asked, (1, 1), "each is there once");
}

#[test]
fn a_subagent_without_its_session_is_by_itself() {
    let team = Team::new();
    family(&team, "nothing");
    team.forget("one", JUNE, "06");
    let written = team.run(&LakeOptions {
        level: Level::Redacted,
        ..team.options()
    });
    assert!(written.unread.is_empty(), "{written:?}");
    let sessions = team.texts("sessions/");
    for id in ["a1a1a1a1", "a2a2a2a2"] {
        assert!(sessions.iter().any(|it| it == id), "{id}: {sessions:?}");
    }
}
