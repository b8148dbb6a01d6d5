//! `get_item`: one message or tool call whole.

use gemtrail_core::model::Session;
use gemtrail_store::{Named, ReadDetail, WantedPart};
use serde_json::{Value, json};

use super::CallContext;
use super::named::{moment, name_of, quoted_project};
use super::read_session::{SessionItem, items};
use crate::answer::{AnswerForm, Call, McpAnswer};
use crate::arguments::CallRefusal;
use crate::quote::{self, quoted};
use crate::quote::{cut, shortened, size};
use crate::tools::named::entries;

pub(super) fn call(desk: &CallContext<'_>) -> Result<McpAnswer, CallRefusal> {
    let arguments = &desk.arguments;
    let frame = desk.frame()?;
    let id = arguments.needed("id", "2f1e0a52-7qk3m9x2ab:17.5")?;
    let Some((name, place)) = id.rsplit_once(':') else {
        let example = format!("{id}:1");
        let what = format!("{id:?} names no item; did you mean {example:?}?");
        return Err(CallRefusal::new(what));
    };
    let named = desk.resolve(name)?;
    let session = if let Some(part) = desk.read_around(&named, place) {
        part
    } else {
        let mut session = desk.read_as_it_is(&named)?;
        desk.fill_in_output(&mut session, place);
        desk.redacted_session(session)
    };
    let name = name_of(&named, &session);
    let items = items(&session, &name, desk);
    let item = find(&items, place)?;
    let body = body(item);
    let total = size(&body);
    let rest = after(&body, arguments.number("offset")?.unwrap_or(0));
    let page = ItemPage {
        item,
        origin: origin(&session, item, desk),
        rest,
        total,
        // Characters are not cut in two, so it may begin a little before.
        offset: total - size(rest),
        next: &|offset| {
            let changes = [("id", item.id.clone().into()), ("offset", offset.into())];
            Call::again("get_item", arguments.given, &changes)
        },
    };
    Ok(page.fit(frame))
}

/// The item at a place, or the last one before it for the refusal.
fn find<'a, 's>(
    items: &'a [SessionItem<'s>],
    place: &str,
) -> Result<&'a SessionItem<'s>, CallRefusal> {
    let Ok(address) = place.parse() else {
        return Err(CallRefusal::new(format!(
            "{place:?} is not a place; places look like 17 or 17.5"
        )));
    };
    if let Some(item) = items.iter().find(|it| it.entry.place == address) {
        return Ok(item);
    }
    let before = items.iter().rev().find(|it| it.entry.place < address);
    let nearest = before.or(items.first());
    let meant = nearest.map(|item| format!("did you mean {:?}?", item.id));
    let meant = meant.unwrap_or_else(|| "the session has no items".to_owned());
    let what = format!("nothing is at {place}; {meant}");
    Err(CallRefusal::new(what))
}

/// Whose words they are, and of which session.
fn origin(session: &Session, item: &SessionItem<'_>, desk: &CallContext<'_>) -> String {
    let what = if item.call.is_some() {
        "Tool call and output"
    } else {
        "Message"
    };
    format!(
        "{what} {} of session {} in {}, {}\n{}\n{}",
        item.id,
        shortened(&quote::title(session.title.as_deref()), 120),
        shortened(&quoted_project(&session.project), 60),
        moment(item.message.time.as_deref(), desk.zone()),
        item.heading(),
        quote::WARNING,
    )
}

impl CallContext<'_> {
    /// A part of a long session, with the item at a place. `None` if nothing is there, or if the rest of
    /// the session may know that something in it is secret.
    pub(super) fn read_around(&self, named: &Named, place: &str) -> Option<Session> {
        let Named::Session(reference) = named else {
            return None;
        };
        let wanted = WantedPart::At(place.parse().ok()?, 0);
        let part = self
            .library
            .read_part(*reference, &wanted, ReadDetail::Words)?;
        let mut session = part.session;
        self.fill_in_output(&mut session, place);
        let items = items(&session, "", self);
        let texts = [
            body(find(&items, place).ok()?),
            session.title.clone().unwrap_or_default(),
        ];
        self.has_no_secrets(&session, &texts).then_some(session)
    }

    /// Puts the output of the call at a place into the session, if it was too long for the journal.
    /// The rest of the session may know what is secret in it.
    fn fill_in_output(&self, session: &mut Session, place: &str) {
        let Ok(place) = place.parse() else {
            return;
        };
        let item = entries(session).into_iter().find(|it| it.place == place);
        if let Some(item) = item
            && let Some(call) = item.call
        {
            let outputs = self.library.outputs_of(session);
            outputs.fill_in(&mut session.messages[item.message].tool_calls[call]);
        }
    }
}

