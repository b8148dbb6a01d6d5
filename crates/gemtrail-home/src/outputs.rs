//! Outputs too long for the journal. Gemini CLI writes each to a file of its own, and leaves the
//! beginning, the end and the path of that file in the journal.
//!
//! The path is one of the machine that wrote it, so files are matched by name: only files found in
//! the project are ever read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

use gemtrail_core::model::{Message, Session, ToolCall};
use gemtrail_query::complete_output;

use crate::discover::{FileKind, FoundFile};
use crate::paths::text_of;
use crate::project::ProjectEntry;
use crate::source::VersionRowId;

/// Bytes beyond this are not searched.
const MOST_BYTES: u64 = 64 << 20;

/// The output files of a project.
#[derive(Clone, Debug, Default)]
pub struct Outputs<'a>(HashMap<String, &'a FoundFile>);

impl<'a> Outputs<'a> {
    /// Those found in a project.
    pub fn of(entry: &'a ProjectEntry) -> Self {
        let mut by_name: HashMap<String, &FoundFile> = HashMap::new();
        for (_, file) in entry.besides() {
            if matches!(file.kind, FileKind::ToolOutput { .. }) {
                let known = by_name.entry(name_of(&text_of(&file.path)));
                // Homes are copied; a copy may be truncated.
                let known = known.or_insert(file);
                if known.bytes < file.bytes {
                    *known = file;
                }
            }
        }
        Self(by_name)
    }

    /// The file with the full output of a call.
    fn file_of(&self, call: &ToolCall) -> Option<&'a FoundFile> {
        let named = call.output_file.as_ref()?;
        self.0.get(&name_of(&named.path)).copied()
    }

    /// The text of the file with a call's full output and of its earlier versions, if readable.
    pub fn read(&self, call: &ToolCall) -> Option<String> {
        self.file_of(call).and_then(read)
    }

    /// Puts the complete output of a call into the call itself, so that redaction and search see all
    /// of it.
    pub fn fill_in(&self, call: &mut ToolCall) {
        if call.output_file.is_some() {
            call.output = Some(complete_output(call, self.read(call).as_deref()).into_owned());
            call.output_file = None;
        }
    }

    /// The files that messages name, each with its version, if it exists.
    pub fn named_by(&self, messages: &[Message]) -> Vec<(String, Option<VersionRowId>)> {
        use std::collections::BTreeSet;

        let calls = messages.iter().flat_map(|it| &it.tool_calls);
        let files = calls.filter_map(|call| call.output_file.as_ref());
        let names: BTreeSet<String> = files.map(|file| name_of(&file.path)).collect();
        let with_version = |name: String| {
            let version = self.version_of(&name);
            (name, version)
        };
        names.into_iter().map(with_version).collect()
    }

    /// The archived version of the file with this name.
    pub fn version_of(&self, name: &str) -> Option<VersionRowId> {
        Some(self.0.get(name)?.versions.archived?.version)
    }
}

/// Fills in the sizes of the files that a session names.
pub fn measure(session: &mut Session, entry: &ProjectEntry) {
    let names_some =
        |message: &Message| message.tool_calls.iter().any(|it| it.output_file.is_some());
    if !session.messages.iter().any(names_some) {
        return;
    }
    let outputs = Outputs::of(entry);
    let messages = session.messages.iter_mut();
    for call in messages.flat_map(|message| &mut message.tool_calls) {
        let bytes = outputs.file_of(call).map(|file| file.bytes);
        if let Some(named) = &mut call.output_file {
            named.bytes = bytes;
        }
    }
}

/// The text of an output file and of its earlier versions, if readable.
fn read(file: &FoundFile) -> Option<String> {
    let mut said: Option<String> = None;
    let earlier = file.versions.earlier.iter().map(|kept| kept.open());
    let earlier = earlier.filter_map(|opened| read_text(opened.ok()?));
    for text in earlier.chain(file.open().ok().and_then(read_text)) {
        match &mut said {
            Some(said) if said.contains(&text) => {}
            Some(said) => {
                said.push('\n');
                said.push_str(&text);
            }
            None => said = Some(text),
        }
    }
    said
}

fn read_text(opened: impl Read) -> Option<String> {
    let mut bytes = Vec::new();
    opened.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = match String::from_utf8_lossy(&bytes) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => String::from_utf8(bytes).unwrap_or_default(),
    };
    Some(unmasked(&text).unwrap_or(text))
}

/// An output that was recorded first and masked later is stored as the JSON of the response.
fn unmasked(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Answer {
        output: String,
    }
    let is_answer = text.starts_with('{');
    let answer = is_answer.then(|| serde_json::from_str::<Answer>(text).ok())??;
    Some(answer.output)
}

/// The name of a file, with its directory if that belongs to a session.
fn name_of(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    match parts.next() {
        Some(dir) if dir.starts_with("session-") => format!("{dir}/{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_on_every_machine() {
        for (path, name) in [
            ("/h/tmp/p/tool-outputs/session-s/a.txt", "session-s/a.txt"),
            (
                r"C:\h\tmp\p\tool-outputs\session-s\a.txt",
                "session-s/a.txt",
            ),
            ("/h/tmp/p/tool-outputs/a.txt", "a.txt"),
            ("/h/tmp/0f/call-1.output", "call-1.output"),
            ("call-1.output", "call-1.output"),
        ] {
            assert_eq!(name_of(path), name, "{path}");
        }
    }

    #[test]
    fn a_masked_output_says_what_it_said() {
        let masked = "{\n  \"output\": \"one\\ntwo\"\n}";
        assert_eq!(unmasked(masked).as_deref(), Some("one\ntwo"));
        for other in ["{", "{\"output\":1}", "{\"name\":\"a\"}", "one", ""] {
            assert_eq!(unmasked(other), None, "{other}");
        }
    }
}
