//! Outputs that were too long for the journal and got files of their own.

use gemtrail_query::Order;
use serde_json::{Value, json};

use crate::common::{Sandbox, chat, hits, lines, message, without};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const NEEDLE: &str = "zqxneedlemiddle";

/// How Gemini CLI refers to an output: the text that it leaves, and the path of the file.
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

/// A session with a call that has this output.
fn journal(output: &str) -> String {
    let mut call = message("g1", "done");
    call["toolCalls"] = json!([{"id": "c1", "name": "run_shell_command", "status": "success",
        "args": {"command": "make"}, "timestamp": "2026-06-01T10:00:05.000Z",
        "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command",
            "response": {"output": output}}}]}]);
    format!("{}{call}\n", lines(ID, &[("u1", "build it")]))
}

/// Syncs, and returns the hits of the index after asserting that the files give the same.
#[track_caller]
fn found(sandbox: &Sandbox, query: &str) -> Vec<Value> {
    sandbox.sync();
    let kept = sandbox.search(query);
    let scanned = hits(&sandbox.disk_library(), query, Order::Newest);
    let alike = |hits: &Vec<Value>| without(hits.clone().into(), &["score"]);
    assert_eq!(alike(&kept), alike(&scanned));
    kept
}

#[test]
fn the_whole_output_is_searched() {
    for (text, file) in ERAS {
        let sandbox = Sandbox::new();
        let there = format!("/srv/alice/.gemini/tmp/shop/{file}");
        sandbox.write(
            &chat("2f1e0a52.jsonl"),
            &journal(&text.replace("PATH", &there)),
        );
        assert_eq!(found(&sandbox, NEEDLE), [] as [Value; 0], "{file}");

        let here = format!(".gemini/tmp/shop/{file}");
        let whole = format!("first\n{}{NEEDLE} of it\nlast\n", "row\n".repeat(9_000));
        sandbox.write(&here, &whole);
        let hit = found(&sandbox, NEEDLE);
        assert_eq!(hit.len(), 1, "{file}");
        assert_eq!(hit[0]["field"], "tool_output");
        assert_eq!(hit[0]["message"], "g1");
        let snippet = hit[0]["snippet"].as_str().expect("text");
        assert!(snippet.contains(NEEDLE), "{snippet}");
        // What the journal and the file share is one text.
        assert_eq!(found(&sandbox, "last").len(), 1, "{file}");
        let call = &sandbox.show(ID)["messages"][1]["tool_calls"][0];
        assert_eq!(call["output_file"]["bytes"], whole.len(), "{file}");
        assert!(!call["output"].to_string().contains(NEEDLE), "{file}");

        // A rewritten file is read again; the archive has what it said before.
        sandbox.write(&here, &whole.replace(NEEDLE, "zqxneedleother"));
        assert_eq!(found(&sandbox, "zqxneedleother").len(), 1, "{file}");
        assert_eq!(sandbox.search(NEEDLE).len(), 1, "{file}");
        let disk = hits(&sandbox.disk_library(), NEEDLE, Order::Newest);
        assert_eq!(disk, [] as [Value; 0], "{file}");
        // A truncated one is read in its previous version.
        sandbox.write(&here, "first\nrow\n");
        sandbox.sync();
        assert_eq!(sandbox.search("zqxneedleother").len(), 1, "{file}");

        sandbox.remove(".gemini");
        sandbox.sync();
        assert_eq!(sandbox.search("zqxneedleother").len(), 1);
        sandbox.verify();
        sandbox.forget(ID);
        assert!(!sandbox.has_bytes("zqxneedleother"), "{file}");
        assert_eq!(sandbox.number("SELECT count(*) FROM chunk"), 0, "{file}");
    }
}

#[test]
fn an_output_that_was_masked_is_searched_as_it_was() {
    let sandbox = Sandbox::new();
    let (text, file) = ERAS[3];
    let there = format!(
        r"C:\Users\alice\.gemini\tmp\shop\{}",
        file.replace('/', r"\")
    );
    sandbox.write(
        &chat("2f1e0a52.jsonl"),
        &journal(&text.replace("PATH", &there)),
    );
    let answer = json!({"output": "one\nbefore it\nlast"});
    sandbox.write(&format!(".gemini/tmp/shop/{file}"), &format!("{answer:#}"));
    // Not "nbefore", as in the JSON.
    assert_eq!(found(&sandbox, "before").len(), 1);
    assert_eq!(found(&sandbox, "\"one before it last\"").len(), 1);
}

#[test]
fn only_files_of_the_project_are_read() {
    let sandbox = Sandbox::new();
    let secret = sandbox.write("secret.txt", NEEDLE);
    sandbox.write(".gemini/tmp/other/secret.txt", NEEDLE);
    let text = format!("For full output see: {}\nlast", secret.display());
    sandbox.write(&chat("2f1e0a52.jsonl"), &journal(&text));
    assert_eq!(found(&sandbox, NEEDLE), [] as [Value; 0]);
}
