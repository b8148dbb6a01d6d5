//! The document `gemtrail.stats/1`.

use jiff::Timestamp;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::breakdown::CivilMoment;
use super::{Breakdown, Budget, Explanation, Key, Occurrences, Part, Row, Stats};
use crate::model::{SessionRef, Tokens};
use crate::prices::Money;
use crate::tools;

/// The most files that the document names.
const MOST_FILES: usize = 20;

/// The schema name of the document.
pub const STATS_SCHEMA: &str = "gemtrail.stats/1";

/// Statistics of many sessions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatsDocument {
    /// Always `gemtrail.stats/1`.
    pub schema: &'static str,
    /// The zone of days and hours.
    pub zone: String,
    /// Only requests at this time or later.
    pub since: Option<String>,
    /// Only requests at this time or earlier.
    pub until: Option<String>,
    /// The number of sessions; agents belong to the session they worked for.
    pub sessions: usize,
    /// The number of requests, each once.
    pub requests: u64,
    /// The tokens, counted in three ways.
    pub tokens: TokenTotals,
    /// The cost of the requests at list price.
    pub cost: CostDocument,
    /// The day on which the prices were collected.
    pub prices_as_of: String,
    /// The longest prompt of a request.
    pub largest_prompt: u64,
    /// In how many sessions several models answered.
    pub mixed_sessions: usize,
    /// Changes from one model to another within these sessions, the most frequent first.
    pub switches: Vec<SwitchDocument>,
    /// Billed requests by what was asked for; the rows add up to the totals.
    pub by: Vec<RowDocument>,
    /// The calls by tool, each once.
    pub tools: Vec<ToolDocument>,
    /// The files that were changed most often; at most twenty.
    pub files: Vec<FileDocument>,
    /// The connection between the totals, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// The state of the budget, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// The tokens, counted in three ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenTotals {
    /// Of requests whose answers are still part of their sessions.
    pub live: Tokens,
    /// Of every request once, superseded ones and those of subagents included.
    pub billed: Tokens,
    /// Of every line that is a message with tokens, in every session file, repeats included.
    pub as_written: Tokens,
}

/// The cost of the requests at list price.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostDocument {
    /// US dollars; null if no request has a price.
    pub usd: Option<Money>,
    /// True if every request has a price.
    pub complete: bool,
    /// The requests without a price.
    pub unpriced: Vec<Unpriced>,
    /// The amount that the cache saved.
    pub saved_by_cache: Money,
    /// The number of requests that were dearer because of a long prompt.
    pub long_requests: u64,
    /// The amount that this added.
    pub long_surcharge: Money,
    /// The number of requests priced under another name, or by a price of a later day.
    pub estimated_requests: u64,
    /// The cost at the other prices, if sources disagree about more than one percent of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_reading: Option<Money>,
}

/// Requests without a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unpriced {
    /// The model.
    pub model: Option<String>,
    /// The number of requests.
    pub requests: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// One row of a breakdown.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowDocument {
    /// The values of the keys, in their order; null where there is none.
    #[serde(serialize_with = "as_map")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, Option<String>>")
    )]
    pub key: Vec<(Key, Option<String>)>,
    /// The session, if the rows are sessions.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<SessionRef>,
    /// The title of that session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The name of the project for people, if the rows are projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_name: Option<String>,
    /// The number of sessions that have such requests.
    pub sessions: usize,
    /// The number of requests.
    pub requests: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost at list price; null if none of them has a price.
    pub cost: Option<Money>,
    /// True if every one of them has a price.
    pub complete: bool,
    /// True if the period is not over yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub so_far: bool,
    /// The number of calls of the tool, if the rows are tools; of changes, if they are files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// The number of those with the status `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// The number of those that were cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<u64>,
    /// The number of those that failed for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<u64>,
}

/// The calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolDocument {
    /// The name as recorded.
    pub name: String,
    /// One name for all versions.
    pub canonical: String,
    /// The number of calls.
    pub calls: u64,
    /// Those with the status `error`.
    pub errors: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those that failed for the person: also those whose command ended with another code than 0.
    pub failures: u64,
}

/// One model that took over from another within a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SwitchDocument {
    /// The model that answered before.
    pub from: String,
    /// The model that answered then.
    pub to: String,
    /// The number of times.
    pub times: u64,
    /// In how many sessions.
    pub sessions: usize,
}

/// A file that tools changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileDocument {
    /// The project.
    pub project: Option<String>,
    /// The name of the project for people.
    pub project_name: Option<String>,
    /// The file, relative to the project's root if it is known to be in there.
    pub path: String,
    /// The number of times it was written or edited; failed calls are not counted.
    pub edits: u64,
    /// In how many sessions.
    pub sessions: usize,
}

fn as_map<S: Serializer>(key: &[(Key, Option<String>)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(key.len()))?;
    for (key, value) in key {
        map.serialize_entry(key.as_str(), value)?;
    }
    map.end()
}

