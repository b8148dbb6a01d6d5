//! Runs every check on a recorded tree.

use crate::fixtures::Fixture;
use crate::problem::{Problem, Problems};
use crate::runner::Gemtrail;
use crate::{disk, invariants, truth};

/// Lists and shows a recorded tree with the binary under test, and compares its output with what
/// happened, with what is on disk, and with itself.
pub fn judge(gemtrail: &Gemtrail, fixture: &Fixture) -> Vec<Problem> {
    let told = match gemtrail.tell(&fixture.home) {
        Ok(told) => told,
        Err(problem) => return vec![problem],
    };
    let quirks = fixture.quirks();
    let mut problems = Problems::default();
    problems.extend(told.misled);
    problems.extend(invariants::check_documents(&told.documents));
    problems.extend(invariants::check_rows(&told.rows, &told.documents));
    problems.extend(truth::compare(&told.documents, &fixture.expected, &quirks));
    problems.extend(disk::compare(&told.documents, &fixture.tmp));
    problems.into_vec()
}
