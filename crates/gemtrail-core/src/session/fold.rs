//! Folds tool answers into their calls: since 0.44 every answer is also recorded as a message.

use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt as _};
use memchr::memmem;

use crate::json::Raw;
use crate::model::{Aside, CallStatus, Message, OutputFile, ToolCall};
use crate::replay::{DedupSet, Detail, ReplayEntry};
use crate::tools;
use crate::view::{Outcome, outcome};
use crate::wire::content::{Answered, Fullness};

use super::join::Joined;

/// Gives each answer to its call and hides messages that hold nothing else; then completes the
/// calls as far as `detail` requires.
pub(super) fn answers(joined: &mut Joined, detail: Detail) {
    drop_repeated_calls(joined);
    if joined.entries.iter().any(|entry| !entry.answers.is_empty()) {
        give_answers(joined);
    }
    for call in joined.entries.iter_mut().flat_map(|entry| &mut entry.calls) {
        match detail {
            Detail::Full => complete(call),
            Detail::Counts | Detail::Traced => judge(call),
        }
    }
}

fn give_answers(joined: &mut Joined) {
    let mut takeovers = Takeovers::default();
    let calls = calls_by_id(joined);
    let mut given: HashMap<(usize, usize), Given> = HashMap::new();
    // Answers follow the turn that asked for them.
    let mut last_asking = None;
    for at in 0..joined.entries.len() {
        let answers = std::mem::take(&mut joined.entries[at].answers);
        let mut all_found = !answers.is_empty();
        if !answers.is_empty() {
            forget_if_asking(&mut joined.entries[at]);
        }
        for answer in answers {
            let known = answer.id.as_deref().and_then(|id| calls.get(id).copied());
            let place = known.or_else(|| {
                let asking = last_asking?;
                let index = unanswered(&joined.entries[asking], &answer.name)?;
                Some((asking, index))
            });
            match place {
                Some((entry, index)) => {
                    let call = &mut joined.entries[entry].calls[index];
                    let given = given.entry((entry, index));
                    let given = given.or_insert_with(|| Given::to(call));
                    if answer.part.is_some_and(|part| given.give(call, &part)) {
                        takeovers.note(joined, entry, at);
                    }
                }
                None => all_found = false,
            }
        }
        if all_found && joined.entries[at].only_answers {
            joined.hidden[at] = true;
        }
        if !joined.entries[at].calls.is_empty() {
            last_asking = Some(at);
        }
    }
}

/// The calls with ids: their message and position in it. The last call with an id gets the answers.
/// Read alone, an earlier message would take them, so its trace is dropped.
fn calls_by_id(joined: &mut Joined) -> HashMap<String, (usize, usize)> {
    let mut calls: HashMap<String, (usize, usize)> = HashMap::new();
    let mut ambiguous = Vec::new();
    for (at, entry) in joined.entries.iter().enumerate() {
        for (index, call) in entry.calls.iter().enumerate() {
            if !call.id.as_str().is_empty() {
                let before = calls.insert(call.id.as_str().to_owned(), (at, index));
                ambiguous.extend(
                    before
                        .map(|(before, _)| before)
                        .filter(|&before| before != at),
                );
            }
        }
    }
    for at in ambiguous {
        joined.entries[at].trace.forget();
    }
    calls
}

/// For counts only: derives how the call went from the outlines of its answers.
fn judge(call: &mut ToolCall) {
    let id = call.id.as_str();
    let results = || call.result.iter().chain(&call.revisions);
    if outcome::runs_commands(&call.name) {
        let codes = results().filter_map(|result| {
            let answer = Answered::of(result, id).text();
            outcome::exit_code(&call.name, &answer)
        });
        call.exit_code = worst(codes);
    }
    if call.status.is_none() && results().next().is_some() {
        let error = |result| Answered::of(result, id).outcome()?.error();
        let failed = results().any(|result| error(result).is_some());
        call.status = Some(status(failed));
    }
}

