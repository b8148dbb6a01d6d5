//! Visits every text of a session, those in recorded JSON included, and replaces it.

use std::borrow::Cow;

use memchr::memchr;

use gemtrail_core::internal::title_of;
use gemtrail_core::json::{Fields, Raw, decode};
use gemtrail_core::model::{
    Diagnostic, Journal, Message, MessageId, Origin, Project, Reference, Session, SessionId,
    Thought, ToolCall,
};

use super::view::{RecordedScreen, end_of_string, screens_rewritten};

/// A copy of the session with its texts rewritten.
pub(super) fn rewritten(session: &Session, rewriter: &mut impl Rewriter) -> Session {
    let mut copy = session.clone();
    DerivedTitles::of(session).rewrite(&mut copy, rewriter);
    copy
}

/// The titles of a session and its subagents that were derived from its words. Such a title may end
/// in the middle of a secret, where no rule recognises it, so it is derived again from the redacted
/// words.
pub(super) struct DerivedTitles {
    is_made: bool,
    subagents: Vec<DerivedTitles>,
}

impl DerivedTitles {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            is_made: session.title.is_some() && session.title == title_of(session),
            subagents: session.subagents.iter().map(Self::of).collect(),
        }
    }

    /// Rewrites the texts of a session, and derives its titles again.
    pub(super) fn rewrite(&self, session: &mut Session, rewriter: &mut impl Rewriter) {
        rewrite_session(session, rewriter);
        self.renew(session);
    }

    fn renew(&self, session: &mut Session) {
        if self.is_made {
            session.title = title_of(session);
        }
        for (titles, subagent) in self.subagents.iter().zip(&mut session.subagents) {
            titles.renew(subagent);
        }
    }
}

/// Decides what becomes of each text.
pub(super) trait Rewriter {
    /// Announces the message, or the session as a whole, that the texts that follow belong to.
    fn enter(&mut self, _: &SessionId, _: Option<&MessageId>) {}

    /// The new text; `None` leaves it unchanged. `field` is its name in the session document.
    fn rewrite(&mut self, field: &'static str, kind: TextKind<'_>, text: &str) -> Option<String>;

    /// True if a JSON string, the value of member `name` if it has one, is certain to stay
    /// unchanged.
    fn leaves(&self, _name: Option<&str>, _raw: &str) -> bool {
        false
    }

    /// Rewrites a terminal screen before its texts are visited one by one. Returns true if anything
    /// changed.
    fn screen(&mut self, _field: &'static str, _screen: &mut RecordedScreen) -> bool {
        false
    }
}

/// The kinds of texts in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind<'a> {
    /// Something said, thought, printed or read.
    Text,
    /// The value of the member of this name of a JSON object.
    Member(&'a str),
    /// The name of a member of a JSON object.
    Name,
    /// A path that gemtrail itself adds to the document.
    Path,
}

/// Rewrites a session and the sessions of its subagents.
///
/// Names every field, so that a new one cannot be forgotten here. Ids, times, names of tools and
/// models, and counters are structure and stay.
fn rewrite_session(session: &mut Session, rewriter: &mut impl Rewriter) {
    let Session {
        schema: _,
        reference: _,
        id,
        stems: _,
        project,
        origin,
        source: _,
        kind: _,
        recorded_kind: _,
        parent: _,
        parent_ref: _,
        title,
        marks,
        summary,
        started: _,
        updated: _,
        infers_start: _,
        infers_update: _,
        models: _,
        counts: _,
        tokens: _,
        directories,
        journals,
        messages,
        logged,
        subagents,
        diagnostics,
        records,
        extra,
    } = session;
    rewriter.enter(id, None);
    places(project, origin, rewriter);
    for directory in directories {
        path("directories", directory, rewriter);
    }
    for Journal { path: file, .. } in journals {
        path("journals", file, rewriter);
    }
    let own = [marks.title.as_mut(), marks.note.as_mut()];
    let titles = [title.as_mut(), summary.as_mut()].into_iter().chain(own);
    for one in titles.flatten().chain(&mut marks.tags) {
        text("title", one, rewriter);
    }
    for one in logged {
        text("logged", &mut one.text, rewriter);
    }
    for Diagnostic {
        journal, message, ..
    } in diagnostics
    {
        text("diagnostics", message, rewriter);
        if let Some(journal) = journal {
            path("diagnostics", journal, rewriter);
        }
    }
    for one in records {
        raw_value("records", &mut one.record, rewriter);
    }
    fields("extra", extra, rewriter);
    for one in messages {
        rewriter.enter(id, Some(&one.id));
        message(one, rewriter);
    }
    for subagent in subagents {
        rewrite_session(subagent, rewriter);
    }
}

fn places(project: &mut Project, origin: &mut Origin, rewriter: &mut impl Rewriter) {
    let Project {
        dir: _,
        hash: _,
        path: root,
        path_source: _,
    } = project;
    let Origin {
        home,
        host: _,
        user,
    } = origin;
    if let Some(root) = root {
        path("project", root, rewriter);
    }
    for one in [home, user].into_iter().flatten() {
        path("origin", one, rewriter);
    }
}

