//! Sessions come back from the archive: byte for byte, or so that Gemini CLI lists them.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper that fails, fails the test")]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Person, Ran};

const ID: &str = "2f1e0a52-0000-4000-8000-000000000001";
const NAME: &str = "session-2025-01-01T10-00-2f1e0a52.jsonl";
const SAFE_NAME: &str = "session-2025-01-01T10-00-r2f1e0a5.jsonl";

/// A person who worked on `~/my app`, has it archived, and may lose it.
struct Worker {
    person: Person,
    root: PathBuf,
    chats: PathBuf,
    journal: String,
    agent: String,
}

impl Worker {
    fn new() -> Self {
        let person = Person::new();
        let root = person.home().join("my app");
        fs::create_dir_all(&root).unwrap();
        let dir = ".gemini/tmp/my-app";
        person.write(&format!("{dir}/.project_root"), root.to_str().unwrap());
        let journal = journal(&["first words"]);
        person.write(&format!("{dir}/chats/{NAME}"), &journal);
        let agent = agent();
        person.write(&format!("{dir}/chats/{ID}/helper.jsonl"), &agent);
        person.write(
            &format!("{dir}/tool-outputs/session-{ID}/shell_1.txt"),
            "long\n",
        );
        let chats = person.home().join(dir).join("chats");
        let worker = Self {
            person,
            root,
            chats,
            journal,
            agent,
        };
        worker.ok(&["sync"]);
        worker
    }

    fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.person.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran
    }

    fn restore(&self, more: &[&str]) -> Value {
        let ran = self.ok(&[&["restore", ID, "--json"], more].concat());
        serde_json::from_str(&ran.out).expect("one document")
    }

    /// All of Gemini CLI's files are gone.
    fn lose(&self) {
        fs::remove_dir_all(self.person.home().join(".gemini")).unwrap();
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.chats.join(below)).unwrap()
    }
}

fn journal(prompts: &[&str]) -> String {
    let mut text = format!(
        "{{\"sessionId\":\"{ID}\",\"projectHash\":\"x\",\"startTime\":\"2025-01-01T10:00:00.000Z\",\"lastUpdated\":\"2025-01-01T10:05:00.000Z\",\"kind\":\"main\"}}\n"
    );
    for (at, prompt) in prompts.iter().enumerate() {
        let _ = write!(
            text,
            "{{\"id\":\"u{at}\",\"timestamp\":\"2025-01-01T10:0{at}:01.000Z\",\"type\":\"user\",\"content\":[{{\"text\":\"{prompt}\"}}]}}\n{{\"id\":\"a{at}\",\"timestamp\":\"2025-01-01T10:0{at}:02.000Z\",\"type\":\"gemini\",\"content\":\"answer to {prompt}\"}}\n"
        );
    }
    text
}

fn agent() -> String {
    journal(&["for the parent"])
        .replace(ID, "99990000-0000-4000-8000-000000000009")
        .replace("\"kind\":\"main\"", "\"kind\":\"subagent\"")
}

