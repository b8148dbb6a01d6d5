//! `read_session`: a session turn by turn.

use gemtrail_core::model::{Message, Place, Role, Session, SupersededBy, ToolCall};
use gemtrail_core::view::Outcome;
use gemtrail_export::text::{Clean, plural};
use serde_json::{Value, json};

use super::CallContext;
use super::named::{clock, moment, name_of, project, quoted_project};
use crate::answer::{AnswerItem, BudgetedAnswer, Call, McpAnswer};
use crate::arguments::CallRefusal;
use crate::quote::shortened;
use crate::quote::{self, quoted, standing};
use crate::tools::named::{ItemPlace, entries};

const ROOMS: [usize; 4] = [6000, 2000, 700, 280];
/// The size to which injected messages are cut.
const BACKGROUND_ROOM: usize = 160;

/// An item of the session with everything that is shown of it.
pub(super) struct SessionItem<'a> {
    pub(super) id: String,
    pub(super) entry: ItemPlace,
    pub(super) message: &'a Message,
    pub(super) call: Option<&'a ToolCall>,
    pub(super) clock: String,
}

pub(super) fn call(desk: &CallContext<'_>) -> Result<McpAnswer, CallRefusal> {
    let arguments = &desk.arguments;
    let frame = desk.frame()?;
    let named = desk.resolve(arguments.needed("session", "latest")?)?;
    let with_superseded = arguments.flag("superseded")?;
    let session = desk.read(&named)?;
    let name = name_of(&named, &session);
    let from = from(arguments.text("from")?, &session)?;

    let is_back = |item: &SessionItem<'_>| {
        item.message
            .superseded_by
            .is_some_and(SupersededBy::takes_back)
    };
    let all = items(&session, &name, desk).into_iter();
    let all = all.filter(|it| it.entry.place >= from && it.says_something());
    let (hidden, shown): (Vec<_>, Vec<_>) = all.partition(|it| !with_superseded && is_back(it));
    let mut notes = Vec::new();
    if !hidden.is_empty() {
        let count = plural(hidden.len(), "item");
        notes.push(format!(
            "{count} rewound by the user; superseded:true shows them."
        ));
    }
    let rest = |count: usize| {
        let next = shown.get(count)?;
        let call = Call::again(
            "read_session",
            arguments.given,
            &[
                ("session", name.clone().into()),
                ("from", next.entry.place.to_string().into()),
            ],
        );
        Some((plural(shown.len() - count, "later item"), call))
    };
    let sheet = BudgetedAnswer {
        head: head(&session, &name, desk),
        facts: facts(&session, &name),
        pieces: &shown,
        rooms: &ROOMS,
        notes,
        rest: &rest,
    };
    Ok(sheet.fit(frame))
}

/// The place to start at, which must be in the session.
fn from(text: Option<&str>, session: &Session) -> Result<Place, CallRefusal> {
    let Some(text) = text else {
        return Ok(Place::default());
    };
    // As other tools give it: with the session in front.
    let place = text.rsplit_once(':').map_or(text, |(_, place)| place);
    let last = entries(session).last().map(|it| it.place);
    let last = last.unwrap_or_default();
    match place.parse() {
        Ok(address) if address <= last => Ok(address),
        Ok(_) => Err(CallRefusal::new(format!(
            "the session ends at {last}, before {place}"
        ))),
        Err(_) => Err(CallRefusal::new(format!(
            "{text:?} is not a place; places look like {last}"
        ))),
    }
}

/// All items of a session.
pub(super) fn items<'a>(
    session: &'a Session,
    name: &str,
    desk: &CallContext<'_>,
) -> Vec<SessionItem<'a>> {
    let item = |entry: ItemPlace| {
        let message = &session.messages[entry.message];
        let call = entry.call.map(|at| &message.tool_calls[at]);
        let time = call
            .and_then(|call| call.time.as_deref())
            .or(message.time.as_deref());
        SessionItem {
            id: format!("{name}:{}", entry.place),
            entry,
            message,
            call,
            clock: clock(time, desk.zone()),
        }
    };
    entries(session).into_iter().map(item).collect()
}

