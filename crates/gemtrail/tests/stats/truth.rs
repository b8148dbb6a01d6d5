//! Generated homes, against what the generator put into them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gemtrail_testkit::corpus::{Corpus, Size};
use gemtrail_testkit::document::Counters;
use serde_json::Value;

use crate::common::{Counter, rows};

/// Enough for every kind of file that the generator makes (a twin comes with session 50).
const SMALL: Size = Size {
    sessions: 60,
    bytes: 3_000_000,
    projects: 8,
};

#[test]
fn s002_4_totals_are_those_that_were_generated() {
    let counter = Counter::new();
    for seed in [42, 7, 2026] {
        let Some(corpus) = Corpus::generate_from(seed, SMALL).expect("the generator runs") else {
            println!("skipped: no python3 here to generate a home");
            return;
        };
        let truth = corpus.totals();
        let stats = counter.stats_of(&corpus.home, &["--by", "project"]);
        let tokens = |name: &str| Counters::of(&stats["tokens"][name]);
        assert_eq!(tokens("live"), truth.live, "seed {seed}");
        assert_eq!(tokens("billed"), truth.billed, "seed {seed}");
        assert_eq!(tokens("as_written"), truth.as_written, "seed {seed}");
        assert_eq!(stats["requests"], truth.requests, "seed {seed}");
        assert_eq!(stats["sessions"], truth.sessions, "seed {seed}");
        // A project is named by its directory, but the sums are all there.
        let mut projects: Vec<u64> = truth.projects.values().map(|it| it.total).collect();
        let by = rows(&stats, "/tokens/total").into_iter();
        let mut told: Vec<u64> = by.map(|(_, total)| total).collect();
        projects.sort_unstable();
        told.sort_unstable();
        assert_eq!(told, projects, "seed {seed}");
        rows_are_those_of_the_files(&counter, &corpus.home);
        every_breakdown_adds_up(&counter, &corpus.home);
    }
}

/// Models and months, from the files by the plainest means.
fn rows_are_those_of_the_files(counter: &Counter, home: &Path) {
    let mut requests: BTreeMap<(String, String), Value> = BTreeMap::new();
    collect(home, &mut requests);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let model = |it: &Value| text(&it["model"]);
    let month = |it: &Value| text(&it["timestamp"])[..7].to_owned();
    for (key, of) in [
        ("model", &model as &dyn Fn(&Value) -> String),
        ("month", &month),
        ("month,model", &|it| format!("{} {}", model(it), month(it))),
    ] {
        let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
        for request in requests.values() {
            *wanted.entry(of(request)).or_default() += Counters::of(&request["tokens"]).total;
        }
        let stats = counter.stats_of(home, &["--by", key]);
        let told = rows(&stats, "/tokens/total").into_iter();
        let told: BTreeMap<String, u64> = told.filter(|(_, total)| *total > 0).collect();
        assert_eq!(told, wanted, "{key}");
    }
}

/// The last record of every message with tokens, by session and id.
fn collect(dir: &Path, requests: &mut BTreeMap<(String, String), Value>) {
    let mut paths: Vec<_> = fs::read_dir(dir)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, requests);
            continue;
        }
        if path.components().all(|part| part.as_os_str() != "chats") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        let whole: Vec<Value> = serde_json::from_str(&text).into_iter().collect();
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let records: Vec<Value> = if whole.is_empty() {
            lines.collect()
        } else {
            whole
        };
        let session = records.iter().find_map(|it| it["sessionId"].as_str());
        let session = session.expect("a session id").to_owned();
        let inner = |it: &Value| it["messages"].as_array().cloned().unwrap_or_default();
        let messages: Vec<Value> = records.iter().flat_map(inner).collect();
        for message in records.iter().chain(&messages) {
            if let (Some(id), true) = (message["id"].as_str(), message["tokens"].is_object()) {
                let key = (session.clone(), id.to_owned());
                requests.insert(key, message.clone());
            }
        }
    }
}

fn every_breakdown_adds_up(counter: &Counter, home: &Path) {
    for keys in [
        "day",
        "week",
        "month",
        "hour",
        "weekday",
        "project",
        "model",
        "tool",
        "session",
        "agent",
        "host",
        "day,model",
        "week,project",
        "hour,weekday",
        "month,tool,agent",
    ] {
        let stats = counter.stats_of(home, &["--by", keys]);
        let by = stats["by"].as_array().expect("rows");
        let tokens: Counters = by.iter().map(|row| Counters::of(&row["tokens"])).sum();
        assert_eq!(tokens, Counters::of(&stats["tokens"]["billed"]), "{keys}");
        let requests = by.iter().filter_map(|row| row["requests"].as_u64());
        assert_eq!(stats["requests"], requests.sum::<u64>(), "{keys}");
        let cost: f64 = by.iter().filter_map(|row| row["cost"].as_f64()).sum();
        let total = stats["cost"]["usd"].as_f64().expect("a cost");
        // Every row is rounded to a millionth for itself.
        #[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
        let rounding = by.len() as f64 * 1e-6;
        assert!((cost - total).abs() <= rounding, "{keys}: {cost} {total}");
    }
}
