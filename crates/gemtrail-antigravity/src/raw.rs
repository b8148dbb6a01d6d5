//! Recorded values in the shape that every view of a session knows: the parts of Gemini's API.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gemtrail_core::json::Raw;
use gemtrail_core::model::ToolCall;

use crate::wire::WireRecord;

/// An object of texts.
pub(crate) fn object<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let members = members.into_iter();
    let members: Vec<String> = members
        .map(|(name, text)| format!("{}:{}", Raw::string(name).text(), Raw::string(text).text()))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// A part with text.
pub(crate) fn text_part(text: &str) -> String {
    object([("text", text)])
}

/// A list of parts.
pub(crate) fn parts(parts: &[String]) -> Option<Raw> {
    (!parts.is_empty()).then(|| Raw::parse(&format!("[{}]", parts.join(","))))?
}

/// The pictures and other media in a field.
pub(crate) fn media(record: WireRecord<'_>, number: u32) -> Vec<String> {
    let media = record.records(number);
    media
        .filter_map(|it| {
            let mime = it.text(1).unwrap_or("application/octet-stream");
            if let Some(bytes) = it.bytes(2).filter(|bytes| !bytes.is_empty()) {
                return Some(inline(mime, &base64(bytes)));
            }
            Some(file_part(mime, it.text(5)?))
        })
        .collect()
}

/// Pictures in the older form, which is base64 already.
pub(crate) fn images(record: WireRecord<'_>, number: u32) -> Vec<String> {
    let images = record.records(number);
    images
        .filter_map(|it| Some(inline(it.text(2).unwrap_or("image/png"), it.text(1)?)))
        .collect()
}

/// A part that names a file.
pub(crate) fn file_part(mime: &str, uri: &str) -> String {
    let file = object([("mimeType", mime), ("fileUri", uri)]);
    format!("{{\"fileData\":{file}}}")
}

fn inline(mime: &str, data: &str) -> String {
    let data = object([("mimeType", mime), ("data", data)]);
    format!("{{\"inlineData\":{data}}}")
}

/// The answer to a call that ended: its error, or else its output.
pub(crate) fn response(call: &ToolCall, media: Vec<String>) -> Option<Raw> {
    call.status.as_ref()?;
    let (id, name) = (Raw::string(call.id.as_str()), Raw::string(&call.name));
    let (id, name) = (id.text(), name.text());
    let response = match (&call.error, &call.output) {
        (Some(error), _) => object([("error", error.as_str())]),
        (None, output) => object([("output", output.as_deref().unwrap_or_default())]),
    };
    let response =
        format!("{{\"functionResponse\":{{\"id\":{id},\"name\":{name},\"response\":{response}}}}}");
    parts(&[vec![response], media].concat())
}

/// Bytes as text.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
