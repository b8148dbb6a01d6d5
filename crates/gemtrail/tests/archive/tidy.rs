//! `tidy`: what leaves the disk, what never does, and how it comes back.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::common::{Keeper, Ran, chat, copy, ids, lines, message, one, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const AGENT: &str = "5e1e0a52-aaaa-4bbb-8ccc-0123456789ab";

const DAY: u64 = 24 * 60 * 60;

fn now() -> SystemTime {
    jiff::Timestamp::now().into()
}

fn age(path: &Path, seconds: u64) {
    let then = now() - Duration::from_secs(seconds);
    let file = fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_modified(then))
        .expect("its time can be set");
}

/// Somebody with a session that has a subagent, a long output and a plan, and with another session; all of it
/// a year old.
struct Attic {
    keeper: Keeper,
}

impl std::ops::Deref for Attic {
    type Target = Keeper;

    fn deref(&self) -> &Keeper {
        &self.keeper
    }
}

impl Attic {
    fn new() -> Self {
        let attic = Self {
            keeper: Keeper::new(),
        };
        attic.put(
            &chat("2f1e0a52.jsonl"),
            &lines(ID, &[("u1", "one"), ("g1", "first")]),
        );
        let agent = format!(".gemini/tmp/shop/chats/{ID}/{AGENT}.jsonl");
        attic.put(&agent, &lines(AGENT, &[("u1", "look"), ("g1", "done")]));
        let output = format!(".gemini/tmp/shop/tool-outputs/session-{ID}/read_file_1.txt");
        attic.put(&output, "a long output");
        attic.put(&format!(".gemini/tmp/shop/{ID}/plans/plan.md"), "# Plan");
        attic.put(
            &chat("3a1e0a52.json"),
            &whole(OTHER, &[("u1", "two"), ("g1", "second")]),
        );
        attic.put(".gemini/tmp/shop/logs.json", "[]");
        attic.put(".gemini/tmp/shop/notes.txt", "nobody knows what this is");
        attic.sync();
        attic
    }

    /// Writes an old file.
    fn put(&self, below: &str, content: &str) {
        age(&self.write(below, content), 365 * DAY);
    }

    fn tidy(&self, options: &[&str]) -> Value {
        one(&self.ok(&[&["tidy", "--json"], options].concat()))
    }

    /// All files of the home with their bytes.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let root = self.path(".gemini");
        let mut files = Vec::new();
        let mut dirs = vec![root.clone()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).expect("it is there").flatten() {
                let path = entry.path();
                let name = path
                    .strip_prefix(&root)
                    .expect("it is below")
                    .to_string_lossy()
                    .into_owned();
                if entry.file_type().expect("it has one").is_dir() {
                    dirs.push(path);
                } else {
                    files.push((name, fs::read(path).unwrap_or_default()));
                }
            }
        }
        files.sort();
        files
    }

    fn names(&self) -> Vec<String> {
        self.files().into_iter().map(|(name, _)| name).collect()
    }

    /// Expects that the session stays for this reason, whether it is only a plan or not.
    #[track_caller]
    fn expect_left(&self, why: &str) {
        let before = self.files();
        let report = self.tidy(&["--yes"]);
        let left: Vec<(&Value, &Value)> = report["left"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|left| (&left["session"], &left["why"]))
            .collect();
        assert_eq!(left, [(&json!(ID), &json!(why))], "{report}");
        let gone = |(name, _): &&(String, Vec<u8>)| !name.contains("3a1e0a52");
        assert_eq!(
            self.files().iter().filter(gone).collect::<Vec<_>>(),
            before.iter().filter(gone).collect::<Vec<_>>()
        );
        assert_eq!(ids_of(&report), [OTHER], "the other one goes");
    }
}

