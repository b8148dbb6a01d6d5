//! How fast journals are read: strings, logs of lines, whole-file records, histories that are
//! rewritten again and again, and the sessions assembled from them.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use gemtrail_core::json::{Cursor, decode};
use gemtrail_core::{Detail, SourceJournal, Sources, read};

/// The approximate size of each input.
const BYTES: usize = 4 << 20;

/// A tool's output as JSON writes it: code and logs, with an escape every twenty bytes or so.
fn output(number: usize) -> String {
    let line =
        "    if (cart.total(\\\"EUR\\\") > limit) {\\n\\t\\treturn warn('too much');\\n    }\\n";
    let mut text = format!("// part {number}\\n");
    while text.len() < 8 << 10 {
        text.push_str(line);
    }
    text
}

/// The turns of a conversation: each prompt has an answer that calls a tool.
fn turn(number: usize) -> [String; 2] {
    let prompt = format!(
        r#"{{"id":"p{number}","timestamp":"2026-06-01T10:00:00.000Z","type":"user","content":[{{"text":"Please look at part {number}."}}]}}"#
    );
    let output = output(number);
    let answer = format!(
        r#"{{"id":"a{number}","timestamp":"2026-06-01T10:00:01.000Z","type":"gemini","content":"I look at it.","thoughts":[{{"subject":"Looking","description":"The part is there.","timestamp":"2026-06-01T10:00:01.000Z"}}],"tokens":{{"input":1200,"output":40,"cached":0,"thoughts":12,"tool":0,"total":1252}},"model":"gemini-3-pro","toolCalls":[{{"id":"c{number}","name":"read_file","args":{{"file_path":"/srv/demo/shop/part{number}.js"}},"result":[{{"functionResponse":{{"id":"c{number}","name":"read_file","response":{{"output":"{output}"}}}}}}],"status":"success","timestamp":"2026-06-01T10:00:02.000Z","resultDisplay":"read 90 lines"}}]}}"#
    );
    [prompt, answer]
}

const HEADER: &str = r#""sessionId":"2f1e0a52-aaaa-4bbb-8ccc-0123456789ab","projectHash":"h","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T11:00:00.000Z""#;

/// A log of lines.
fn log() -> String {
    let mut log = format!("{{{HEADER}}}\n");
    for number in 0.. {
        if log.len() > BYTES {
            break;
        }
        log.push_str(&turn(number).join("\n"));
        log.push('\n');
    }
    log
}

/// A whole-file record.
fn record() -> String {
    let mut messages = Vec::new();
    let mut length = 0;
    while length < BYTES {
        let turn = turn(messages.len());
        length += turn[1].len();
        messages.extend(turn);
    }
    format!(
        "{{\n  {HEADER},\n  \"messages\": [\n    {}\n  ]\n}}\n",
        messages.join(",\n    ")
    )
}

/// A log in which every message is written many times, and the whole history again at the end.
fn rewritten_log() -> String {
    let mut log = format!("{{{HEADER}}}\n");
    let turns: Vec<String> = (0..20).flat_map(turn).collect();
    while log.len() < BYTES {
        log.push_str(&turns.join("\n"));
        // Writing to a `String` cannot fail.
        let _ = writeln!(log, "\n{{\"$set\":{{\"messages\":[{}]}}}}", turns.join(","));
    }
    log
}

fn strings(criterion: &mut Criterion) {
    let long = format!("\"{}\"", output(0).repeat(BYTES / output(0).len()));
    let short = format!(
        "[{}0]",
        r#""2f1e0a52","a \"quoted\" word","#.repeat(BYTES / 32)
    );
    let mut group = criterion.benchmark_group("strings");
    for (name, text) in [("long", &long), ("short", &short)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("pass over {name}"), |bencher| {
            bencher.iter(|| Cursor::new(black_box(text)).skip_value());
        });
    }
    group.throughput(Throughput::Bytes(long.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| decode(black_box(&long)).len());
    });
    group.finish();
}

fn journals(criterion: &mut Criterion) {
    let files = [
        ("log", log()),
        ("record", record()),
        ("replay", rewritten_log()),
    ];
    let mut group = criterion.benchmark_group("read");
    for (name, file) in &files {
        group.throughput(Throughput::Bytes(file.len() as u64));
        for (how, detail) in [("counts", Detail::Counts), ("full", Detail::Full)] {
            group.bench_function(format!("{name}, {how}"), |bencher| {
                bencher.iter(|| read(black_box(file.as_bytes()), detail).message_count());
            });
        }
    }
    group.finish();
}

fn sessions(criterion: &mut Criterion) {
    let file = log();
    let mut group = criterion.benchmark_group("assemble");
    group.throughput(Throughput::Bytes(file.len() as u64));
    for (how, detail) in [("counts", Detail::Counts), ("full", Detail::Full)] {
        let journal = SourceJournal {
            path: "session-2026-06-01T10-00-2f1e0a52.jsonl".to_owned(),
            bytes: file.len() as u64,
            sha256: None,
            earlier: false,
            log: read(file.as_bytes(), detail),
        };
        group.bench_function(how, |bencher| {
            bencher.iter_batched(
                || Sources::single(journal.clone()),
                |sources| sources.assemble().messages.len(),
                criterion::BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, strings, journals, sessions);
criterion_main!(benches);
