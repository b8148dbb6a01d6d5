//! The totals of a session and how they are connected.

use gemtrail_core::model::Session;
use gemtrail_core::prices::Prices;
use gemtrail_core::stats::{Explanation, SessionFacts, Stats, StatsOptions, Subject};
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use proptest::prelude::*;

fn answer(id: &str, input: u64) -> String {
    format!(
        r#"{{"id":"{id}","type":"gemini","timestamp":"2026-06-01T10:00:00.000Z","model":"gemini-3-flash-preview","content":"","tokens":{{"input":{input},"output":0,"cached":0,"thoughts":0,"tool":0,"total":{input}}}}}"#
    )
}

fn session(files: &[String]) -> Session {
    let header = r#"{"sessionId":"s1","projectHash":"h","startTime":"2026-06-01T10:00:00.000Z"}"#;
    let file = |(at, lines): (usize, &String)| {
        let text = format!("{header}\n{lines}\n");
        SourceJournal {
            path: format!("session-{at}.jsonl"),
            bytes: 0,
            sha256: None,
            earlier: false,
            log: read(text.as_bytes(), Detail::Counts),
        }
    };
    let sources = Sources {
        journals: files.iter().enumerate().map(file).collect(),
        ..Sources::default()
    };
    sources.assemble()
}

fn explanation(files: &[String]) -> Explanation {
    let options = StatsOptions {
        zone: TimeZone::UTC,
        week_start: Weekday::Monday,
        since: None,
        until: None,
        model: None,
        prices: Prices::built_in(),
        breakdowns: Vec::new(),
    };
    let mut stats = Stats::new(&options);
    stats.add(&Subject::default(), &SessionFacts::of(&session(files)));
    *stats.explanation()
}

#[test]
fn every_line_is_accounted_for() {
    let first = [answer("a1", 5), answer("a1", 7), answer("a2", 10)].join("\n");
    let second = [answer("a1", 7), answer("a2", 10)].join("\n");
    let set = format!(
        r#"{{"$set":{{"messages":[{},{}]}}}}"#,
        answer("a1", 7),
        answer("a3", 1)
    );
    let it = explanation(&[first, format!("{second}\n{set}")]);
    let shares = [
        it.as_written,
        it.repeated,
        it.by_file,
        it.doubled,
        it.unlined,
        it.billed,
    ];
    let told = shares.map(|share| (share.count, share.tokens.total));
    assert_eq!(told, [(5, 39), (1, 5), (4, 34), (2, 17), (1, 1), (3, 18)]);
    assert_eq!((it.live.count, it.superseded.count), (2, 1));
    assert_eq!(it.billed.cost.to_string(), "0.000009");
}

proptest! {
    /// Whatever stands on the lines: the shares add up.
    #[test]
    fn shares_add_up(files in proptest::collection::vec(
        proptest::collection::vec((0_u8..4, 0_u64..100, any::<bool>()), 0..8), 1..4))
    {
        let line = |(id, input, is_set): &(u8, u64, bool)| {
            let answer = answer(&format!("a{id}"), *input);
            if *is_set {
                format!(r#"{{"$set":{{"messages":[{answer}]}}}}"#)
            } else {
                answer
            }
        };
        let file = |lines: &Vec<_>| lines.iter().map(line).collect::<Vec<_>>().join("\n");
        let files: Vec<String> = files.iter().map(file).collect();
        let it = explanation(&files);
        let input = |share: gemtrail_core::stats::Share| share.tokens.input;
        let by_file = input(it.as_written) - input(it.strays) - input(it.repeated);
        prop_assert_eq!(by_file, input(it.by_file));
        let billed = by_file + input(it.unlined) - input(it.doubled);
        prop_assert_eq!(billed, input(it.billed));
        prop_assert_eq!(billed - input(it.superseded), input(it.live));
    }
}
