//! `search`: everything said and done.

use std::collections::BTreeMap;

use gemtrail_core::model::{Place, Role, Session};
use gemtrail_export::text::{Clean, plural};
use gemtrail_store::search::{
    Condition, Field, Filter, Hit, Matcher, Order, Outputs, Page, Query, SnippetSize,
    for_each_unit, snippet, tokens,
};
use gemtrail_store::when::Edge;
use gemtrail_store::{Named, ProjectEntry};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Desk;
use super::named::name_of;
use super::words::{moment, project};
use crate::answer::{Answer, Call};
use crate::budget::shortened;
use crate::entries::entries;
use crate::quote::{self, quoted, role_and_state};
use crate::refusal::Refusal;
use crate::sheet::{Piece, Sheet};

/// How many hits are shown if no number is asked for, and at most.
const USUAL: usize = 10;
const MOST: usize = 50;
const ROOMS: [usize; 3] = [320, 120, 50];
/// Tools of this server: their answers are quotations of what is found anyway.
const OWN_TOOLS: &str = "mcp_gemtrail_";

/// A hit with its place and without secrets.
struct Shown {
    id: String,
    hit: Hit,
    title: Option<String>,
    quote: String,
    when: String,
}

/// The hits of a page, and how many there are.
struct Looked {
    hits: Vec<Hit>,
    /// In what the person said.
    human: usize,
    /// In all else; not counted as long as the page is full without.
    others: Option<usize>,
}

impl Looked {
    fn is_empty(&self) -> bool {
        self.human == 0 && self.others == Some(0)
    }

    /// How many hits there are, in words.
    fn count(&self) -> String {
        match self.others {
            Some(others) => plural(self.human + others, "hit"),
            None => format!(
                "{} in the person's words, more elsewhere",
                plural(self.human, "hit")
            ),
        }
    }

    /// What comes after so many hits, in words.
    fn after(&self, shown: usize) -> Option<String> {
        match self.others {
            Some(others) => {
                let left = (self.human + others)
                    .checked_sub(shown)
                    .filter(|left| *left > 0)?;
                Some(plural(left, "hit"))
            }
            None => match self.human.saturating_sub(shown) {
                0 => Some("hits elsewhere".to_owned()),
                left => Some(format!("{} and those elsewhere", plural(left, "hit"))),
            },
        }
    }
}

/// What is looked for, and what to say about how it was understood.
struct Understood {
    query: Query,
    note: Option<String>,
}

