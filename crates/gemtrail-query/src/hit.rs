//! What a search found: one line of `search --json`, schema `gemtrail.search/1`.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use gemtrail_core::model::{
    CallId, Kind, Message, MessageId, Place, Project, Role, Session, SessionId, SessionRef,
    SessionSource, State, SupersededBy,
};
use gemtrail_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::field::Field;
use crate::filter::moment;
use crate::how::{MatchKind, Respelled, sentence};
use crate::matcher::Matcher;
use crate::query::Query;
use crate::score::score;
use crate::snippet::snippet;
use crate::tokens::count_tokens;
use crate::units::Unit;

/// The schema name of a hit.
pub const SEARCH_SCHEMA: &str = "gemtrail.search/1";

/// A text that contains everything that was searched for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hit {
    /// Always `gemtrail.search/1`.
    pub schema: String,
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The session's id.
    pub session: SessionId,
    /// The session's file names without their extension.
    pub stems: Vec<String>,
    /// The program that wrote the session.
    #[serde(rename = "source", default)]
    pub written_by: SessionSource,
    /// What kind of session it is.
    pub kind: Kind,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The session's title.
    pub title: Option<String>,
    /// The message; null for title, summary and prompts that only the log has.
    pub message: Option<MessageId>,
    /// Where the message or the tool call is in the session: `17` is the 17th prompt, `17.5` the
    /// fifth item after it. Null where `message` is.
    #[serde(default)]
    pub place: Option<Place>,
    /// What `gemtrail show` opens there: the reference, or the checkpoint's file, and the place.
    #[serde(default)]
    pub address: String,
    /// The project.
    pub project: Project,
    /// The machine that it was said on, if the archive has sessions of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Whose words; null for title and summary.
    pub role: Option<Role>,
    /// Whether Gemini CLI would still load it; null for prompts that only the log has.
    pub state: Option<State>,
    /// What took it out of the conversation, if it is superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<SupersededBy>,
    /// The file of the checkpoint that contains it, if it is in no session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Which part of the message it is.
    pub field: Field,
    /// When it was said, as written; else when its session was last updated.
    pub time: Option<String>,
    /// The tool, for what tools were called with and answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// How the tool call ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The words around the match, on one line.
    pub snippet: String,
    /// Where the matches in the snippet start and end, in characters.
    pub highlights: Vec<[usize; 2]>,
    /// How relevant it is; what `--rank` sorts by.
    pub score: f64,
    /// How it was found.
    #[serde(rename = "match", default)]
    pub matched: MatchKind,
    /// The text's number within the session.
    #[serde(skip)]
    pub unit: usize,
    /// How many texts of the session say the same, if equal ones are wanted once.
    #[serde(skip)]
    pub times: usize,
    /// The message that it is in, if the query asks for messages.
    #[serde(skip)]
    pub source: Option<Box<Message>>,
}

impl Hit {
    /// The snippet and its highlights without the name of the tool before its arguments, for lines
    /// that name the tool anyway.
    pub fn own_words(&self) -> (&str, Vec<[usize; 2]>) {
        let name = self
            .tool
            .as_deref()
            .filter(|_| self.field == Field::ToolArgs);
        let after = name.and_then(|name| self.snippet.strip_prefix(name)?.strip_prefix(' '));
        let Some(after) = after else {
            return (&self.snippet, self.highlights.clone());
        };
        let gone = self.snippet.chars().count() - after.chars().count();
        let own = self.highlights.iter().filter(|[start, _]| *start >= gone);
        let own = own.map(|[start, end]| [start - gone, end - gone]);
        (after, own.collect())
    }

    /// The hit that a unit of a session is.
    pub fn new(session: &Session, unit: &Unit<'_>, query: &Query) -> Self {
        let text = unit.text();
        let found = Matcher::new(query).find(&text);
        let snippet = snippet(&text, &found, query.snippet);
        let facts = &unit.facts;
        let is_time = |text: &&str| moment(text).is_some();
        let time = facts.time.filter(is_time).or(session.updated.as_deref());
        let mut hit = Self {
            schema: SEARCH_SCHEMA.to_owned(),
            reference: session.reference,
            session: session.id.clone(),
            stems: session.stems.clone(),
            written_by: session.source,
            kind: session.kind,
            parent: session.parent.clone(),
            title: session.title.clone(),
            message: unit.message.cloned(),
            place: place_of(session, unit),
            address: String::new(),
            project: session.project.clone(),
            host: session.origin.host.clone(),
            role: facts.role,
            state: facts.state,
            superseded_by: unit.superseded_by,
            file: None,
            field: facts.field,
            time: time.map(str::to_owned),
            tool: facts.tool.map(|(name, _)| name.to_owned()),
            call: unit.call.cloned(),
            status: facts.status.map(str::to_owned),
            snippet: snippet.text,
            highlights: snippet
                .highlights
                .into_iter()
                .map(|range| [range.start, range.end])
                .collect(),
            score: score(facts.field, facts.role, count_tokens(&text)),
            matched: MatchKind::Exact,
            unit: unit.number,
            times: 1,
            source: query
                .with_messages
                .then(|| message_of(session, unit).cloned().map(Box::new))
                .flatten(),
        };
        hit.readdress();
        hit
    }

