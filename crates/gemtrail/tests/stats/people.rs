//! What people see, at 80 and 160 columns, with no session, one and many.

use gemtrail_testkit::made::{chat, lines, message};
use serde_json::json;

use crate::common::{Counter, Ran, Request, rows};

fn width(line: &str) -> usize {
    gemtrail_export::text::width(line)
}

impl Counter {
    fn shown(&self, columns: usize, arguments: &[&str]) -> Ran {
        let columns = columns.to_string();
        let all = [&["stats"], arguments].concat();
        let ran = self
            .run_with(&[("TZ", "UTC"), ("COLUMNS", &columns)], &all)
            .expect(0);
        let most: usize = columns.parse().expect("a number");
        for line in ran.out.lines() {
            assert!(width(line) <= most, "{line}");
            assert_eq!(line, line.trim_end());
        }
        ran
    }
}

/// Sessions of two models over five months, some tools, one without a price.
fn many() -> Counter {
    some(40)
}

/// So many of them.
fn some(count: u32) -> Counter {
    let counter = Counter::new();
    for number in 0..count {
        let (month, day) = (number % 5 + 6, number % 27 + 1);
        let time = format!("2026-{month:02}-{day:02}T{:02}:15:00.000Z", number % 24);
        let model = match number % 7 {
            0 => "mystery-exp-1106",
            1 | 2 => "gemini-3-flash-preview",
            _ => "gemini-3-pro-preview",
        };
        let request = Request {
            time: &time,
            model,
            input: u64::from(number % 40) * 9_000 + 500,
            cached: u64::from(number % 40) * 4_000,
            output: 700,
        };
        counter.session(&format!("{number:08x}"), &[request, request, request]);
    }
    let call = |id: &str, name: &str, status: &str| json!({"id": id, "name": name, "status": status, "args": {}});
    let mut answer = message("a1", "");
    answer["toolCalls"] = json!([
        call("c1", "run_shell_command", "success"),
        call("c2", "run_shell_command", "error"),
        call("c3", "read_file", "success"),
        call("c4", "replace", "cancelled")
    ]);
    let text = lines(
        "ffffffff",
        &[(
            "u1",
            "支払いテストを並列化する、そして結果を全部見せてください",
        )],
    );
    counter.write(&chat("ffffffff.jsonl"), &format!("{text}{answer}\n"));
    counter
}

#[test]
fn an_overview_of_nothing() {
    let counter = Counter::new();
    std::fs::create_dir(counter.path(".gemini")).expect("it can be made");
    insta::assert_snapshot!("nothing_80", counter.shown(80, &[]).out);
}

#[test]
fn an_overview_of_one_session() {
    let counter = Counter::new();
    counter.session("11111111", &[Request::at("2026-05-01T12:00:00.000Z")]);
    insta::assert_snapshot!("one_80", counter.shown(80, &[]).out);
    insta::assert_snapshot!("one_160", counter.shown(160, &[]).out);
}

#[test]
fn an_overview_of_many_sessions() {
    let counter = many();
    insta::assert_snapshot!("many_80", counter.shown(80, &[]).out);
    insta::assert_snapshot!("many_160", counter.shown(160, &[]).out);
    insta::assert_snapshot!(
        "many_by_month_and_model_80",
        counter.shown(80, &["--by", "month,model"]).out
    );
    insta::assert_snapshot!(
        "many_by_month_and_model_160",
        counter.shown(160, &["--by", "month,model"]).out
    );
    insta::assert_snapshot!("many_by_tool_80", counter.shown(80, &["--by", "tool"]).out);
    insta::assert_snapshot!("many_explained_80", counter.shown(80, &["--explain"]).out);
    counter.shown(80, &["--by", "session"]);
    counter.shown(50, &["--by", "project,session"]);
    counter.shown(40, &[]);
}

#[test]
fn an_overview_of_two_thousand_sessions() {
    let counter = some(2_000);
    insta::assert_snapshot!("thousands_80", counter.shown(80, &[]).out);
    insta::assert_snapshot!("thousands_160", counter.shown(160, &[]).out);
    let variables = [("TZ", "UTC"), ("COLUMNS", "80")];
    let coloured = counter.run_with(&variables, &["stats", "--color", "always"]);
    let coloured = coloured.expect(0).out;
    insta::assert_snapshot!("thousands_colour_80", coloured.replace('\u{1b}', "␛"));
}

