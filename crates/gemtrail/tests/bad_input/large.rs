//! Files that are large: the memory that reading them takes is bounded, by the system itself.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use crate::home::{ANSWER, BadHome, METADATA, Outcome, PROMPT, run};

const MEBIBYTE: usize = 1 << 20;

/// Runs the binary with so much memory and no more. Address space counts, so the allocator is told
/// not to reserve any for threads.
fn run_within(mebibytes: usize, home: &BadHome, args: &[&str]) -> Outcome {
    let mut command = Command::new("sh");
    command
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "2")
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
        .arg((mebibytes * 1024).to_string())
        .arg(env!("CARGO_BIN_EXE_gemtrail"))
        .arg("--home")
        .arg(home.root())
        .args(args);
    run(&mut command)
}

fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>) {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    fill(&mut out)
        .and_then(|()| out.flush())
        .expect("the file can be written");
}

/// A line with a text of this size.
fn long_line(out: &mut impl Write, start: &str, end: &str, size: usize) -> std::io::Result<()> {
    out.write_all(start.as_bytes())?;
    let piece = "a line of some output,\\n".repeat(64);
    for _ in 0..size / piece.len() {
        out.write_all(piece.as_bytes())?;
    }
    out.write_all(end.as_bytes())?;
    out.write_all(b"\n")
}

#[test]
fn a_line_of_200_megabytes() {
    let home = BadHome::new();
    let file = home.chats().join("session-2026-06-01T10-00-long.jsonl");
    write(&file, |out| {
        writeln!(out, "{METADATA}")?;
        let (start, end) = PROMPT.split_once("a prompt").expect("the prompt");
        long_line(out, start, end, 200 * MEBIBYTE)?;
        writeln!(out, "{ANSWER}")
    });
    let path = file.to_str().expect("a name in UTF-8");
    let listed = run_within(1000, &home, &["list", "--all"])
        .expect_code(0)
        .expect_clean();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("a line of some output"));
    let shown = run_within(1000, &home, &["convert", path, "--to", "json", "-v"]).expect_code(0);
    assert!(
        shown.stdout.len() > 400 * MEBIBYTE,
        "as text and as recorded"
    );
    assert!(
        shown.stderr.contains("line 2: long-line: "),
        "{}",
        shown.stderr
    );
}

#[test]
fn a_line_of_200_megabytes_without_end() {
    let home = BadHome::new();
    for (name, start) in [
        ("session-garbage.jsonl", "nonsense "),
        ("session-torn.jsonl", PROMPT),
    ] {
        write(&home.chats().join(name), |out| {
            writeln!(out, "{METADATA}")?;
            let start = start
                .split_once("a prompt")
                .map_or(start, |(start, _)| start);
            long_line(out, start, "", 200 * MEBIBYTE)
        });
    }
    let rows = run_within(1000, &home, &["list", "--all", "--json"]).expect_code(0);
    assert_eq!(rows.json_lines().len(), 2, "both files are of one session");
    let shown = run_within(1000, &home, &["show", "bad-session", "--json"])
        .expect_code(0)
        .json();
    let codes: Vec<_> = shown["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    assert!(
        codes.iter().all(|finding| finding["line"] == 2),
        "{codes:#?}"
    );
}

#[test]
fn a_large_home_is_listed_in_little_memory() {
    let home = BadHome::new();
    let log = home.chats().join("session-2026-06-01T10-00-log.jsonl");
    write(&log, |out| {
        writeln!(out, "{METADATA}")?;
        each_turn(600 * MEBIBYTE, |prompt, answer| {
            writeln!(out, "{prompt}\n{answer}")
        })
    });
    let whole = home.chats().join("session-2026-06-01T10-00-whole.json");
    write(&whole, |out| {
        let metadata = METADATA
            .replace("bad-session", "whole")
            .replace(',', ",\n  ");
        write!(
            out,
            "{},\n  \"messages\": [",
            metadata.trim_end_matches('}')
        )?;
        let mut between = "";
        each_turn(300 * MEBIBYTE, |prompt, answer| {
            let turn = format!("{between}\n    {prompt},\n    {answer}");
            between = ",";
            out.write_all(turn.replace(",\"", ",\n      \"").as_bytes())
        })?;
        writeln!(out, "\n  ]\n}}")
    });
    let rows = run_within(200, &home, &["list", "--json"])
        .expect_code(0)
        .json_lines();
    assert_eq!(rows.len(), 3);
    for row in rows.iter().filter(|row| row["id"] != "good-session") {
        let messages = row["counts"]["messages"].as_u64().expect("a count");
        assert!(messages > 4000, "{messages}");
        assert_eq!(row["counts"]["tool_calls"], messages / 2);
    }
    fs::remove_file(log).expect("the file can go");
}

/// Turns with a tool's output each, until they take this many bytes.
fn each_turn(
    size: usize,
    mut take: impl FnMut(&str, &str) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let output = "a line of some output,\\n".repeat(4096);
    let mut written = 0;
    for turn in 0.. {
        let prompt = PROMPT.replace("m1", &format!("u{turn}"));
        let call = format!(
            r#""toolCalls":[{{"id":"c{turn}","name":"read_file","args":{{"file_path":"a"}},"status":"success","result":[{{"functionResponse":{{"id":"c{turn}","name":"read_file","response":{{"output":"{output}"}}}}}}]}}]"#
        );
        let answer = ANSWER.replace("\"m2\"", &format!("\"g{turn}\",{call}"));
        take(&prompt, &answer)?;
        written += prompt.len() + answer.len();
        if written > size {
            break;
        }
    }
    Ok(())
}