impl Stats<'_> {
    /// The document, with the rows by these keys. Periods that `now` is in are marked as not over.
    pub fn document(&self, keys: &[Key], now: Timestamp) -> StatsDocument {
        let options = self.options;
        let (total, explanation) = (&self.total, &self.explanation);
        let by = self.by(keys).filter(|_| !keys.is_empty());
        StatsDocument {
            schema: STATS_SCHEMA,
            zone: options.zone.iana_name().map_or_else(
                || now.to_zoned(options.zone.clone()).offset().to_string(),
                str::to_owned,
            ),
            since: options.since.map(|time| time.to_string()),
            until: options.until.map(|time| time.to_string()),
            sessions: self.sessions.len(),
            requests: total.requests,
            tokens: TokenTotals {
                live: explanation.live.tokens,
                billed: explanation.billed.tokens,
                as_written: explanation.as_written.tokens,
            },
            cost: CostDocument {
                usd: total.cost(),
                complete: total.is_complete(),
                unpriced: self.unpriced_documents(),
                saved_by_cache: total.saved(),
                long_requests: total.long,
                long_surcharge: total.long_surcharge,
                estimated_requests: total.estimated,
                other_reading: total.other_cost(),
            },
            prices_as_of: options.prices.as_of().to_owned(),
            largest_prompt: total.largest_prompt,
            mixed_sessions: self.mixed.len(),
            switches: self.switch_documents(),
            by: by.map_or_else(Vec::new, |by| self.row_documents(by, now)),
            tools: self.tool_documents(),
            files: self.file_documents(),
            explanation: None,
            budget: None,
        }
    }

    fn unpriced_documents(&self) -> Vec<Unpriced> {
        let unpriced = self.unpriced().map(|(model, tally)| Unpriced {
            model: model.map(str::to_owned),
            requests: tally.requests,
            tokens: tally.tokens.total,
        });
        unpriced.collect()
    }

    fn switch_documents(&self) -> Vec<SwitchDocument> {
        let switches = self.switches().into_iter();
        let document = |(from, to, tally): (&str, &str, &Occurrences)| SwitchDocument {
            from: from.to_owned(),
            to: to.to_owned(),
            times: tally.times,
            sessions: tally.sessions(),
        };
        switches.map(document).collect()
    }

    fn file_documents(&self) -> Vec<FileDocument> {
        let files = self.files().into_iter().take(MOST_FILES);
        let document = |(project, path, tally): (Option<&str>, &str, &Occurrences)| FileDocument {
            project: project.map(str::to_owned),
            project_name: project.map(|project| self.project_name(project).to_owned()),
            path: path.to_owned(),
            edits: tally.times,
            sessions: tally.sessions(),
        };
        files.map(document).collect()
    }

    fn tool_documents(&self) -> Vec<ToolDocument> {
        let document = |(name, calls): (&str, &super::CallTally)| ToolDocument {
            name: name.to_owned(),
            canonical: tools::canonical(name).canonical.into_owned(),
            calls: calls.calls,
            errors: calls.errors,
            cancelled: calls.cancelled,
            failures: calls.failures,
        };
        let mut tools: Vec<ToolDocument> = self.tools().map(document).collect();
        // The most used first, then by name, which is their order already.
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
        tools
    }

    /// The rows of a breakdown as documents.
    pub fn row_documents(&self, by: &Breakdown, now: Timestamp) -> Vec<RowDocument> {
        let running = CivilMoment::of(now.as_millisecond(), &self.options.zone);
        let rows = by.rows().into_iter();
        rows.map(|(parts, row)| self.row_document(by.keys(), parts, row, running))
            .collect()
    }

    fn row_document(
        &self,
        keys: &[Key],
        parts: &[Part],
        row: &Row,
        running: Option<CivilMoment>,
    ) -> RowDocument {
        let session = parts.iter().find_map(|part| match part {
            Part::Session(reference) => Some(*reference),
            _ => None,
        });
        let label = session.and_then(|session| self.sessions.get(&session));
        let value = |(key, part): (&Key, &Part)| match part {
            Part::Session(_) => (*key, label.map(|label| label.id.to_string())),
            Part::None if *key == Key::Agent => (*key, Some("main".to_owned())),
            part => (*key, part.label(*key)),
        };
        // Hours and days of the week come again and are never over.
        let is_running = |(key, part): (&Key, &Part)| {
            let running = running.filter(|_| matches!(part, Part::Date(_)));
            running.is_some_and(|now| now.part(*key, self.options.week_start) == *part)
        };
        let has_calls = keys.contains(&Key::Tool) || keys.contains(&Key::File);
        let calls = has_calls.then_some(row.calls);
        RowDocument {
            key: keys.iter().zip(parts).map(value).collect(),
            reference: session,
            title: label.and_then(|label| Some(label.title.as_ref()?.to_string())),
            project_name: keys.iter().zip(parts).find_map(|pair| match pair {
                (Key::Project, Part::Text(label)) => Some(self.project_name(label).to_owned()),
                _ => None,
            }),
            sessions: row.sessions(),
            requests: row.tally.requests,
            tokens: row.tally.tokens,
            cost: row.tally.cost(),
            complete: row.tally.is_complete(),
            so_far: keys.iter().zip(parts).any(is_running),
            calls: calls.map(|calls| calls.calls),
            errors: calls.map(|calls| calls.errors),
            cancelled: calls.map(|calls| calls.cancelled),
            failures: calls.map(|calls| calls.failures),
        }
    }
}
