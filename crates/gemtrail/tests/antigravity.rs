//! Conversations of Antigravity on the command line.
#![cfg(unix)]

#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../gemtrail-antigravity/tests/common/made.rs"]
mod made;
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use made::{ID, answer, database_with, proto, step, typed};
use support::{Person, Ran};

/// A person who talked with Antigravity about `~/my app`, and has it archived.
struct Talker {
    person: Person,
    root: PathBuf,
    database: PathBuf,
    plan: PathBuf,
}

impl Talker {
    fn new() -> Self {
        let person = Person::new();
        let root = person.home().join("my app");
        fs::create_dir_all(&root).expect("a directory");
        let uri = format!("file://{}", root.display()).replace(' ', "%20");
        let steps = [typed("first words"), answer("an answer", &[])];
        let bytes = database_with(&steps, |connection| {
            let row = "INSERT INTO trajectory_metadata_blob VALUES ('main', ?1)";
            let workspace = proto().text(7, &uri);
            connection.execute(row, [&workspace.0]).expect("a row");
        });
        let program = ".gemini/antigravity-cli";
        let database = person.write(&format!("{program}/conversations/{ID}.db"), "");
        fs::write(&database, bytes).expect("it can be written");
        let plan = person.write(&format!("{program}/brain/{ID}/plan.md"), "the plan");
        let talker = Self {
            person,
            root,
            database,
            plan,
        };
        talker.ok(&["sync"]);
        talker
    }

    fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.person.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran
    }
}

#[test]
fn resuming_runs_agy_in_the_project() {
    let talker = Talker::new();
    let script = "#!/bin/sh\npwd\necho \"$@\"\nexit 42\n";
    let script = talker.person.write("bin/agy", script);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let variables = [("GEMTRAIL_AGY", script.to_str().expect("text"))];
    let home = talker.person.home();
    fs::remove_dir_all(home.join(".gemini")).expect("it is there");
    for _ in ["gone", "put back"] {
        let arguments = ["resume", ID, "--", "-p", "go on"];
        let ran = talker.person.run_in(&home, &arguments, &variables);
        assert_eq!(ran.code, Some(42), "{}", ran.err);
        let root = talker.root.display();
        assert_eq!(ran.out, format!("{root}\n--conversation {ID} -p go on\n"));
        assert!(talker.database.exists() && talker.plan.exists());
    }
    let without = [("PATH", "/none")];
    let missing = talker.person.run_in(&home, &["resume", ID], &without);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.err.contains("agy cannot be started"),
        "{}",
        missing.err
    );
}

#[test]
fn it_is_put_back_only_where_nothing_is() {
    let talker = Talker::new();
    fs::remove_file(&talker.database).expect("it is there");
    talker.ok(&["restore", ID]);
    let shown = talker.ok(&["show", ID, "--json", "--no-archive"]).out;
    assert!(shown.contains("an answer"), "{shown}");
    let again = talker.ok(&["restore", ID]).out;
    assert!(again.contains("already there"), "{again}");
    fs::write(&talker.plan, "another plan").expect("it can be written");
    let arguments = ["restore", ID, "--force", "--no-sync"];
    let refused = talker.person.run(&arguments);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    let plan = fs::read_to_string(&talker.plan).expect("it is there");
    assert_eq!(plan, "another plan");
}

#[test]
fn tidy_leaves_it_where_it_is() {
    let talker = Talker::new();
    let plan = talker.ok(&["tidy", "--older-than", "now", "--yes", "--json"]);
    assert!(plan.out.contains("\"sessions\":[],"), "{}", plan.out);
    assert!(talker.database.exists() && talker.plan.exists());
}

#[test]
fn lists_and_searches_choose_by_source() {
    let talker = Talker::new();
    talker.person.project("other");
    let lines = |arguments: &[&str]| talker.ok(arguments).out.lines().count();
    for more in [&[][..], &["--no-archive"]] {
        let list = |source: &str| lines(&[&["list", "--json", "--source", source], more].concat());
        assert_eq!((list("antigravity"), list("gemini-cli")), (1, 1));
        let words = ["search", "words source:antigravity", "--json"];
        let hit = talker.ok(&[&words[..], more].concat()).out;
        assert!(hit.contains("\"source\":\"antigravity\""), "{hit}");
        let rest = [&["stats", "--json", "--source", "antigravity"], more].concat();
        talker.ok(&rest);
    }
}

#[test]
fn its_edits_are_known_by_file_and_by_line() {
    let person = Person::new();
    let root = person.home().join("app");
    fs::create_dir_all(&root).expect("a directory");
    let file = root.join("rate.py");
    let args = format!("{{\"TargetFile\":\"{}\"}}", file.display());
    let line = |kind: u64, text: &str| proto().text(1, text).number(2, kind);
    let lines = [
        line(3, "# rates"),
        line(2, "RATE = 1"),
        line(1, "RATE = 2"),
        line(3, ""),
    ];
    let lines = lines
        .iter()
        .fold(proto(), |lines, line| lines.record(3, line));
    let edit = proto().record(2, &proto().record(3, &lines));
    let edit = edit.text(8, &format!("file://{}", file.display()));
    let edit = edit.text(10, "# rates\nRATE = 1\n");
    let action = proto().record(2, &proto().record(1, &edit));
    let steps = [
        typed("raise the rate"),
        answer("", &[("c1", "replace_file_content", &args)]),
        step(5, 10, &action).of_call("c1"),
    ];
    let program = ".gemini/antigravity-cli";
    let database = person.write(&format!("{program}/conversations/{ID}.db"), "");
    fs::write(&database, database_with(&steps, |_| ())).expect("it can be written");
    fs::write(&file, "# rates\nRATE = 2\n").expect("it can be written");
    let ran = person.run_in(&root, &["origin", "rate.py", "--json"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("raise the rate"), "{}", ran.out);
    assert!(
        ran.out.contains("\"start\":1,\"end\":1,\"by\":\"unknown\""),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\"start\":2,\"end\":2,\"by\":\"model\""),
        "{}",
        ran.out
    );
    let ran = person.run_in(&root, &["files", "rate.py", "--json"], &[]);
    assert!(
        ran.out.contains("\"added\":1,\"removed\":1"),
        "{}{}",
        ran.out,
        ran.err
    );
}
