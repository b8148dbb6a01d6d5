//! `search`: everything said and done.

mod quoting;
#[cfg(test)]
mod tests;

use gemtrail_core::model::Role;
use gemtrail_export::text::plural;
use gemtrail_query::when::Edge;
use gemtrail_query::{
    Answer as Found, Condition, Filter, Forgiven, Hit, Order, Page, Query, tokens,
};
use serde_json::json;

use self::quoting::Shown;
use super::CallContext;
use crate::answer::{BudgetedAnswer, Call, McpAnswer};
use crate::arguments::CallRefusal;
use crate::quote;
use crate::quote::shortened;

/// The number of hits if none is asked for, and the largest.
const USUAL: usize = 10;
const MOST: usize = 50;
const ROOMS: [usize; 3] = [320, 120, 50];
/// Tools of this server: their answers are quotations of what is found anyway.
const OWN_TOOLS: &str = "mcp_gemtrail_";

/// The hits of a page, and how many there are.
struct Looked {
    hits: Vec<Hit>,
    /// In what the person said.
    human: usize,
    /// In all else; not counted as long as the page is full without.
    others: Option<usize>,
    /// True if they are in one order, whoever said it.
    is_ranked: bool,
}

impl Looked {
    /// The hits of an answer in which what the person said does not come first.
    fn of(answer: Found) -> Self {
        Self {
            hits: answer.hits,
            human: 0,
            others: Some(answer.total),
            is_ranked: true,
        }
    }

    fn is_empty(&self) -> bool {
        self.human == 0 && self.others == Some(0)
    }

    /// The number of hits in words.
    fn count(&self) -> String {
        match self.others {
            Some(others) => plural(self.human + others, "hit"),
            None => format!(
                "{} in the person's words, more elsewhere",
                plural(self.human, "hit")
            ),
        }
    }

    /// Tells what comes after so many hits.
    fn after(&self, shown: usize) -> Option<String> {
        let left = |all: usize| all.checked_sub(shown).filter(|left| *left > 0);
        match (self.others, left(self.human)) {
            (Some(others), _) => Some(plural(left(self.human + others)?, "hit")),
            (None, None) => Some("hits elsewhere".to_owned()),
            (None, Some(left)) => Some(format!("{} and those elsewhere", plural(left, "hit"))),
        }
    }
}

/// A query, and a note on how it was understood.
struct Understood {
    query: Query,
    note: Option<String>,
}

pub(super) fn call(desk: &CallContext<'_>) -> Result<McpAnswer, CallRefusal> {
    let arguments = &desk.arguments;
    let frame = desk.frame()?;
    let asked = arguments.text("query")?.unwrap_or_default();
    let offset = arguments.number("offset")?.unwrap_or(0);
    let limit = arguments.number("limit")?.unwrap_or(USUAL).clamp(1, MOST);
    let left_out = desk.left_out()?;
    let mut notes = Vec::new();
    let mut understood = understand(asked, desk);
    desk.narrow(
        &mut understood.query,
        left_out.refs().map(Condition::Ref).collect(),
    )?;
    let named = desk
        .library
        .search_named(&with_messages(&understood.query), &best(offset, limit));
    let mut found = match named {
        Some(answer) => Looked::of(answer),
        None => desk.look(&understood.query, offset, limit),
    };
    if found.is_empty() {
        let forgiven = desk.forgive(&understood.query, offset, limit);
        notes.extend(forgiven.answer.how());
        understood.query = forgiven.query;
        found = Looked::of(forgiven.answer);
    }
    notes.extend(understood.note);
    notes.extend(left_out.note(|row| desk.title(row)));

    let hits = std::mem::take(&mut found.hits);
    let count_of_hits = hits.len();
    let (numbers, shown): (Vec<usize>, Vec<Shown>) =
        desk.shown(hits, &understood.query).into_iter().unzip();
    let gone = count_of_hits - shown.len();
    if gone > 0 {
        let hits = plural(gone, "hit");
        notes.push(format!("{hits} left out: the sessions cannot be read now."));
    }
    let rest = |count: usize| {
        let next = offset + numbers.get(count).copied().unwrap_or(count_of_hits);
        let left_out = found.after(next)?;
        let call = Call::again("search", arguments.given, &[("offset", next.into())]);
        Some((left_out, call))
    };
    let facts = if found.is_ranked {
        json!({ "hits": found.others })
    } else {
        json!({"hits_of_human": found.human, "hits_elsewhere": found.others})
    };
    let sheet = BudgetedAnswer {
        head: format!(
            "{} for {}. {}",
            found.count(),
            shortened(&quote::title(Some(asked)), 120),
            quote::WARNING
        ),
        facts,
        pieces: &shown,
        rooms: &ROOMS,
        notes,
        rest: &rest,
    };
    Ok(sheet.fit(frame))
}

