//! Whose words each message holds, where its content alone does not tell.
//!
//! Text that the client may have written is its own only on evidence: where it stands, when it was
//! written, what the prompt log has. In doubt it is the person's.

use foldhash::HashSet;
use jiff::Timestamp;

use crate::logs::LogEntry;
use crate::model::{Kind, MessageKind, Role};
use crate::replay::ReplayEntry;
use crate::words::{self, AuthorHint};
use crate::{time, tools};

use super::join::Joined;

/// Answers that Gemini CLI writes in the model's place.
const SYNTHETIC_ANSWERS: [&str; 4] = [
    "Got it. Thanks for the context!",
    crate::replay::ANSWER_TO_SUMMARY,
    "[The previous response was interrupted before it completed.]",
    "Binary content received. Proceeding with analysis.",
];

/// A prompt in the log this close to a record is the same prompt.
const SAME_PROMPT_SECONDS: i64 = 60;

/// Before the client asks the model to go on, it only asks the model who speaks next. In a terminal
/// the log has everything that was typed; without a log this must be faster than a new process.
const NEXT_SPEAKER_SECONDS: i64 = 30;
const NEXT_SPEAKER_SECONDS_UNLOGGED: i64 = 2;

/// The number of messages around a prompt that may hold the call that caused it.
const TURN: usize = 24;

/// The prompt of an agent whose definition has none.
const NO_REQUEST: &str = "Get Started!";

/// Assigns every message its role.
pub(super) fn assign(joined: &mut Joined, kind: Kind, prompts: &[LogEntry]) {
    for at in 0..joined.entries.len() {
        let place = RoleContext {
            entries: &joined.entries,
            roles: &joined.roles,
            at,
            prompts,
        };
        joined.roles[at] = place.role(kind);
    }
}

/// A message and what is around it. The messages before it have their roles.
struct RoleContext<'a> {
    entries: &'a [ReplayEntry],
    roles: &'a [Role],
    at: usize,
    prompts: &'a [LogEntry],
}