fn ids_of(report: &Value) -> Vec<&str> {
    let sessions = report["sessions"].as_array().expect("a list").iter();
    let mut ids: Vec<&str> = sessions.filter_map(|it| it["session"].as_str()).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn a_plan_comes_first_and_changes_nothing() {
    let attic = Attic::new();
    let before = attic.files();
    let plan = attic.tidy(&[]);
    assert_eq!(attic.files(), before);
    assert_eq!(
        (&plan["schema"], &plan["done"]),
        (&json!("gemtrail.tidy/1"), &json!(false))
    );
    assert_eq!(ids_of(&plan), [ID, OTHER]);
    let of_sessions =
        |it: &&(String, Vec<u8>)| it.0.contains("2f1e0a52") || it.0.contains("3a1e0a52");
    let meant: Vec<_> = before.iter().filter(of_sessions).collect();
    assert_eq!(plan["files"], meant.len());
    assert_eq!(
        plan["bytes"],
        meant.iter().map(|(_, bytes)| bytes.len()).sum::<usize>()
    );
    let told = attic.ok(&["tidy"]).out;
    for words in [
        "Would delete 2 sessions with 5 files",
        "--yes",
        "shop",
        "2f1e0a52",
    ] {
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(attic.files(), before);
}

#[test]
fn what_is_removed_is_in_the_archive_in_the_log_and_comes_back() {
    let attic = Attic::new();
    let before = attic.files();
    let shown = attic.show(ID);
    let report = attic.tidy(&["--yes"]);
    assert_eq!(
        (&report["done"], &report["files"], &report["left"]),
        (&json!(true), &json!(5), &json!([]))
    );
    // The journal goes first: what a killed run leaves is no session.
    let session = report["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|it| it["session"] == ID);
    let first = session.expect("it is there")["files"][0]
        .as_str()
        .expect("a path");
    assert!(
        first.ends_with("session-2026-06-01T10-00-2f1e0a52.jsonl"),
        "{first}"
    );
    assert_eq!(attic.names(), ["tmp/shop/logs.json", "tmp/shop/notes.txt"]);
    let now = attic.show(ID);
    assert_eq!(now["messages"], shown["messages"]);
    assert_eq!(now["subagents"], shown["subagents"]);
    let rows = attic.ok(&["list", "--json"]).lines();
    assert_eq!(ids(&rows), [ID, OTHER]);
    assert!(
        rows.iter()
            .all(|row| row["on_disk"] == false && row["archived"] == true)
    );
    // The log names each file, and how it comes back.
    let log = attic.ok(&["tidy", "--log", "--json"]).lines();
    assert_eq!(log.len(), 5);
    assert_eq!(log[0]["schema"], "gemtrail.tidied/1");
    let told = attic.ok(&["tidy", "--log"]).out;
    let reference = shown["ref"].as_str().expect("it has one");
    assert!(
        told.contains(&format!("gemtrail restore {reference} --exact")),
        "{told}"
    );
    for id in [ID, OTHER] {
        attic.ok(&["restore", id, "--exact"]);
    }
    assert_eq!(attic.files(), before);
    attic.verify();
    // Nothing more to do.
    assert_eq!(
        ids_of(&attic.tidy(&["--older-than", "2y"])),
        [] as [&str; 0]
    );
}

#[test]
fn restore_puts_it_back_for_gemini_cli() {
    let attic = Attic::new();
    attic.tidy(&["--yes"]);
    attic.write("shop/a.txt", "");
    let root = attic.path("shop").to_string_lossy().into_owned();
    attic.ok(&["restore", ID, "--in", &root]);
    let row = &attic.ok(&["list", "--json"]).lines()[0];
    assert_eq!((&row["id"], &row["on_disk"]), (&json!(ID), &json!(true)));
}

#[test]
fn without_an_archive_it_is_refused() {
    let keeper = Keeper::with_session(ID);
    let ran = keeper.run(&["tidy", "--yes", "--json"]);
    assert_eq!(ran.error_code(), "no-archive");
    assert!(ran.err.contains("gemtrail sync"), "{}", ran.err);
    ran.expect(2);
    keeper.run(&["tidy", "--yes", "--no-archive"]).expect(2);
    assert!(keeper.path(&chat("2f1e0a52.jsonl")).exists());
    assert!(!keeper.archive().exists());
}

#[test]
fn age_is_that_of_the_session_and_thirty_days_by_default() {
    let attic = Attic::new();
    let young = "4a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let now = jiff::Timestamp::now();
    let week_ago = (now - jiff::SignedDuration::from_hours(7 * 24)).to_string();
    let journal = lines(young, &[])
        .replace("2026-06-01T10:00:00.000Z", &week_ago)
        .replace("2026-06-01T10:59:00.000Z", &week_ago);
    let mut prompt = message("u1", "three");
    prompt["timestamp"] = json!(week_ago);
    // An old file of a young session.
    attic.put(&chat("4a1e0a52.jsonl"), &format!("{journal}{prompt}\n"));
    assert_eq!(ids_of(&attic.tidy(&[])), [ID, OTHER]);
    assert_eq!(
        ids_of(&attic.tidy(&["--older-than", "3d"])),
        [ID, OTHER, young]
    );
    assert_eq!(
        ids_of(&attic.tidy(&["--older-than", "3d", "--keep", "1"])),
        [ID, OTHER]
    );
    attic.run(&["tidy", "--older-than", "soon"]).expect(2);
}

#[test]
fn a_project_and_the_newest_of_each() {
    let attic = Attic::new();
    let elsewhere = "6a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let journal = lines(elsewhere, &[("u1", "three")]).replace("\"shop\"", "\"barn\"");
    attic.put(
        ".gemini/tmp/barn/chats/session-2026-06-01T10-00-6a1e0a52.jsonl",
        &journal,
    );
    assert_eq!(ids_of(&attic.tidy(&[])).len(), 3);
    assert_eq!(ids_of(&attic.tidy(&["--project", "barn"])), [elsewhere]);
    attic.run(&["tidy", "--project", "none"]).expect(1);
    let plan = attic.tidy(&["--keep", "1"]);
    assert_eq!(plan["sessions"].as_array().expect("a list").len(), 1);
    assert_eq!(plan["kept"], 2);
    assert_eq!(ids_of(&attic.tidy(&["--keep", "2"])), [] as [&str; 0]);
    attic.tidy(&["--project", "barn", "--yes"]);
    let names = attic.names();
    assert!(!names.iter().any(|it| it.contains("6a1e0a52")), "{names:?}");
    assert!(
        names.iter().any(|it| it.contains("2f1e0a52.jsonl")),
        "{names:?}"
    );
}

#[test]
fn pinned_sessions_stay_with_their_agents() {
    let attic = Attic::new();
    attic.ok(&["mark", ID, "--pin"]);
    let report = attic.tidy(&["--yes"]);
    assert_eq!(
        (ids_of(&report), &report["pinned"]),
        (vec![OTHER], &json!(1))
    );
    let names = attic.names();
    assert_eq!(
        names.iter().filter(|it| it.contains("2f1e0a52")).count(),
        4,
        "{names:?}"
    );
    assert!(attic.ok(&["tidy"]).out.contains("1 session left: pinned"));
}

#[test]
fn the_session_of_a_pinned_agent_stays() {
    let attic = Attic::new();
    attic.ok(&["mark", AGENT, "--pin"]);
    assert_eq!(ids_of(&attic.tidy(&["--yes"])), [OTHER]);
    assert!(attic.names().iter().any(|it| it.contains(AGENT)));
}

#[test]
fn sessions_in_use_stay() {
    for file in [
        chat("2f1e0a52.jsonl"),
        format!(".gemini/tmp/shop/chats/{ID}/{AGENT}.jsonl"),
    ] {
        let attic = Attic::new();
        age(&attic.path(&file), 50 * 60);
        attic.expect_left("in-use");
        age(&attic.path(&file), 70 * 60);
        assert_eq!(ids_of(&attic.tidy(&["--yes"])), [ID], "{file}");
    }
    // A clock that is ahead.
    let attic = Attic::new();
    let later = now() + Duration::from_secs(DAY);
    let file = fs::File::options()
        .write(true)
        .open(attic.path(&chat("2f1e0a52.jsonl")));
    file.and_then(|file| file.set_modified(later))
        .expect("its time can be set");
    attic.expect_left("in-use");
    let attic = Attic::new();
    fs::create_dir(attic.path(&chat("2f1e0a52.jsonl.lock"))).expect("it can be made");
    attic.expect_left("in-use");
}

#[cfg(unix)]
#[test]
fn what_changed_since_a_running_client_was_started_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let attic = Attic::new();
    age(&attic.path(&chat("2f1e0a52.jsonl")), 2 * DAY);
    let ps = attic.write(
        "bin/ps",
        "#!/bin/sh\necho '      00:10 -bash'\necho ' 2-01:00:00 node /usr/bin/gemini'\n",
    );
    fs::set_permissions(ps, fs::Permissions::from_mode(0o755)).expect("it can be set");
    attic.expect_left("in-use");
    age(&attic.path(&chat("2f1e0a52.jsonl")), 3 * DAY);
    assert_eq!(ids_of(&attic.tidy(&["--yes"])), [ID]);
}

#[test]
fn a_fresh_lock_of_the_home_stops_everything_and_an_old_one_nothing() {
    let attic = Attic::new();
    let lock = attic.path(".gemini/projects.json.lock");
    fs::create_dir(&lock).expect("it can be made");
    let report = attic.tidy(&["--yes"]);
    assert_eq!(ids_of(&report), [] as [&str; 0]);
    assert_eq!(report["left"].as_array().expect("a list").len(), 2);
    let old = now() - Duration::from_secs(2 * 60 * 60);
    fs::File::open(&lock)
        .and_then(|it| it.set_modified(old))
        .expect("its time can be set");
    assert_eq!(ids_of(&attic.tidy(&["--yes"])), [ID, OTHER]);
}

#[test]
fn what_changed_since_the_sync_stays() {
    let attic = Attic::new();
    attic.put(
        &chat("2f1e0a52.jsonl"),
        &lines(ID, &[("u1", "one"), ("g1", "other")]),
    );
    let before = attic.files();
    let report = one(&attic.ok(&["tidy", "--yes", "--json", "--no-sync"]));
    assert_eq!(report["left"][0]["why"], "changed", "{report}");
    assert_eq!(ids_of(&report), [OTHER]);
    let gone = |it: &&(String, Vec<u8>)| !it.0.contains("3a1e0a52");
    assert_eq!(
        attic.files().iter().filter(gone).count(),
        before.iter().filter(gone).count()
    );
    // With the sync that comes first it is in the archive, and goes.
    assert_eq!(ids_of(&attic.tidy(&["--yes"])), [ID]);
}

#[test]
fn what_the_archive_does_not_have_byte_for_byte_stays() {
    // The chunk of the journal, or its digest, or the list of chunks is not what it was.
    for damage in [
        "UPDATE chunk SET data = zeroblob(length(data)) WHERE id = (SELECT chunk.id FROM chunk",
        "UPDATE chunk SET hash = randomblob(32) WHERE id = (SELECT chunk.id FROM chunk",
        "UPDATE chunk SET data = (SELECT data FROM chunk AS other WHERE other.id <> chunk.id) WHERE id = (SELECT chunk.id FROM chunk",
    ] {
        let attic = Attic::new();
        let sql = format!(
            "{damage} JOIN content ON content.chunks = CAST(unhex(printf('%02x00000000000000', chunk.id)) AS BLOB)
             JOIN version ON version.content = content.id JOIN file ON file.id = version.file
             WHERE file.path LIKE '%-2f1e0a52.jsonl')"
        );
        assert_eq!(
            attic
                .database()
                .execute(&sql, [])
                .expect("it can be written"),
            1,
            "{damage}"
        );
        let before = attic.files();
        let ran = attic
            .run(&["tidy", "--yes", "--json", "--no-sync"])
            .expect(0);
        let report = one(&ran);
        assert_eq!(report["left"][0]["why"], "not-equal", "{damage}: {report}");
        let own = |it: &&(String, Vec<u8>)| it.0.contains("2f1e0a52");
        assert_eq!(
            attic.files().iter().filter(own).count(),
            before.iter().filter(own).count()
        );
    }
}