fn head(session: &Session, name: &str, desk: &CallContext<'_>) -> String {
    let counts = &session.counts;
    format!(
        "Session {name} {} in {}, {} to {}: {}, {}.\n{}",
        shortened(&quote::title(session.title.as_deref()), 120),
        shortened(&quoted_project(&session.project), 60),
        moment(session.started.as_deref(), desk.zone()),
        moment(session.updated.as_deref(), desk.zone()),
        plural(counts.human, "prompt"),
        plural(counts.tool_calls, "tool call"),
        quote::WARNING
    )
}

fn facts(session: &Session, name: &str) -> Value {
    json!({"session": name, "title": session.title.as_deref().map(|it| shortened(it, 120)),
        "project": shortened(&project(&session.project), 60), "started": session.started,
        "updated": session.updated, "prompts": session.counts.human,
        "calls": session.counts.tool_calls})
}

impl SessionItem<'_> {
    /// True if there is anything to show: a message that only calls tools says nothing itself.
    fn says_something(&self) -> bool {
        self.call.is_some() || !self.message.text.trim().is_empty()
    }

    fn room(&self, room: usize) -> usize {
        match self.message.role {
            Role::Human | Role::Assistant | Role::Agent | Role::Shell | Role::Summary => room,
            _ => room.min(BACKGROUND_ROOM),
        }
    }

    /// The first line: address, whose words, when, what became of it.
    pub(super) fn heading(&self) -> String {
        let (address, when) = (self.entry.place, &self.clock);
        match self.call {
            None => format!("`{address}` {}, {when}", standing(self.message)),
            Some(call) => {
                let state = standing(self.message);
                let state = state
                    .split_once(", ")
                    .map(|(_, state)| format!(", {state}"));
                let superseded = state.unwrap_or_default();
                let exit = call.exit_code.filter(|code| *code != 0);
                let exit = exit.map_or_else(String::new, |code| format!(", exit {code}"));
                let name = shortened(Clean::line(call.name.as_str()).as_str(), 60);
                let outcome = Outcome::of(call).as_str();
                format!("`{address}` tool {name}, {outcome}{exit}, {when}{superseded}")
            }
        }
    }

    fn call_texts(call: &ToolCall, room: usize) -> (String, String) {
        let arguments = call.args.as_ref().map_or("", |args| args.text());
        let answer = call.error.as_deref().or(call.output.as_deref());
        let answer = answer.unwrap_or_default();
        let line = Clean::line(arguments);
        (
            shortened(line.as_str(), room / 4),
            shortened(answer.trim(), room / 3),
        )
    }
}

impl AnswerItem for SessionItem<'_> {
    fn markdown(&self, room: usize) -> String {
        let heading = self.heading();
        let Some(call) = self.call else {
            let (text, left) = quoted(&self.message.text, self.room(room));
            let more = more(left, &self.id);
            return format!("{heading}\n{text}{more}");
        };
        let (arguments, answer) = Self::call_texts(call, room);
        let (asked, _) = quoted(&arguments, arguments.len());
        let (answer, _) = quoted(&answer, answer.len());
        let tool = "tool output:\n";
        let answered = if answer.is_empty() { "" } else { tool };
        format!("{heading}\n{asked}{answered}{answer}")
    }

    fn json(&self, room: usize) -> Value {
        let message = self.message;
        let state = message.superseded_by.map_or("current", |by| by.as_str());
        let Some(call) = self.call else {
            let text = shortened(&message.text, self.room(room));
            let cut = text != message.text;
            return json!({"id": self.id, "role": message.role, "state": state, "time": message.time,
                "quote": text, "cut": cut});
        };
        let (arguments, answer) = Self::call_texts(call, room);
        json!({"id": self.id, "tool": shortened(&call.name, 60), "state": state,
            "outcome": Outcome::of(call).as_str(), "time": call.time, "arguments": arguments,
            "quoted_output": answer})
    }
}

/// The call for the rest of an item.
fn more(left: usize, id: &str) -> String {
    match left {
        0 => String::new(),
        left => format!("({left} more characters: get_item {{\"id\":\"{id}\"}})\n"),
    }
}