fn outcomes(report: &Value) -> Vec<(&str, &str)> {
    let files = report["files"].as_array().expect("a list").iter();
    let name = |path: &'_ Value| {
        Path::new(path.as_str().unwrap())
            .file_name()
            .unwrap()
            .to_owned()
    };
    files
        .map(|file| {
            let path = file["path"].as_str().unwrap();
            let start = path.len() - name(&file["path"]).len();
            (&path[start..], file["outcome"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn what_is_lost_comes_back_for_gemini_cli() {
    let worker = Worker::new();
    worker.lose();
    let report = worker.restore(&[]);
    assert_eq!(report["schema"], "gemtrail.restore/1");
    assert_eq!(report["how"], "listed");
    assert_eq!(report["already_listed"], false);
    let root = worker.root.to_str().unwrap();
    assert_eq!(report["project"], root);
    assert_eq!(
        report["command"],
        format!("cd '{root}' && gemini --resume {ID}")
    );
    let mut written = outcomes(&report);
    written.sort_unstable();
    let expected = [
        ("helper.jsonl", "written"),
        (SAFE_NAME, "written"),
        ("shell_1.txt", "written"),
    ];
    assert_eq!(written, expected, "the name does not end like the id");
    let lines: Vec<Value> = worker
        .read(SAFE_NAME)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["sessionId"], ID);
    let updated = lines[0]["lastUpdated"].as_str().unwrap();
    assert!(updated > "2025-01-02", "{updated}: old ones are deleted");
    assert_eq!(lines[1]["content"][0]["text"], "first words");
    let marker = worker.chats.with_file_name(".project_root");
    assert_eq!(fs::read_to_string(marker).unwrap(), root);
    assert_eq!(worker.read(&format!("{ID}/helper.jsonl")), worker.agent);
    let again = worker.restore(&[]);
    assert_eq!(again["already_listed"], true);
    assert_eq!(outcomes(&again), []);
    let forced = worker.restore(&["--force"]);
    assert_eq!(outcomes(&forced), [(SAFE_NAME, "replaced")]);
    assert_eq!(worker.ok(&["show", ID]).err, "");
    let document = worker.ok(&["show", ID, "--json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["counts"]["messages"], 2, "nothing is doubled");
}

#[test]
fn a_session_in_danger_is_put_back_under_a_safe_name() {
    let worker = Worker::new();
    let earlier = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(1);
    let earlier = earlier.strftime("%Y-%m-%dT%H:%M").to_string();
    let recent = worker.journal.replace("2025-01-01T10:05", &earlier);
    // A resume in a later minute leaves this, and the next start of 0.47 to 0.61 deletes both.
    let stray = journal(&[]).replace("2025-01-01T10:05", &earlier);
    let dir = ".gemini/tmp/my-app/chats";
    worker.person.write(&format!("{dir}/{NAME}"), &recent);
    assert_eq!(worker.restore(&[])["already_listed"], true);
    let name = "session-2025-01-02T10-00-2f1e0a52.jsonl";
    worker.person.write(&format!("{dir}/{name}"), &stray);
    let report = worker.restore(&[]);
    assert_eq!(outcomes(&report), [(SAFE_NAME, "written")]);
    assert_eq!(
        worker.restore(&[])["already_listed"],
        true,
        "now it is safe"
    );
}

#[test]
fn another_project_may_have_taken_the_directory() {
    let worker = Worker::new();
    let marker = "new/.gemini/tmp/my-app/.project_root";
    worker.person.write(marker, "/elsewhere/my-app");
    let report = worker.restore(&["--home", "new"]);
    let path = report["files"][0]["path"].as_str().unwrap();
    assert!(path.contains("/tmp/my-app-1/chats/"), "{path}");
}

#[test]
fn exactly_means_byte_for_byte_where_it_was() {
    let worker = Worker::new();
    worker.lose();
    let report = worker.restore(&["--exact"]);
    assert_eq!(
        outcomes(&report),
        [(NAME, "written"), ("helper.jsonl", "written")]
    );
    assert_eq!(worker.read(NAME), worker.journal);
    assert_eq!(worker.read(&format!("{ID}/helper.jsonl")), worker.agent);
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.contains("deletes it"), "{warning}: too old");
    let again = worker.restore(&["--exact"]);
    assert_eq!(
        outcomes(&again),
        [(NAME, "identical"), ("helper.jsonl", "identical")]
    );
}

#[test]
fn something_else_is_replaced_only_by_force() {
    let worker = Worker::new();
    fs::remove_file(worker.chats.join(NAME)).unwrap();
    worker.ok(&["sync"]);
    let other = worker.person.write("other/x", "another file");
    let target = worker.person.home().join("out");
    fs::create_dir(&target).unwrap();
    fs::copy(other, target.join(NAME)).unwrap();
    let refused = worker.person.run(&["restore", ID, "-o", "out", "--json"]);
    assert_eq!(refused.code, Some(2));
    let error: Value = serde_json::from_str(&refused.err).unwrap();
    assert_eq!(error["code"], "exists");
    assert!(!target.join(ID).exists(), "all or nothing");
    assert_eq!(
        fs::read_to_string(target.join(NAME)).unwrap(),
        "another file"
    );
    let report = worker.restore(&["-o", "out", "--force"]);
    assert_eq!(report["how"], "directory");
    assert_eq!(
        outcomes(&report),
        [(NAME, "replaced"), ("helper.jsonl", "written")]
    );
    assert_eq!(
        fs::read_to_string(target.join(NAME)).unwrap(),
        worker.journal
    );
    let agent = target.join(ID).join("helper.jsonl");
    assert_eq!(fs::read_to_string(agent).unwrap(), worker.agent);
}

#[test]
fn earlier_states_come_back_too() {
    let worker = Worker::new();
    let pause = || std::thread::sleep(std::time::Duration::from_millis(30));
    let now = || jiff::Timestamp::now().to_string();
    pause();
    let first = now();
    pause();
    let dir = ".gemini/tmp/my-app/chats";
    let longer = journal(&["first words", "second words"]);
    worker.person.write(&format!("{dir}/{NAME}"), &longer);
    worker.ok(&["sync"]);
    pause();
    let second = now();
    pause();
    // A rewrite that lost what was said.
    worker
        .person
        .write(&format!("{dir}/{NAME}"), &journal(&["third words"]));
    worker.ok(&["sync"]);
    worker.lose();
    worker.ok(&["sync"]);
    for (at, dir, wanted) in [
        (first.as_str(), "one", &worker.journal),
        (second.as_str(), "two", &longer),
        ("2099-01-01", "three", &journal(&["third words"])),
        ("now", "four", &journal(&["third words"])),
        ("0s", "five", &journal(&["third words"])),
    ] {
        worker.restore(&["-o", dir, "--at", at]);
        let file = worker.person.home().join(dir).join(NAME);
        assert_eq!(fs::read_to_string(file).unwrap(), *wanted);
    }
    let before = worker
        .person
        .run(&["restore", ID, "-o", "none", "--at", "2020-01-01"]);
    assert_eq!(before.code, Some(1), "{}", before.err);
    worker.restore(&["--at", &second]);
    let listed = worker.read(SAFE_NAME);
    assert!(listed.contains("second words") && !listed.contains("third words"));
}

#[test]
fn another_home_can_be_the_target() {
    let worker = Worker::new();
    let target = worker.person.home().join("new/.gemini");
    fs::create_dir_all(&target).unwrap();
    let report = worker.restore(&["--home", "new"]);
    let path = report["files"][0]["path"].as_str().unwrap();
    assert!(Path::new(path).starts_with(&target), "{path}");
    let command = report["command"].as_str().unwrap();
    let base = worker.person.home().join("new");
    assert!(
        command.contains(&format!("GEMINI_CLI_HOME='{}'", base.display())),
        "{command}"
    );
    worker.restore(&["--home", "new", "--exact"]);
    let exact = target.join("tmp/my-app/chats").join(NAME);
    assert_eq!(fs::read_to_string(exact).unwrap(), worker.journal);
}

#[test]
fn what_cannot_be_done_is_said_with_a_way_out() {
    let worker = Worker::new();
    let unknown = worker.person.run(&["restore", "ffffffff"]);
    assert_eq!(unknown.code, Some(1));
    let agent = worker.person.run(&["restore", "99990000"]);
    assert_eq!(agent.code, Some(2));
    assert!(
        agent.err.contains(&format!("restore {ID}")),
        "{}",
        agent.err
    );
    let homeless = "session-2025-01-01T10-00-77778888.json";
    worker.person.write(
        &format!(".gemini/tmp/{}/chats/{homeless}", "0".repeat(64)),
        &format!("{{\"sessionId\":\"77778888\",\"projectHash\":\"{}\",\"startTime\":\"2025-01-01T10:00:00.000Z\",\"lastUpdated\":\"2025-01-01T10:00:00.000Z\",\"messages\":[{{\"id\":\"1\",\"type\":\"user\",\"content\":\"hi\"}}]}}", "0".repeat(64)),
    );
    let refused = worker.person.run(&["restore", "77778888"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("projects add"), "{}", refused.err);
    worker.ok(&["restore", "77778888", "-o", "out"]);
    let both = worker.person.run(&["restore", ID, "--exact", "-o", "out"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
}

#[test]
fn resuming_runs_gemini_cli_in_the_project() {
    use std::os::unix::fs::PermissionsExt as _;
    let worker = Worker::new();
    worker.lose();
    let script = worker
        .person
        .write("bin/gemini", "#!/bin/sh\npwd\necho \"$@\"\nexit 42\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let home = worker.person.home();
    let arguments = ["resume", ID, "--", "-p", "go on"];
    let variables = [("GEMTRAIL_GEMINI", script.to_str().unwrap())];
    let ran = worker.person.run_in(&home, &arguments, &variables);
    assert_eq!(ran.code, Some(42), "{}", ran.err);
    let root = worker.root.display();
    assert_eq!(ran.out, format!("{root}\n--resume {ID} -p go on\n"));
    assert!(worker.chats.join(SAFE_NAME).exists(), "put back first");
    let missing = worker
        .person
        .run_in(&home, &["resume", ID], &[("PATH", "/none")]);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.err.contains("gemini cannot be started"),
        "{}",
        missing.err
    );
    let by_hand = format!("cd '{root}' && gemini --resume {ID}");
    assert!(missing.err.contains(&by_hand), "{}", missing.err);
    fs::remove_dir(&worker.root).unwrap();
    let gone = worker.person.run_in(&home, &["resume", ID], &variables);
    assert_eq!(gone.code, Some(2));
    assert!(gone.err.contains("does not exist"), "{}", gone.err);
}

#[test]
fn nothing_is_written_before_it_is_clear_that_it_can_be_resumed() {
    let worker = Worker::new();
    worker.lose();
    let home = worker.person.home();
    let resume = |variables: &[(&str, &str)]| {
        let ran = worker.person.run_in(&home, &["resume", ID], variables);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(!home.join(".gemini").exists(), "{}", ran.err);
        ran.err
    };
    let err = resume(&[("PATH", "/none")]);
    assert!(err.contains("nothing was written"), "{err}");
    fs::remove_dir(&worker.root).unwrap();
    let err = resume(&[("GEMTRAIL_GEMINI", "/bin/true")]);
    let whole = err
        .split_whitespace()
        .skip_while(|word| *word != "gemtrail");
    let whole: Vec<&str> = whole.collect();
    assert!(
        matches!(whole[..], ["gemtrail", "resume", _, "--in", "DIR"]),
        "the hint is a whole command: {err}"
    );
}

#[test]
fn a_dry_run_says_everything_and_writes_nothing() {
    let worker = Worker::new();
    worker.lose();
    for arguments in [&[][..], &["--exact"], &["-o", "out"]] {
        let planned = worker.restore(&[&["--dry-run"], arguments].concat());
        assert_eq!(planned["dry_run"], true);
        assert!(!worker.person.home().join(".gemini").exists());
        assert!(!worker.person.home().join("out").exists());
        let done = worker.restore(arguments);
        assert_eq!(done["dry_run"], false);
        assert_eq!(
            planned["files"].as_array().unwrap().len(),
            done["files"].as_array().unwrap().len()
        );
        let paths = |report: &Value| {
            let mut all: Vec<String> = ["files", "project_files"]
                .iter()
                .flat_map(|list| report[*list].as_array().unwrap())
                .map(|file| format!("{} {}", file["path"], file["outcome"]))
                .collect();
            all.sort();
            all
        };
        assert_eq!(paths(&planned), paths(&done));
        for path in paths(&done) {
            let path: Value = serde_json::from_str(path.rsplit_once(' ').unwrap().0).unwrap();
            let path = worker.person.home().join(path.as_str().unwrap());
            assert!(path.exists(), "{}", path.display());
        }
        if worker.person.home().join(".gemini").exists() {
            worker.lose();
        }
    }
    let told = worker.ok(&["restore", ID, "--dry-run"]).out;
    assert!(
        told.contains("would write    ~/.gemini/tmp/my-app/chats/"),
        "{told}"
    );
}

#[test]
fn a_moved_project() {
    let worker = Worker::new();
    worker.lose();
    let moved = worker.person.home().join("elsewhere/my app");
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    fs::rename(&worker.root, &moved).unwrap();
    let report = worker.restore(&["--in", moved.to_str().unwrap()]);
    assert_eq!(report["project"], moved.to_str().unwrap());
    let marker = worker.chats.with_file_name(".project_root");
    assert_eq!(fs::read_to_string(marker).unwrap(), moved.to_str().unwrap());
    let command = report["command"].as_str().unwrap();
    assert!(
        command.starts_with(&format!("cd '{}'", moved.display())),
        "{command}"
    );
    let nowhere = worker.person.run(&["restore", ID, "--in", "nowhere"]);
    assert_eq!(nowhere.code, Some(2), "{}", nowhere.err);
    let home = worker.person.home();
    let run = ["resume", ID, "--in", moved.to_str().unwrap(), "--dry-run"];
    let told = worker
        .person
        .run_in(&home, &run, &[("GEMTRAIL_GEMINI", "/bin/true")]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.contains("would run      cd '"), "{}", told.out);
}

#[test]
fn a_restored_session_keeps_its_date() {
    let worker = Worker::new();
    let newer = journal(&["of today"])
        .replace(ID, "3a1e0a52-0000-4000-8000-000000000001")
        .replace("2025-01-01", "2025-03-01");
    worker.person.write(
        ".gemini/tmp/my-app/chats/session-2025-03-01T10-00-3a1e0a52.jsonl",
        &newer,
    );
    worker.ok(&["sync"]);
    let rows = |more: &[&str]| -> Vec<(String, String)> {
        let ran = worker.ok(&[&["list", "--json"], more].concat());
        let row = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            (text("id"), text("updated"))
        };
        ran.out.lines().map(row).collect()
    };
    let before = rows(&[]);
    assert_eq!(before[1].0, ID, "it is the older one");
    fs::remove_file(worker.chats.join(NAME)).unwrap();
    worker.restore(&[]);
    assert_eq!(rows(&[]), before);
    assert_eq!(rows(&["--no-sync"]), before);
    let shown = worker.ok(&["show", "latest", "--json"]).out;
    assert!(shown.contains("3a1e0a52-0000"), "the newest is another one");
    let since = worker.person.run(&["list", "--since", "7d"]);
    assert_eq!(since.code, Some(1), "{}", since.out);
    // From the disk alone, which has only the journal that restore wrote.
    let disk = rows(&["--no-archive"]);
    assert_eq!(disk[0], before[0]);
    assert_eq!(
        disk[1],
        (ID.to_owned(), "2025-01-01T10:00:02.000Z".to_owned())
    );
    // Once the session goes on, that counts.
    let path = worker.chats.join(SAFE_NAME);
    let more = fs::read_to_string(&path).unwrap()
        + "{\"id\":\"u9\",\"timestamp\":\"2025-06-01T10:00:00.000Z\",\"type\":\"user\",\"content\":\"more\"}\n"
        + "{\"$set\":{\"lastUpdated\":\"2025-06-01T10:00:01.000Z\"}}\n";
    fs::write(&path, more).unwrap();
    for more in [&[][..], &["--no-archive"]] {
        let now = rows(more);
        assert_eq!(
            now[0],
            (ID.to_owned(), "2025-06-01T10:00:01.000Z".to_owned())
        );
    }
}

#[test]
fn older_files_of_the_project_are_counted() {
    let worker = Worker::new();
    let person = &worker.person;
    worker.lose();
    let hash = gemtrail_testkit::truth::hash_of(worker.root.to_str().unwrap());
    let old = journal(&["old"]).replace(ID, "4b1e0a52-0000-4000-8000-000000000001");
    for name in ["a", "b"] {
        person.write(
            &format!(".gemini/tmp/{hash}/chats/session-{name}.jsonl"),
            &old,
        );
    }
    let told = worker.ok(&["restore", ID]).out;
    assert!(told.contains("2 older files of the project"), "{told}");
    assert!(told.contains(".project_root"), "{told}");
}

#[test]
fn a_session_in_another_place_is_the_same_one() {
    let worker = Worker::new();
    let rows = || worker.ok(&["list", "--json", "--all", "--kind", "all"]).out;
    let fields = |row: &str| -> Vec<Value> {
        let row: Value = serde_json::from_str(row).unwrap();
        ["ref", "updated", "tokens", "kind"]
            .map(|it| row[it].clone())
            .into()
    };
    let before: Vec<_> = rows().lines().map(fields).collect();
    let stats = || -> Value {
        let stats: Value = serde_json::from_str(&worker.ok(&["stats", "--json"]).out).unwrap();
        [
            &stats["sessions"],
            &stats["requests"],
            &stats["tokens"]["billed"],
        ]
        .into_iter()
        .cloned()
        .collect()
    };
    let figures = stats();
    let elsewhere = worker.person.home().join("elsewhere/my app");
    fs::create_dir_all(&elsewhere).unwrap();
    let report = worker.restore(&["--in", elsewhere.to_str().unwrap()]);
    let file = PathBuf::from(report["files"][0]["path"].as_str().unwrap());
    assert!(!file.starts_with(&worker.chats), "{report}");
    // Also while the first one is still there.
    for is_lost in [false, true] {
        if is_lost {
            fs::remove_dir_all(worker.chats.parent().unwrap()).unwrap();
        }
        let found: Vec<_> = rows().lines().map(fields).collect();
        assert_eq!(found, before, "lost: {is_lost}");
        assert_eq!(stats(), figures, "lost: {is_lost}");
    }
    worker.ok(&["show", ID]);
    // It goes on there.
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("{\"id\":\"new\",\"timestamp\":\"2025-01-02T10:00:01.000Z\",\"type\":\"user\",\"content\":[{\"text\":\"going on\"}]}\n");
    fs::write(&file, text).unwrap();
    let shown = worker.ok(&["show", ID]).out;
    assert!(
        shown.contains("first words") && shown.contains("going on"),
        "{shown}"
    );
    assert_eq!(rows().lines().count(), before.len());
}