pub(super) fn call(desk: &Desk<'_>) -> Result<Answer, Refusal> {
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
    let mut found = desk.look(&understood.query, offset, limit);
    if found.is_empty() && understood.query.all.len() > 1 {
        let any = understood.query.all.drain(..).flatten().collect();
        understood.query.all = vec![any];
        found = desk.look(&understood.query, offset, limit);
        notes.push("No text has all the words; these have some.".to_owned());
    }
    notes.extend(understood.note);
    notes.extend(left_out.note(|row| desk.title(row)));

    let hits = std::mem::take(&mut found.hits);
    let shown = desk.shown(hits, &understood.query);
    let rest = |count: usize| {
        let next = offset + count;
        let left_out = found.after(next)?;
        let call = Call::again("search", arguments.given, &[("offset", next.into())]);
        Some((left_out, call))
    };
    let mut facts = Map::new();
    facts.insert("hits_of_human".to_owned(), found.human.into());
    facts.insert("hits_elsewhere".to_owned(), found.others.into());
    let sheet = Sheet {
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
fn understand(text: &str, desk: &Desk<'_>) -> Understood {
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

impl Desk<'_> {
    /// Adds the conditions of the call to a query.
    fn narrow(&self, query: &mut Query, mut without: Vec<Condition>) -> Result<(), Refusal> {
        let filters = &mut query.filters;
        let asks_for_tool =
            |filter: &Filter| filter.any.iter().any(|it| matches!(it, Condition::Tool(_)));
        if !filters.all.iter().any(asks_for_tool) {
            without.push(Condition::Tool(OWN_TOOLS.to_owned()));
        }
        filters.push(Filter {
            any: without,
            not: true,
        });
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

    /// The hits of a page: what the person said first, then all else, the most relevant first.
    fn look(&self, query: &Query, offset: usize, limit: usize) -> Looked {
        let of_human = |not: bool| {
            let mut query = query.clone();
            query.filters.push(Filter {
                any: vec![Condition::Role(Role::Human)],
                not,
            });
            query
        };
        let page = |offset, limit| Page {
            order: Order::Rank,
            offset,
            limit: Some(limit),
        };
        let human = self.library.search(&of_human(false), &page(offset, limit));
        let mut looked = Looked {
            human: human.total,
            others: None,
            hits: human.hits,
        };
        let left = limit - looked.hits.len();
        if left > 0 {
            let skipped = offset.saturating_sub(looked.human);
            let others = self.library.search(&of_human(true), &page(skipped, left));
            looked.hits.extend(others.hits);
            looked.others = Some(others.total);
        }
        looked
    }

    /// The hits without secrets. A secret is found by its surroundings, so each hit is quoted from
    /// the whole session once more. Sessions that are gone by now are left out.
    fn shown(&self, hits: Vec<Hit>, query: &Query) -> Vec<Shown> {
        let mut sessions: BTreeMap<String, Vec<(usize, Hit)>> = BTreeMap::new();
        for (at, hit) in hits.into_iter().enumerate() {
            sessions.entry(key_of(&hit)).or_default().push((at, hit));
        }
        let sessions: Vec<_> = sessions.into_values().collect();
        // Reading and redacting whole sessions is most of what a search takes.
        let shown = sessions.into_par_iter();
        let shown = shown.map(|hits| self.shown_of_session(hits, query));
        let mut shown: Vec<(usize, Shown)> = shown.flatten_iter().collect();
        shown.sort_by_key(|(at, _)| *at);
        shown.into_iter().map(|(_, shown)| shown).collect()
    }

    /// The hits of one session, with their numbers.
    fn shown_of_session(&self, hits: Vec<(usize, Hit)>, query: &Query) -> Vec<(usize, Shown)> {
        let opened = hits.first().map(|(_, hit)| self.open(hit));
        let Some(Ok(mut opened)) = opened else {
            return Vec::new();
        };
        // Placeholders would hide words that were looked for.
        let place = |(at, hit): (usize, Hit)| {
            let place = opened.place_of(&hit, query);
            (at, hit, place)
        };
        let placed: Vec<_> = hits.into_iter().map(place).collect();
        opened.session = self.redacted_session(opened.session);
        let show = |(at, hit, place)| (at, self.one(hit, place, &opened, query));
        placed.into_iter().map(show).collect()
    }

    fn open(&self, hit: &Hit) -> Result<Opened<'_>, Refusal> {
        let named = match &hit.file {
            Some(path) => Named::Checkpoint(path.into()),
            None => Named::Session(hit.reference),
        };
        let session = self.read_as_it_is(&named)?;
        let mut projects = self.library.projects().iter();
        let entry: Option<&ProjectEntry> = projects.find(|it| *it.project() == session.project);
        Ok(Opened {
            name: name_of(&named, &session),
            outputs: entry.map(Outputs::of).unwrap_or_default(),
            session,
        })
    }

    fn one(&self, hit: Hit, place: Option<HitPlace>, opened: &Opened<'_>, query: &Query) -> Shown {
        let quote = place.map_or_else(String::new, |place| opened.text_at(place.unit));
        let quote = self.redacted(&quote);
        let found = Matcher::new(query).find(&quote);
        let id = place.and_then(|place| place.place);
        Shown {
            id: id.map_or_else(|| opened.name.clone(), |id| format!("{}:{id}", opened.name)),
            title: opened.session.title.clone(),
            quote: snippet(&quote, &found, SnippetSize::Words).text,
            when: moment(hit.time.as_deref(), self.zone()),
            hit,
        }
    }
}

/// What tells the sessions of hits apart.
fn key_of(hit: &Hit) -> String {
    let file = hit.file.clone();
    file.unwrap_or_else(|| hit.reference.to_string())
}

/// A session with hits in it.
struct Opened<'a> {
    name: String,
    session: Session,
    outputs: Outputs<'a>,
}

/// Where a hit is.
#[derive(Clone, Copy)]
struct HitPlace {
    unit: usize,
    /// None for what belongs to no message.
    place: Option<Place>,
}

impl Opened<'_> {
    fn place_of(&self, hit: &Hit, query: &Query) -> Option<HitPlace> {
        let matcher = Matcher::new(query);
        let mut found: Option<(usize, Option<usize>, Option<usize>)> = None;
        for_each_unit(&self.session, &self.outputs, &mut |unit| {
            let is_it = found.is_none()
                && unit.facts.field == hit.field
                && unit.message == hit.message.as_ref()
                && unit.call == hit.call.as_ref()
                && unit.facts.role == hit.role
                && (query.is_filter_only() || matcher.matches_text(&unit.text()));
            if is_it {
                found = Some((unit.number, unit.index, unit.call_index));
            }
        });
        let (unit, message, call) = found?;
        let is_said = hit.message.is_some();
        let place = message.filter(|_| is_said).and_then(|message| {
            let mut entries = entries(&self.session).into_iter();
            let entry = entries.find(|it| it.message == message && it.call == call)?;
            Some(entry.place)
        });
        Some(HitPlace { unit, place })
    }

    fn text_at(&self, number: usize) -> String {
        let mut text = String::new();
        for_each_unit(&self.session, &self.outputs, &mut |unit| {
            if unit.number == number {
                text = unit.text().into_owned();
            }
        });
        text
    }
}