#[cfg(unix)]
#[test]
fn what_is_behind_a_link_stays() {
    use std::os::unix::fs::symlink;
    // The file itself, and the directory that it is in.
    for part in [chat("2f1e0a52.jsonl"), ".gemini/tmp/shop/chats".to_owned()] {
        let attic = Attic::new();
        let (path, real) = (attic.path(&part), attic.path("elsewhere"));
        fs::rename(&path, &real).expect("it can be moved");
        symlink(&real, &path).expect("it can be made");
        let before = attic.files();
        let report = attic.tidy(&["--yes"]);
        let left = report["left"].as_array().expect("a list");
        let of_id: Vec<&Value> = left
            .iter()
            .filter(|it| it["session"] == ID)
            .map(|it| &it["why"])
            .collect();
        assert_eq!(of_id, ["link"], "{part}: {report}");
        assert!(real.exists());
        let own = |it: &&(String, Vec<u8>)| it.0.contains("2f1e0a52");
        assert_eq!(
            attic.files().iter().filter(own).count(),
            before.iter().filter(own).count()
        );
    }
    // The home.
    let attic = Attic::new();
    fs::rename(attic.path(".gemini"), attic.path("real")).expect("it can be moved");
    symlink(attic.path("real"), attic.path(".gemini")).expect("it can be made");
    attic.sync();
    let report = attic.tidy(&["--yes"]);
    assert_eq!(ids_of(&report), [] as [&str; 0], "{report}");
}

