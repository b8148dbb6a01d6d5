//! What the model was sent for a tool call.

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::ToolCall;

use crate::parts::{Part, parts, raw};

/// The parts of the recorded answer that belong to this call.
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
/// Built from the text where only that is known, as in the CLI's output for scripts.
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
    use crate::test_support::{answered, call, raw};

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