/// Removes the outlines once everything is counted, except where nothing else says that a call
/// failed.
pub(super) fn drop_outlines(messages: &mut [Message]) {
    for call in messages.iter_mut().flat_map(|it| &mut it.tool_calls) {
        let was_failed = Outcome::of(call).is_failed();
        let outlines = call.result.take();
        let revisions = std::mem::take(&mut call.revisions);
        if was_failed && !Outcome::of(call).is_failed() {
            (call.result, call.revisions) = (outlines, revisions);
        }
    }
}

/// All records of a call should agree on the exit code. If they do not, a failure wins, and the
/// order of the records makes no difference.
fn worst(codes: impl Iterator<Item = i64>) -> Option<i64> {
    codes.max_by_key(|code| (code.unsigned_abs(), *code))
}

fn status(failed: bool) -> CallStatus {
    if failed {
        CallStatus::Error
    } else {
        CallStatus::Success
    }
}

/// A content may repeat calls of another message if a copy was not recognised.
fn drop_repeated_calls(joined: &mut Joined) {
    let mut calls = joined.entries.iter().flat_map(|entry| &entry.calls);
    let hides_calls = |(entry, hidden): (&ReplayEntry, &bool)| *hidden && !entry.calls.is_empty();
    if calls.all(|call| call.status.is_some())
        && !joined.entries.iter().zip(&joined.hidden).any(hides_calls)
    {
        return;
    }
    let mut owners: HashMap<String, usize> = HashMap::new();
    for (at, entry) in joined.entries.iter().enumerate() {
        for call in &entry.calls {
            let id = call.id.as_str();
            if !id.is_empty() && call.status.is_some() {
                owners.entry(id.to_owned()).or_insert(at);
            }
        }
    }
    for (at, entry) in joined.entries.iter_mut().enumerate() {
        let hidden = joined.hidden[at];
        let count = entry.calls.len();
        entry.calls.retain(|call| {
            let owner = owners.get(call.id.as_str());
            !hidden && owner.is_none_or(|&owner| owner == at || call.status.is_some())
        });
        if entry.calls.len() < count {
            entry.trace.forget();
        }
    }
}

/// The first call of that name without id and answer: old histories have no ids, or only on
/// answers.
fn unanswered(asking: &ReplayEntry, name: &str) -> Option<usize> {
    let open =
        |call: &ToolCall| call.name == name && call.id.as_str().is_empty() && call.result.is_none();
    asking.calls.iter().position(open)
}

/// The answers that a call has received so far.
struct Given {
    answers: DedupSet,
    /// The fullness of the first answer.
    first: Option<Fullness>,
}

impl Given {
    fn to(call: &ToolCall) -> Self {
        let mut answers = DedupSet::default();
        for result in call.result.iter().chain(&call.revisions) {
            answers.insert(&result.text(), []);
            for item in result.node().items() {
                answers.insert(&item.text(), []);
            }
        }
        let first = call
            .result
            .as_ref()
            .map(|raw| Fullness::of(&Answered::of(raw, call.id.as_str()).text()));
        Self { answers, first }
    }

    /// Adds an answer to a call; `false` if the call already has it. The fullest one comes first.
    fn give(&mut self, call: &mut ToolCall, part: &Raw) -> bool {
        if !self.answers.insert(&part.text(), []) {
            return false;
        }
        let fullness = Fullness::of(&Answered::of(part, call.id.as_str()).text());
        let as_list = Raw::parse(&format!("[{}]", part.text()));
        if self.first.is_some_and(|first| first >= fullness) {
            call.revisions.extend(as_list);
        } else {
            self.first = Some(fullness);
            call.revisions
                .extend(std::mem::replace(&mut call.result, as_list));
        }
        true
    }
}