/// Everything that the item holds.
fn body(item: &SessionItem<'_>) -> String {
    let mut sections = Vec::new();
    let mut add = |heading: &str, text: &str| {
        let text = text.trim_end();
        if !text.is_empty() && heading.is_empty() {
            sections.push(text.to_owned());
        } else if !text.is_empty() {
            sections.push(format!("[{heading}]\n{text}"));
        }
    };
    if let Some(call) = item.call {
        let arguments = call.args.as_ref().map_or("", |args| args.text());
        add("arguments", arguments);
        add("error", call.error.as_deref().unwrap_or_default());
        add("output", call.output.as_deref().unwrap_or_default());
    } else {
        add("", &item.message.text);
        for reference in &item.message.references {
            let path = reference.path.as_deref().unwrap_or("unnamed");
            add(&format!("attached {path}"), &reference.text);
        }
        for thought in &item.message.thoughts {
            add(&format!("thought {}", thought.subject), &thought.text);
        }
    }
    sections.join("\n\n")
}

/// The text after so many characters.
fn after(text: &str, offset: usize) -> &str {
    &text[cut(text, offset).len()..]
}

struct ItemPage<'a> {
    item: &'a SessionItem<'a>,
    origin: String,
    /// The text after the offset.
    rest: &'a str,
    total: usize,
    offset: usize,
    next: &'a dyn Fn(usize) -> Call,
}

impl ItemPage<'_> {
    fn fit(&self, frame: AnswerForm) -> McpAnswer {
        let most = size(self.rest);
        // Quoting makes a text longer, by how much depends on its lines: halve until it fits, then
        // take the largest part that does.
        let (mut low, mut high) = (0, most.min(frame.budget) + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.answer(middle, frame).1 <= frame.budget {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (answer, used) = self.answer(low, frame);
        if used <= frame.budget {
            return answer;
        }
        let next = (self.next)(self.offset).to_string();
        if frame.data {
            let fits = frame.budget >= 2;
            return McpAnswer::Data {
                caption: String::new(),
                value: if fits { json!({}) } else { Value::Null },
            };
        }
        McpAnswer::Text(shortened(&format!("next: {next}"), frame.budget))
    }

    /// The answer with so much of the text, and its size.
    fn answer(&self, room: usize, frame: AnswerForm) -> (McpAnswer, usize) {
        let part = cut(self.rest, room);
        let end = self.offset + size(part);
        let left = self.total - end;
        let mut next = (left > 0).then(|| (self.next)(end));
        if let Some(next) = next.as_mut().filter(|_| part.is_empty()) {
            next.arguments
                .insert("budget".to_owned(), crate::DEFAULT_BUDGET.into());
        }
        if frame.data {
            let value = json!({"id": self.item.id, "role": self.item.message.role,
                "state": self.item.message.state, "quote": part, "characters": self.total,
                "left_out": left, "next": next.map(|it| it.json())});
            let caption = format!("{} as data", self.item.id);
            let used = size(&caption) + size(&value.to_string());
            return (McpAnswer::Data { caption, value }, used);
        }
        let (text, _) = quoted(part, usize::MAX);
        let tail = next.map(|next| {
            let all = self.total;
            format!("Left out: {left} of {all} characters. next: {next}\n")
        });
        let text = format!("{}\n{text}{}", self.origin, tail.unwrap_or_default());
        let used = size(&text);
        (McpAnswer::Text(text), used)
    }
}
