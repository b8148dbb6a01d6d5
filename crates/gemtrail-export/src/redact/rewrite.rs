//! Visits every text of a session and replaces it.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    Diagnostic, Journal, Message, MessageId, Origin, Project, Reference, Session, SessionId,
    Thought, ToolCall,
};

use super::raw;
use super::screen::Screen;

/// Decides what becomes of each text. `None` leaves it unchanged.
pub(super) trait Rewrite {
    /// The texts that follow belong to this message, or to the session as a whole.
    fn enter(&mut self, session: &SessionId, message: Option<&MessageId>);

    /// Something said, thought, printed or read.
    fn text(&mut self, field: &'static str, text: &str) -> Option<String>;

    /// The text of a member of a JSON object.
    fn member(&mut self, field: &'static str, name: &str, text: &str) -> Option<String>;

    /// The name of a member of a JSON object.
    fn name(&mut self, field: &'static str, name: &str) -> Option<String>;

    /// Whether a JSON string, the value of member `name` if it has one, is certain to stay
    /// unchanged.
    fn leaves(&self, name: Option<&str>, raw: &str) -> bool {
        let _ = (name, raw);
        false
    }

    /// A terminal screen, before its texts are visited one by one. Returns whether anything
    /// changed.
    fn screen(&mut self, field: &'static str, screen: &mut Screen) -> bool {
        let _ = (field, screen);
        false
    }

    /// A path that gemtrail itself adds to the document.
    fn path(&mut self, field: &'static str, path: &str) -> Option<String>;
}

/// Rewrites a session and the sessions of its subagents.
///
/// Names every field, so that a new one cannot be forgotten here. Ids, times, names of tools and
/// models, and counters are structure and stay.
pub(super) fn session(session: &mut Session, rewriter: &mut impl Rewrite) {
    let Session {
        schema: _,
        reference: _,
        id,
        stems: _,
        project,
        origin,
        kind: _,
        recorded_kind: _,
        parent: _,
        parent_ref: _,
        title,
        summary,
        started: _,
        updated: _,
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
    for one in [title.as_mut(), summary.as_mut()].into_iter().flatten() {
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
        self::session(subagent, rewriter);
    }
}

fn places(project: &mut Project, origin: &mut Origin, rewriter: &mut impl Rewrite) {
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

fn message(message: &mut Message, rewriter: &mut impl Rewrite) {
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

fn tool_call(call: &mut ToolCall, rewriter: &mut impl Rewrite) {
    let ToolCall {
        id: _,
        name: _,
        canonical: _,
        category: _,
        server: _,
        args,
        status: _,
        error,
        exit_code: _,
        output,
        output_file,
        result,
        display,
        agent: _,
        time: _,
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

fn text(field: &'static str, text: &mut String, rewriter: &mut impl Rewrite) {
    if let Some(new) = rewriter.text(field, text) {
        *text = new;
    }
}

fn path(field: &'static str, path: &mut String, rewriter: &mut impl Rewrite) {
    if let Some(new) = rewriter.path(field, path) {
        *path = new;
    }
}

fn raw_value(field: &'static str, value: &mut Raw, rewriter: &mut impl Rewrite) {
    if let Some(new) = raw::rewritten(value, field, None, rewriter) {
        *value = new;
    }
}

fn optional_raw(field: &'static str, value: &mut Option<Raw>, rewriter: &mut impl Rewrite) {
    if let Some(value) = value {
        raw_value(field, value, rewriter);
    }
}

fn fields(field: &'static str, fields: &mut Fields, rewriter: &mut impl Rewrite) {
    let mut rewritten = Fields::default();
    let mut changed = false;
    for (name, value) in fields.iter() {
        let new_name = rewriter.name(field, name);
        let new_value = raw::rewritten(value, field, Some(name), rewriter);
        changed |= new_name.is_some() || new_value.is_some();
        let name = new_name.as_deref().unwrap_or(name);
        rewritten.set(name, new_value.unwrap_or_else(|| value.clone()));
    }
    if changed {
        *fields = rewritten;
    }
}