    /// The same hit in the session of another reference.
    #[must_use]
    pub fn in_session(mut self, reference: SessionRef) -> Self {
        self.reference = reference;
        self.readdress();
        self
    }

    /// The same hit in the file of a checkpoint.
    #[must_use]
    pub fn in_file(mut self, file: String) -> Self {
        self.file = Some(file);
        self.readdress();
        self
    }

    fn readdress(&mut self) {
        let name = match &self.file {
            Some(file) => file.clone(),
            None => self.reference.to_string(),
        };
        let place = self.place;
        self.address = Address { name, place }.to_string();
    }
}

/// The message that a unit is in.
fn message_of<'a>(session: &'a Session, unit: &Unit<'_>) -> Option<&'a Message> {
    // A logged prompt has an index in the log.
    unit.message?;
    session.messages.get(unit.index?)
}

/// Where the text of a unit is.
fn place_of(session: &Session, unit: &Unit<'_>) -> Option<Place> {
    let message = message_of(session, unit)?;
    let call = unit.call_index;
    Some(call.map_or(message.place, |call| message.place.of_call(call)))
}

/// The order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The last said first.
    #[default]
    Newest,
    /// The most relevant first.
    Rank,
}

/// Where a hit stands among others. All executors sort by this.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey<'a> {
    /// How relevant it is; not looked at in [`Order::Newest`].
    pub score: f64,
    /// When it was said, else when its session was last updated.
    pub time: Option<Timestamp>,
    /// The session.
    pub session: &'a SessionId,
    /// The session's file names: ids need not be unique.
    pub stems: &'a [String],
    /// The session's reference: file names need not be either.
    pub reference: SessionRef,
    /// The text's number within the session.
    pub unit: usize,
}

impl<'a> SortKey<'a> {
    /// The key of a hit.
    pub fn of(hit: &'a Hit) -> Self {
        Self {
            score: hit.score,
            time: hit.time.as_deref().and_then(moment),
            session: &hit.session,
            stems: &hit.stems,
            reference: hit.reference,
            unit: hit.unit,
        }
    }

    /// Which of two hits comes first.
    pub fn compare(&self, other: &Self, order: Order) -> Ordering {
        let by_score = match order {
            Order::Newest => Ordering::Equal,
            Order::Rank => other.score.total_cmp(&self.score),
        };
        by_score
            .then_with(|| other.time.cmp(&self.time))
            .then_with(|| self.session.cmp(other.session))
            .then_with(|| self.stems.cmp(other.stems))
            .then_with(|| self.reference.cmp(&other.reference))
            .then_with(|| self.unit.cmp(&other.unit))
    }
}

/// Which hits are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// In which order.
    pub order: Order,
    /// How many of the first ones to leave out.
    pub offset: usize,
    /// At most how many; none for all.
    pub limit: Option<usize>,
}

impl Page {
    /// All hits up to the end of this page.
    #[must_use]
    pub fn up_to_its_end(&self) -> Self {
        Self {
            offset: 0,
            limit: self.reach(),
            ..*self
        }
    }

    /// How many hits from the first one on must be known; none for all.
    pub fn reach(&self) -> Option<usize> {
        self.limit.map(|limit| self.offset.saturating_add(limit))
    }
}

/// The hits of each session in the order of reading; the sessions in the order of their first hits.
pub fn by_session(hits: &[Hit]) -> Vec<Vec<&Hit>> {
    let mut groups: Vec<Vec<&Hit>> = Vec::new();
    let mut places: HashMap<SessionRef, usize> = HashMap::new();
    for hit in hits {
        let at = *places.entry(hit.reference).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(hit),
            None => groups.push(vec![hit]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|hit| hit.unit);
    }
    groups
}

/// The hits of a session for people.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionHits {
    /// Those that are known, equal excerpts once.
    pub hits: Vec<Hit>,
    /// How many hits the session has in all.
    pub total: usize,
}