impl RoleContext<'_> {
    fn entry(&self) -> &ReplayEntry {
        &self.entries[self.at]
    }

    fn role(&self, kind: Kind) -> Role {
        match &self.entry().kind {
            MessageKind::Gemini | MessageKind::Model if is_synthetic(self.entry()) => Role::Context,
            MessageKind::Gemini | MessageKind::Model => Role::Assistant,
            MessageKind::Info => Role::Info,
            MessageKind::Warning => Role::Warning,
            MessageKind::Error => Role::Error,
            MessageKind::User | MessageKind::Human => match self.injected() {
                Some(role) => role,
                None if kind == Kind::Subagent => Role::Agent,
                None => Role::Human,
            },
            MessageKind::Other(_) => Role::Unknown,
        }
    }

    /// The role of a user's record that the person did not type.
    fn injected(&self) -> Option<Role> {
        let (role, is_proven) = match self.entry().words.hint {
            AuthorHint::ToolResult => (Role::Tool, true),
            AuthorHint::Context => (Role::Context, true),
            AuthorHint::ToAgent => (Role::Agent, true),
            AuthorHint::Hook => (Role::Hook, !self.is_answered()),
            AuthorHint::Shell => (Role::Shell, !self.is_answered()),
            AuthorHint::Summary => (Role::Summary, self.is_summary()),
            AuthorHint::Continue => (Role::Context, self.is_continuation()),
            AuthorHint::Resend => (Role::Context, !self.is_first() && !self.was_logged()),
            AuthorHint::SnapshotRequest => (Role::Context, self.is_snapshot_request()),
            AuthorHint::FlattenedAnswer => (Role::Tool, self.answers_call()),
            AuthorHint::Plain => (Role::Agent, self.is_agent_prompt()),
        };
        is_proven.then_some(role)
    }

    /// The message before, notices aside.
    fn before(&self) -> Option<&ReplayEntry> {
        let before = self.entries[..self.at].iter().rev();
        before.into_iter().find(|entry| !entry.is_notice())
    }

    /// The message after, notices aside.
    fn after(&self) -> Option<&ReplayEntry> {
        let after = self.entries[self.at + 1..].iter();
        after.into_iter().find(|entry| !entry.is_notice())
    }

    /// True if the model answered this very message. What the client only adds to the history is
    /// answered together with the next prompt.
    fn is_answered(&self) -> bool {
        let is_real = |next: &ReplayEntry| next.kind.is_model() && !is_synthetic(next);
        self.after().is_some_and(is_real)
    }

    /// True if the client's own answer to a snapshot follows.
    fn is_summary(&self) -> bool {
        let next = self.entries.get(self.at + 1);
        next.is_some_and(ReplayEntry::answers_summary)
    }

    /// True if the client asked for a snapshot: its answer is not in the file.
    fn is_snapshot_request(&self) -> bool {
        !self.is_first() && !self.is_answered() && !self.was_logged()
    }

    /// True if a process started with this message: only a person starts one.
    fn is_first(&self) -> bool {
        self.entry().starts_process || self.before().is_none()
    }

    /// True if the next-speaker check caused it: right after an answer that called no tool, and
    /// never in the prompt log.
    fn is_continuation(&self) -> bool {
        let follows = |before: &ReplayEntry| {
            let longest = if self.is_turn_logged() {
                NEXT_SPEAKER_SECONDS
            } else {
                NEXT_SPEAKER_SECONDS_UNLOGGED
            };
            let seconds = seconds_between(before.time.as_deref(), self.entry().time.as_deref());
            before.kind.is_model()
                && before.calls.is_empty()
                && seconds.is_some_and(|seconds| (0..=longest).contains(&seconds))
        };
        !self.is_first() && !self.was_logged() && self.before().is_some_and(follows)
    }

    /// True if the prompt log has it, at about the same time.
    fn was_logged(&self) -> bool {
        self.has_logged(self.entry())
    }

    /// True if the prompt log has the prompt before.
    fn is_turn_logged(&self) -> bool {
        let before = &self.roles[..self.at];
        let prompt = before.iter().rposition(|role| *role == Role::Human);
        prompt.is_some_and(|prompt| self.has_logged(&self.entries[prompt]))
    }

    fn has_logged(&self, entry: &ReplayEntry) -> bool {
        let is_same = |prompt: &&LogEntry| prompt.text.trim() == entry.words.text;
        let is_near = |prompt: &LogEntry| {
            seconds_between(Some(&prompt.time), entry.time.as_deref())
                .is_some_and(|seconds| seconds.abs() <= SAME_PROMPT_SECONDS)
        };
        self.prompts.iter().filter(is_same).any(is_near)
    }

    /// True if it follows a call of the tool it names, in a content of the time when parts were
    /// flattened.
    fn answers_call(&self) -> bool {
        if self.entry().is_modern {
            return false;
        }
        let text = self.entry().words.text.as_str();
        let has_call =
            |before: &ReplayEntry, name: &str| before.calls.iter().any(|it| it.name == name);
        self.before()
            .is_some_and(|before| words::flattened_answers(text).all(|it| has_call(before, it)))
    }

    /// Versions 0.10 to 0.31 wrote a subagent's prompt into the main file as the user's words. It
    /// comes after the prompt that started the turn, and a call of that turn asks for exactly this.
    fn is_agent_prompt(&self) -> bool {
        let (entries, at) = (self.entries, self.at);
        let text = entries[at].words.text.as_str();
        let turn_start = self.roles[..at]
            .iter()
            .rposition(|role| *role == Role::Human);
        let Some(turn_start) = turn_start.filter(|start| at - start <= TURN) else {
            return false;
        };
        // Asking the same again after a failure is the person's doing.
        if entries[turn_start].words.text == text {
            return false;
        }
        let in_turn = |entry: &&ReplayEntry| entry.kind.is_model();
        let asks = |entry: &ReplayEntry| {
            entry.calls.iter().any(|call| {
                let in_time = match (entries[at].time.as_deref(), call.time.as_deref()) {
                    (Some(said), Some(ended)) => !time::is_before(ended, said),
                    _ => true,
                };
                let is_asked = || {
                    let requests = tools::agent_requests(call);
                    requests
                        .iter()
                        .any(|request| text.contains(request.as_str()))
                };
                let is_started = || text == NO_REQUEST && tools::may_be_agent(&call.name);
                in_time && (is_asked() || is_started())
            })
        };
        entries[turn_start..]
            .iter()
            .take(2 * TURN)
            .filter(in_turn)
            .any(asks)
    }
}