#[test]
fn what_a_killed_run_left_goes_with_the_next() {
    let attic = Attic::new();
    attic.remove(&chat("2f1e0a52.jsonl"));
    assert_eq!(ids_of(&attic.tidy(&["--yes"])), [ID, OTHER]);
    assert_eq!(attic.names(), ["tmp/shop/logs.json", "tmp/shop/notes.txt"]);
}

#[test]
fn only_this_machine_is_tidied() {
    let attic = Attic {
        keeper: Keeper::new(),
    };
    attic.put(
        &chat("2f1e0a52.jsonl"),
        &lines(ID, &[("u1", "one"), ("g1", "first")]),
    );
    attic.ok(&["sync", "--origin", "host=laptop,user=alice"]);
    let report = attic.tidy(&["--yes"]);
    assert_eq!(ids_of(&report), [] as [&str; 0]);
    assert_eq!(attic.names().len(), 1);
}

#[test]
fn only_the_homes_that_were_named_are_tidied() {
    let attic = Attic::new();
    let other = attic.path("other").to_string_lossy().into_owned();
    copy(&attic.path(".gemini"), &attic.path("other/.gemini"));
    let path = attic.path("other/.gemini/tmp/shop/chats/session-2026-06-01T10-00-2f1e0a52.jsonl");
    let archive = attic.archive().to_string_lossy().into_owned();
    let with_other = ["--home", &other, "--archive", &archive];
    attic.ok(&[&with_other[..], &["sync"]].concat());
    attic.tidy(&["--yes"]);
    assert_eq!(attic.names(), ["tmp/shop/logs.json", "tmp/shop/notes.txt"]);
    assert!(path.exists());
    attic.ok(&[&with_other[..], &["tidy", "--yes"]].concat());
    assert!(!path.exists());
}

