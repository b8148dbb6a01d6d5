//! What became of a tool call.

use serde::Serialize;

use gemtrail_core::json::{Node, Raw};
use gemtrail_core::model::ToolCall;
use memchr::memmem;

use crate::parts::{Part, parts, raw};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what it was asked.
    Success,
    /// It failed.
    Error,
    /// The person refused or stopped it.
    Cancelled,
    /// No end was recorded.
    Open,
}

/// How the call ended: by its status, and where the recording program left that out, by the
/// two ways in which an answer can hold an error.
pub(crate) fn outcome(call: &ToolCall) -> Outcome {
    match call.status.as_deref() {
        Some("cancelled") => Outcome::Cancelled,
        Some("error") => Outcome::Error,
        _ if holds_error(call) => Outcome::Error,
        Some("success") => Outcome::Success,
        _ if call.result.is_some() => Outcome::Success,
        _ => Outcome::Open,
    }
}

fn holds_error(call: &ToolCall) -> bool {
    // Almost no answer names an error, and a look at the bytes is cheap.
    let may_name_one = |result: &Raw| {
        let bytes = result.text().as_bytes();
        let has = |text: &str| memmem::find(bytes, text.as_bytes()).is_some();
        // A name may be written with escapes.
        has("\"error\"") || has("\\u00")
    };
    if !call.result.as_ref().is_some_and(may_name_one) {
        return false;
    }
    own_parts(call)
        .iter()
        .filter_map(|part| part.response()?.get("response"))
        .any(|response| error_of(response).is_some())
}

/// The error in a `response`: its own member since 0.1.9, or one of its `content`.
pub(crate) fn error_of(response: Node<'_>) -> Option<Node<'_>> {
    response
        .get("error")
        .or_else(|| response.get("content")?.get("error"))
        .filter(|error| !error.is_null())
}

/// The parts of the recorded answer that belong to this very call.
///
/// Some versions recorded the answers of a whole turn with each of its calls.
pub(crate) fn own_parts(call: &ToolCall) -> Vec<Part<'_>> {
    let Some(result) = &call.result else {
        return Vec::new();
    };
    let all = parts(result);
    if all.len() == 1 {
        return all;
    }
    let is_own = |part: &Part<'_>| {
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
/// Made of the text where only that is known, as from the CLI's output for scripts.
pub(crate) fn answer(call: &ToolCall) -> Vec<Raw> {
    if call.result.is_some() {
        return own_parts(call).iter().map(|part| part.object()).collect();
    }
    let response = match (&call.error, &call.output) {
        (Some(error), _) => Response::Error(error),
        (None, Some(output)) => Response::Output(output),
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
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Response<'a> {
    Output(&'a str),
    Error(&'a str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{answered, call, cancelled, failed, raw};

    #[test]
    fn c_11_status_and_both_response_forms_make_a_failure() {
        assert_eq!(outcome(&failed("a", "{}", "no")), Outcome::Error);
        assert_eq!(outcome(&answered("a", "{}", "yes")), Outcome::Success);
        assert_eq!(outcome(&cancelled("a", "{}")), Outcome::Cancelled);
        assert_eq!(outcome(&call("a", "{}")), Outcome::Open);
        for response in [r#"{"error":"no"}"#, r#"{"content":{"error":"no"}}"#] {
            let mut call = call("a", "{}");
            call.result = Some(raw(&format!(
                r#"[{{"functionResponse":{{"name":"a","response":{response}}}}}]"#
            )));
            assert_eq!(outcome(&call), Outcome::Error, "{response}");
        }
    }

    #[test]
    fn c_13_statuses_of_no_end_are_open() {
        let mut call = call("a", "{}");
        for status in ["pending", "executing", "something new"] {
            call.status = Some(status.to_owned());
            assert_eq!(outcome(&call), Outcome::Open);
        }
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
