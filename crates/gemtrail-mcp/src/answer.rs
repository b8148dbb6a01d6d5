//! Answers of tools, fitted into a budget: less of each item first, then fewer items.

use std::fmt;

use serde_json::{Map, Value};

use crate::quote::{DEFAULT_BUDGET, shortened, size};

/// An answer within its budget.
#[derive(Clone, Debug, PartialEq)]
pub enum McpAnswer {
    /// Markdown for a model to read.
    Text(String),
    /// The same as data.
    Data {
        /// A description in one line.
        caption: String,
        /// The data.
        value: Value,
    },
}

/// A call that can be made as it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Map<String, Value>,
}

impl Call {
    /// The same call with other arguments.
    pub(crate) fn again(
        tool: &'static str,
        asked: &Map<String, Value>,
        changes: &[(&str, Value)],
    ) -> Self {
        let mut arguments = asked.clone();
        for (name, value) in changes {
            arguments.insert((*name).to_owned(), value.clone());
        }
        Self { tool, arguments }
    }

    /// As data.
    pub(crate) fn json(&self) -> Value {
        serde_json::json!({"tool": self.tool, "arguments": self.arguments})
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = Value::Object(self.arguments.clone());
        write!(f, "{} {arguments}", self.tool)
    }
}

/// One item of an answer.
pub(crate) trait AnswerItem {
    /// As Markdown that ends with a line break, with at most `room` characters of each text.
    fn markdown(&self, room: usize) -> String;
    /// As data, with at most `room` characters of each text.
    fn json(&self, room: usize) -> Value;
}

/// An answer before it is fitted into its budget.
pub(crate) struct BudgetedAnswer<'a, P> {
    /// The subject of the answer: a line or two, without a line break at the end.
    pub(crate) head: String,
    /// The same as data: an object.
    pub(crate) facts: Value,
    /// The items.
    pub(crate) pieces: &'a [P],
    /// Sizes to which each text may be cut, from generous to the least that makes sense.
    pub(crate) rooms: &'a [usize],
    /// Notes for the reader.
    pub(crate) notes: Vec<String>,
    /// Tells what is missing when so many pieces are shown, and the call for it.
    pub(crate) rest: &'a dyn Fn(usize) -> Option<(String, Call)>,
}

/// The size and form of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerForm {
    pub(crate) budget: usize,
    pub(crate) data: bool,
}

impl<P: AnswerItem> BudgetedAnswer<'_, P> {
    /// The answer.
    pub(crate) fn fit(&self, frame: AnswerForm) -> McpAnswer {
        if frame.data {
            self.data(frame.budget)
        } else {
            McpAnswer::Text(self.text(frame.budget))
        }
    }

    fn text(&self, budget: usize) -> String {
        let render = |piece: &P, room| piece.markdown(room);
        let around = |shown| size(&self.head) + 2 + size(&self.tail(shown, budget));
        let pieces = self.choose(budget, render, around);
        let text = format!(
            "{}\n{}{}",
            self.head,
            pieces.concat(),
            self.tail(pieces.len(), budget)
        );
        if size(&text) <= budget {
            return text;
        }
        // Not even the heading fits. How to get more is worth most.
        shortened(&self.tail(0, budget), budget)
    }

    fn tail(&self, shown: usize, budget: usize) -> String {
        let mut tail = String::new();
        if let Some((left_out, next)) = self.rest(shown, budget) {
            tail = format!("Left out: {left_out}. next: {next}\n");
        }
        for note in &self.notes {
            tail.push_str(note);
            tail.push('\n');
        }
        tail
    }

    fn data(&self, budget: usize) -> McpAnswer {
        let caption = shortened(self.head.lines().next().unwrap_or_default(), budget / 4);
        let budget = budget - size(&caption);
        let render = |piece: &P, room| piece.json(room).to_string();
        let around = |shown| size(&self.value(&[], shown, budget).to_string());
        let pieces = self.choose(budget, render, around);
        let mut value = self.value(&pieces, pieces.len(), budget);
        if size(&value.to_string()) > budget {
            let next = self.rest(0, budget).map(|(_, next)| next.json());
            value = serde_json::json!({ "next": next });
        }
        if size(&value.to_string()) > budget {
            value = Value::Object(Map::new());
        }
        McpAnswer::Data { caption, value }
    }

    fn value(&self, pieces: &[String], shown: usize, budget: usize) -> Value {
        let mut value = self.facts.clone();
        // Made by `json` a moment ago.
        let items = pieces.iter();
        let items = items.map(|it| serde_json::from_str(it).unwrap_or(Value::Null));
        value["items"] = items.collect();
        if let Some((left_out, next)) = self.rest(shown, budget) {
            value["left_out"] = left_out.into();
            value["next"] = next.json();
        }
        if !self.notes.is_empty() {
            value["notes"] = self.notes.clone().into();
        }
        value
    }

    /// Tells what is missing. A budget in which not even one piece fits would not do the next time either.
    fn rest(&self, shown: usize, budget: usize) -> Option<(String, Call)> {
        let (left_out, mut next) = (self.rest)(shown)?;
        if shown == 0 && budget < DEFAULT_BUDGET {
            next.arguments
                .insert("budget".to_owned(), DEFAULT_BUDGET.into());
        }
        Some((left_out, next))
    }

    /// The pieces that fit: all of them as generously as possible, else as many as possible.
    fn choose(
        &self,
        budget: usize,
        render: impl Fn(&P, usize) -> String,
        around: impl Fn(usize) -> usize,
    ) -> Vec<String> {
        let count = self.pieces.len();
        let mut chosen = Vec::new();
        for &room in self.rooms {
            chosen.clear();
            let mut used = 0;
            for piece in self.pieces {
                let piece = render(piece, room);
                // One more for what separates it from the next.
                used += size(&piece) + 1;
                if used > budget {
                    break;
                }
                chosen.push(piece);
            }
            if chosen.len() == count && used + around(count) <= budget {
                return chosen;
            }
        }
        let sizes = |chosen: &[String]| chosen.iter().map(|it| size(it) + 1).sum::<usize>();
        while !chosen.is_empty() && sizes(&chosen) + around(chosen.len()) > budget {
            chosen.pop();
        }
        chosen
    }
}
