//! Every recorded tree, read by the built binary, against what really happened in it.

use gemtrail_testkit::runner::Gemtrail;
use gemtrail_testkit::{fixtures, judge};

#[test]
fn recorded_trees_read_as_they_happened() {
    let gemtrail = Gemtrail::new(env!("CARGO_BIN_EXE_gemtrail"));
    let mut report: Vec<String> = Vec::new();
    let (mut trees, mut wrong) = (0, 0);
    for fixture in fixtures() {
        trees += 1;
        let problems = judge(&gemtrail, &fixture);
        if !problems.is_empty() {
            wrong += 1;
            report.push(format!("\n{}", fixture.name()));
            report.extend(problems.iter().map(|problem| format!("  {problem}")));
        }
    }
    let report = report.join("\n");
    assert!(wrong == 0, "{wrong} of {trees} trees:\n{report}");
}
