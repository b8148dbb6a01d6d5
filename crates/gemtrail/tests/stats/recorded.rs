//! Homes that a real Gemini CLI left.

use gemtrail_testkit::document::Counters;
use gemtrail_testkit::fixtures;
use gemtrail_testkit::runner::Gemtrail;

use crate::common::Counter;

/// What each session used is judged elsewhere, by what the stand-in for the model served.
#[test]
fn billed_tokens_are_those_of_all_sessions() {
    let gemtrail = Gemtrail::new(env!("CARGO_BIN_EXE_gemtrail"));
    let counter = Counter::new();
    let mut homes = 0;
    for fixture in fixtures() {
        let rows = gemtrail.list(&fixture.home);
        let rows = rows.unwrap_or_else(|problem| panic!("{problem}"));
        let sum: Counters = rows.iter().map(|row| Counters::of(&row["tokens"])).sum();
        let calls = rows
            .iter()
            .filter_map(|row| row["counts"]["tool_calls"].as_u64());
        let failed = rows
            .iter()
            .filter_map(|row| row["counts"]["tool_failures"].as_u64());
        let stats = counter.stats_of(&fixture.home, &[]);
        let name = fixture.name();
        assert_eq!(Counters::of(&stats["tokens"]["billed"]), sum, "{name}");
        let tools = stats["tools"].as_array().expect("tools").iter();
        let of = |name: &str| {
            tools
                .clone()
                .filter_map(|it| it[name].as_u64())
                .sum::<u64>()
        };
        assert_eq!(of("calls"), calls.sum::<u64>(), "{name}");
        assert_eq!(of("failures"), failed.sum::<u64>(), "{name}");
        homes += 1;
    }
    assert!(homes > 20, "{homes} homes");
}
