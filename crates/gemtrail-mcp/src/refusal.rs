//! Refusals of calls.

use std::fmt;

/// One sentence for the model, with the nearest valid value where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// For this reason.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// The candidate that looks most like a name, unless none does.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    let scored = candidates.into_iter().map(|candidate| {
        let likeness = strsim::jaro_winkler(&name, &candidate.to_lowercase());
        (likeness, candidate)
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.7).then_some(best.1)
}

/// A question after a refusal, if there is something to ask.
pub(crate) fn did_you_mean(candidate: Option<&str>) -> String {
    candidate.map_or_else(String::new, |it| format!("; did you mean {it:?}?"))
}
