//! Common parts of the formats of other tools: they know roles, texts and calls, but neither
//! attachments nor the shapes in which Gemini CLI records an answer.

use std::borrow::Cow;

use gemtrail_core::json::{Raw, Shape};
use gemtrail_core::model::{Message, Tokens, ToolCall};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::view::Outcome;
use jiff::tz::Offset;

use crate::present::{Attachment, answered, attachments};

/// The name of Gemini CLI where tools tell agents apart.
pub(crate) const HARNESS: &str = "gemini-cli";

/// The words of a message. Attachments are named, for formats that cannot hold them.
pub(crate) fn said(message: &Message) -> Cow<'_, str> {
    with_notes(&message.text, &attachments(message.content.as_ref()))
}

/// An image, for formats that can hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image<'a> {
    pub(crate) mime: &'static str,
    /// Its bytes in Base64.
    pub(crate) base64: Cow<'a, str>,
}

/// The words of a message, other attachments than images named; and its images.
pub(crate) fn said_and_shown(message: &Message) -> (Cow<'_, str>, Vec<Image<'_>>) {
    let (images, others) = apart(attachments(message.content.as_ref()));
    (with_notes(&message.text, &others), images)
}

/// The images in the answer to a call.
pub(crate) fn shown(call: &ToolCall) -> Vec<Image<'_>> {
    apart(answered(call)).0
}

fn apart(attached: Vec<Attachment<'_>>) -> (Vec<Image<'_>>, Vec<Attachment<'_>>) {
    let (mut images, mut others) = (Vec::new(), Vec::new());
    for attachment in attached {
        match attachment {
            Attachment::Image { mime, base64 } => images.push(Image { mime, base64 }),
            other => others.push(other),
        }
    }
    (images, others)
}

/// The answer to a call as the model got it; a stand-in where nothing was recorded.
pub(crate) fn told(call: &ToolCall) -> Cow<'_, str> {
    let notes = answered(call);
    match call.output.as_deref().or(call.error.as_deref()) {
        Some(text) => with_notes(text, &notes),
        None if !notes.is_empty() => with_notes("", &notes),
        None if Outcome::of(call) == Outcome::Cancelled => "[cancelled]".into(),
        None => "[no answer was recorded]".into(),
    }
}

fn with_notes<'a>(text: &'a str, attached: &[Attachment<'_>]) -> Cow<'a, str> {
    let notes: Vec<String> = attached.iter().filter_map(note).collect();
    if notes.is_empty() {
        return Cow::Borrowed(text);
    }
    let lines = [text].into_iter().filter(|text| !text.is_empty());
    let lines: Vec<&str> = lines.chain(notes.iter().map(String::as_str)).collect();
    Cow::Owned(lines.join("\n"))
}

/// The note that stands for an attachment. Code and its output are text, which the message has.
fn note(attachment: &Attachment<'_>) -> Option<String> {
    let bytes = attachment.bytes().unwrap_or_default();
    match attachment {
        Attachment::Image { mime, .. } => Some(format!("[{mime}, {bytes} bytes]")),
        Attachment::Binary { mime, .. } => Some(format!("[{mime}, {bytes} bytes]")),
        Attachment::File { mime, uri } => Some(format!("[{mime}, {uri}]")),
        Attachment::Code { .. } | Attachment::CodeOutput { .. } => None,
    }
}

/// The model's thoughts, a line for each.
pub(crate) fn reasoning(message: &Message) -> Option<String> {
    let lines = message.thoughts.iter().map(|thought| {
        let parts = [thought.subject.as_str(), thought.text.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    });
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The arguments of a call as an object, which is all that these formats take.
pub(crate) fn arguments(call: &ToolCall) -> Raw {
    let is_object = |args: &&Raw| args.node().shape() == Shape::Object;
    let args = call.args.as_ref().filter(is_object).cloned();
    args.or_else(|| Raw::parse("{}")).unwrap_or_else(Raw::null)
}

/// The input tokens as others count them: everything that the request was billed for.
pub(crate) fn prompt_tokens(tokens: &Tokens) -> u64 {
    tokens.input.saturating_add(tokens.tool)
}

/// The output tokens as others count them: thoughts included.
pub(crate) fn completion_tokens(tokens: &Tokens) -> u64 {
    tokens.output.saturating_add(tokens.thoughts)
}

/// A recorded time, if other programs can read it.
pub(crate) fn moment(time: Option<&str>) -> Option<Timestamp> {
    let moment = time.and_then(time::parse)?;
    let year = Offset::UTC.to_datetime(moment).year();
    // What comes before and after has no ISO form that everybody reads.
    (1970..=9998).contains(&year).then_some(moment)
}

/// A recorded time in ISO 8601, in UTC.
pub(crate) fn iso(time: Option<&str>) -> Option<String> {
    moment(time).map(|moment| format!("{moment:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{answered, call, cancelled, human, raw};

    #[test]
    fn images_are_told_from_other_attachments() {
        let mut message = human("look");
        message.content = Some(raw(
            r#"[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"AAEC"}},{"inlineData":{"mimeType":"application/pdf","data":"AAEC"}}]"#,
        ));
        let (text, images) = said_and_shown(&message);
        assert_eq!(text, "look\n[application/pdf, 3 bytes]");
        let [Image { mime, base64 }] = &images[..] else {
            panic!("{images:?}");
        };
        assert_eq!((*mime, base64.as_ref()), ("image/png", "AAEC"));
    }

    #[test]
    fn attachments_are_named() {
        let mut message = human("look");
        message.content = Some(raw(
            r#"[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]"#,
        ));
        assert_eq!(said(&message), "look\n[image/png, 3 bytes]");
        assert_eq!(said(&human("look")), "look");
    }

    #[test]
    fn a_call_is_always_answered() {
        assert_eq!(told(&answered("a", "{}", "yes")), "yes");
        assert_eq!(told(&call("a", "{}")), "[no answer was recorded]");
        let mut stopped = cancelled("a", "{}");
        (stopped.output, stopped.result) = (None, None);
        assert_eq!(told(&stopped), "[cancelled]");
    }

    #[test]
    fn arguments_are_an_object() {
        assert_eq!(
            arguments(&call("a", r#"{"b":1.50}"#)).text(),
            r#"{"b":1.50}"#
        );
        assert_eq!(arguments(&call("a", r#""b""#)).text(), "{}");
    }

    #[test]
    fn times_that_others_cannot_read_are_left_out() {
        let iso = |time| iso(Some(time));
        assert_eq!(
            iso("2026-06-01T10:00:00Z").as_deref(),
            Some("2026-06-01T10:00:00.000Z")
        );
        assert_eq!(iso("yesterday"), None);
        assert_eq!(iso("0000-01-01T00:00:00.000Z"), None);
    }
}