/// Derives what follows from the rest of the call.
fn complete(call: &mut ToolCall) {
    let tool = tools::canonical(&call.name);
    call.canonical = tool.canonical.into_owned();
    tool.category.clone_into(&mut call.category);
    call.server = tools::server(&call.name, call.display_name.as_deref()).map(str::to_owned);

    let id = call.id.as_str().to_owned();
    let mut error = None;
    let mut codes = Vec::new();
    let mut output: Option<String> = None;
    for result in call.result.iter().chain(&call.revisions) {
        let answered = Answered::of(result, &id);
        let text = answered.text();
        if call.output_file.is_none() {
            call.output_file = output_file(&text);
        }
        codes.extend(outcome::exit_code(&call.name, &text));
        let is_fuller = |fullest: &String| Fullness::of(&text) > Fullness::of(fullest);
        if output.as_ref().is_none_or(is_fuller) {
            output = Some(text);
        }
        error = error.or_else(|| answered.outcome()?.error_text());
    }
    if call.status.is_none() && output.is_some() {
        call.status = Some(status(error.is_some()));
        call.infers_status = Aside(true);
    }
    if call.status == Some(CallStatus::Error) {
        let shown = || {
            call.display
                .as_ref()
                .and_then(|raw| raw.node().as_str())
                .map(std::borrow::Cow::into_owned)
        };
        call.error = Some(
            error
                .or_else(shown)
                .or_else(|| output.clone())
                .unwrap_or_default(),
        );
    }
    call.exit_code = worst(codes.into_iter());
    call.output = output;
}

static OUTPUT_FILE: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(tools::IN_ALL_BEFORE_OUTPUT_FILE));

fn output_file(text: &str) -> Option<OutputFile> {
    OUTPUT_FILE.find(text.as_bytes())?;
    let path = tools::BEFORE_OUTPUT_FILE
        .iter()
        .find_map(|before| text.split_once(before).map(|(_, path)| path))?;
    let path = path.split(['\n', '<']).next()?.trim();
    (!path.is_empty()).then(|| OutputFile {
        path: path.to_owned(),
        bytes: None,
    })
}

/// Keeps traces valid while calls take over answers from other messages, which are named by
/// position.
///
/// Reading the records of a trace folds the answers among them into the calls among them, as for
/// the whole session. That must find the same calls with fewer messages around, so a trace is kept
/// only if ids alone decide which call an answer belongs to.
#[derive(Default)]
struct Takeovers {
    /// The last message that each message took an answer from.
    last: HashMap<usize, usize>,
}

impl Takeovers {
    /// Notes that a call has taken over an answer. A message hands over all its answers in one go.
    fn note(&mut self, joined: &mut Joined, taker: usize, giver: usize) {
        let entries = &mut joined.entries;
        if entries[taker].trace.is_empty() || self.last.insert(taker, giver) == Some(giver) {
            return;
        }
        // Calls without an id are matched by name, a message that asks may take over answers too,
        // and read alone, two messages with the same id would be one.
        let calls = &entries[taker].calls;
        let is_certain = calls.iter().all(|call| !call.id.as_str().is_empty())
            && entries[giver].calls.is_empty()
            && entries[giver].id != entries[taker].id
            && joined.journal_of[taker] == joined.journal_of[giver];
        if is_certain {
            let more = std::mem::take(&mut entries[giver].trace);
            entries[taker].trace.append(&more);
            entries[giver].trace = more;
        } else {
            entries[taker].trace.forget();
        }
    }
}

/// Drops the trace of a message that both asks and answers. Read alone, it comes before its
/// answers; here it may come after them.
fn forget_if_asking(entry: &mut ReplayEntry) {
    if !entry.calls.is_empty() {
        entry.trace.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_introduction_of_an_output_file_is_known() {
        for before in tools::BEFORE_OUTPUT_FILE {
            let found = output_file(&format!("cut\n{before}/tmp/a.txt\nrest"));
            assert_eq!(found.map(|file| file.path).as_deref(), Some("/tmp/a.txt"));
        }
        assert_eq!(output_file("no output at all"), None);
    }
}
