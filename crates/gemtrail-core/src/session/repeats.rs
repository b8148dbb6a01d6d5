//! Sessions that say all that earlier versions of them said.

use std::collections::HashMap;

use crate::model::{Message, Session};

impl Session {
    /// True if it has every message, every call and every word of an earlier version.
    pub fn has_all_of(&self, earlier: &Self) -> bool {
        let messages = self.messages.iter();
        let by_id: HashMap<&str, &Message> = messages.map(|it| (it.id.as_str(), it)).collect();
        let has = |message: &Message| {
            let same = by_id.get(message.id.as_str());
            same.is_some_and(|same| says_all_of(same, message))
        };
        self.id == earlier.id && earlier.messages.iter().all(has)
    }
}

fn says_all_of(later: &Message, earlier: &Message) -> bool {
    let has = |later: &Option<String>, earlier: &Option<String>| match (later, earlier) {
        (_, None) => true,
        (None, Some(earlier)) => earlier.is_empty(),
        (Some(later), Some(earlier)) => later.contains(earlier.as_str()),
    };
    let calls = earlier.tool_calls.iter().all(|call| {
        let same = later.tool_calls.iter().find(|other| other.id == call.id);
        same.is_some_and(|same| {
            has(&same.output, &call.output)
                && has(&same.error, &call.error)
                && same.args == call.args
        })
    });
    let (thoughts, references) = (&earlier.thoughts, &earlier.references);
    calls
        && earlier.role == later.role
        && later.text.starts_with(&earlier.text)
        && thoughts.iter().all(|it| later.thoughts.contains(it))
        && references.iter().all(|it| later.references.contains(it))
        && (earlier.tokens.is_none() || later.tokens == earlier.tokens)
}
