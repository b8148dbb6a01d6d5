//! Hits without secrets: from their messages where that is safe, else from their sessions; and as the answer tells them.

use std::collections::BTreeMap;

use gemtrail_core::Sources;
use gemtrail_core::model::{Place, Session, ToolCall};
use gemtrail_export::text::Clean;
use gemtrail_query::{Field, Hit, MatchKind, Matcher, Query, SnippetSize, for_each_unit, snippet};
use gemtrail_store::Named;
use gemtrail_store::Outputs;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::answer::AnswerItem;
use crate::arguments::CallRefusal;
use crate::quote::shortened;
use crate::quote::{self, quoted, role_and_state};
use crate::tools::CallContext;
use crate::tools::named::{entries, moment, name_of, project, quoted_project};

impl CallContext<'_> {
    /// The hits with their numbers and without secrets, those left out whose sessions are gone by now.
    pub(super) fn shown(&self, hits: Vec<Hit>, query: &Query) -> Vec<(usize, Shown)> {
        let mut shown = Vec::new();
        let mut sessions: BTreeMap<String, Vec<(usize, Hit)>> = BTreeMap::new();
        for (at, hit) in hits.into_iter().enumerate() {
            match self.quote_message(&hit, query) {
                Some(one) => shown.push((at, one)),
                None => sessions.entry(key_of(&hit)).or_default().push((at, hit)),
            }
        }
        let sessions: Vec<_> = sessions.into_values().collect();
        // Reading and redacting whole sessions takes longer than all else.
        let read = sessions.into_par_iter();
        let read = read.map(|hits| self.quote_session(hits, query));
        shown.par_extend(read.flatten_iter());
        shown.sort_by_key(|(at, _)| *at);
        shown
    }

    /// A hit quoted from its message alone, if there is nothing to hide in it: no rule finds a
    /// secret, and no text elsewhere in the session could make a part of it one.
    pub(super) fn quote_message(&self, hit: &Hit, query: &Query) -> Option<Shown> {
        let message = hit.source.as_deref()?;
        let has_file = |call: &ToolCall| call.output_file.is_some();
        if hit.file.is_some() || message.tool_calls.iter().any(has_file) {
            return None;
        }
        let sources = Sources {
            reference: Some(hit.reference),
            id: Some(hit.session.clone()),
            kind: hit.kind,
            project: hit.project.clone(),
            ..Sources::default()
        };
        let mut session = sources.assemble();
        session.title.clone_from(&hit.title);
        session.messages.push(message.clone());
        let opened = SessionOfHits {
            name: hit.reference.to_string(),
            session,
            outputs: Outputs::default(),
        };
        let place = opened.place_of(hit, query)?;
        let texts = [
            opened.text_at(place.unit),
            hit.title.clone().unwrap_or_default(),
        ];
        self.has_no_secrets(&opened.session, &texts)
            .then(|| self.one(hit.clone(), Some(place), &opened, query))
    }

    /// The hits of one session, with their numbers. A secret is found by its surroundings, so each
    /// hit is quoted from the whole session once more.
    pub(super) fn quote_session(
        &self,
        hits: Vec<(usize, Hit)>,
        query: &Query,
    ) -> Vec<(usize, Shown)> {
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
        // An output in a file of its own may hold secrets that only the rest of the session knows.
        for place in placed.iter().filter_map(|(_, _, place)| *place) {
            opened.fill_in_output(place);
        }
        opened.outputs = Outputs::default();
        opened.session = self.redacted_session(opened.session);
        let show = |(at, hit, place)| (at, self.one(hit, place, &opened, query));
        placed.into_iter().map(show).collect()
    }

    fn open(&self, hit: &Hit) -> Result<SessionOfHits<'_>, CallRefusal> {
        let named = match &hit.file {
            Some(path) => Named::Checkpoint(path.into()),
            None => Named::Session(hit.reference),
        };
        let session = self.read_as_it_is(&named)?;
        Ok(SessionOfHits {
            name: name_of(&named, &session),
            outputs: self.library.outputs_of(&session),
            session,
        })
    }

    fn one(
        &self,
        hit: Hit,
        place: Option<HitPlace>,
        opened: &SessionOfHits<'_>,
        query: &Query,
    ) -> Shown {
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

/// True if this text of the right kind is the one that was found. A text that was forgiven need not have
/// all words; one that is named, none.
fn is_hit(hit: &Hit, matcher: &Matcher<'_>, text: &str) -> bool {
    match hit.matched {
        MatchKind::Exact => matcher.matches_text(text),
        MatchKind::Name => true,
        _ => !matcher.find(text).is_empty(),
    }
}

/// The key that tells the sessions of hits apart.
fn key_of(hit: &Hit) -> String {
    let file = hit.file.clone();
    file.unwrap_or_else(|| hit.reference.to_string())
}

/// A session with hits in it.
struct SessionOfHits<'a> {
    name: String,
    session: Session,
    outputs: Outputs<'a>,
}

/// The place of a hit.
#[derive(Clone, Copy)]
struct HitPlace {
    unit: usize,
    /// The call that it is of: its message, and its index within that.
    call: Option<(usize, usize)>,
    /// None for what belongs to no message.
    place: Option<Place>,
}

impl SessionOfHits<'_> {
    fn place_of(&self, hit: &Hit, query: &Query) -> Option<HitPlace> {
        let matcher = Matcher::new(query);
        let mut found: Option<(usize, Option<usize>, Option<usize>)> = None;
        for_each_unit(
            &self.session,
            &|call| self.outputs.read(call),
            &mut |unit| {
                let is_it = found.is_none()
                    && unit.facts.field == hit.field
                    && unit.message == hit.message.as_ref()
                    && unit.call == hit.call.as_ref()
                    && unit.facts.role == hit.role
                    && (query.is_filter_only() || is_hit(hit, &matcher, &unit.text()));
                if is_it {
                    found = Some((unit.number, unit.index, unit.call_index));
                }
            },
        );
        let (unit, message, call) = found?;
        let is_said = hit.message.is_some();
        let place = message.filter(|_| is_said).and_then(|message| {
            let mut entries = entries(&self.session).into_iter();
            let entry = entries.find(|it| it.message == message && it.call == call)?;
            Some(entry.place)
        });
        Some(HitPlace {
            unit,
            call: message.zip(call),
            place,
        })
    }

    fn fill_in_output(&mut self, place: HitPlace) {
        if let Some((message, call)) = place.call {
            let call = &mut self.session.messages[message].tool_calls[call];
            self.outputs.fill_in(call);
        }
    }

    fn text_at(&self, number: usize) -> String {
        let mut text = String::new();
        for_each_unit(
            &self.session,
            &|call| self.outputs.read(call),
            &mut |unit| {
                if unit.number == number {
                    text = unit.text().into_owned();
                }
            },
        );
        text
    }
}

/// A hit with its place and without secrets.
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) hit: Hit,
    pub(super) title: Option<String>,
    pub(super) quote: String,
    pub(super) when: String,
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

impl AnswerItem for Shown {
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
            shortened(&quoted_project(&self.hit.project), 40),
        )
    }

    fn json(&self, room: usize) -> Value {
        let hit = &self.hit;
        json!({"id": self.id, "match": hit.matched, "role": hit.role, "field": hit.field, "state": hit.state,
            "superseded_by": hit.superseded_by, "time": hit.time,
            "tool": hit.tool.as_deref().map(|tool| shortened(tool, 50)),
            "session": hit.reference,
            "title": self.title.as_deref().map(|title| shortened(title, room.min(80))),
            "project": shortened(&project(&hit.project), 40),
            "quote": shortened(&self.quote, room)})
    }
}
