//! Tool calls under construction.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::Fingerprint;
use crate::json::{Node, Raw, Shape};
use crate::model::{CallId, CallStatus, ToolCall};
use crate::tools;
use crate::view::outcome;
use crate::wire::content::{self, Answered, Fullness, WirePart, WireResponse};
use crate::wire::record::WireCall;

use super::Detail;
use super::ids::DedupSet;

/// Builds a call from an element of `toolCalls`.
pub(super) fn of(wire: &WireCall<'_>, detail: Detail) -> ToolCall {
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let name = owned(&wire.name).unwrap_or_default();
    // Distinguishes an agent's prompt, if there is one, from what the person typed after it.
    let time = wire.time.as_deref();
    let time = time.filter(|_| wire.args.is_some() && tools::may_be_agent(&name));
    let mut call = ToolCall {
        id: CallId::new(wire.id.as_deref().unwrap_or_default()),
        time: time.map(str::to_owned),
        args: kept_args(&name, wire.args, detail),
        name,
        status: wire.status.as_deref().map(CallStatus::from),
        agent: owned(&wire.agent),
        ..ToolCall::default()
    };
    if detail != Detail::Full {
        call.result = wire
            .result
            .map(|result| outline_of_result(wire, result, detail));
        return call;
    }
    call.time = owned(&wire.time);
    call.started = owned(&wire.started);
    call.display_name = owned(&wire.display_name);
    call.description = owned(&wire.description);
    call.markdown = wire.markdown;
    call.result = wire.result.map(Raw::from);
    call.display = wire.display.map(Raw::from);
    for (name, node) in &wire.extra {
        call.extra.set(name, Raw::from(*node));
    }
    call
}

/// Builds a call from a function call in a content.
pub(super) fn asked(id: &str, name: &str, args: Option<Node<'_>>, detail: Detail) -> ToolCall {
    ToolCall {
        id: CallId::new(id),
        name: name.to_owned(),
        args: kept_args(name, args, detail),
        ..ToolCall::default()
    }
}

/// Arguments are kept in full detail, and always for calls that may start agents: the prompt in
/// them distinguishes the agent's messages from the person's. Of calls that change files, counting
/// needs to know which file.
fn kept_args(name: &str, args: Option<Node<'_>>, detail: Detail) -> Option<Raw> {
    let args = args?;
    if detail == Detail::Full || tools::may_be_agent(name) {
        return Some(Raw::from(args));
    }
    let (argument, path) = tools::changed_file(name, args)?;
    let path = Raw::string(&path);
    Some(Raw::of_compact(format!(
        r#"{{"{argument}":{}}}"#,
        path.text()
    )))
}

