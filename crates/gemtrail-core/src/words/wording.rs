//! Texts that Gemini CLI itself writes in the user's name, word for word.
//!
//! A person may quote any of this, so a prefix or a word inside proves nothing: only a whole text
//! that has the client's wording from start to end counts. In doubt it is the person's.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::AuthorHint;

/// A text of the client: how it starts, what it must hold, how it ends.
struct Wording {
    start: &'static str,
    middle: &'static str,
    end: &'static str,
}

impl Wording {
    const fn new(start: &'static str, middle: &'static str, end: &'static str) -> Self {
        Self { start, middle, end }
    }

    const fn exactly(text: &'static str) -> Self {
        Self::new(text, "", "")
    }

    fn is(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.start) else {
            return false;
        };
        if self.middle.is_empty() && self.end.is_empty() {
            return rest.is_empty();
        }
        rest.strip_suffix(self.end)
            .is_some_and(|inside| inside.contains(self.middle))
    }
}

/// Session context, editor state, notes about directories, and nudges.
const CONTEXT: [Wording; 12] = [
    Wording::new("<session_context>", "", "</session_context>"),
    // Up to 0.28, in histories only.
    Wording::new(
        "This is the Gemini CLI. We are setting up the context for our chat.\n",
        "My operating system is: ",
        "",
    ),
    Wording::new(
        "Here is the user's editor context as a JSON object. This is for your information only.\n```json\n",
        "",
        "\n```",
    ),
    Wording::new(
        "Here is a summary of changes in the user's editor context, in JSON format. This is for your information only.\n```json\n",
        "",
        "\n```",
    ),
    Wording::new(
        "- **Workspace Directories:**\n  - ",
        "\n- **Directory Structure:**\n",
        "",
    ),
    // The same up to 0.28.
    Wording::new(
        "I'm currently working in the ",
        "\nHere is the folder structure of the current working directories:\n",
        "",
    ),
    Wording::new(
        "System: Potential loop detected. Details: ",
        "",
        "Avoid repeating the same tool calls or responses without new results.",
    ),
    Wording::new(
        "Background execution update:\n<background_output>\n",
        "\n</background_output>\n\nA previously backgrounded execution has completed.",
        "",
    ),
    Wording::new("User has manually exited Plan Mode. Switching to ", "", "."),
    Wording::exactly(
        "[System: You successfully executed a tool but returned an empty response. Please analyze the tool output and explain your progress or final answer.]",
    ),
    Wording::exactly(
        "[System: You previously generated thoughts but failed to provide a final user-facing response. Please ensure you provide your final answer or call a tool now.]",
    ),
    Wording::exactly(
        "[System: You previously returned an empty response with no text or thoughts. Please ensure you provide your final answer or call a tool now.]",
    ),
];

/// A note that names the agents chosen with `@agent`.
const SELECTED_AGENTS: &str =
    "<system_note>\nThe user has explicitly selected the following agent(s): ";
const SELECTED_AGENTS_END: &str = "\n</system_note>";

/// Any note to the model about the prompt that it follows.
const NOTE: Wording = Wording::new("<system_note>\n", "", SELECTED_AGENTS_END);

/// A command that the person ran with `!`.
const SHELL: Wording = Wording::new(
    "I ran the following shell command:\n```sh\n",
    "\n```\n\nThis produced the following result:\n```\n",
    "\n```",
);

/// Prompts of built-in agents, and their last words if they do not finish.
const TO_AGENT: [Wording; 3] = [
    Wording::new(
        "Your task is to do a deep investigation of the codebase to find all relevant files, code locations, architectural mental map and insights to solve",
        " for the following user objective:\n<objective>\n",
        "\n</objective>",
    ),
    Wording::new(
        "Your task is to answer the following question about Gemini CLI:\n<question>\n",
        "",
        "\n</question>",
    ),
    Wording::new(
        "You have ",
        ". You have one final chance to complete the task with a short grace period. ",
        " Do not call any other tools.",
    ),
];

/// The next-speaker check asks the model to go on with these words.
const CONTINUE: &str = "Please continue.";
/// An answer that broke off is asked for again with these.
const RESEND: &str = "System: Please continue.";
/// A compression snapshot is asked for with these. Releases before 0.6 put them into the recorded
/// conversation.
const SNAPSHOT_REQUEST: &str =
    "First, reason in your scratchpad. Then, generate the <state_snapshot>.";