#[test]
fn an_excluded_project_stays() {
    let attic = Attic::new();
    let secret = "6a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let journal = lines(secret, &[("u1", "three")]).replace("\"shop\"", "\"barn\"");
    let file = ".gemini/tmp/barn/chats/session-2026-06-01T10-00-6a1e0a52.jsonl";
    attic.put(file, &journal);
    attic.put(".gemini/tmp/barn/.project_root", "/srv/barn");
    let config = attic.write("config.toml", "[archive]\nexclude = [\"/srv/barn\"]\n");
    let mut command = attic.command(&["tidy", "--yes", "--json"]);
    let ran = Ran::of(
        command
            .env("GEMTRAIL_CONFIG", config)
            .output()
            .expect("it runs"),
    );
    assert_eq!(ids_of(&one(&ran.expect(0))), [ID, OTHER]);
    assert!(attic.path(file).exists());
}

#[test]
fn a_file_that_a_session_shares_with_one_that_stays_does_too() {
    let attic = Attic::new();
    attic.ok(&["mark", OTHER, "--pin"]);
    // Nothing that Gemini CLI writes gives a file to two sessions.
    let sql = "INSERT INTO ix.journal(session, file, version)
               SELECT (SELECT id FROM ix.session WHERE session = ?1), file, version FROM ix.journal
               WHERE session = (SELECT id FROM ix.session WHERE session = ?2)";
    let shared = attic.database().execute(sql, [OTHER, ID]);
    assert_eq!(shared.expect("it can be written"), 1);
    let before = attic.files();
    let report = one(&attic.ok(&["tidy", "--yes", "--json", "--no-sync"]));
    assert_eq!(report["left"][0]["why"], "shared", "{report}");
    assert_eq!(attic.files(), before);
}

