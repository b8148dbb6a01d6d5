//! One definition of a match, two ways to look: the index of the archive, and the files.

use std::collections::BTreeSet;

use gemtrail_testkit::corpus::{Corpus, Size};
use serde_json::{Value, json};

use crate::common::{Keeper, chat, lines, message};

/// Enough for every needle that the generator plants.
const SMALL: Size = Size {
    sessions: 60,
    bytes: 1_000_000,
    projects: 8,
};

const QUERIES: [&[&str]; 50] = [
    &["exit:127"],
    &["exit:1,2,127 status:failed"],
    &["frobnicate", "--exit", "127"],
    &["error"],
    &["error file"],
    &["error", "file", "test"],
    &["\"the error\""],
    &["\"of the\" -error"],
    &["sess*"],
    &["conf* OR cach*"],
    &["error OR (file test)"],
    &["zqxneedleuser OR zqxneedlemodel OR zqxneedletool"],
    &["file -error -test"],
    &["--", "-the"],
    &["--", "-the -of -role:assistant"],
    &["role:human"],
    &["role:human,assistant the"],
    &["role:human error -field:title"],
    &["field:tool_output zqx*"],
    &["field:tool_args src"],
    &["field:thought the"],
    &["field:summary the"],
    &["field:title the"],
    &["field:log"],
    &["state:superseded"],
    &["--state", "current", "error"],
    &["tool:read_file the"],
    &["model:flash cache"],
    &["--", "the -tool:shell -model:flash"],
    &["--", "index -status:failed -exit:1"],
    &["tool:SHELL,read status:success the"],
    &["file:src error"],
    &["status:error"],
    &["before:2026-06-01 index"],
    &["after:2026-06-01 index"],
    &["project:0 index"],
    &["--regex", r"err(or|no)\W"],
    &["--regex", r"zqx\w+"],
    &["検"],
    &["検索"],
    &["針検索試験"],
    &["セ"],
    &["설정"],
    &["src/and.rs"],
    &["snake_case_name"],
    &["kebab-case-name some.dotted.name"],
    &["CAFÉ"],
    &["error", "--rank"],
    &["error", "--rank", "--limit", "7", "--offset", "5"],
    &["error", "--limit", "9", "--offset", "11"],
];

#[test]
fn the_archive_finds_what_the_files_have() {
    let Some(corpus) = Corpus::generate(SMALL).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let keeper = Keeper::new();
    // What the generator does not write.
    let dir = corpus.home.join("tmp/extra/chats");
    std::fs::create_dir_all(&dir).expect("it can be made");
    let mut call = message("g1", "a kebab-case-name and some.dotted.name, 設定を直す");
    call["toolCalls"] = json!([{"id": "c1", "name": "read_file", "status": "error",
        "args": {"file_path": "src/and.rs"}, "timestamp": "2026-06-01T10:00:05.000Z",
        "result": [{"functionResponse": {"id": "c1", "name": "read_file",
            "response": {"error": "snake_case_name not found"}}}]},
        {"id": "c2", "name": "run_shell_command", "status": "success",
        "args": {"command": "frobnicate"}, "timestamp": "2026-06-01T10:00:06.000Z",
        "result": [{"functionResponse": {"id": "c2", "name": "run_shell_command",
            "response": {"output": "Output: there is no frobnicate\nExit Code: 127"}}}]}]);
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let journal = lines(
        id,
        &[("u1", "the Café of snake_case_name"), ("u2", "設定 を")],
    );
    let name = chat("2f1e0a52.jsonl")
        .rsplit('/')
        .next()
        .expect("a name")
        .to_owned();
    std::fs::write(dir.join(name), journal + &call.to_string() + "\n").expect("it can be written");

    let home = corpus.home.to_str().expect("the path is text");
    keeper.ok(&["sync", "--home", home]);
    let mut total = 0;
    let mut empty = BTreeSet::new();
    for query in QUERIES {
        let limit: &[&str] = if query.contains(&"--limit") {
            &[]
        } else {
            &["--limit", "0"]
        };
        let search = |more: &[&str]| -> Vec<Value> {
            let arguments = [more, &["--json", "search"], limit, query].concat();
            let ran = keeper.run(&arguments);
            assert!(matches!(ran.code, Some(0 | 1)), "{query:?}: {}", ran.err);
            ran.lines()
        };
        let archive = search(&["--no-sync"]);
        let files = search(&["--no-archive", "--home", home]);
        assert_eq!(archive.len(), files.len(), "{query:?}");
        for (a, b) in archive.iter().zip(&files) {
            assert!(a == b, "{query:?}:\n{a}\n{b}");
        }
        total += archive.len();
        if archive.is_empty() {
            empty.insert(query.join(" "));
        }
    }
    assert!(total > 1500, "{total}");
    assert!(empty.len() < 4, "{empty:?}");

    for needle in corpus.needles() {
        let search = |state: &str| -> BTreeSet<String> {
            let arguments = [
                "search",
                needle.word,
                "--limit",
                "0",
                "--json",
                "--state",
                state,
            ];
            let hits = keeper.run(&arguments).lines().into_iter();
            hits.filter_map(|hit| hit["session"].as_str().map(str::to_owned))
                .collect()
        };
        let wanted = |of: &BTreeSet<&str>| of.iter().map(|&id| id.to_owned()).collect();
        let (all, current): (BTreeSet<String>, BTreeSet<String>) =
            (wanted(&needle.sessions), wanted(&needle.current));
        assert_eq!(search("all"), all, "{}", needle.word);
        assert_eq!(search("current"), current, "{}", needle.word);
    }
}

