//! Budgets over a large home: `GEMTRAIL_HOME` with its archive, `GEMTRAIL_ARCHIVE`; see `just budgets`.
#![expect(
    clippy::disallowed_methods,
    reason = "the home comes from the recipe that runs this"
)]

use std::cell::Cell;
use std::path::PathBuf;

use gemtrail_export::redact::Redactor;
use gemtrail_mcp::{McpAnswer, ToolSettings, Tools, size};
use gemtrail_store::{ArchiveOptions, ListRow, Places, SessionFilter, Trail, TrailOptions};
use jiff::{Timestamp, tz::TimeZone};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Words of which some are everywhere, some rare, and some nowhere.
const QUERIES: [&str; 12] = [
    "the",
    "test function",
    "error OR config",
    "return",
    "\"a phrase\"",
    "mod*",
    "role:assistant value",
    "tool:shell error",
    "status:failed the",
    "検索",
    "((",
    "nowherewordatall",
];

fn variable(name: &str) -> PathBuf {
    std::env::var_os(name).expect(name).into()
}

fn open() -> (Tools, Vec<ListRow>) {
    let options = TrailOptions {
        places: Places {
            homes: vec![variable("GEMTRAIL_HOME")],
            ..Places::default()
        },
        archive: Some(ArchiveOptions {
            path: variable("GEMTRAIL_ARCHIVE"),
            ..ArchiveOptions::default()
        }),
        ..TrailOptions::default()
    };
    let (trail, _) = Trail::open(options).expect("it can be opened");
    let rows = trail.view().sessions(&SessionFilter::default());
    let surroundings = ToolSettings {
        zone: TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    let redactor = Redactor::new(Vec::new()).expect("the tables are right");
    (Tools::new(trail, surroundings, Some(redactor)), rows)
}

fn calls(rows: &[ListRow]) -> impl Strategy<Value = (&'static str, Value)> + use<> {
    let sessions: Vec<String> = rows.iter().map(|row| row.reference.to_string()).collect();
    let projects: Vec<String> = rows.iter().map(|row| row.project.name()).collect();
    let items = (select(sessions.clone()), 1..40_u32, 0..6_u32);
    prop_oneof![
        3 => select(&QUERIES[..]).prop_map(|query| ("search", json!({ "query": query }))),
        1 => (select(&QUERIES[..]), 0..60_u32, 1..50_u32).prop_map(|(query, offset, limit)| {
            ("search", json!({"query": query, "offset": offset, "limit": limit}))
        }),
        1 => select(projects).prop_map(|project| ("list_sessions", json!({ "project": project }))),
        1 => Just(("list_sessions", json!({}))),
        3 => select(sessions).prop_map(|it| ("read_session", json!({ "session": it }))),
        3 => items.prop_map(|(session, turn, item)| {
            ("get_item", json!({"id": format!("{session}:{turn}.{item}")}))
        }),
        1 => select(&["day", "session", "model", "tool", "project"][..])
            .prop_map(|by| ("stats", json!({ "by": by }))),
    ]
}

fn ask(tools: &Tools, tool: &str, arguments: &Map<String, Value>) -> Result<McpAnswer, String> {
    let now: Timestamp = "2027-06-01T00:00:00Z".parse().expect("a time");
    let answer = tools.call(tool, arguments, now);
    answer.map_err(|refusal| refusal.to_string())
}

/// The size of what a client gets.
fn told(answer: &Result<McpAnswer, String>) -> usize {
    match answer {
        Ok(McpAnswer::Text(text)) => size(text),
        Ok(McpAnswer::Data { caption, value }) => size(caption) + size(&value.to_string()),
        // A refusal is one sentence, and has no budget.
        Err(_) => 0,
    }
}

#[test]
#[ignore = "needs a generated home (just budgets)"]
fn budgets_are_kept_over_a_large_home() {
    let (tools, rows) = open();
    let cases = std::env::var("GEMTRAIL_CASES").map_or(300, |it| it.parse().expect("a number"));
    let config = ProptestConfig::with_cases(cases);
    let [answers, refusals, followed] = [const { Cell::new(0_usize) }; 3];
    let count = |counter: &Cell<usize>| counter.set(counter.get() + 1);
    proptest!(config, |((tool, arguments) in calls(&rows), budget in 1..40_000_usize, data in any::<bool>())| {
        let mut arguments = arguments;
        arguments["budget"] = json!(budget);
        if data {
            arguments["format"] = json!("json");
        }
        let mut call = (tool.to_owned(), arguments.as_object().expect("an object").clone());
        // Further pages keep to it as well.
        for _ in 0..3 {
            let answer = ask(&tools, &call.0, &call.1);
            prop_assert!(told(&answer) <= budget, "{} {:?}: {}", call.0, call.1, told(&answer));
            match &answer {
                Ok(_) => count(&answers),
                Err(_) => count(&refusals),
            }
            let Some(next) = answer.ok().and_then(|answer| next(&answer)) else {
                break;
            };
            // A budget that was too small for anything is replaced.
            if next.1.get("budget") != call.1.get("budget") {
                break;
            }
            count(&followed);
            call = next;
        }
    });
    println!(
        "{} sessions, {} answers, {} refusals, {} further pages",
        rows.len(),
        answers.get(),
        refusals.get(),
        followed.get()
    );
    assert!(answers > refusals);
}

/// The call that continues an answer.
fn next(answer: &McpAnswer) -> Option<(String, Map<String, Value>)> {
    match answer {
        McpAnswer::Text(text) => {
            let is_own = |line: &&str| !line.starts_with('>') && line.contains("next: ");
            let line = text.lines().rev().find(is_own)?;
            let (tool, arguments) = line.split_once("next: ")?.1.split_once(' ')?;
            Some((tool.to_owned(), serde_json::from_str(arguments).ok()?))
        }
        McpAnswer::Data { value, .. } => {
            let next = value.get("next")?;
            let tool = next.get("tool")?.as_str()?.to_owned();
            Some((tool, next.get("arguments")?.as_object()?.clone()))
        }
    }
}
