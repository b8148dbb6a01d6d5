//! `stats`: what sessions used and what that cost.

use gemtrail_core::prices::Prices;
use gemtrail_core::stats::{Key, RowDocument, StatsDocument, StatsOptions, parse_keys};
use gemtrail_export::text::{amount, grouped, plural};
use gemtrail_query::when::Edge;
use gemtrail_store::SessionFilter;
use jiff::civil::Weekday;
use serde_json::{Value, json};

use super::CallContext;
use crate::answer::{AnswerItem, BudgetedAnswer, Call, McpAnswer};
use crate::arguments::{CallRefusal, did_you_mean, nearest};
use crate::quote;
use crate::quote::shortened;

const ROOMS: [usize; 2] = [80, 30];
/// The number of tools that are named.
const MOST_TOOLS: usize = 6;

struct BreakdownLine {
    row: RowDocument,
    name: String,
}

pub(super) fn call(desk: &CallContext<'_>) -> Result<McpAnswer, CallRefusal> {
    let arguments = &desk.arguments;
    let frame = desk.frame()?;
    let offset = arguments.number("offset")?.unwrap_or(0);
    let keys = keys(arguments.text("by")?.unwrap_or("model"))?;
    let filter = SessionFilter {
        project: desk.project()?,
        ..SessionFilter::default()
    };
    let options = StatsOptions {
        zone: desk.zone().clone(),
        week_start: Weekday::Monday,
        since: arguments.time("since", Edge::Start, desk.now, desk.zone())?,
        until: arguments.time("until", Edge::End, desk.now, desk.zone())?,
        model: arguments.text("model")?.map(str::to_owned),
        prices: Prices::built_in(),
        breakdowns: vec![keys.clone()],
    };
    let stats = desk.library.stats(&filter, &options);
    let mut document = stats.document(&keys, desk.now);
    let total = document.by.len();
    let lines = std::mem::take(&mut document.by).into_iter().skip(offset);
    let lines = lines.map(|row| BreakdownLine {
        name: desk.row_name(&row),
        row,
    });
    let rows: Vec<BreakdownLine> = lines.collect();
    let rest = |shown: usize| {
        let next = offset + shown;
        let call = Call::again("stats", arguments.given, &[("offset", next.into())]);
        (next < total).then(|| (plural(total - next, "row"), call))
    };
    let sheet = BudgetedAnswer {
        head: head(&document),
        facts: facts(&document),
        pieces: &rows,
        rooms: &ROOMS,
        notes: Vec::new(),
        rest: &rest,
    };
    Ok(sheet.fit(frame))
}

fn keys(names: &str) -> Result<Vec<Key>, CallRefusal> {
    parse_keys(names).map_err(|what| {
        let unknown = names
            .split(',')
            .map(str::trim)
            .find(|it| Key::parse(it).is_none());
        let meant = unknown.and_then(|it| nearest(it, Key::ALL.map(Key::as_str)));
        CallRefusal::new(format!("by: {what}{}", did_you_mean(meant)))
    })
}

fn head(document: &StatsDocument) -> String {
    let billed = &document.tokens.billed;
    let cost = match document.cost.usd {
        Some(usd) if document.cost.complete => format!("${:.2} at list price", usd.dollars()),
        Some(usd) => format!(
            "${:.2} at list price and more: some models have no price",
            usd.dollars()
        ),
        None => "cost unknown".to_owned(),
    };
    let mut tools: Vec<_> = document.tools.iter().collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    let tools = tools.iter().take(MOST_TOOLS).map(|tool| {
        let name = shortened(&quote::name(&tool.name), 40);
        format!("{name} {} ({} errors)", tool.calls, tool.errors)
    });
    let mut tools = tools.collect::<Vec<_>>().join(", ");
    if tools.is_empty() {
        "none".clone_into(&mut tools);
    }
    format!(
        "{}, {}, {} tokens billed ({} input of which {} cached, {} output, {} thoughts), {cost} \
         (prices of {}); days in {}.\nTools: {tools}.",
        plural(document.sessions, "session"),
        plural(document.requests, "request"),
        grouped(billed.total),
        amount(billed.input),
        amount(billed.cached),
        amount(billed.output),
        amount(billed.thoughts),
        document.prices_as_of,
        document.zone,
    )
}

fn facts(document: &StatsDocument) -> Value {
    let tools = document.tools.iter().take(MOST_TOOLS);
    json!({"sessions": document.sessions, "requests": document.requests,
        "tokens": document.tokens.billed, "cost_usd": document.cost.usd,
        "cost_complete": document.cost.complete, "prices_as_of": document.prices_as_of,
        "zone": document.zone, "tools": tools.collect::<Vec<_>>()})
}

impl CallContext<'_> {
    /// The name of a row: the values of its keys.
    fn row_name(&self, row: &RowDocument) -> String {
        if let Some(reference) = row.reference {
            let title = row.title.as_deref().map(|title| self.title_line(title));
            return format!("{reference} {}", quote::title(title.as_deref()));
        }
        let values = row
            .key
            .iter()
            .map(|(key, value)| match (key, &row.project_name) {
                (Key::Project, Some(name)) => name.clone(),
                _ => value.clone().unwrap_or_else(|| "–".to_owned()),
            });
        // Names are recorded text, too.
        let values: Vec<String> = values.map(|value| quote::name(&value)).collect();
        values.join(", ")
    }
}

impl AnswerItem for BreakdownLine {
    fn markdown(&self, room: usize) -> String {
        let cost = self
            .row
            .cost
            .map_or_else(|| "–".to_owned(), |usd| format!("${:.2}", usd.dollars()));
        format!(
            "- {}: {}, {}, {} tokens, {cost}\n",
            shortened(&self.name, room),
            plural(self.row.sessions, "session"),
            plural(self.row.requests, "request"),
            amount(self.row.tokens.total),
        )
    }

    fn json(&self, room: usize) -> Value {
        json!({"name": shortened(&self.name, room), "sessions": self.row.sessions,
            "requests": self.row.requests, "tokens": self.row.tokens, "cost_usd": self.row.cost})
    }
}