impl SessionHits {
    /// How many hits the session has besides so many of the first ones.
    pub fn besides(&self, first: usize) -> usize {
        let shown: usize = self.hits.iter().take(first).map(|hit| hit.times).sum();
        self.total.saturating_sub(shown)
    }
}

/// The hits of each session in the order of reading. If not all of a session are wanted, what the
/// person typed comes first, and equal excerpts are there once.
pub fn for_people(answer: &Answer) -> Vec<SessionHits> {
    let groups = by_session(&answer.hits).into_iter();
    let groups = groups.map(|mut group| {
        let known = group.iter().map(|hit| hit.times).sum();
        let all = answer.by_session.get(&group[0].reference);
        let mut hits: Vec<Hit> = Vec::with_capacity(group.len());
        if !answer.by_session.is_empty() {
            group.sort_by_key(|hit| hit.role != Some(Role::Human));
        }
        for hit in group {
            let is_same = |it: &&mut Hit| (it.field, &it.snippet) == (hit.field, &hit.snippet);
            let same = hits.iter_mut().find(is_same);
            match same.filter(|_| !answer.by_session.is_empty()) {
                Some(same) => same.times += hit.times,
                None => hits.push(hit.clone()),
            }
        }
        SessionHits {
            hits,
            total: all.map_or(known, |all| known.max(*all)),
        }
    });
    groups.collect()
}

/// What a search gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The hits of the page, in order.
    pub hits: Vec<Hit>,
    /// How many hits there are in all.
    pub total: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// In how many more sessions only the injected context has it.
    pub context_only: usize,
    /// How they were found.
    pub step: MatchKind,
    /// The words that occur nowhere, with what was looked for instead.
    pub respelled: Vec<Respelled>,
    /// How many hits there are in each session, if not all of them are wanted.
    pub by_session: HashMap<SessionRef, usize>,
}

/// What a search that forgives gives.
#[derive(Clone, Debug, Default)]
pub struct Forgiven {
    /// The hits.
    pub answer: Answer,
    /// The query whose words they have.
    pub query: Query,
}

impl Answer {
    /// One sentence on how the hits were found if no text had all words.
    pub fn how(&self) -> Option<String> {
        let found = (self.total > 0).then_some(self.step)?;
        sentence(found, &self.respelled)
    }

    /// Adds hits in checkpoints and in titles to those of the pages so far, and keeps those of the
    /// wanted page.
    pub fn add(&mut self, mut hits: Vec<Hit>, page: &Page, titles: Vec<Hit>) {
        let files: HashSet<_> = hits.iter().map(|hit| hit.file.clone()).collect();
        self.sessions += files.len();
        self.total += hits.len() + titles.len();
        hits.extend(titles);
        self.extend(hits, page);
    }

    /// Counts the sessions of hits in titles that have no other hit.
    pub fn count_titles(&mut self, titles: &[Hit]) {
        let is_new = |title: &&Hit| {
            let is_it = |hit: &Hit| hit.reference == title.reference;
            !self.by_session.contains_key(&title.reference) && !self.hits.iter().any(is_it)
        };
        let new = titles.iter().filter(is_new).count();
        self.sessions += new;
        if !self.by_session.is_empty() {
            for title in titles {
                *self.by_session.entry(title.reference).or_default() += 1;
            }
        }
    }

    /// Adds the answer of other projects, and keeps the hits of the wanted page. Both sides have
    /// all hits up to that page.
    pub fn join(&mut self, other: Self, page: &Page) {
        self.sessions += other.sessions;
        self.total += other.total;
        self.context_only += other.context_only;
        self.by_session.extend(other.by_session);
        if self.hits.is_empty() {
            // They are in order, which is that of sessions if only a few of each are wanted.
            self.hits = other.hits;
            return self.keep(page);
        }
        self.extend(other.hits, page);
    }

    fn extend(&mut self, hits: Vec<Hit>, page: &Page) {
        self.hits.extend(hits);
        self.hits
            .sort_by(|a, b| SortKey::of(a).compare(&SortKey::of(b), page.order));
        self.keep(page);
    }

    /// Leaves the hits of a page.
    fn keep(&mut self, page: &Page) {
        self.hits.truncate(page.reach().unwrap_or(usize::MAX));
        self.hits.drain(..page.offset.min(self.hits.len()));
    }
}

impl Forgiven {
    /// The same as what a step found.
    #[must_use]
    pub fn of_step(mut self, step: MatchKind) -> Self {
        self.answer.step = step;
        for hit in &mut self.answer.hits {
            hit.matched = step;
        }
        self
    }
}