impl Shown {
    /// Whose words, and what became of them.
    fn whose(&self) -> String {
        let hit = &self.hit;
        let standing = role_and_state(hit.role, hit.state, hit.superseded_by);
        let state = standing
            .split_once(", ")
            .map_or_else(String::new, |(_, state)| format!(", {state}"));
        let tool = Clean::line(hit.tool.as_deref().unwrap_or("unknown"));
        let tool = shortened(tool.as_str(), 50);
        match hit.field {
            Field::ToolOutput => format!("tool output of {tool}{state}"),
            Field::ToolArgs => format!("tool call of {tool}{state}"),
            Field::Thought => format!("thought of the assistant{state}"),
            Field::Reference => format!("file attached by the human{state}"),
            Field::Title | Field::Summary => "summary of the session".to_owned(),
            Field::Log => "human, in the log only".to_owned(),
            _ => standing,
        }
    }
}

impl Piece for Shown {
    fn markdown(&self, room: usize) -> String {
        let title = self
            .title
            .as_deref()
            .map(|title| shortened(title, room.min(80)));
        let (text, _) = quoted(&shortened(&self.quote, room), room);
        format!(
            "`{}` {}, {}, {} in {}\n{text}",
            self.id,
            self.whose(),
            self.when,
            quote::title(title.as_deref()),
            shortened(&project(&self.hit.project), 40),
        )
    }

    fn json(&self, room: usize) -> Value {
        let hit = &self.hit;
        json!({"id": self.id, "role": hit.role, "field": hit.field, "state": hit.state,
            "superseded_by": hit.superseded_by, "time": hit.time,
            "tool": hit.tool.as_deref().map(|tool| shortened(tool, 50)),
            "session": hit.reference,
            "title": self.title.as_deref().map(|title| shortened(title, room.min(80))),
            "project": shortened(&project(&hit.project), 40),
            "quote": shortened(&self.quote, room)})
    }
}