#[test]
fn files_in_the_directory_of_checkpoints_are_searched() {
    let keeper = Keeper::new();
    keeper.write(".gemini/tmp/shop/.project_root", "/srv/demo/shop");
    let saved = json!([{"role": "user", "parts": [{"text": "a saved okapi"}]}]);
    keeper.write(
        ".gemini/tmp/shop/checkpoints/my-checkpoint.json",
        &saved.to_string(),
    );
    let restored = |more: &str| {
        let said = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
        let history = [said("an okapi to go back to"), said(more)];
        json!({"history": [], "clientHistory": history, "toolCall": {"name": "replace", "args": {}}})
    };
    for (name, more) in [("1-a.txt-replace", "one"), ("2-a.txt-replace", "okapi two")] {
        let file = format!(".gemini/tmp/shop/checkpoints/{name}.json");
        keeper.write(&file, &restored(more).to_string());
    }
    let hits = |source: &str| -> BTreeSet<(String, String)> {
        let hits = keeper.ok(&[source, "search", "--json", "okapi"]).lines();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let found = hits
            .iter()
            .map(|hit| (text(&hit["session"]), text(&hit["snippet"])));
        assert_eq!(
            found.clone().count(),
            3,
            "what several have is one hit: {hits:?}"
        );
        found.collect()
    };
    let disk = hits("--no-archive");
    let expected = [
        ("1-a.txt-replace", "an okapi to go back to"),
        ("2-a.txt-replace", "okapi two"),
        ("my-checkpoint", "a saved okapi"),
    ];
    let expected = expected.map(|(file, text)| (file.to_owned(), text.to_owned()));
    assert_eq!(disk, BTreeSet::from(expected));
    keeper.sync();
    assert_eq!(hits("--no-sync"), disk);
    assert_eq!(
        keeper.show("my-checkpoint")["messages"][0]["text"],
        "a saved okapi"
    );
}

#[test]
fn checkpoints_are_searched_for_what_no_session_has() {
    let keeper = Keeper::new();
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    keeper.write(".gemini/tmp/shop/.project_root", "/srv/demo/shop");
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &lines(id, &[("u1", "the zebra is here"), ("g1", "so it is")]),
    );
    let history = json!([
        {"role": "user", "parts": [{"text": "the zebra is here"}]},
        {"role": "model", "parts": [{"text": "a zebra that nobody kept"}]},
    ]);
    let checkpoint = ".gemini/tmp/shop/checkpoint-before.json";
    let path = keeper.write(checkpoint, &history.to_string());
    let hits = |more: &[&str]| {
        keeper
            .ok(&[more, &["search", "--json", "zebra"]].concat())
            .lines()
    };
    let disk = hits(&["--no-archive"]);
    assert_eq!(disk.len(), 2, "each text once");
    assert_eq!(disk[0]["session"], id);
    assert_eq!(disk[1]["session"], "checkpoint-before");
    assert_eq!(disk[1]["file"], path.to_string_lossy().as_ref());
    assert_eq!(disk[1]["snippet"], "a zebra that nobody kept");
    assert_eq!(disk[1]["role"], "assistant");
    keeper.sync();
    assert_eq!(hits(&["--no-sync"]), disk);
    for (offset, page) in disk.iter().enumerate() {
        let offset = offset.to_string();
        for executor in ["--no-archive", "--no-sync"] {
            let arguments = [
                executor, "search", "--json", "zebra", "--limit", "1", "--offset",
            ];
            let one = keeper
                .ok(&[&arguments[..], &[offset.as_str()]].concat())
                .lines();
            assert_eq!(one, std::slice::from_ref(page), "{executor} {offset}");
        }
    }
    // The hit can be shown, even after the file is gone.
    keeper.remove(checkpoint);
    keeper.sync();
    assert_eq!(hits(&["--no-sync"]), disk);
    for name in ["checkpoint-before", &path.to_string_lossy()] {
        let shown = keeper.show(name);
        assert_eq!(
            shown["messages"][1]["text"], "a zebra that nobody kept",
            "{name}"
        );
        assert_eq!(shown["project"]["path"], "/srv/demo/shop", "{name}");
    }
    let text = keeper.ok(&["search", "zebra"]).out;
    assert!(text.contains("checkpoint-before"), "{text}");
}