/// Reads any text as a query: if it is none, its words are looked for, and if it has none, the text
/// itself.
fn understand(text: &str, desk: &CallContext<'_>) -> Understood {
    let context = desk.query_context();
    let error = match Query::parse(text, &context) {
        Ok(query) => return Understood { query, note: None },
        Err(error) => error,
    };
    let words: Vec<String> = tokens(text)
        .map(|token| format!("\"{}\"", token.text))
        .collect();
    let query = Query::parse(&words.join(" "), &context)
        .ok()
        .filter(|query| !query.all.is_empty())
        .or_else(|| Query::regex(&regex_of(text)).ok())
        .unwrap_or_default();
    let note = format!("The query was taken as plain words ({error}).");
    Understood {
        query,
        note: Some(note),
    }
}

/// A pattern that matches exactly this text.
fn regex_of(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let is_plain = c.is_alphanumeric() || c.is_whitespace() || !c.is_ascii();
            (!is_plain).then_some('\\').into_iter().chain([c])
        })
        .collect()
}

impl CallContext<'_> {
    /// Adds the conditions of the call to a query.
    fn narrow(&self, query: &mut Query, without: Vec<Condition>) -> Result<(), CallRefusal> {
        let filters = &mut query.filters;
        let none_of = |any| Filter { any, not: true };
        let asks_for_tool =
            |filter: &Filter| filter.any.iter().any(|it| matches!(it, Condition::Tool(_)));
        // Two filters, not one: the index answers filters that are about sessions or about calls, but none
        // that mixes them.
        if !filters.all.iter().any(asks_for_tool) {
            let own = Condition::Tool(OWN_TOOLS.to_owned());
            filters.push(none_of(vec![own]));
        }
        if !without.is_empty() {
            filters.push(none_of(without));
        }
        if let Some(project) = self.project()? {
            filters.push(Filter::only(Condition::Project(project)));
        }
        let time = |name, edge| self.arguments.time(name, edge, self.now, self.zone());
        if let Some(since) = time("since", Edge::Start)? {
            filters.push(Filter::only(Condition::Since(since)));
        }
        if let Some(until) = time("until", Edge::End)? {
            filters.push(Filter::only(Condition::Before(until)));
        }
        Ok(())
    }

    /// The hits of a page when no text has all words: best first, by the steps that search everywhere has.
    fn forgive(&self, query: &Query, offset: usize, limit: usize) -> Forgiven {
        let query = with_messages(query);
        self.library.search_forgiving(&query, &best(offset, limit))
    }

    /// The hits of a page: what the person said first, then all else, the most relevant first.
    fn look(&self, query: &Query, offset: usize, limit: usize) -> Looked {
        let of_human = |not: bool| {
            let mut query = with_messages(query);
            let any = vec![Condition::Role(Role::Human)];
            query.filters.push(Filter { any, not });
            query
        };
        let human = self.library.search(&of_human(false), &best(offset, limit));
        let mut looked = Looked {
            human: human.total,
            others: None,
            is_ranked: false,
            hits: human.hits,
        };
        let left = limit - looked.hits.len();
        if left > 0 {
            let skipped = offset.saturating_sub(looked.human);
            let others = self.library.search(&of_human(true), &best(skipped, left));
            looked.hits.extend(others.hits);
            looked.others = Some(others.total);
        }
        looked
    }
}

/// The query whose hits bring their messages.
fn with_messages(query: &Query) -> Query {
    Query {
        with_messages: true,
        ..query.clone()
    }
}

/// A page of hits, the most relevant first.
fn best(offset: usize, limit: usize) -> Page {
    Page {
        order: Order::Rank,
        offset,
        limit: Some(limit),
    }
}
