//! Changes of files, as the calls that made them recorded them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gemtrail_core::json::Node;
use gemtrail_core::model::{CallStatus, ToolCall};
use sha2::{Digest as _, Sha512};

use crate::vac::relative_path;
use crate::value::{Object, object, put};

use super::Redaction;

/// A successful call that changed a file.
pub(super) struct FileChange<'a> {
    call: &'a ToolCall,
    path: Cow<'a, str>,
    /// The file before; `None` if that is not known, or if there was none.
    before: Option<Cow<'a, str>>,
    after: Option<Cow<'a, str>>,
}

impl<'a> FileChange<'a> {
    /// The change that a call made, if it made one.
    pub(super) fn of(call: &'a ToolCall) -> Option<Self> {
        let is_change = matches!(call.canonical.as_str(), "file_write" | "file_edit");
        if !is_change || call.status != Some(CallStatus::Success) {
            return None;
        }
        let text = |node: Option<Node<'a>>| node.and_then(Node::as_str);
        let path = text(shown(call, "filePath"))
            .filter(|path| !path.is_empty())
            .or_else(|| text(argument(call, "file_path")))
            .filter(|path| !path.is_empty())?;
        let written = || {
            let is_whole = call.canonical == "file_write";
            is_whole.then(|| text(argument(call, "content"))).flatten()
        };
        Some(Self {
            call,
            path,
            before: text(shown(call, "originalContent")),
            after: text(shown(call, "newContent")).or_else(written),
        })
    }

    /// The body of the attachment.
    pub(super) fn body(&self, root: Option<&str>, redaction: Option<&Redaction>) -> Object {
        let is_mixed = argument(self.call, "modified_by_user").and_then(Node::as_bool);
        let contributor = match is_mixed {
            Some(true) => "mixed",
            _ => "agent",
        };
        let path = root.and_then(|root| relative_path(&self.path, Some(root)));
        let mut body = object([
            ("path", path.unwrap_or_else(|| self.path.to_string()).into()),
            ("contributor", contributor.into()),
            ("operation", self.operation().into()),
        ]);
        put(&mut body, "line_range", self.lines().map(Vec::from));
        put(&mut body, "content_hash", self.digest(redaction));
        let id = self.call.id.as_str();
        put(&mut body, "call_id", (!id.is_empty()).then_some(id));
        body
    }

    fn operation(&self) -> &'static str {
        let is_new = shown(self.call, "isNewFile").and_then(Node::as_bool);
        let was_absent = shown(self.call, "originalContent").is_some_and(Node::is_null);
        let was_empty = was_absent || self.before.as_deref() == Some("");
        let is_edit =
            is_new == Some(false) || self.before.is_some() || self.call.canonical == "file_edit";
        match is_new {
            Some(true) => "add",
            None if was_empty => "add",
            _ if is_edit => "edit",
            _ => "write",
        }
    }

    /// The first and last line of what is new in the file.
    fn lines(&self) -> Option<[u64; 2]> {
        let before = lines_of(self.before.as_deref()?);
        let after = lines_of(self.after.as_deref()?);
        let same = |one: &(&&str, &&str)| one.0 == one.1;
        let head = before.iter().zip(&after).take_while(same).count();
        let (old, new) = (&before[head..], &after[head..]);
        let tail = old.iter().rev().zip(new.iter().rev());
        let tail = tail.take_while(same).count();
        let last = after.len() - tail;
        (head < last).then_some([head as u64 + 1, last as u64])
    }

    /// The digest of the file afterwards, unless a part of it is not shown.
    fn digest(&self, redaction: Option<&Redaction>) -> Option<String> {
        let after = self.after.as_deref()?;
        let texts = [self.before.as_deref(), Some(after)];
        let has_changed = |text: &str| redaction.is_some_and(|it| (it.has_changed)(text));
        if texts.into_iter().flatten().any(has_changed) {
            return None;
        }
        let digest = URL_SAFE_NO_PAD.encode(Sha512::digest(after));
        Some(format!("sha512-{digest}"))
    }
}

/// The lines of a text, with their ends.
fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn shown<'a>(call: &'a ToolCall, name: &str) -> Option<Node<'a>> {
    call.display.as_ref()?.node().get(name)
}

fn argument<'a>(call: &'a ToolCall, name: &str) -> Option<Node<'a>> {
    call.args.as_ref()?.node().get(name)
}