#[test]
fn what_is_no_file_any_more_stays() {
    let attic = Attic::new();
    attic.remove(&chat("2f1e0a52.jsonl"));
    fs::create_dir(attic.path(&chat("2f1e0a52.jsonl"))).expect("it can be made");
    let report = one(&attic.ok(&["tidy", "--yes", "--json", "--no-sync"]));
    assert_eq!(report["left"][0]["why"], "unreadable", "{report}");
    assert_eq!(ids_of(&report), [OTHER]);
    assert!(attic.names().iter().any(|it| it.contains(AGENT)));
}

#[test]
fn it_waits_for_whoever_writes_the_archive() {
    let attic = Attic::new();
    let lock = fs::File::open(attic.path("archive.db.lock")).expect("it is there");
    lock.lock().expect("nobody has it");
    let before = attic.files();
    let mut child = attic
        .command(&["tidy", "--yes", "--no-sync", "--json"])
        .stdout(Stdio::null())
        .spawn()
        .expect("it runs");
    std::thread::sleep(Duration::from_millis(500));
    assert!(
        child.try_wait().expect("it can be asked").is_none(),
        "it waits"
    );
    assert_eq!(attic.files(), before);
    lock.unlock().expect("it is ours");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(attic.names(), ["tmp/shop/logs.json", "tmp/shop/notes.txt"]);
}

#[cfg(unix)]
#[test]
fn it_ends_between_two_sessions_and_says_so() {
    let attic = Attic::new();
    let lock = fs::File::open(attic.path("archive.db.lock")).expect("it is there");
    lock.lock().expect("nobody has it");
    let before = attic.files();
    let mut command = attic.command(&["tidy", "--yes", "--no-sync", "--json"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("it runs");
    std::thread::sleep(Duration::from_millis(500));
    let mut signal = std::process::Command::new("kill");
    let sent = signal.args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    std::thread::sleep(Duration::from_millis(200));
    lock.unlock().expect("it is ours");
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.error_code(), "interrupted");
    assert_eq!(ids_of(&one(&ran)), [] as [&str; 0]);
    ran.expect(2);
    assert_eq!(attic.files(), before);
    assert_eq!(ids_of(&attic.tidy(&["--yes"])), [ID, OTHER]);
}

#[test]
fn doctor_proposes_it_for_a_home_of_more_than_a_gigabyte() {
    let attic = Attic::new();
    let proposes = |attic: &Attic| attic.ok(&["doctor"]).out.contains("gemtrail tidy");
    assert!(!proposes(&attic));
    let outputs = attic.path(&format!(".gemini/tmp/shop/tool-outputs/session-{ID}"));
    let file = outputs.join("shell_0.txt");
    fs::write(&file, vec![b'x'; 64 << 20]).expect("it can be written");
    // The same bytes under many names.
    for number in 1..16 {
        let name = outputs.join(format!("shell_{number}.txt"));
        fs::hard_link(&file, name).expect("it can be linked");
    }
    assert!(proposes(&attic));
}
