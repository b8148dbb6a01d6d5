//! The values of query fields and of the flags with the same names.

use gemtrail_core::model::{Kind, Role, SessionSource, State};
use jiff::Span;

use crate::error::QueryError;
use crate::field::Field;
use crate::filter::{Condition, Filter};
use crate::project_pattern::ProjectPattern;
use crate::query::Surroundings;
use crate::when::{self, Edge};

/// The fields of the query language.
pub const FIELDS: [&str; 15] = [
    "project", "session", "source", "role", "tool", "model", "file", "status", "exit", "state",
    "field", "before", "after", "since", "until",
];

const ROLES: [(&str, Role); 15] = [
    ("human", Role::Human),
    ("assistant", Role::Assistant),
    ("agent", Role::Agent),
    ("tool", Role::Tool),
    ("context", Role::Context),
    ("hook", Role::Hook),
    ("shell", Role::Shell),
    ("summary", Role::Summary),
    ("info", Role::Info),
    ("warning", Role::Warning),
    ("error", Role::Error),
    ("unknown", Role::Unknown),
    // Gemini CLI's own names.
    ("user", Role::Human),
    ("gemini", Role::Assistant),
    ("model", Role::Assistant),
];

/// Whether commas separate several values.
pub(super) fn takes_several(field: &str) -> bool {
    matches!(field, "role" | "status" | "exit" | "field")
}

/// The filter for one field, as given by a flag.
pub fn filter<'a>(
    field: &str,
    value: &str,
    surroundings: impl Into<Surroundings<'a>>,
) -> Result<Filter, QueryError> {
    let any = conditions(field, value, takes_several(field), &surroundings.into())?;
    Ok(Filter { any, not: false })
}

/// The conditions that a value means; errors point at the whole value.
pub(super) fn conditions(
    field: &str,
    value: &str,
    several: bool,
    surroundings: &Surroundings<'_>,
) -> Result<Vec<Condition>, QueryError> {
    if several {
        let values = value.split(',').map(str::trim);
        return values
            .filter(|value| !value.is_empty())
            .map(|value| condition(field, value, surroundings))
            .collect();
    }
    condition(field, value, surroundings).map(|condition| vec![condition])
}

fn condition(
    field: &str,
    value: &str,
    surroundings: &Surroundings<'_>,
) -> Result<Condition, QueryError> {
    let lower = || value.to_lowercase();
    Ok(match field {
        "project" => Condition::Project(ProjectPattern::new(value, &(surroundings.roots)(value))),
        "session" => {
            (surroundings.session)(value).map_err(|why| QueryError::new(why, 0..value.len()))?
        }
        "kind" => one_of(
            field,
            value,
            &[
                ("main", Condition::Kind(Kind::Main)),
                ("subagent", Condition::Kind(Kind::Subagent)),
                ("log", Condition::Kind(Kind::Log)),
                ("sealed", Condition::Kind(Kind::Sealed)),
                ("all", Condition::Anything),
            ],
        )?,
        "source" => {
            let sources = [SessionSource::GeminiCli, SessionSource::Antigravity];
            one_of(
                field,
                value,
                &sources.map(|source| (source.as_str(), Condition::Source(source))),
            )?
        }
        "host" => Condition::Host(value.to_owned()),
        "user" => Condition::User(value.to_owned()),
        "role" => Condition::Role(one_of(field, value, &ROLES)?),
        "tool" => Condition::Tool(lower()),
        "model" => Condition::Model(lower()),
        "file" => Condition::File(lower().replace('\\', "/")),
        "status" => {
            let status = |word: &str| Condition::Status(word.to_owned());
            one_of(
                field,
                value,
                &[
                    ("success", status("success")),
                    ("error", status("error")),
                    ("cancelled", status("cancelled")),
                    ("failed", Condition::Failed),
                ],
            )?
        }
        "exit" => Condition::Exit(value.parse().map_err(|_| {
            QueryError::new(format!("{value:?} is not an exit code"), 0..value.len())
                .hint("for example 0, 1 or 127")
        })?),
        "state" => one_of(
            field,
            value,
            &[
                ("current", Condition::State(State::Current)),
                ("superseded", Condition::State(State::Superseded)),
                ("all", Condition::Anything),
            ],
        )?,
        "field" => Condition::Field(one_of(
            field,
            value,
            &Field::ALL.map(|field| (field.as_str(), field)),
        )?),
        "before" => Condition::Before(point(value, Edge::Start, surroundings)?),
        "after" | "since" => Condition::Since(point(value, Edge::Start, surroundings)?),
        "until" => {
            let last = point(value, Edge::End, surroundings)?;
            let next = last.checked_add(Span::new().nanoseconds(1));
            Condition::Before(next.unwrap_or(last))
        }
        _ => {
            let error = QueryError::new(format!("there is no field {field}:"), 0..value.len());
            return Err(error);
        }
    })
}

fn point(
    value: &str,
    edge: Edge,
    surroundings: &Surroundings<'_>,
) -> Result<jiff::Timestamp, QueryError> {
    when::parse(value, edge, surroundings.now, surroundings.zone).ok_or_else(|| {
        QueryError::new(format!("{value:?} is not a date, time or age"), 0..value.len())
            .hint("for example 2026-06-01, 2026-06-01T10:00, yesterday, monday, \"last week\", nov, 7d or \"2 weeks\"")
    })
}

/// The known value with this name.
fn one_of<T: Clone>(field: &str, value: &str, known: &[(&str, T)]) -> Result<T, QueryError> {
    if let Some((_, found)) = known
        .iter()
        .find(|(name, _)| value.eq_ignore_ascii_case(name))
    {
        return Ok(found.clone());
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let hint = match nearest(value, &names) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("{field} is one of {}", names.join(", ")),
    };
    let message = format!("there is no {field} {value:?}");
    Err(QueryError::new(message, 0..value.len()).hint(hint))
}

/// The known name closest to a mistyped one.
pub(super) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let allowed = match name.len() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    known
        .iter()
        .map(|known| (strsim::osa_distance(&name, known), *known))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, known)| known)
}