/// The parts of a function response that counting needs: which call it answers, whether that
/// failed, and how its command ended. For traces also a fingerprint, to distinguish it from other
/// answers.
pub(super) fn outline(answer: &WireResponse<'_>, detail: Detail) -> Raw {
    let mut text = String::from(r#"{"functionResponse":{"#);
    if let Some(id) = answer.id.as_deref() {
        text.push_str(r#""id":"#);
        text.push_str(Raw::string(id).text());
        text.push(',');
    }
    text.push_str(r#""name":"#);
    text.push_str(Raw::string(&answer.name).text());
    if let Some(response) = answer.response {
        let (mut key, mut rest) = ("output", String::new());
        // The call may have another name than its answer, so this does not rely on either.
        if answer.may_hold_error || outcome::may_hold_exit_code(response.text()) {
            let answered = content::ResponseOutcome::of(response);
            if answered.error().is_some() {
                key = "error";
            }
            rest = outcome::outline_of(answered.value());
        }
        let rest = Raw::string(&rest);
        for piece in [r#","response":{""#, key, r#"":"#, rest.text(), "}"] {
            text.push_str(piece);
        }
    }
    if detail == Detail::Traced {
        let fingerprint = format!("{:?}", Fingerprint::of(Raw::from(answer.part).text()));
        for piece in [r#","fingerprint":""#, &fingerprint, r#"""#] {
            text.push_str(piece);
        }
    }
    text.push_str("}}");
    Raw::of_compact(text)
}

/// The parts of a result that counting needs: that there is one, and what its answers say about how
/// the call went.
fn outline_of_result(wire: &WireCall<'_>, result: Node<'_>, detail: Detail) -> Raw {
    let runs_commands = outcome::runs_commands(wire.name.as_deref().unwrap_or_default());
    let is_settled = matches!(wire.status.as_deref(), Some("error" | "cancelled"));
    let may_matter = || {
        let has_code = || runs_commands && outcome::may_hold_exit_code(result.text());
        (runs_commands || !is_settled) && (wire.may_hold_error || has_code())
    };
    if result.shape() == Shape::String {
        let outline = (runs_commands && may_matter()).then(|| outcome::outline_of(result));
        return outline.map_or_else(Raw::null, |outline| Raw::string(&outline));
    }
    if wire.status.is_some() && detail == Detail::Counts && !may_matter() {
        return Raw::null();
    }
    let parts = content::parts(result);
    let outlines: Vec<Raw> = parts
        .iter()
        .filter_map(|part| match part {
            WirePart::Response(answer) => Some(outline(answer, detail)),
            _ => None,
        })
        .collect();
    let texts: Vec<&str> = outlines.iter().map(Raw::text).collect();
    Raw::of_compact(format!("[{}]", texts.join(",")))
}

/// Identifies a call across records: the id, or the name if there is none, and how many calls with
/// the same one precede it.
type CallKey = (String, String, usize);

/// Assigns keys to the calls of one record.
#[derive(Default)]
struct CallKeys(HashMap<(String, String), usize>);

impl CallKeys {
    fn next(&mut self, call: &ToolCall) -> CallKey {
        let id = call.id.as_str();
        let name = if id.is_empty() {
            call.name.as_str()
        } else {
            ""
        };
        let before = self.0.entry((id.to_owned(), name.to_owned())).or_default();
        *before += 1;
        (id.to_owned(), name.to_owned(), *before)
    }

    fn places(calls: &[ToolCall]) -> HashMap<CallKey, usize> {
        let mut keys = Self::default();
        let key = |(at, call)| (keys.next(call), at);
        calls.iter().enumerate().map(key).collect()
    }
}

/// True if the first list starts with the calls of the second. That is the usual case: a record is
/// written again each time one of its calls ends.
fn begins_with(calls: &[ToolCall], beginning: &[ToolCall]) -> bool {
    let same = |(one, other): (&ToolCall, &ToolCall)| {
        one.id == other.id && (!one.id.as_str().is_empty() || one.name == other.name)
    };
    calls.len() >= beginning.len() && calls.iter().zip(beginning).all(same)
}

/// Adds the calls that are missing.
pub(super) fn add_missing(calls: &mut Vec<ToolCall>, more: Vec<ToolCall>) {
    if begins_with(calls, &more) {
        return;
    }
    let (known, mut keys) = (CallKeys::places(calls), CallKeys::default());
    for call in more {
        if !known.contains_key(&keys.next(&call)) {
            calls.push(call);
        }
    }
}

/// Updates calls, and adds the missing ones.
pub(super) fn merge(calls: &mut Vec<ToolCall>, newer: Vec<ToolCall>, seen: &mut DedupSet) {
    if begins_with(&newer, calls) {
        let mut newer = newer.into_iter();
        for (at, newer) in (0..calls.len()).zip(&mut newer) {
            update(calls, at, newer, seen);
        }
        calls.extend(newer);
        return;
    }
    if newer.is_empty() {
        return;
    }
    let (known, mut keys) = (CallKeys::places(calls), CallKeys::default());
    for call in newer {
        match known.get(&keys.next(&call)) {
            Some(&at) => update(calls, at, call, seen),
            None => calls.push(call),
        }
    }
}

/// Merges a later record of the same call.
fn update(calls: &mut [ToolCall], at: usize, newer: ToolCall, seen: &mut DedupSet) {
    let call = &mut calls[at];
    if !newer.name.is_empty() {
        call.name = newer.name;
    }
    call.status = newer.status.or(call.status.take());
    call.args = newer.args.or(call.args.take());
    call.display = newer.display.or(call.display.take());
    call.agent = newer.agent.or(call.agent.take());
    call.time = newer.time.or(call.time.take());
    call.started = newer.started.or(call.started.take());
    call.display_name = newer.display_name.or(call.display_name.take());
    call.description = newer.description.or(call.description.take());
    call.markdown = newer.markdown.or(call.markdown);
    call.extra.merge(newer.extra);
    let mut behind = Vec::new();
    match (&mut call.result, newer.result) {
        (old @ None, new) => *old = new,
        // Masking replaces an answer with a pointer to a file; the full answer stays first.
        (Some(old), Some(new)) if *old != new => {
            let fullness = |raw: &Raw| Fullness::of(&Answered::of(raw, call.id.as_str()).text());
            if fullness(&new) >= fullness(old) {
                behind.push(std::mem::replace(old, new));
            } else {
                behind.push(new);
            }
        }
        _ => {}
    }
    behind.extend(newer.revisions);
    for revision in behind {
        if seen.insert(&(at, &revision), revisions(calls)) {
            calls[at].revisions.push(revision);
        }
    }
}

/// All revisions, each with the position of its call.
fn revisions(calls: &[ToolCall]) -> impl Iterator<Item = (usize, &Raw)> {
    let calls = calls.iter().enumerate();
    calls.flat_map(|(at, call)| call.revisions.iter().map(move |revision| (at, revision)))
}
