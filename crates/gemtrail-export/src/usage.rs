//! `usage`: one row per model request, for spreadsheets and bookkeeping.
//!
//! A row is an answer with counters ([`Request`]); subagents' requests follow those of the session
//! that they worked for.

use std::io::Write;

use jiff::Timestamp;
use serde::Serialize;

use gemtrail_core::model::{Session, SessionRef, State};
use gemtrail_core::prices::{Money, Prices};
use gemtrail_core::view::{Request, requests};

use crate::TimedLine;
use crate::csv::write_record;
use crate::jsonl::write_line;
use crate::options::FormatOptions;
use crate::{Result, Selection};

/// The schema name of a row.
pub const USAGE_SCHEMA: &str = "gemtrail.usage/1";

/// One request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageRow<'a> {
    /// Always `gemtrail.usage/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = USAGE_SCHEMA)))]
    pub schema: &'static str,
    /// The session's id.
    pub session: &'a str,
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The message's id.
    pub message: &'a str,
    /// The session that a subagent worked for.
    pub parent: Option<&'a str>,
    /// The project's directory name.
    pub project: Option<&'a str>,
    /// The time the answer was recorded.
    pub time: Option<&'a str>,
    /// The model.
    pub model: Option<&'a str>,
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Answer tokens, thoughts excluded.
    pub output: u64,
    /// The part of `input` that came from the cache.
    pub cached: u64,
    /// Reasoning tokens.
    pub thoughts: u64,
    /// Prompt tokens of tool use.
    pub tool: u64,
    /// The sum as the service gave it.
    pub total: u64,
    /// Its state in the conversation.
    pub state: State,
    /// The cost at list price; null without a price.
    pub cost: Option<Money>,
    /// The date of the price list; null without a price.
    pub prices_as_of: Option<&'a str>,
}

/// Writes the rows of the session and of its subagents.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    let lines = timed_lines(session, options)?;
    lines.iter().try_for_each(|(_, line)| out.write_all(line))?;
    Ok(())
}

/// The rows with their times. One without a time was written right after the one before it.
pub(crate) fn timed_lines(session: &Session, options: &FormatOptions) -> Result<Vec<TimedLine>> {
    let started = session.started.as_deref().and_then(|it| it.parse().ok());
    let mut last = started.unwrap_or(Timestamp::UNIX_EPOCH);
    let timed = |row: UsageRow<'_>| {
        last = row.time.and_then(|it| it.parse().ok()).unwrap_or(last);
        let mut line = Vec::new();
        if options.csv {
            write_record(cells(&row).iter().map(String::as_str), &mut line)?;
        } else {
            write_line(&row, &mut line)?;
        }
        Ok((last, line))
    };
    let rows = rows(session, options.selection.unwrap_or(Selection::All));
    rows.into_iter().map(timed).collect()
}

/// The rows of the session and of its subagents.
pub fn rows(session: &Session, selection: Selection) -> Vec<UsageRow<'_>> {
    requests(session, selection).iter().map(row).collect()
}

fn row<'a>(request: &Request<'a>) -> UsageRow<'a> {
    let Request {
        session,
        message,
        tokens,
        ..
    } = request;
    let project = &session.project;
    let prices = Prices::built_in();
    let cost = request.cost(prices).map(|cost| cost.amount);
    UsageRow {
        schema: USAGE_SCHEMA,
        session: session.id.as_str(),
        reference: session.reference,
        message: message.id.as_str(),
        parent: request.parent,
        project: project.dir.as_deref().or(project.hash.as_deref()),
        time: message.time.as_deref(),
        model: message.model.as_deref(),
        input: tokens.input,
        output: tokens.output,
        cached: tokens.cached,
        thoughts: tokens.thoughts,
        tool: tokens.tool,
        total: tokens.total,
        state: message.state,
        cost,
        prices_as_of: cost.map(|_| prices.as_of()),
    }
}

/// The columns, in order.
#[rustfmt::skip]
const COLUMNS: [&str; 16] = [
    "session", "message", "parent", "project", "time", "model", "input", "output", "cached",
    "thoughts", "tool", "total", "state", "cost", "prices_as_of", "ref",
];

