//! `report` and `diff`: their figures are those of the other commands, and nothing of a session gets out of its text.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Person, Ran};
use unicode_width::UnicodeWidthStr;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn ask(home: &Path, words: &[&str]) -> Ran {
    let person = Person::new();
    let home = home.to_string_lossy();
    person.run(&[&["--home", &home, "--no-archive"], words].concat())
}

/// The sample home, and some trees that clients of many releases wrote.
fn trees() -> Vec<PathBuf> {
    let recorded = repository().join("fixtures/recorded");
    let below = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    let mut trees: Vec<PathBuf> = below(recorded)
        .flat_map(|release| below(release.path()))
        .map(|tree| tree.path())
        .filter(|tree| tree.is_dir())
        .step_by(9)
        .collect();
    assert!(trees.len() > 8, "recorded trees are missing");
    trees.push(repository().join("examples/home"));
    trees
}

const ALL: [&str; 4] = ["report", "--since", "2000-01-01", "--json"];

#[test]
fn the_figures_are_those_of_the_other_commands() {
    for tree in trees() {
        let ran = ask(&tree, &ALL);
        let stats = ask(&tree, &["stats", "--json"]).json();
        if ran.code == Some(1) {
            assert_eq!(stats["requests"], 0, "{tree:?}");
            continue;
        }
        let report = ran.expect(0).json();
        assert_eq!(report["schema"], "gemtrail.report/1");
        let totals = &report["totals"];
        assert_eq!(totals["requests"], stats["requests"], "{tree:?}");
        assert_eq!(totals["tokens"], stats["tokens"]["billed"], "{tree:?}");
        assert_eq!(totals["cost"], stats["cost"]["usd"], "{tree:?}");
        let of_tools = |name: &str| -> u64 {
            let tools = stats["tools"].as_array().expect("a list").iter();
            tools.filter_map(|tool| tool[name].as_u64()).sum()
        };
        assert_eq!(totals["calls"], of_tools("calls"), "{tree:?}");
        assert_eq!(totals["failures"], of_tools("failures"), "{tree:?}");
        let files = ask(&tree, &["files", "--json"]);
        let mut named: Vec<(String, String)> = files.lines().iter().map(file_of).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(totals["files"], named.len(), "{tree:?}");
        let projects = report["projects"].as_array().expect("a list").iter();
        let of_projects = projects.filter_map(|it| it["totals"]["prompts"].as_u64());
        assert_eq!(totals["prompts"], of_projects.sum::<u64>(), "{tree:?}");
    }
}

fn file_of(row: &Value) -> (String, String) {
    (row["project"].to_string(), row["file"].to_string())
}

/// Somebody with a session of today and one of last year.
fn busy() -> Person {
    let person = Person::new();
    let now = jiff::Timestamp::now();
    let year_ago = now - jiff::SignedDuration::from_hours(365 * 24);
    for (id, at, prompt) in [
        (
            "11111111-aaaa",
            now,
            "Round the <b>price</b> up \\u001b[31m| `x` |",
        ),
        ("22222222-bbbb", year_ago, "something old"),
    ] {
        let call = format!(
            r#"{{"id":"c","name":"run_shell_command","status":"error","timestamp":"{at}","args":{{"command":"npm test"}},"result":[]}}"#
        );
        person.write(
            &format!(".gemini/tmp/shop/chats/session-2026-06-01T10-00-{}.json", &id[..8]),
            &format!(
                r#"{{"sessionId":"{id}","projectHash":"{:064}","startTime":"{at}","lastUpdated":"{at}","messages":[
                {{"id":"p","type":"user","timestamp":"{at}","content":"{prompt}"}},
                {{"id":"a","type":"gemini","timestamp":"{at}","content":"Done","model":"gemini-3-pro-preview","toolCalls":[{call}],
                  "tokens":{{"input":1000,"output":10,"cached":0,"thoughts":0,"tool":0,"total":1010}}}}]}}"#,
                7
            ),
        );
    }
    person
}

