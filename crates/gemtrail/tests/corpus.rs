//! A generated home, read by the built binary, against what the generator put into it.

use gemtrail_testkit::corpus::{Corpus, Size};
use gemtrail_testkit::invariants;
use gemtrail_testkit::runner::Gemtrail;

/// Enough for every kind of file that the generator makes (a twin comes with session 50).
const SMALL: Size = Size {
    sessions: 60,
    bytes: 3_000_000,
    projects: 8,
};

#[test]
fn a_generated_home_reads_as_it_was_made() {
    let Some(corpus) = Corpus::generate(SMALL).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let gemtrail = Gemtrail::new(env!("CARGO_BIN_EXE_gemtrail"));
    let told = gemtrail.tell(&corpus.home);
    let told = told.unwrap_or_else(|problem| panic!("{problem}"));
    let mut problems = corpus.compare_rows(&told.rows);
    problems.extend(corpus.compare_documents(&told.documents));
    problems.extend(invariants::check_documents(&told.documents));
    problems.extend(invariants::check_rows(&told.rows, &told.documents));
    let report: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(report.is_empty(), "{}", report.join("\n"));
}
