//! The parts of recorded content, whatever its shape: a string, one part, or a list.

use std::borrow::Cow;

use serde::Serialize;

use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::{Format, Message, Session, ToolCall};

/// One part as recorded; a bare string counts as a text part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedPart<'a>(Node<'a>);

impl<'a> RecordedPart<'a> {
    /// The text of a text part.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        self.0.as_str().or_else(|| self.0.get("text")?.as_str())
    }

    /// True if it is reasoning rather than part of the answer.
    pub(crate) fn is_thought(self) -> bool {
        self.0.get("thought").and_then(Node::as_bool) == Some(true)
    }

    /// The `functionCall` in it.
    pub(crate) fn call(self) -> Option<Node<'a>> {
        self.0.get("functionCall")
    }

    /// The `functionResponse` in it.
    pub(crate) fn response(self) -> Option<Node<'a>> {
        self.0.get("functionResponse")
    }

    /// The part as recorded.
    pub(crate) fn node(self) -> Node<'a> {
        self.0
    }

    /// The part as a JSON object.
    pub(crate) fn object(self) -> Raw {
        match self.0.as_str() {
            Some(text) => text_part(&text),
            None => self.0.into(),
        }
    }
}

/// The parts of the content, in order.
pub(crate) fn parts(content: &Raw) -> Vec<RecordedPart<'_>> {
    let node = content.node();
    match node.shape() {
        Shape::Array => node.items().map(RecordedPart).collect(),
        Shape::String | Shape::Object => vec![RecordedPart(node)],
        Shape::Number | Shape::Bool | Shape::Null => Vec::new(),
    }
}

/// True if the message was one entry in a list of contents, as in checkpoints and shared
/// conversations. Its parts are then exactly what the model was sent, and nothing else is known.
pub(crate) fn is_from_history(session: &Session, message: &Message) -> bool {
    let journal = session.journals.get(message.journal.unwrap_or_default());
    journal.is_some_and(|journal| journal.format == Format::History)
}

/// A text part.
pub(crate) fn text_part(text: &str) -> Raw {
    #[derive(serde::Serialize)]
    struct TextPart<'a> {
        text: &'a str,
    }
    raw(&TextPart { text })
}

/// One of our own values as raw JSON.
pub(crate) fn raw(value: &impl serde::Serialize) -> Raw {
    serde_json::to_string(value)
        .ok()
        .and_then(|text| Raw::parse(&text))
        .unwrap_or_else(|| Raw::string(""))
}

/// The parts of the recorded answer that belong to this call.
///
/// Some versions recorded the answers of a whole turn with each of its calls.
pub(crate) fn own_parts(call: &ToolCall) -> Vec<RecordedPart<'_>> {
    let Some(result) = &call.result else {
        return Vec::new();
    };
    let all = parts(result);
    if all.len() == 1 {
        return all;
    }
    let is_own = |part: &RecordedPart<'_>| {
        let id = part.response()?.get("id")?.as_str()?;
        Some(id == call.id.as_str())
    };
    if !all.iter().any(|part| is_own(part) == Some(true)) {
        return all;
    }
    // An attachment, such as an image, follows the answer that it belongs to.
    let mut own = false;
    all.into_iter()
        .filter(|part| {
            if part.response().is_some() {
                own = is_own(part) != Some(false);
            }
            own
        })
        .collect()
}

/// The parts that the model was sent for this call.
///
/// Built from the text where only that is known, as in the CLI's output for scripts.
pub(crate) fn answer(call: &ToolCall) -> Vec<Raw> {
    if call.result.is_some() {
        return own_parts(call).iter().map(|part| part.object()).collect();
    }
    let response = match (&call.error, &call.output) {
        (Some(error), _) => ResponseBody::Error(error),
        (None, Some(output)) => ResponseBody::Output(output),
        (None, None) => return Vec::new(),
    };
    vec![raw(&ResponsePart {
        function_response: FunctionResponse {
            id: call.id.as_str(),
            name: &call.name,
            response,
        },
    })]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResponsePart<'a> {
    function_response: FunctionResponse<'a>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    id: &'a str,
    name: &'a str,
    response: ResponseBody<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ResponseBody<'a> {
    Output(&'a str),
    Error(&'a str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{answered, call, raw};

    fn texts(content: &str) -> Vec<Option<String>> {
        parts(&raw(content))
            .into_iter()
            .map(|part| part.text().map(Cow::into_owned))
            .collect()
    }

    #[test]
    fn c_9_takes_a_string_a_part_and_a_list() {
        let a = || Some("a".to_owned());
        assert_eq!(texts(r#""a""#), [a()]);
        assert_eq!(texts(r#"{"text":"a"}"#), [a()]);
        assert_eq!(
            texts(r#"["a",{"text":"a"},{"inlineData":{}}]"#),
            [a(), a(), None]
        );
        assert!(texts("null").is_empty());
    }

    #[test]
    fn a_bare_string_becomes_an_object() {
        let content = raw(r#"["a \"b\""]"#);
        assert_eq!(parts(&content)[0].object().text(), r#"{"text":"a \"b\""}"#);
    }

    #[test]
    fn takes_its_own_answer_out_of_a_whole_turn() {
        let mut call = call("a", "{}");
        call.result = Some(raw(
            r#"[{"functionResponse":{"id":"other"}},{"inlineData":{}},
                {"functionResponse":{"id":"a__1"}},{"inlineData":{"mimeType":"image/png"}}]"#,
        ));
        let own: Vec<_> = own_parts(&call)
            .iter()
            .map(|part| part.object().text().to_owned())
            .collect();
        assert_eq!(
            own,
            [
                r#"{"functionResponse":{"id":"a__1"}}"#,
                r#"{"inlineData":{"mimeType":"image/png"}}"#
            ]
        );
    }

    #[test]
    fn an_answer_is_made_of_its_text_where_nothing_else_is_known() {
        let mut call = answered("a", "{}", "yes");
        call.result = None;
        assert_eq!(
            answer(&call)[0].text(),
            r#"{"functionResponse":{"id":"a__1","name":"a","response":{"output":"yes"}}}"#
        );
    }
}