#[test]
fn a_report_is_of_the_last_week_unless_it_says_otherwise() {
    let person = busy();
    let report = person.run(&["report", "--json"]).expect(0).json();
    let sessions = &report["projects"][0]["sessions"];
    assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{report}");
    assert_eq!(sessions[0]["session"], "11111111-aaaa");
    assert_eq!(sessions[0]["failures"][0]["target"], "npm test");
    let all = person.run(&ALL).expect(0).json();
    assert_eq!(all["totals"]["sessions"], 2);
    let old = person
        .run(&["report", "--until", "30d", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        old["totals"]["requests"], 1,
        "requests count by their own time"
    );
    let ran = person
        .run(&["report", "--since", "2020-01", "--until", "2021-01"])
        .expect(1);
    assert!(ran.err.contains("no session matches"), "{}", ran.err);
    person.run(&["report", "--project", "none"]).expect(1);
    person
        .run(&["report", "--format", "html", "--json"])
        .expect(2);
    person.run(&["report", "-o", "report.pdf"]).expect(2);
    person.run(&["report", "--content", "none"]).expect(2);
}

#[test]
fn every_form_is_safe_to_send() {
    let person = busy();
    let token = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let journal = person
        .home()
        .join(".gemini/tmp/shop/chats/session-2026-06-01T10-00-11111111.json");
    let text = fs::read_to_string(&journal).expect("it is there");
    fs::write(
        &journal,
        text.replace("Round", &format!("With {token} round")),
    )
    .expect("it can be written");
    for ending in ["html", "md", "txt"] {
        for command in [&["report"][..], &["diff", "11111111", "22222222"]] {
            let file = format!("out.{ending}");
            let words = [command, &["-o", &file, "--force"]].concat();
            let ran = person.run(&words).expect(0);
            assert!(ran.err.contains("1 secret redacted"), "{}", ran.err);
            let page = fs::read_to_string(person.home().join(&file)).expect("it is written");
            assert!(
                page.contains("[redacted:github-token:1]") || ending == "md",
                "{page}"
            );
            assert!(
                !page.contains("A1b2C3d4") && !page.contains('\u{1b}'),
                "{page}"
            );
            assert!(ending == "txt" || !page.contains("<b>price"), "{page}");
            assert!(ending != "md" || !page.contains(" | `x`"), "{page}");
            assert_eq!(page.contains("Content-Security-Policy"), ending == "html");
        }
    }
    person.run(&["report", "-o", "out.md"]).expect(2);
    let kept = person
        .run(&["report", "-o", "out.md", "--force", "--no-redact"])
        .expect(0);
    assert!(kept.err.contains("not redacted"), "{}", kept.err);
    let shown = person.run(&["report"]).expect(0);
    assert!(
        shown.out.contains("npm test") && shown.err.contains("1 secret"),
        "{shown:?}"
    );
}

#[test]
fn a_title_of_ones_own_names_a_session() {
    let person = busy();
    person.run(&["sync"]).expect(0);
    person
        .run(&["mark", "11111111", "--title", "Prices"])
        .expect(0);
    let told = person.run(&["report"]).expect(0).out;
    assert!(told.contains("\nPrices\n"), "{told}");
    let told = person.run(&["diff", "11111111", "22222222"]).expect(0).out;
    assert!(told.contains("Prices"), "{told}");
}

#[test]
fn two_sessions_side_by_side() {
    let home = repository().join("examples/home");
    let rows = ask(&home, &["list", "--json"]).lines();
    let name = |row: &Value| row["ref"].as_str().map(str::to_owned).expect("it has one");
    let with_files = |row: &&Value| row["counts"]["tool_calls"].as_u64() > Some(1);
    let mut busiest = rows.iter().filter(with_files).map(name);
    let (a, b) = (
        busiest.next().expect("one"),
        busiest.next().expect("another"),
    );
    let diff = ask(&home, &["diff", &a, &b, "--json"]).expect(0).json();
    assert_eq!(
        (&diff["schema"], &diff["a"]["ref"], &diff["b"]["ref"]),
        (&json!("gemtrail.diff/1"), &json!(a), &json!(b))
    );
    let prompts = diff["prompts"].as_array().expect("a list");
    for side in ["a", "b"] {
        let shown = prompts.iter().filter_map(|it| it[side].as_u64());
        let all = 0..diff[side]["prompts"].as_array().expect("a list").len() as u64;
        assert!(shown.eq(all), "each prompt once, in order: {diff}");
    }
    // With itself everything is the same.
    let same = ask(&home, &["diff", &a, &a, "--json"]).expect(0).json();
    let same = same["prompts"].as_array().expect("a list").iter();
    assert!(same.clone().count() > 0 && same.clone().all(|it| it["same"] == true));
    for columns in ["80", "160"] {
        let person = Person::new();
        let home = home.to_string_lossy();
        let words = ["--home", &home, "--no-archive", "diff", &a, &b];
        let told = person
            .run_in(&person.home(), &words, &[("COLUMNS", columns)])
            .expect(0)
            .out;
        let widest = told.lines().map(UnicodeWidthStr::width).max();
        assert!(
            widest <= columns.parse().ok()
                && told.lines().any(|line| line.matches('│').count() == 2),
            "{columns}: {told}"
        );
    }
    ask(&home, &["diff", &a, "no-such-session"]).expect(1);
    ask(&home, &["diff", &a]).expect(2);
}
