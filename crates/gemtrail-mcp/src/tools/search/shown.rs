//! A hit as the answer tells it.

use gemtrail_export::text::Clean;
use gemtrail_store::search::{Field, Hit};
use serde_json::{Value, json};

use crate::budget::shortened;
use crate::quote::{self, quoted, role_and_state};
use crate::sheet::AnswerItem;
use crate::tools::words::{project, quoted_project};

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
        json!({"id": self.id, "role": hit.role, "field": hit.field, "state": hit.state,
            "superseded_by": hit.superseded_by, "time": hit.time,
            "tool": hit.tool.as_deref().map(|tool| shortened(tool, 50)),
            "session": hit.reference,
            "title": self.title.as_deref().map(|title| shortened(title, room.min(80))),
            "project": shortened(&project(&hit.project), 40),
            "quote": shortened(&self.quote, room)})
    }
}
