//! Read-only views of a session document.
//!
//! A field that is missing or has another type reads as empty here: [`crate::invariants`] reports
//! that once, instead of every check doing so.

use std::iter::Sum;
use std::ops::AddAssign;

use serde::Deserialize;
use serde_json::Value;

/// The six token counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Answer tokens.
    pub output: u64,
    /// The cached part of the prompt.
    pub cached: u64,
    /// Reasoning tokens.
    pub thoughts: u64,
    /// Prompt tokens of tool use.
    pub tool: u64,
    /// The sum as the service gave it.
    pub total: u64,
}

impl Counters {
    /// The counters in this value; zeros if it has none.
    pub fn of(value: &Value) -> Self {
        Self::deserialize(value).unwrap_or_default()
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cached += other.cached;
        self.thoughts += other.thoughts;
        self.tool += other.tool;
        self.total += other.total;
    }
}

impl Sum for Counters {
    fn sum<I: Iterator<Item = Self>>(counters: I) -> Self {
        counters.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

/// A session document, or one row of a list.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a>(pub &'a Value);

impl<'a> Document<'a> {
    /// The session id.
    pub fn id(self) -> &'a str {
        text(&self.0["id"])
    }

    /// `main`, `subagent` or `log`.
    pub fn kind(self) -> &'a str {
        text(&self.0["kind"])
    }

    /// When it started.
    pub fn started(self) -> &'a str {
        text(&self.0["started"])
    }

    /// The project's root path, if known.
    pub fn project_path(self) -> Option<&'a str> {
        self.0["project"]["path"].as_str()
    }

    /// The project's hash.
    pub fn project_hash(self) -> &'a str {
        text(&self.0["project"]["hash"])
    }

    /// The sum over its requests.
    pub fn tokens(self) -> Counters {
        Counters::of(&self.0["tokens"])
    }

    /// One of its counts.
    pub fn count(self, name: &str) -> u64 {
        self.0["counts"][name].as_u64().unwrap_or_default()
    }

    /// Its messages.
    pub fn messages(self) -> impl Iterator<Item = Message<'a>> {
        items(&self.0["messages"]).iter().map(Message)
    }

    /// What is only in the prompt log.
    pub fn logged(self) -> impl Iterator<Item = &'a str> {
        items(&self.0["logged"]).iter().map(|l| text(&l["text"]))
    }

    /// The sessions of its agents.
    pub fn subagents(self) -> impl Iterator<Item = Document<'a>> {
        items(&self.0["subagents"]).iter().map(Document)
    }

    /// A short name for reports.
    pub fn place(self) -> String {
        let id: String = self.id().chars().take(8).collect();
        format!("{} {id}", self.kind())
    }
}

/// One message of a document.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a>(pub &'a Value);

impl<'a> Message<'a> {
    /// Its id.
    pub fn id(self) -> &'a str {
        text(&self.0["id"])
    }

    /// Whose words these are.
    pub fn role(self) -> &'a str {
        text(&self.0["role"])
    }

    /// `current` or `superseded`.
    pub fn state(self) -> &'a str {
        text(&self.0["state"])
    }

    /// Why it was superseded.
    pub fn superseded_by(self) -> Option<&'a str> {
        self.0["superseded_by"].as_str()
    }

    /// The words.
    pub fn text(self) -> &'a str {
        text(&self.0["text"])
    }

    /// The model that answered.
    pub fn model(self) -> Option<&'a str> {
        self.0["model"].as_str()
    }

    /// The reasoning, as subject and text.
    pub fn thoughts(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        items(&self.0["thoughts"])
            .iter()
            .map(|t| (text(&t["subject"]), text(&t["text"])))
    }

    /// The calls.
    pub fn calls(self) -> impl Iterator<Item = Call<'a>> {
        items(&self.0["tool_calls"]).iter().map(Call)
    }

    /// The counters, if the message has any.
    pub fn tokens(self) -> Option<Counters> {
        let tokens = &self.0["tokens"];
        tokens.is_object().then(|| Counters::of(tokens))
    }

    /// The ids of duplicates that were folded into it.
    pub fn copies(self) -> impl Iterator<Item = &'a str> {
        items(&self.0["copies"]).iter().map(|c| text(&c["id"]))
    }
}

/// One tool call of a message.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a>(pub &'a Value);

impl<'a> Call<'a> {
    /// The tool.
    pub fn name(self) -> &'a str {
        text(&self.0["name"])
    }

    /// The arguments.
    pub fn args(self) -> &'a Value {
        &self.0["args"]
    }

    /// `success`, `error` or `cancelled`, if recorded.
    pub fn status(self) -> Option<&'a str> {
        self.0["status"].as_str()
    }

    /// What went wrong.
    pub fn error(self) -> Option<&'a str> {
        self.0["error"].as_str()
    }

    /// How its command ended.
    pub fn exit_code(self) -> Option<i64> {
        self.0["exit_code"].as_i64()
    }

    /// Whether it failed for the person, by the definition of `counts.tool_failures`.
    pub fn is_failed(self) -> bool {
        let mut answers = [&self.0["result"]]
            .into_iter()
            .chain(items(&self.0["revisions"]));
        match self.status() {
            Some("cancelled") => false,
            Some("error") => true,
            _ => {
                self.exit_code().is_some_and(|code| code != 0)
                    || answers.any(|answer| holds_error(answer, text(&self.0["id"])))
            }
        }
    }

    /// What came back.
    pub fn output(self) -> Option<&'a str> {
        self.0["output"].as_str()
    }
}

/// Every string value below this one, excluding keys.
pub fn strings<'a>(value: &'a Value, into: &mut impl Extend<&'a str>) {
    match value {
        Value::String(text) => into.extend([text.as_str()]),
        Value::Array(values) => values.iter().for_each(|v| strings(v, into)),
        Value::Object(fields) => fields.values().for_each(|v| strings(v, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The elements of an array; empty if it is not an array.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Whether an answer holds an error for the call with this id, or for any call if it names none.
fn holds_error(answer: &Value, call: &str) -> bool {
    let parts = match answer {
        Value::Array(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let responses = || parts.iter().map(|part| &part["functionResponse"]);
    let names_call = responses().any(|it| it["id"] == call);
    responses()
        .filter(|it| !names_call || it["id"].is_null() || it["id"] == call)
        .map(|it| &it["response"])
        .any(|it| !it["error"].is_null() || !it["content"]["error"].is_null())
}

/// The text of a string; empty if it is not a string.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
