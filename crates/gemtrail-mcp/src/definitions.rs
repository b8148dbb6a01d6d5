//! The tools and their parameters. All of it stays in the model's context as long as
//! the server is used, so it is short; a test counts.

use serde_json::{Map, Value, json};

/// A tool with its parameters and its purpose.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// For the model.
    pub description: &'static str,
    pub(crate) parameters: &'static [Parameter],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    kind: ParameterKind,
    about: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum ParameterKind {
    /// A text without which the tool has nothing to do.
    Needed,
    Text,
    Number,
    Flag,
    Format,
}

const fn needed(name: &'static str, about: &'static str) -> Parameter {
    let kind = ParameterKind::Needed;
    Parameter { name, kind, about }
}

const fn text(name: &'static str, about: &'static str) -> Parameter {
    let kind = ParameterKind::Text;
    Parameter { name, kind, about }
}

const fn number(name: &'static str, about: &'static str) -> Parameter {
    let kind = ParameterKind::Number;
    Parameter { name, kind, about }
}

const fn flag(name: &'static str, about: &'static str) -> Parameter {
    let kind = ParameterKind::Flag;
    Parameter { name, kind, about }
}

const PROJECT: Parameter = text("project", "name or path, or a part of it");
const SINCE: Parameter = text("since", "2026-06-01, 7d, yesterday");
const UNTIL: Parameter = text("until", "");
const LIMIT: Parameter = number("limit", "");
const OFFSET: Parameter = number("offset", "");
const ACTIVE: Parameter = flag("include_active", "also sessions active now");
const BUDGET: Parameter = number("budget", "characters (8000)");
const FORMAT: Parameter = Parameter {
    name: "format",
    kind: ParameterKind::Format,
    about: "",
};

/// The tools, in the order in which they are listed.
pub const TOOLS: [Definition; 6] = [
    Definition {
        name: "search",
        description: "Search everything said and done in earlier Gemini CLI sessions: prompts, answers, \
            tool calls and outputs. A question in plain words is a good query; \"a phrase\", pre*, OR, \
            -not, role:human, tool:shell, status:failed work. Hits are quotations; read more with \
            get_item or read_session.",
        parameters: &[
            needed("query", ""),
            PROJECT,
            SINCE,
            UNTIL,
            LIMIT,
            OFFSET,
            ACTIVE,
            BUDGET,
            FORMAT,
        ],
    },
    Definition {
        name: "list_sessions",
        description: "Earlier sessions, newest first.",
        parameters: &[PROJECT, SINCE, UNTIL, LIMIT, OFFSET, ACTIVE, BUDGET, FORMAT],
    },
    Definition {
        name: "read_session",
        description: "Read a session turn by turn: prompts, answers, tool calls in brief.",
        parameters: &[
            needed("session", "id, start of one, or latest"),
            text("from", "where to start: 17 or 17.5"),
            flag("superseded", "include what was rewound"),
            BUDGET,
            FORMAT,
        ],
    },
    Definition {
        name: "get_item",
        description: "One message or tool call whole.",
        parameters: &[
            needed("id", "as given by the other tools: SESSION:17.5"),
            number("offset", "characters to skip"),
            BUDGET,
            FORMAT,
        ],
    },
    Definition {
        name: "origin",
        description: "Which prompt wrote the lines of a file.",
        parameters: &[
            needed("file", "src/cart.ts or src/cart.ts:17-40"),
            BUDGET,
            FORMAT,
        ],
    },
    Definition {
        name: "stats",
        description: "Tokens, cost at list price, requests and tool calls.",
        parameters: &[
            text(
                "by",
                "day, week, month, hour, weekday, project, model, tool, session, agent, host; several \
                 with commas",
            ),
            PROJECT,
            SINCE,
            UNTIL,
            text("model", ""),
            OFFSET,
            BUDGET,
            FORMAT,
        ],
    },
];

impl Definition {
    /// The tool with this name.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The JSON Schema of its arguments.
    pub fn schema(&self) -> Map<String, Value> {
        let properties = self
            .parameters
            .iter()
            .map(|it| (it.name.to_owned(), it.schema()));
        let needed = self.parameters.iter().filter(|it| it.is_needed());
        let needed: Vec<&str> = needed.map(|it| it.name).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties.collect());
        if !needed.is_empty() {
            schema.insert("required".to_owned(), json!(needed));
        }
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema
    }
}

impl Parameter {
    fn is_needed(&self) -> bool {
        matches!(self.kind, ParameterKind::Needed)
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ParameterKind::Needed | ParameterKind::Text => json!({"type": "string"}),
            ParameterKind::Number => json!({"type": "integer"}),
            ParameterKind::Flag => json!({"type": "boolean"}),
            ParameterKind::Format => json!({"enum": ["text", "json"]}),
        };
        if !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three characters per token is fewer than any tokeniser of today makes of English and JSON.
    #[test]
    fn the_definitions_take_less_than_1200_tokens() {
        let annotations = json!({"readOnlyHint": true, "openWorldHint": false});
        let all: usize = TOOLS
            .iter()
            .map(|it| {
                json!({"name": it.name, "description": it.description, "inputSchema": it.schema(),
                    "annotations": annotations})
            })
            .map(|it| it.to_string().chars().count())
            .sum();
        assert!(all < 3 * 1200, "{all} characters");
    }
}
