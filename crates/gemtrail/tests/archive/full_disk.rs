//! No room left: a clear error, nothing damaged, and the next run goes on.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Output};

use crate::common::{Keeper, Ran, chat, ids, lines, one, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn fill(keeper: &Keeper) {
    let mut seed = 7_u64;
    for at in 0..30 {
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("{:x} ", seed >> 20)
        };
        let text: String = (0..8000).map(|_| noise()).collect();
        let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
        keeper.write(
            &chat(&format!("{at:08x}.json")),
            &whole(&id, &[("u1", &text)]),
        );
    }
}

fn command(keeper: &Keeper, program: &str, arguments: &[&str]) -> Output {
    let own = keeper.command::<&str>(&[]);
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .current_dir(keeper.root());
    for (name, value) in own.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.output().expect("it runs")
}

const GEMTRAIL: &str = env!("CARGO_BIN_EXE_gemtrail");

#[track_caller]
fn expect_failed(ran: &Ran, code: &str) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.error_code(), code, "{}", ran.err);
    assert!(
        ran.err.contains("everything archived before is safe"),
        "{}",
        ran.err
    );
}

#[test]
fn a_small_file_system_runs_full() {
    let keeper = Keeper::with_session(ID);
    fill(&keeper);
    fs::create_dir(keeper.path("small")).expect("it can be made");
    // All in one name space: what is mounted there is gone when it ends.
    let script = format!(
        "mount -t tmpfs -o size=2m tmpfs small || exit 77
         export GEMTRAIL_ARCHIVE=small/a.db
         mkdir aside && mv .gemini/tmp/shop/chats/session-*-000000* aside
         '{GEMTRAIL}' sync --json > first.json || exit 78
         mv aside/* .gemini/tmp/shop/chats
         '{GEMTRAIL}' sync --json 2> full.json
         echo $? > full.code
         '{GEMTRAIL}' archive verify --json > verify.json || exit 79
         '{GEMTRAIL}' list --json --no-sync > list.json 2> list.err || exit 80
         '{GEMTRAIL}' search first --json > search.json 2> search.err || exit 81
         mount -o remount,size=200m small || exit 82
         '{GEMTRAIL}' sync --json > after.json || exit 83
         '{GEMTRAIL}' archive verify --json > verify.json || exit 84
         '{GEMTRAIL}' list --json > after-list.json || exit 85"
    );
    let output = command(&keeper, "unshare", &["-rm", "sh", "-c", &script]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => {}
        Some(77 | 1) if !keeper.path("first.json").exists() => {
            println!("skipped: nothing can be mounted here: {said}");
            return;
        }
        other => panic!("{other:?}: {said}{}", read(&keeper, "full.json")),
    }
    let full = Ran {
        code: read(&keeper, "full.code").trim().parse().ok(),
        out: String::new(),
        err: read(&keeper, "full.json"),
    };
    expect_failed(&full, "disk-full");
    let rows = |name: &str| -> Vec<serde_json::Value> {
        let lines = read(&keeper, name);
        let lines = lines.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().expect("JSON Lines")
    };
    assert!(!rows("list.json").is_empty(), "what was stored is there");
    assert_eq!(rows("search.json").len(), 1);
    assert_eq!(rows("after-list.json").len(), 31);
    assert_eq!(rows("after.json")[0]["diagnostics"], serde_json::json!([]));
}

/// Runs a script where `small` is a file system of two megabytes. `None` if nothing can be mounted.
#[expect(clippy::print_stdout, reason = "a skipped test should be noticed")]
fn in_small_file_system(keeper: &Keeper, script: &str) -> Option<()> {
    fs::create_dir(keeper.path("small")).expect("it can be made");
    let script = format!(
        "mount -t tmpfs -o size=2m tmpfs small || exit 77
         touch mounted
         export GEMTRAIL_ARCHIVE=small/a.db
         {script}"
    );
    let output = command(keeper, "unshare", &["-rm", "sh", "-c", &script]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !keeper.path("mounted").exists() {
        println!("skipped: nothing can be mounted here: {said}");
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{said}");
    Some(())
}

#[test]
fn a_full_disk_can_still_be_read() {
    let keeper = Keeper::with_session(ID);
    let script = format!(
        "'{GEMTRAIL}' sync --json > first.json || exit 78
         cat /dev/zero > small/filler 2> /dev/null
         '{GEMTRAIL}' list --json --no-sync > list.json || exit 79
         '{GEMTRAIL}' list --json > list2.json || exit 80
         '{GEMTRAIL}' search first --json > search.json || exit 81
         '{GEMTRAIL}' show {ID} --json > show.json || exit 82
         '{GEMTRAIL}' export {ID} -o out.md || exit 83
         '{GEMTRAIL}' archive verify --json > verify.json || exit 84
         '{GEMTRAIL}' restore {ID} -o back || exit 85
         '{GEMTRAIL}' archive forget {ID} --yes --json 2> forget.err && exit 86
         '{GEMTRAIL}' list --json > list3.json || exit 87
         rm small/filler
         '{GEMTRAIL}' sync --json > after.json || exit 88
         '{GEMTRAIL}' archive verify --json > verify.json || exit 89"
    );
    if in_small_file_system(&keeper, &script).is_none() {
        return;
    }
    for name in ["list.json", "list2.json", "list3.json", "search.json"] {
        assert!(read(&keeper, name).contains(ID), "{name}");
    }
    assert!(!read(&keeper, "forget.err").contains("not-wiped"));
}

#[test]
fn forgetting_says_what_it_did() {
    let keeper = Keeper::with_session(ID);
    let needle = "zyxwvneedle";
    keeper.write(&chat("2f1e0a52.jsonl"), &lines(ID, &[("u1", needle)]));
    // In kilobytes: too little for anything, enough to take it out but not to wipe, enough.
    let script = format!(
        "cp -r .gemini aside
         for free in 16 64 128 192 256 320 384 448 512 768 1024 1536; do
           rm -rf small/* .gemini; cp -r aside .gemini
           '{GEMTRAIL}' sync --json > first.json || exit 78
           rm -r .gemini/tmp/shop/chats
           '{GEMTRAIL}' sync --json > gone.json || exit 79
           dd if=/dev/zero of=small/kept bs=1024 count=$free 2> /dev/null
           cat /dev/zero > small/filler 2> /dev/null
           rm small/kept
           '{GEMTRAIL}' archive forget {ID} --yes --json > /dev/null 2> forget.$free.err
           echo $? > forget.$free.code
           '{GEMTRAIL}' list --json > list.$free.json 2> list.$free.err
           rm small/filler
           '{GEMTRAIL}' sync --json > after.json || exit 80
           '{GEMTRAIL}' list --json > after.$free.json 2> after.$free.err
           cat small/a.db small/a.index.db > after.$free.db
           '{GEMTRAIL}' archive verify --json > verify.json || exit 81
         done"
    );
    if in_small_file_system(&keeper, &script).is_none() {
        return;
    }
    let mut not_wiped = 0;
    for free in [16, 64, 128, 192, 256, 320, 384, 448, 512, 768, 1024, 1536] {
        let said = read(&keeper, &format!("forget.{free}.err"));
        let code = read(&keeper, &format!("forget.{free}.code"));
        let is_forgotten = code.trim() == "0" || said.contains("not-wiped");
        not_wiped += usize::from(said.contains("not-wiped"));
        for name in ["list", "after"] {
            let list = read(&keeper, &format!("{name}.{free}.json"));
            assert_eq!(!list.contains(ID), is_forgotten, "{name} {free}: {said}");
        }
        let database = fs::read(keeper.path(&format!("after.{free}.db"))).expect("it is there");
        let has_it = memchr::memmem::find(&database, needle.as_bytes()).is_some();
        assert_eq!(has_it, !is_forgotten, "{free}: {said}");
    }
    assert!(
        not_wiped > 0,
        "some room is enough to forget, but not to wipe"
    );
}

fn read(keeper: &Keeper, name: &str) -> String {
    fs::read_to_string(keeper.path(name)).unwrap_or_default()
}

#[test]
fn a_file_must_not_grow_any_further() {
    let keeper = Keeper::with_session(ID);
    keeper.sync();
    fill(&keeper);
    // In blocks of 512 bytes, and the signal ignored: writing fails.
    let limited = |limit: u32| {
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec '{GEMTRAIL}' sync --json");
        Ran::of(command(&keeper, "sh", &["-c", &script]))
    };
    let mut full = 0;
    for limit in [600, 1000, 2000, 4000] {
        let ran = limited(limit);
        if ran.code != Some(0) {
            expect_failed(&ran, "archive-not-written");
            full += 1;
        }
        keeper.verify();
        assert!(ids(&keeper.list(&["--no-sync"])).contains(&ID.to_owned()));
    }
    assert!(full >= 3, "{full}");
    let report = one(&keeper.ok(&["sync", "--json"]));
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    assert_eq!(keeper.info()["sessions"], 31);
    keeper.verify();
}
