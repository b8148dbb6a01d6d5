//! What a tool answered, in a recorded result.

use crate::json::{Node, Raw, Shape};
use crate::tools;

use super::content;

/// What a result says about a call.
pub(crate) enum Answered<'a> {
    Words(Node<'a>),
    With(content::Outcome<'a>),
    Nothing,
}

impl<'a> Answered<'a> {
    /// The answer to the call with that id, which may be among those of the whole turn.
    pub(crate) fn of(result: &'a Raw, id: &str) -> Self {
        let node = result.node();
        if node.shape() == Shape::String {
            return Self::Words(node);
        }
        response_of(node, id).map_or(Self::Nothing, |response| {
            Self::With(content::Outcome::of(response))
        })
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Words(node) => node.as_str().unwrap_or_default().into_owned(),
            Self::With(outcome) => outcome.text(),
            Self::Nothing => String::new(),
        }
    }

    pub(crate) fn outcome(&self) -> Option<content::Outcome<'a>> {
        match self {
            Self::With(outcome) => Some(*outcome),
            Self::Words(_) | Self::Nothing => None,
        }
    }
}

fn response_of<'a>(result: Node<'a>, id: &str) -> Option<Node<'a>> {
    let mut first = None;
    for part in content::parts(result) {
        if let content::Part::Response(answer) = part {
            if answer.id.as_deref() == Some(id) && answer.response.is_some() {
                return answer.response;
            }
            first = first.or(answer.response);
        }
    }
    first
}

/// How much of an output a text has. What stands for an output that was masked or cut off never
/// counts as fuller than the output, however long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fullness {
    is_whole: bool,
    length: usize,
}

impl Fullness {
    pub(crate) fn of(text: &str) -> Self {
        Self {
            is_whole: !text.is_empty() && !tools::is_placeholder(text),
            length: text.len(),
        }
    }
}
