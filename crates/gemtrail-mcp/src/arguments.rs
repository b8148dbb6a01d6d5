//! The arguments of a call. Models write numbers as texts and invent names: the first is understood,
//! the second refused with the name that was meant.

use std::fmt;

use gemtrail_query::when::{self, Edge};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::definitions::Definition;
use crate::quote::{DEFAULT_BUDGET, LARGEST_BUDGET, shortened};

/// The arguments of one call.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    pub(crate) given: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// The arguments, if the tool has all of them.
    pub(crate) fn new(
        tool: &Definition,
        given: &'a Map<String, Value>,
    ) -> Result<Self, CallRefusal> {
        let names = || tool.parameters.iter().map(|it| it.name);
        if let Some(unknown) = given.keys().find(|name| names().all(|it| it != *name)) {
            let meant = did_you_mean(nearest(unknown, names()));
            let tool = tool.name;
            return Err(CallRefusal::new(format!(
                "{tool} has no argument {unknown:?}{meant}"
            )));
        }
        Ok(Self { given })
    }

    /// A text; an empty one counts as none.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, CallRefusal> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(CallRefusal::new(format!("{name} must be a text"))),
        }
    }

    /// A text that must be there.
    pub(crate) fn needed(&self, name: &str, example: &str) -> Result<&'a str, CallRefusal> {
        self.text(name)?
            .ok_or_else(|| CallRefusal::new(format!("{name} is missing, for example {example:?}")))
    }

    /// A whole number, also one in quotes.
    pub(crate) fn number(&self, name: &str) -> Result<Option<usize>, CallRefusal> {
        let number = match self.given.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_u64().or_else(|| whole(value.as_f64()?)),
        };
        let number = number.and_then(|number: u64| usize::try_from(number).ok());
        let refusal = || CallRefusal::new(format!("{name} must be a whole number, for example 10"));
        number.map(Some).ok_or_else(refusal)
    }

    /// Yes or no, also in quotes.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, CallRefusal> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if matches!(text.as_str(), "true" | "false") => {
                Ok(text == "true")
            }
            Some(_) => Err(CallRefusal::new(format!("{name} must be true or false"))),
        }
    }

    /// The size that the answer may have; at least something.
    pub(crate) fn budget(&self) -> Result<usize, CallRefusal> {
        let budget = self.number("budget")?.unwrap_or(DEFAULT_BUDGET);
        Ok(budget.clamp(1, LARGEST_BUDGET))
    }

    /// True if data is asked for instead of text.
    pub(crate) fn wants_data(&self) -> Result<bool, CallRefusal> {
        match self.text("format")? {
            None | Some("text") => Ok(false),
            Some("json") => Ok(true),
            Some(other) => {
                let meant = did_you_mean(nearest(other, ["text", "json"]).or(Some("json")));
                Err(CallRefusal::new(format!("unknown format {other:?}{meant}")))
            }
        }
    }

    /// A point in time.
    pub(crate) fn time(
        &self,
        name: &str,
        edge: Edge,
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<Option<Timestamp>, CallRefusal> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let refusal = || {
            let today = now.to_zoned(zone.clone()).date();
            CallRefusal::new(format!(
                "{name} {text:?} is not a date, time or age; for example {today}, 7d or yesterday"
            ))
        };
        when::parse(text, edge, now, zone)
            .map(Some)
            .ok_or_else(refusal)
    }
}

/// A number that models write with a decimal point.
fn whole(number: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a small whole number"
    )]
    (number >= 0.0 && number.fract() == 0.0 && number < 1e9).then_some(number as u64)
}

/// One sentence for the model, with the nearest valid value where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRefusal(String);

impl CallRefusal {
    /// For this reason.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Keeps to the size that the answer may have: what was given is quoted, however long it is.
    pub(crate) fn within(self, budget: usize) -> Self {
        Self(shortened(&self.0, budget))
    }
}

impl fmt::Display for CallRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CallRefusal {}

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(given: &Value) -> String {
        let tool = Definition::of("search").expect("there is one");
        let given = given.as_object().expect("an object");
        match Arguments::new(tool, given) {
            Err(refusal) => refusal.to_string(),
            Ok(it) => [
                it.number("limit").err(),
                it.wants_data().err(),
                it.flag("include_active").err(),
            ]
            .into_iter()
            .flatten()
            .map(|it| it.to_string())
            .collect(),
        }
    }

    #[test]
    fn a_refusal_names_what_was_meant() {
        assert_eq!(
            refusal(&json!({"limt": 3})),
            "search has no argument \"limt\"; did you mean \"limit\"?"
        );
        assert_eq!(
            refusal(&json!({"format": "jsn"})),
            "unknown format \"jsn\"; did you mean \"json\"?"
        );
        assert_eq!(
            refusal(&json!({"limit": "few"})),
            "limit must be a whole number, for example 10"
        );
        assert_eq!(
            refusal(&json!({"limit": "3", "include_active": "true"})),
            ""
        );
    }

    #[test]
    fn budgets_are_capped_and_never_refused_for_their_size() {
        let budget = |given: Value| {
            let given = given.as_object().expect("an object").clone();
            Arguments { given: &given }.budget()
        };
        assert_eq!(budget(json!({})), Ok(8_000));
        assert_eq!(budget(json!({"budget": 1_000_000})), Ok(40_000));
        assert_eq!(budget(json!({"budget": "500"})), Ok(500));
        assert_eq!(budget(json!({"budget": 0})), Ok(1));
    }
}
