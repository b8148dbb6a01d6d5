//! Outputs that were too long for the journal and were put into files of their own.

use serde_json::{Value, json};

use crate::common::{Keeper, chat, lines, message, one, without};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const NEEDLE: &str = "zqxneedlemiddle";

/// How Gemini CLI points to an output: the text that it leaves, and where the file lies.
const ERAS: [(&str, &str); 4] = [
    (
        "Tool output was too large and has been truncated.\nThe full output has been saved to: PATH\nfirst\n... [CONTENT TRUNCATED] ...\nlast",
        "c1.output",
    ),
    (
        "Output too large. Showing the last 4 lines. For full output see: PATH\nlast",
        "run_shell_command_c1.txt",
    ),
    (
        "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: PATH\nfirst\n...\nlast",
        "tool-outputs/session-2f1e0a52-aaaa-4bbb-8ccc-0123456789ab/run_shell_command_c1.txt",
    ),
    (
        "<tool_output_masked>\nfirst\n\nFull output available at: PATH\n</tool_output_masked>",
        "tool-outputs/session-2f1e0a52-aaaa-4bbb-8ccc-0123456789ab/run_shell_command_c1_x.txt",
    ),
];

/// A session with a call whose output says this.
fn journal(output: &str) -> String {
    let mut call = message("g1", "done");
    call["toolCalls"] = json!([{"id": "c1", "name": "run_shell_command", "status": "success",
        "args": {"command": "make"}, "timestamp": "2026-06-01T10:00:05.000Z",
        "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command",
            "response": {"output": output}}}]}]);
    format!("{}{call}\n", lines(ID, &[("u1", "build it")]))
}

/// What both ways of looking find, the archive being up to date.
#[track_caller]
fn hits(keeper: &Keeper, query: &str) -> Vec<Value> {
    keeper.sync();
    let search = ["search", "--json", query];
    let kept = keeper.run(&search).lines();
    let scanned = keeper.run(&[&search[..], &["--no-archive"]].concat());
    let alike = |hits: Vec<Value>| without(hits.into(), &["score"]);
    assert_eq!(alike(kept.clone()), alike(scanned.lines()));
    kept
}

#[test]
fn the_whole_output_is_searched() {
    for (text, file) in ERAS {
        let keeper = Keeper::new();
        let there = format!("/srv/alice/.gemini/tmp/shop/{file}");
        keeper.write(
            &chat("2f1e0a52.jsonl"),
            &journal(&text.replace("PATH", &there)),
        );
        assert_eq!(hits(&keeper, NEEDLE), [] as [Value; 0], "{file}");

        let here = format!(".gemini/tmp/shop/{file}");
        let whole = format!("first\n{}{NEEDLE} of it\nlast\n", "row\n".repeat(9_000));
        keeper.write(&here, &whole);
        let found = hits(&keeper, NEEDLE);
        assert_eq!(found.len(), 1, "{file}");
        assert_eq!(found[0]["field"], "tool_output");
        assert_eq!(found[0]["message"], "g1");
        let snippet = found[0]["snippet"].as_str().expect("text");
        assert!(snippet.contains(NEEDLE), "{snippet}");
        // What stands in the journal and in the file is one text.
        assert_eq!(hits(&keeper, "last").len(), 1, "{file}");
        let call = &one(&keeper.ok(&["show", ID, "--json"]))["messages"][1]["tool_calls"][0];
        assert_eq!(call["output_file"]["bytes"], whole.len(), "{file}");
        assert!(!call["output"].to_string().contains(NEEDLE), "{file}");

        // A file that is written anew is read anew; the archive has what it said before.
        keeper.write(&here, &whole.replace(NEEDLE, "zqxneedleother"));
        assert_eq!(hits(&keeper, "zqxneedleother").len(), 1, "{file}");
        keeper.ok(&["search", NEEDLE]);
        keeper.run(&["search", NEEDLE, "--no-archive"]).expect(1);
        // One that was cut off is as it was before.
        keeper.write(&here, "first\nrow\n");
        keeper.sync();
        keeper.ok(&["search", "zqxneedleother"]);

        keeper.remove(".gemini");
        keeper.sync();
        assert_eq!(
            keeper
                .ok(&["search", "zqxneedleother", "--json"])
                .lines()
                .len(),
            1
        );
        keeper.verify();
        keeper.ok(&["archive", "forget", ID, "--yes"]);
        let left = std::fs::read(keeper.archive()).expect("it can be read");
        let needle = b"zqxneedleother";
        assert!(!left.windows(needle.len()).any(|it| it == needle), "{file}");
        assert_eq!(keeper.number("SELECT count(*) FROM chunk"), 0, "{file}");
    }
}

#[test]
fn an_output_that_was_masked_is_searched_as_it_was() {
    let keeper = Keeper::new();
    let (text, file) = ERAS[3];
    let there = format!(
        r"C:\Users\alice\.gemini\tmp\shop\{}",
        file.replace('/', r"\")
    );
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &journal(&text.replace("PATH", &there)),
    );
    let answer = json!({"output": "one\nbefore it\nlast"});
    keeper.write(&format!(".gemini/tmp/shop/{file}"), &format!("{answer:#}"));
    // Not "nbefore", as the JSON would have it.
    assert_eq!(hits(&keeper, "before").len(), 1);
    assert_eq!(hits(&keeper, "\"one before it last\"").len(), 1);
}

#[test]
fn only_files_of_the_project_are_read() {
    let keeper = Keeper::new();
    let secret = keeper.write("secret.txt", NEEDLE);
    keeper.write(".gemini/tmp/other/secret.txt", NEEDLE);
    let text = format!("For full output see: {}\nlast", secret.display());
    keeper.write(&chat("2f1e0a52.jsonl"), &journal(&text));
    assert_eq!(hits(&keeper, NEEDLE), [] as [Value; 0]);
}
