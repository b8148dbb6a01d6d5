//! One definition of a match, two executors: the index of the archive, and the files.

use gemtrail_store::search::Order;
use serde_json::json;

use crate::common::{Sandbox, chat, hits, lines};

#[test]
fn times_mean_the_same_to_both() {
    let sandbox = Sandbox::new();
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let mut journal = lines(id, &[]);
    let times = [
        "2026-06-01T00:00:01.000Z",
        "",
        "2026-06-01T00:00:00.999Z",
        "soon",
        "2026-06-01T00:00:01.001Z",
        "2026-06-01T00:00:01.000400Z",
    ];
    for (at, time) in times.into_iter().enumerate() {
        let line = json!({"id": format!("u{at}"), "timestamp": time, "type": "user",
            "content": format!("clock {at}")});
        journal += &(line.to_string() + "\n");
    }
    sandbox.write(&chat("2f1e0a52.jsonl"), &journal);
    sandbox.sync();
    for (query, count) in [
        ("clock", 6),
        ("clock until:2026-06-01T00:00:01", 3),
        ("clock before:2026-06-01T00:00:01", 1),
        ("clock since:2026-06-01T00:00:01", 5),
    ] {
        for order in [Order::Newest, Order::Rank] {
            let kept = hits(&sandbox.library(), query, order);
            assert_eq!(kept.len(), count, "{query}");
            let scanned = hits(&sandbox.disk_library(), query, order);
            assert_eq!(kept, scanned, "{query}");
        }
    }
}
