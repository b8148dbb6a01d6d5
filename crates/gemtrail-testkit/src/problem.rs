//! What a check found: where, and what is wrong.

use std::fmt;

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The session, message or file it concerns.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Collects problems; checks continue after the first one so that a run reports everything.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub fn report(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.0.push(Problem {
            place: place.into(),
            what: what.into(),
        });
    }

    /// Adds a problem if the two values differ.
    pub fn expect_same<T: PartialEq + fmt::Debug + ?Sized>(
        &mut self,
        place: &str,
        name: &str,
        expected: &T,
        found: &T,
    ) {
        if expected != found {
            self.report(
                place,
                format!("{name} should be {}, is {}", shown(expected), shown(found)),
            );
        }
    }

    /// Adds what another check found.
    pub fn extend(&mut self, others: Vec<Problem>) {
        self.0.extend(others);
    }

    /// All of them, in the order found.
    pub fn into_vec(self) -> Vec<Problem> {
        self.0
    }
}

/// A value for a message: long ones are cut so that a list of problems stays readable.
fn shown<T: fmt::Debug + ?Sized>(value: &T) -> String {
    shorten(&format!("{value:?}"))
}

/// The first characters of a text, with a mark where it was cut.
pub fn shorten(text: &str) -> String {
    const LIMIT: usize = 160;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