fn message(message: &mut Message, rewriter: &mut impl Rewriter) {
    let Message {
        id: _,
        place: _,
        time: _,
        role: _,
        kind: _,
        state: _,
        superseded_by: _,
        text: words,
        references,
        model: _,
        thoughts,
        tool_calls,
        tokens: _,
        content,
        display_content,
        revisions,
        stop: _,
        copied_from: _,
        copies: _,
        journal: _,
        trace: _,
        written: _,
        extra,
    } = message;
    text("text", words, rewriter);
    for Reference {
        path: file,
        text: words,
        mime: _,
    } in references
    {
        if let Some(file) = file {
            path("references", file, rewriter);
        }
        text("references", words, rewriter);
    }
    for Thought {
        subject,
        text: words,
        time: _,
        source: _,
        extra,
    } in thoughts
    {
        text("thoughts", subject, rewriter);
        text("thoughts", words, rewriter);
        fields("thoughts", extra, rewriter);
    }
    for call in tool_calls {
        tool_call(call, rewriter);
    }
    optional_raw("content", content, rewriter);
    optional_raw("display_content", display_content, rewriter);
    for revision in revisions {
        raw_value("revisions", revision, rewriter);
    }
    fields("extra", extra, rewriter);
}

fn tool_call(call: &mut ToolCall, rewriter: &mut impl Rewriter) {
    let ToolCall {
        id: _,
        name: _,
        canonical: _,
        category: _,
        server: _,
        args,
        status: _,
        infers_status: _,
        error,
        exit_code: _,
        output,
        output_file,
        result,
        display,
        agent: _,
        time: _,
        started: _,
        display_name: _,
        description,
        markdown: _,
        revisions,
        extra,
    } = call;
    optional_raw("args", args, rewriter);
    let texts = [
        ("error", error),
        ("output", output),
        ("description", description),
    ];
    for (field, one) in texts {
        if let Some(one) = one {
            text(field, one, rewriter);
        }
    }
    if let Some(file) = output_file {
        path("output_file", &mut file.path, rewriter);
    }
    optional_raw("result", result, rewriter);
    optional_raw("display", display, rewriter);
    for revision in revisions {
        raw_value("revisions", revision, rewriter);
    }
    fields("extra", extra, rewriter);
}

fn text(field: &'static str, text: &mut String, rewriter: &mut impl Rewriter) {
    if let Some(new) = rewriter.rewrite(field, TextKind::Text, text) {
        *text = new;
    }
}

fn path(field: &'static str, path: &mut String, rewriter: &mut impl Rewriter) {
    if let Some(new) = rewriter.rewrite(field, TextKind::Path, path) {
        *path = new;
    }
}

fn raw_value(field: &'static str, value: &mut Raw, rewriter: &mut impl Rewriter) {
    if let Some(new) = raw_rewritten(value, field, None, rewriter) {
        *value = new;
    }
}

fn optional_raw(field: &'static str, value: &mut Option<Raw>, rewriter: &mut impl Rewriter) {
    if let Some(value) = value {
        raw_value(field, value, rewriter);
    }
}

fn fields(field: &'static str, fields: &mut Fields, rewriter: &mut impl Rewriter) {
    let mut rewritten = Fields::default();
    let mut changed = false;
    for (name, value) in fields.iter() {
        let new_name = rewriter.rewrite(field, TextKind::Name, name);
        let new_value = raw_rewritten(value, field, Some(name), rewriter);
        changed |= new_name.is_some() || new_value.is_some();
        let name = new_name.as_deref().unwrap_or(name);
        rewritten.set(name, new_value.unwrap_or_else(|| value.clone()));
    }
    if changed {
        *fields = rewritten;
    }
}

/// The value with its strings rewritten, if any of them changes. `name` is that of the member that
/// holds the value.
fn raw_rewritten(
    raw: &Raw,
    field: &'static str,
    name: Option<&str>,
    rewriter: &mut impl Rewriter,
) -> Option<Raw> {
    let screens = screens_rewritten(raw, |screen| rewriter.screen(field, screen));
    let text = screens.as_deref().unwrap_or(raw.text());
    let out = json_rewritten(text, field, name, rewriter).or(screens)?;
    // It was JSON before, and strings were only replaced by strings.
    Raw::parse(&out).or_else(|| Some(Raw::string("[redacted]")))
}

/// JSON, or lines of it, with its strings rewritten.
pub(super) fn json_rewritten(
    text: &str,
    field: &'static str,
    name: Option<&str>,
    rewriter: &mut impl Rewriter,
) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    let mut name = name.map(Cow::Borrowed);
    // Quotes occur only around strings.
    while let Some(found) = memchr(b'"', &bytes[at..]) {
        let start = at + found;
        let end = end_of_string(bytes, start);
        let is_name = bytes.get(end) == Some(&b':');
        let before = bytes[..start].trim_ascii_end();
        let is_member = before.is_empty() || before.ends_with(b":");
        let member = name.as_deref().filter(|_| is_member);
        if !is_name && rewriter.leaves(member, &text[start..end]) {
            at = end;
            continue;
        }
        let string = decode(&text[start..end]);
        let kind = match member {
            _ if is_name => TextKind::Name,
            Some(name) => TextKind::Member(name),
            None => TextKind::Text,
        };
        let new = rewriter.rewrite(field, kind, &string);
        if let Some(new) = new {
            let out = out.get_or_insert_default();
            out.push_str(&text[copied..start]);
            out.push_str(Raw::string(&new).text());
            copied = end;
        }
        if is_name {
            name = Some(string);
        }
        at = end;
    }
    let mut out = out?;
    out.push_str(&text[copied..]);
    Some(out)
}
