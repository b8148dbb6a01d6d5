//! How fast a session becomes Markdown: prose, and calls with long outputs.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use gemtrail_core::model::Session;
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use gemtrail_export::markdown;
use gemtrail_export::present::Options;

/// Approximate size of the input in bytes.
const BYTES: usize = 4 << 20;

/// A log of one prompt and answers, each with a call.
fn log() -> String {
    let prose = "## What I found\\n\\nThe *cart* adds `item.price` twice, see [the docs](https://example.com/a).\\n\\n- one\\n- two\\n";
    let output = "export function total(items) {\\n\\treturn items.length;\\n}\\n".repeat(150);
    let mut log = concat!(
        r#"{"sessionId":"s","projectHash":"h","startTime":"2026-06-01T10:00:00.000Z"}"#,
        "\n",
        r#"{"id":"p","timestamp":"2026-06-01T10:00:00.000Z","type":"user","content":"Find it."}"#,
        "\n"
    )
    .to_owned();
    for number in 0.. {
        if log.len() > BYTES {
            break;
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            log,
            r#"{{"id":"a{number}","timestamp":"2026-06-01T10:00:01.000Z","type":"gemini","content":"{prose}","model":"gemini-3-pro","toolCalls":[{{"id":"c{number}","name":"read_file","args":{{"file_path":"/srv/demo/shop/part{number}.js"}},"result":[{{"functionResponse":{{"id":"c{number}","name":"read_file","response":{{"output":"{output}"}}}}}}],"status":"success"}}]}}"#
        );
    }
    log
}

fn session(log: &str) -> Session {
    Sources::single(SourceJournal {
        path: "session-2026-06-01T10-00-s.jsonl".to_owned(),
        bytes: log.len() as u64,
        sha256: None,
        earlier: false,
        log: read(log.as_bytes(), Detail::Full),
    })
    .assemble()
}

fn write(criterion: &mut Criterion) {
    let log = log();
    let session = session(&log);
    let options = Options::default();
    let mut group = criterion.benchmark_group("markdown");
    group.throughput(Throughput::Bytes(log.len() as u64));
    group.bench_function("write", |bencher| {
        bencher.iter(|| {
            let mut out = Vec::new();
            markdown::write(black_box(&session), &options, &mut out).expect("memory");
            out.len()
        });
    });
    group.finish();
}

criterion_group!(benches, write);
criterion_main!(benches);