/// Writes the column names, the first line of comma-separated values (RFC 4180).
pub fn write_header(out: &mut impl Write) -> Result {
    Ok(write_record(COLUMNS, out)?)
}

/// The cells of a row in the order of [`COLUMNS`].
fn cells(row: &UsageRow<'_>) -> [String; COLUMNS.len()] {
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let state = match row.state {
        State::Current => "current",
        State::Superseded => "superseded",
    };
    [
        row.session.to_owned(),
        row.message.to_owned(),
        text(row.parent),
        text(row.project),
        text(row.time),
        text(row.model),
        row.input.to_string(),
        row.output.to_string(),
        row.cached.to_string(),
        row.thoughts.to_string(),
        row.tool.to_string(),
        row.total.to_string(),
        state.to_owned(),
        row.cost.map(|cost| cost.to_string()).unwrap_or_default(),
        text(row.prices_as_of),
        row.reference.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{assistant, human, json_lines, rewound, session, written};
    use gemtrail_core::model::{Kind, SessionId};

    fn sample() -> Session {
        let mut silent = assistant("a copy");
        silent.tokens = None;
        let mut main = session([
            human("one"),
            assistant("two"),
            rewound(assistant("three")),
            silent,
        ]);
        let mut subagent = session([assistant("four")]);
        subagent.id = SessionId::new("agent");
        subagent.kind = Kind::Subagent;
        main.subagents.push(subagent);
        main
    }

    #[test]
    fn one_row_per_request_superseded_and_subagents_included() {
        let lines = json_lines(&written(|out| {
            write(&sample(), &FormatOptions::default(), out)
        }));
        let key = |row: &serde_json::Value| {
            let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
            [text("message"), text("state"), text("parent")]
        };
        let keys: Vec<_> = lines.iter().map(key).collect();
        let main = "2f1e0a52-0000-4000-8000-000000000001";
        assert_eq!(
            keys,
            [
                ["m2", "current", "-"],
                ["m3", "superseded", "-"],
                ["m1", "current", main]
            ]
        );
        assert_eq!(lines[0]["total"], 12);
        assert_eq!(lines[0]["project"], "my-app");
        // 6 fresh and 1 cached token of the prompt at 2.00 and 0.20, 5 of the answer at 12.00 dollars
        // a million.
        assert_eq!(lines[0]["cost"].to_string(), "0.000072");
        assert_eq!(lines[0]["prices_as_of"], "2026-09-06");
    }

    #[test]
    fn what_has_no_price_costs_not_nothing() {
        let mut unknown = assistant("");
        unknown.model = Some("mystery-exp".to_owned());
        let session = session([unknown]);
        let row = &rows(&session, Selection::All)[0];
        assert_eq!((row.cost, row.prices_as_of), (None, None));
    }

    #[test]
    fn c_2_rows_name_the_id_and_not_the_file() {
        let session = sample();
        assert_eq!(
            rows(&session, Selection::All)[0].session,
            session.id.as_str()
        );
    }

    #[test]
    fn s002_5_every_row_names_its_model() {
        for row in rows(&sample(), Selection::All) {
            assert!(row.model.is_some());
        }
    }

    #[test]
    fn s002_4_the_counters_add_up() {
        for row in rows(&sample(), Selection::All) {
            assert_eq!(row.total, row.input + row.output + row.thoughts + row.tool);
            assert!(row.cached <= row.input);
        }
    }

    #[test]
    fn quotes_cells_and_defuses_formulas() {
        let mut odd = assistant("");
        odd.model = Some("=SUM(\"a\",1)".to_owned());
        let session = session([assistant(""), odd]);
        let options = FormatOptions {
            csv: true,
            ..FormatOptions::default()
        };
        let text = written(|out| {
            write_header(out)?;
            write(&session, &options, out)
        });
        let lines: Vec<_> = text.split_terminator("\r\n").collect();
        assert_eq!(lines[0], COLUMNS.join(","));
        assert!(
            lines[1].contains(",7,3,1,2,0,12,current,0.000072,2026-09-06,2f1e0a52-"),
            "{}",
            lines[1]
        );
        assert!(lines[2].contains(r#","'=SUM(""a"",1)","#), "{}", lines[2]);
    }
}
