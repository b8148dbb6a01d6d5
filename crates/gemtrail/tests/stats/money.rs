//! What requests cost at list price.

use serde_json::{Value, json};

use crate::common::{Counter, Request};

fn cost(request: Request<'_>, arguments: &[&str]) -> Value {
    let counter = Counter::new();
    counter.session("11111111", &[request]);
    let all = [&["stats", "--json"], arguments].concat();
    counter.run(&all).expect(0).json()["cost"].clone()
}

fn request(model: &str, input: u64, cached: u64) -> Request<'_> {
    Request {
        model,
        input,
        cached,
        output: 0,
        ..Request::at("2026-05-01T12:00:00.000Z")
    }
}

/// By hand, from the table.
#[test]
fn requests_cost_what_the_table_says() {
    let pro = "gemini-3.1-pro-preview";
    for (request, usd) in [
        (request(pro, 250_000, 230_000), 0.172),
        (request(pro, 200_000, 0), 0.4),
        (request(pro, 200_001, 0), 0.800_004),
        (
            Request {
                time: "2025-10-23T23:59:59.999Z",
                ..request("gemini-2.5-pro", 100_000, 100_000)
            },
            0.031,
        ),
        (
            Request {
                time: "2025-10-24T00:00:00.000Z",
                ..request("gemini-2.5-pro", 100_000, 100_000)
            },
            0.0125,
        ),
        (
            Request {
                time: "2026-07-01T00:00:00.000Z",
                ..request("gemini-3-flash", 1_000_000, 0)
            },
            1.5,
        ),
    ] {
        let cost = cost(request, &[]);
        assert_eq!(cost["usd"], json!(usd), "{request:?}");
        assert_eq!(cost["complete"], true, "{request:?}");
    }
}

#[test]
fn what_has_no_price_is_left_out_and_named() {
    for model in ["mystery-exp", "gemini-pro-latest"] {
        let cost = cost(request(model, 100, 0), &[]);
        assert_eq!(cost["usd"], Value::Null, "{model}");
        assert_eq!(cost["complete"], false);
        assert_eq!(
            cost["unpriced"],
            json!([{"model": model, "requests": 1, "tokens": 100}])
        );
    }
    let counter = Counter::new();
    let known = Request {
        output: 0,
        ..request("gemini-3-flash-preview", 1_000_000, 0)
    };
    counter.session("11111111", &[request("mystery-exp", 100, 0), known]);
    let stats = counter.stats(&["--by", "model"]);
    assert_eq!(stats["cost"]["usd"], json!(0.5));
    assert_eq!(stats["cost"]["complete"], false);
    assert_eq!(stats["by"][0]["cost"], json!(0.5));
    assert_eq!(stats["by"][1]["cost"], Value::Null);
    assert_eq!(stats["by"][1]["complete"], false);
}

#[test]
fn where_sources_disagree_both_totals_are_given() {
    let counter = Counter::new();
    let flash = |time| Request {
        time,
        ..request("gemini-3.6-flash", 1_000_000, 0)
    };
    let other = request("gemini-3-flash-preview", 1_000_000, 0);
    counter.session("11111111", &[flash("2026-08-01T12:00:00.000Z"), other]);
    let stats = counter.stats(&[]);
    assert_eq!(stats["cost"]["usd"], json!(2.0));
    assert_eq!(stats["cost"]["other_reading"], json!(1.25));
    let page = counter.run(&["stats"]).expect(0).out;
    let page: Vec<&str> = page.split_whitespace().collect();
    let note = "disagree about $1.50 of this; at the other prices the total would be $1.25.";
    assert!(page.join(" ").contains(note), "{page:?}");
    // Later, and if it does not matter, there is nothing to say.
    let counter = Counter::new();
    counter.session("11111111", &[flash("2026-09-01T12:00:00.000Z"), other]);
    counter.session(
        "22222222",
        &[Request {
            input: 100,
            ..flash("2026-08-01T12:00:00.000Z")
        }],
    );
    assert_eq!(counter.stats(&[])["cost"]["other_reading"], Value::Null);
}

#[test]
fn own_prices_replace_those_of_the_same_model() {
    let counter = Counter::new();
    counter.session(
        "11111111",
        &[
            request("mystery-exp", 1_000_000, 0),
            request("gemini-3-flash-preview", 1_000_000, 0),
        ],
    );
    let table = "[[price]]\nmodel = \"mystery-exp\"\nvalid_from = 2026-01-01\ninput = 0\noutput = 0\n\
        [[price]]\nmodel = \"gemini-3-flash-preview\"\nvalid_from = 2026-01-01\ninput = 2\noutput = 2\n";
    let file = counter.write("own.toml", table);
    let stats = counter.stats(&["--prices", file.to_str().expect("text"), "--by", "model"]);
    assert_eq!(stats["by"][0]["cost"], json!(2.0));
    // A price of 0 is a price.
    assert_eq!(stats["by"][1]["cost"], json!(0.0));
    assert_eq!(stats["cost"]["complete"], true);
    let broken = counter.write("broken.toml", "[[price]]\nmodel = 1");
    let ran = counter
        .run(&["stats", "--prices", broken.to_str().expect("text")])
        .expect(2);
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    counter
        .run(&["stats", "--prices", "/no/such/file"])
        .expect(2);
}

#[test]
fn money_has_six_decimals() {
    let counter = Counter::new();
    counter.session("11111111", &[Request::at("2026-05-01T12:00:00.000Z")]);
    let json = counter.run(&["stats", "--json"]).expect(0).out;
    // 7 tokens at 0.50 and 3 at 3.00 dollars a million.
    assert!(json.contains(r#""usd":0.000013,"#), "{json}");
    let csv = counter
        .run(&["stats", "--csv", "--by", "day"])
        .expect(0)
        .out;
    let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
    assert_eq!(
        lines,
        [
            "day,sessions,requests,input,output,cached,thoughts,tool,total,cost,complete,calls,errors,cancelled,failures,ref",
            "2026-05-01,1,1,7,3,0,0,0,10,0.000013,true,,,,,",
        ]
    );
}

/// Rows, documents for people and statistics tell the same amount.
#[test]
fn every_command_tells_the_same_cost() {
    let counter = Counter::new();
    let one = request("gemini-3.1-pro-preview", 250_000, 230_000);
    counter.session("11111111", &[one, one]);
    counter.session("22222222", &[request("mystery-exp", 100, 0)]);
    for place in [&["--no-archive"][..], &["--archive", "archive.db"]] {
        let run = |arguments: &[&str]| counter.run(&[place, arguments].concat()).expect(0).out;
        if place.len() > 1 {
            run(&["sync"]);
        }
        let list = run(&["list", "--json"]);
        let of = |id: &str| {
            list.lines()
                .find(|line| line.contains(id))
                .map(str::to_owned)
        };
        let known = of("11111111").expect("a row");
        assert!(
            known.contains(r#""cost":0.344000,"cost_with_subagents":0.344000,"#),
            "{known}"
        );
        let unknown = of("22222222").expect("a row");
        assert!(
            unknown.contains(r#""cost":null,"cost_with_subagents":null,"#),
            "{unknown}"
        );
        assert!(run(&["show", "11111111"]).contains("about $0.34 at list price"));
        assert!(!run(&["show", "22222222"]).contains("list price"));
        let usage = run(&["export", "11111111", "--format", "usage"]);
        assert_eq!(
            usage
                .matches(r#""cost":0.172000,"prices_as_of":"2026-09-06""#)
                .count(),
            2
        );
        assert!(run(&["stats", "--json"]).contains(r#""usd":0.344000,"#));
    }
}