#[test]
fn colour_changes_no_word() {
    let counter = many();
    let plain = counter.run(&["stats", "--color", "never"]).expect(0).out;
    let coloured = counter.run(&["stats", "--color", "always"]).expect(0).out;
    assert!(!plain.contains('\u{1b}'));
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = after.split_once('m').expect("the end of a sequence").1;
    }
    assert_eq!(bare + rest, plain);
}

#[test]
fn a_line_for_a_prompt() {
    let counter = many();
    let line = counter
        .run(&["stats", "--line", "--budget", "50"])
        .expect(0)
        .out;
    assert!(line.starts_with("today $0.00 (0) · "), "{line}");
    assert!(line.ends_with(" % of budget\n"), "{line}");
    assert_eq!(line.lines().count(), 1);
    for wrong in ["--csv", "--json", "--explain"] {
        counter.run(&["stats", "--line", wrong]).expect(2);
    }
}

#[test]
fn a_budget_of_a_period() {
    let counter = many();
    let period = ["--since", "2026-06-01", "--until", "2026-10-31", "--budget"];
    let stats = counter.stats(&[&period[..], &["20"]].concat());
    assert_eq!(stats["budget"]["spent"], stats["cost"]["usd"]);
    // It is over, so nothing more comes.
    assert_eq!(stats["budget"]["forecast"], stats["cost"]["usd"]);
    let page = counter.shown(80, &[&period[..], &["20"]].concat()).out;
    assert!(page.starts_with("Budget $20.00: $"), "{page}");
    for wrong in ["0", "-1", "nan"] {
        counter
            .run(&["stats", &format!("--budget={wrong}")])
            .expect(2);
    }
}

#[test]
fn the_price_table_can_be_read() {
    let counter = Counter::new();
    let table = counter.run(&["stats", "--prices-table"]).expect(0).out;
    assert!(table.contains("gemini-2.5-pro"), "{table}");
    let json = counter
        .run(&["stats", "--prices-table", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["schema"], "gemtrail.prices/1");
    let pro = json["prices"].as_array().expect("rows").iter();
    let mut pro = pro.filter(|row| row["model"] == "gemini-3.1-pro-preview");
    assert_eq!(pro.next().expect("a row")["over"]["tier_over"], 200_000);
}

#[test]
fn the_figures_of_other_tools_can_be_found() {
    let counter = Counter::new();
    let twice = lines("11111111", &[("u1", "hello"), ("a1", "yes"), ("a1", "yes")]);
    counter.write(&chat("11111111.jsonl"), &twice);
    let whole = gemtrail_testkit::made::whole("11111111", &[("u1", "hello"), ("a1", "yes")]);
    counter.write(&chat("11111111.json"), &whole);
    let stats = counter.stats(&["--explain"]);
    let total = |name: &str| stats["explanation"][name]["tokens"]["total"].clone();
    let names = [
        "as_written",
        "repeated",
        "by_file",
        "doubled",
        "billed",
        "live",
    ];
    assert_eq!(
        names.map(total),
        [30, 10, 20, 10, 10, 10].map(|it| json!(it))
    );
}

/// Projects are called what `list` calls them.
#[test]
fn projects_of_one_name_are_told_apart_as_in_lists() {
    let counter = Counter::new();
    for (dir, root) in [("shop", "/src/shop"), ("shop-1", "/demo/shop")] {
        let id = format!("{dir:0>8}");
        let text = lines(&id, &[("u1", "hello"), ("g1", "hi")]);
        let mut answer = message("a1", "yes");
        answer["tokens"] = json!({"input": 7, "output": 3, "total": 10});
        counter.write(
            &format!(".gemini/tmp/{dir}/chats/session-2026-06-01T10-00-{id}.jsonl"),
            &format!("{text}{answer}\n"),
        );
        counter.write(&format!(".gemini/tmp/{dir}/.project_root"), root);
    }
    let list = counter.run(&["list"]).expect(0).out;
    let table = counter.shown(80, &["--by", "project"]).out;
    for name in ["src/shop", "demo/shop"] {
        assert!(list.contains(name), "{list}");
        assert!(table.contains(name), "{table}");
    }
    let rows = rows(&counter.stats(&["--by", "project"]), "/sessions");
    let keys: Vec<&str> = rows.iter().map(|(key, _)| key.as_str()).collect();
    assert!(
        keys.contains(&"shop") && keys.contains(&"shop-1"),
        "{keys:?}"
    );
}
