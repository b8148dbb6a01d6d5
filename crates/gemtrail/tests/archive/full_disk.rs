//! No room left: a clear error, nothing damaged, and the next run goes on.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Output};

use crate::common::{Keeper, Ran, chat, ids, one, whole};

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
        ran.err.contains("what was stored before is safe"),
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
    assert_eq!(rows("list.json").len(), 31, "the rest is read from disk");
    assert_eq!(rows("search.json").len(), 1);
    assert_eq!(rows("after-list.json").len(), 31);
    assert_eq!(rows("after.json")[0]["diagnostics"], serde_json::json!([]));
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
        assert_eq!(ids(&keeper.list(&["--no-sync"])).len(), 31);
    }
    assert!(full >= 3, "{full}");
    let report = one(&keeper.ok(&["sync", "--json"]));
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    assert_eq!(keeper.info()["sessions"], 31);
    keeper.verify();
}