const HOOK_START: &str = "<hook_context>";
const HOOK_END: &str = "</hook_context>";
/// The separator between a hook's output and the prompt it was put before.
const AFTER_HOOK: &str = "\n\n";

/// The author of a part of a content, if its wording is the client's. White space at the ends is
/// ignored.
pub(super) fn of_part(text: &str) -> Option<AuthorHint> {
    let text = text.trim();
    let has_wording = |wording: &Wording| wording.is(text);
    if CONTEXT.iter().any(has_wording) {
        Some(AuthorHint::Context)
    } else if is_hook(text) {
        Some(AuthorHint::Hook)
    } else if SHELL.is(text) {
        Some(AuthorHint::Shell)
    } else if TO_AGENT.iter().any(has_wording) {
        Some(AuthorHint::ToAgent)
    } else {
        None
    }
}

/// True if a part of its own, after the prompt, is a note about it.
pub(super) fn is_note(text: &str) -> bool {
    NOTE.is(text.trim())
}

/// A hint at what the words of a whole record are, given that they look typed.
pub(super) fn of_words(text: &str) -> AuthorHint {
    if text == CONTINUE {
        AuthorHint::Continue
    } else if text == RESEND {
        AuthorHint::Resend
    } else if text == SNAPSHOT_REQUEST {
        AuthorHint::SnapshotRequest
    } else if is_snapshot(text) {
        AuthorHint::Summary
    } else if flattened_answers(text).next().is_some() {
        AuthorHint::FlattenedAnswer
    } else {
        AuthorHint::Plain
    }
}

/// A compression snapshot is alone, or follows what the model noted before it.
fn is_snapshot(text: &str) -> bool {
    text.starts_with("<state_snapshot>")
        || (text.contains("<state_snapshot>") && text.contains("</state_snapshot>"))
}

/// The tools whose answers a text starts with: before 0.28 parts were flattened to text, and only
/// markers are left of answers. What a hook added may follow.
pub(crate) fn flattened_answers(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (name, after) = rest.strip_prefix("[Function Response: ")?.split_once(']')?;
        rest = after;
        (!name.contains('\n')).then_some(name)
    })
}

/// True if the text is a hook's output. The client escapes angle brackets inside.
fn is_hook(text: &str) -> bool {
    let inside = text
        .strip_prefix(HOOK_START)
        .and_then(|rest| rest.strip_suffix(HOOK_END));
    inside.is_some_and(|inside| !inside.contains(['<', '>']))
}

/// The text after the output of a `SessionStart` hook, which headless runs put before the prompt.
pub(super) fn after_hook(text: &str) -> Option<&str> {
    let end = text.strip_prefix(HOOK_START)?.find(HOOK_END)? + HOOK_START.len() + HOOK_END.len();
    let rest = text[end..].strip_prefix(AFTER_HOOK)?;
    (is_hook(&text[..end]) && !rest.trim().is_empty()).then_some(rest)
}

/// The text before the output of a `BeforeAgent` hook. As a part of its own it needs no separator,
/// and flattening added none: a space or a line break before the tag is a person's, unless a hook
/// was at work before the prompt as well. (Prompts may end in spaces of their own.)
pub(super) fn before_flattened_hook(text: &str) -> Option<&str> {
    let end = text.trim_end();
    let at = end
        .ends_with(HOOK_END)
        .then(|| end.rfind(HOOK_START))
        .flatten()?;
    let before = &text[..at];
    let is_joined = before.ends_with("  ")
        || !before.is_empty() && !before.ends_with(char::is_whitespace)
        || after_hook(before).is_some();
    (is_joined && is_hook(&end[at..])).then_some(before)
}

/// The texts around a note about chosen agents, in a flattened content.
pub(super) fn around_flattened_note(text: &str) -> Option<(&str, &str)> {
    // Hardly any prompt has such a note, and preparing to search takes longer than searching.
    static NOTES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(SELECTED_AGENTS));
    let at = NOTES.find(text.as_bytes())?;
    let (before, rest) = (&text[..at], &text[at + SELECTED_AGENTS.len()..]);
    let (_, after) = rest.split_once(SELECTED_AGENTS_END)?;
    let before = before.strip_suffix('\n')?;
    Some((before, after.strip_prefix('\n').unwrap_or(after)))
}