fn is_synthetic(entry: &ReplayEntry) -> bool {
    entry.bare
        && SYNTHETIC_ANSWERS
            .iter()
            .any(|known| entry.says_exactly(known))
}

fn seconds_between(earlier: Option<&str>, later: Option<&str>) -> Option<i64> {
    let (earlier, later) = (time::parse(earlier?)?, time::parse(later?)?);
    Some(later.duration_since(earlier).as_secs())
}

/// The longest time between a logged prompt and its record: hooks run in between.
const LONGEST_HOOKS_SECONDS: i64 = 60;

/// The most logged prompts that are compared with one record.
const MOST_CANDIDATES: usize = 16;

/// Reduces each of the person's messages to what the log has of it, if it has not all of it: before
/// 0.27 hooks put their output behind the prompt, in one text with it, and only the prompt log shows
/// where the prompt ends.
pub(super) fn cut_hook_output(joined: &mut Joined, prompts: &[LogEntry]) {
    if prompts.is_empty() {
        return;
    }
    let lengths: Vec<(usize, usize)> = {
        let said = LoggedPrompts::new(joined, prompts);
        let people = (0..joined.entries.len()).filter(|&at| joined.roles[at] == Role::Human);
        people
            .filter_map(|at| Some((at, said.prompt_of(&joined.entries[at])?)))
            .collect()
    };
    for (at, length) in lengths {
        let entry = &mut joined.entries[at];
        entry.words.text.truncate(length);
        // Read alone, it would have the rest too.
        entry.trace.forget();
    }
}

/// The prompts in the log, and the user records.
struct LoggedPrompts<'a> {
    logged: HashSet<&'a str>,
    recorded: HashSet<&'a str>,
    /// Prompts, commands aside, by time.
    by_time: Vec<(Timestamp, &'a str)>,
}

impl<'a> LoggedPrompts<'a> {
    fn new(joined: &'a Joined, prompts: &'a [LogEntry]) -> Self {
        let prompt = |entry: &'a LogEntry| Some((time::parse(&entry.time)?, entry.text.trim()));
        let typed = prompts.iter().filter(|entry| !entry.is_command());
        let mut by_time: Vec<_> = typed.filter_map(prompt).collect();
        by_time.sort_unstable();
        let users = joined.entries.iter().filter(|entry| entry.kind.is_user());
        Self {
            logged: prompts.iter().map(|entry| entry.text.trim()).collect(),
            recorded: users.map(|entry| entry.words.text.as_str()).collect(),
            by_time,
        }
    }

    /// The length of the prompt that a record starts with, if the log has only that. A prompt that
    /// another record has is that record's.
    fn prompt_of(&self, entry: &ReplayEntry) -> Option<usize> {
        let text = entry.words.text.as_str();
        // Since 0.28 a content is a list of parts.
        if entry.is_modern || self.logged.contains(text) {
            return None;
        }
        let recorded = entry.time.as_deref().and_then(time::parse)?;
        let until = self.by_time.partition_point(|(time, _)| *time <= recorded);
        let is_near = |(time, _): &&(Timestamp, &str)| {
            recorded.duration_since(*time).as_secs() <= LONGEST_HOOKS_SECONDS
        };
        let near = self.by_time[..until].iter().rev().take_while(is_near);
        near.take(MOST_CANDIDATES)
            .map(|(_, prompt)| *prompt)
            .filter(|prompt| {
                !prompt.is_empty() && text.starts_with(prompt) && !self.recorded.contains(prompt)
            })
            .map(str::len)
            .max()
    }
}
