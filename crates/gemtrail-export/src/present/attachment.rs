//! Parts of a message or a tool's answer that are not text.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::ToolCall;
use memchr::memmem;

use crate::parts::own_parts;
use crate::text::Clean;

/// An attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attachment<'a> {
    /// An image of a type that every browser shows.
    Image {
        /// The MIME type; one of [`IMAGE_TYPES`].
        mime: &'static str,
        /// The bytes in Base64, validated.
        base64: Cow<'a, str>,
    },
    /// Other bytes.
    Binary {
        /// The MIME type.
        mime: Clean<'a>,
        /// The number of bytes.
        bytes: u64,
    },
    /// A file stored elsewhere.
    File {
        /// The MIME type.
        mime: Clean<'a>,
        /// Its location.
        uri: Clean<'a>,
    },
    /// Code that the model ran on the server.
    Code {
        /// Its language.
        language: Clean<'a>,
        /// The code.
        code: Clean<'a>,
    },
    /// The output of that code.
    CodeOutput {
        /// Its outcome.
        outcome: Clean<'a>,
        /// The output.
        output: Clean<'a>,
    },
}

impl Attachment<'_> {
    /// The size in bytes of an image or other binary.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Image { base64, .. } => Some(decoded_length(base64)),
            Self::Binary { bytes, .. } => Some(*bytes),
            Self::File { .. } | Self::Code { .. } | Self::CodeOutput { .. } => None,
        }
    }
}

/// Image types that can be shown without running anything. SVG can contain scripts.
pub const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Member names that mark attachments; text without any of them need not be searched.
const MARKS: [&str; 4] = [
    "\"inlineData\"",
    "\"fileData\"",
    "\"executableCode\"",
    "\"codeExecutionResult\"",
];

/// Each mark contains one of these, and answers are long: two searches take half the time of four.
const HINTS: [&str; 2] = ["Data\"", "xecut"];

/// The attachments in a content: one part, or a list of parts.
pub(crate) fn attachments(content: Option<&Raw>) -> Vec<Attachment<'_>> {
    let mut found = Vec::new();
    if let Some(content) = content.filter(|content| has_marks(content)) {
        collect(content.node(), &mut found);
    }
    found
}

/// The attachments in the answer to a call.
pub(crate) fn answered(call: &ToolCall) -> Vec<Attachment<'_>> {
    let mut found = Vec::new();
    if call.result.as_ref().is_some_and(has_marks) {
        for part in own_parts(call) {
            collect(part.node(), &mut found);
        }
    }
    found
}

fn has_marks(content: &Raw) -> bool {
    let has = |words: &[&str]| {
        let bytes = content.text().as_bytes();
        let mut words = words.iter();
        words.any(|word| memmem::find(bytes, word.as_bytes()).is_some())
    };
    has(&HINTS) && has(&MARKS)
}

fn collect<'a>(node: Node<'a>, found: &mut Vec<Attachment<'a>>) {
    match node.shape() {
        Shape::Array => node.items().for_each(|part| collect(part, found)),
        Shape::Object => {
            for (name, value) in node.members() {
                match name.as_ref() {
                    "inlineData" => found.extend(inline_data(value)),
                    "fileData" => found.extend(file_data(value)),
                    "executableCode" => found.extend(code(value)),
                    "codeExecutionResult" => found.push(code_output(value)),
                    // Newer models nest the parts of an answer.
                    "functionResponse" | "parts" => collect(value, found),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn text<'a>(node: Node<'a>, name: &str) -> Option<Cow<'a, str>> {
    node.get(name).and_then(Node::as_str)
}

fn line<'a>(node: Node<'a>, name: &str) -> Clean<'a> {
    Clean::line(text(node, name).unwrap_or_default())
}

fn inline_data(node: Node<'_>) -> Option<Attachment<'_>> {
    let base64 = text(node, "data")?;
    let mime = line(node, "mimeType");
    let image = IMAGE_TYPES.iter().find(|known| **known == mime.as_str());
    Some(match image {
        Some(mime) if is_base64(&base64) => Attachment::Image { mime, base64 },
        _ => Attachment::Binary {
            bytes: decoded_length(&base64),
            mime,
        },
    })
}

fn file_data(node: Node<'_>) -> Option<Attachment<'_>> {
    Some(Attachment::File {
        uri: Clean::line(text(node, "fileUri")?),
        mime: line(node, "mimeType"),
    })
}

fn code(node: Node<'_>) -> Option<Attachment<'_>> {
    Some(Attachment::Code {
        code: Clean::text(text(node, "code")?),
        language: line(node, "language"),
    })
}

fn code_output(node: Node<'_>) -> Attachment<'_> {
    Attachment::CodeOutput {
        output: Clean::text(text(node, "output").unwrap_or_default()),
        outcome: line(node, "outcome"),
    }
}

/// True if the text is safe in a data URI: the standard alphabet and padding, nothing else.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && text.len() - body.len() <= 2
        && body
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
}

fn decoded_length(base64: &str) -> u64 {
    let digits = base64.trim_end_matches('=').len();
    u64::try_from(digits / 4 * 3 + (digits % 4).saturating_sub(1)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Vec<Attachment<'static>> {
        let raw: &'static Raw = Box::leak(Box::new(Raw::parse(json).unwrap()));
        attachments(Some(raw))
    }

    #[test]
    fn takes_only_pictures_that_are_safe_to_show() {
        let found = read(
            r#"[{"text":"x"},
                {"inlineData":{"mimeType":"image/png","data":"AAEC"}},
                {"inlineData":{"mimeType":"image/svg+xml","data":"PHN2Zz4="}},
                {"inlineData":{"mimeType":"image/png","data":"\"><script>"}}]"#,
        );
        assert!(
            matches!(&found[0], Attachment::Image { mime: "image/png", base64 } if base64 == "AAEC")
        );
        assert_eq!(found[0].bytes(), Some(3));
        assert!(matches!(&found[1], Attachment::Binary { bytes: 5, .. }));
        assert!(matches!(&found[2], Attachment::Binary { .. }));
    }

    #[test]
    fn every_mark_has_a_hint() {
        let has_hint = |mark: &&str| HINTS.iter().any(|hint| mark.contains(hint));
        assert!(MARKS.iter().all(has_hint));
    }

    #[test]
    fn finds_parts_inside_answers() {
        let found = read(
            r#"[{"functionResponse":{"name":"x","response":{},"parts":[{"inlineData":{"mimeType":"application/pdf","data":"AAEC"}}]}},
                {"executableCode":{"language":"PYTHON","code":"print(1)"}},
                {"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}},
                {"fileData":{"fileUri":"gs://a","mimeType":"video/mp4"}}]"#,
        );
        assert_eq!(found.len(), 4);
        assert_eq!(read("\"only text\""), []);
    }
}
