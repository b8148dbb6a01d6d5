//! How a tool call ended: the one definition of *failed*.

use std::sync::LazyLock;

use memchr::memmem;

use crate::json::Node;
use crate::model::{CallStatus, ToolCall};
use crate::tools::{self, Action};
use crate::wire::content::{self, Part};

use super::ShellReport;
use super::shell::{EXIT_CODE, exit_code_in};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it was asked to do.
    Succeeded,
    /// It did not, or the command it ran did not.
    Failed,
    /// The person or the CLI stopped it.
    Cancelled,
    /// No end was recorded.
    Unanswered,
}

impl Outcome {
    /// How the call ended for the person. A command with a non-zero exit code has failed, although
    /// Gemini CLI calls it a success because it could be run.
    pub fn of(call: &ToolCall) -> Self {
        match Self::recorded(call) {
            Self::Succeeded if call.exit_code.is_some_and(|code| code != 0) => Self::Failed,
            outcome => outcome,
        }
    }

    /// How the call ended for Gemini CLI: by its status and, where that is missing or contradicted,
    /// by the two ways in which an answer can hold an error.
    pub fn recorded(call: &ToolCall) -> Self {
        match call.status {
            Some(CallStatus::Cancelled) => Self::Cancelled,
            Some(CallStatus::Error) => Self::Failed,
            _ if holds_error(call) => Self::Failed,
            Some(CallStatus::Success) => Self::Succeeded,
            _ if call.result.is_some() => Self::Succeeded,
            _ => Self::Unanswered,
        }
    }

    /// Whether the call failed.
    pub fn is_failed(self) -> bool {
        self == Self::Failed
    }

    /// The outcome in a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Unanswered => "unanswered",
        }
    }

    /// The outcome of that word.
    pub fn parse(word: &str) -> Option<Self> {
        let all = [
            Self::Succeeded,
            Self::Failed,
            Self::Cancelled,
            Self::Unanswered,
        ];
        all.into_iter().find(|outcome| outcome.as_str() == word)
    }

    /// A symbol one column wide.
    pub fn mark(self) -> char {
        match self {
            Self::Succeeded => '✓',
            Self::Failed => '✗',
            Self::Cancelled => '⊘',
            Self::Unanswered => '?',
        }
    }
}

/// The error in a `response`: its own member since 0.1.9, or one of its `content`.
pub fn error_of(response: Node<'_>) -> Option<Node<'_>> {
    content::Outcome::of(response).error()
}

/// Whether an answer to the call holds an error.
fn holds_error(call: &ToolCall) -> bool {
    let mut answers = call.result.iter().chain(&call.revisions);
    answers.any(|answer| may_hold_error(answer.text()) && is_error(answer.node(), call.id.as_str()))
}

/// Whether the answer to the call with this id holds an error. Some versions recorded the answers
/// of a whole turn with each of its calls; if none names this call, all are taken to be its own.
fn is_error(result: Node<'_>, id: &str) -> bool {
    let parts = content::parts(result);
    let responses = || {
        parts.iter().filter_map(|part| match part {
            Part::Response(response) => Some(response),
            _ => None,
        })
    };
    let names_call = responses().any(|it| it.id.as_deref() == Some(id));
    let is_own = |other: Option<&str>| !names_call || other.is_none_or(|other| other == id);
    responses()
        .filter(|it| is_own(it.id.as_deref()))
        .filter_map(|it| it.response)
        .any(|response| error_of(response).is_some())
}

/// The exit code in the text of one answer, if the tool runs commands.
pub(crate) fn exit_code(name: &str, answer: &str) -> Option<i64> {
    let report = || ShellReport::read(answer).exit_code;
    (!answer.is_empty() && runs_commands(name))
        .then(report)
        .flatten()
}

/// Whether a tool runs commands, whose answers have exit codes.
pub(crate) fn runs_commands(name: &str) -> bool {
    tools::canonical(name).action == Action::Shell
}

/// Whether an answer, as raw JSON, may hold an exit code. When only counting, most answers are
/// skipped, so this must be cheap.
pub(crate) fn may_hold_exit_code(json: &str) -> bool {
    static EXIT: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(EXIT_CODE));
    EXIT.find(json.as_bytes()).is_some()
}

/// Whether raw JSON may name an error: literally, or behind escapes, which are unusual but would
/// hide it from a byte search.
fn may_hold_error(json: &str) -> bool {
    static NAMES: LazyLock<[memmem::Finder<'static>; 2]> =
        LazyLock::new(|| ["\"error\"", "\\u00"].map(memmem::Finder::new));
    let (bytes, [name, escape]) = (json.as_bytes(), &*NAMES);
    // The letters of the name are U+0065 to U+0072; escaped control characters are everywhere.
    let is_letter = |at: usize| matches!(bytes.get(at + 4), Some(b'6' | b'7'));
    name.find(bytes).is_some() || escape.find_iter(bytes).any(is_letter)
}

/// What to keep of an answer's text when only counting: the line with its exit code.
pub(crate) fn outline_of(answer: Node<'_>) -> String {
    exit_code_in(answer)
        .map(|code| format!("{EXIT_CODE}{code}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Raw;
    use crate::view::test_support::call;

    #[test]
    fn c_11_status_and_both_response_forms_make_a_failure() {
        let of = |status, response| Outcome::of(&call("a", status, response));
        let yes = Some(r#"{"output":"yes"}"#);
        assert_eq!(of(Some("error"), Some("{}")), Outcome::Failed);
        assert_eq!(of(Some("success"), yes), Outcome::Succeeded);
        assert_eq!(of(None, yes), Outcome::Succeeded);
        assert_eq!(of(None, None), Outcome::Unanswered);
        for response in [
            r#"{"error":"no"}"#,
            r#"{"content":{"error":"no"}}"#,
            r#"{"\u0065rror":"no"}"#,
        ] {
            for status in [None, Some("success")] {
                assert_eq!(of(status, Some(response)), Outcome::Failed, "{response}");
            }
            assert_eq!(of(Some("cancelled"), Some(response)), Outcome::Cancelled);
        }
    }

    #[test]
    fn c_13_statuses_of_no_end_are_open() {
        for status in ["pending", "executing", "something new"] {
            let open = call("a", Some(status), None);
            assert_eq!(Outcome::of(&open), Outcome::Unanswered);
        }
    }

    #[test]
    fn a_command_that_exits_with_another_code_than_0_fails_for_people_only() {
        let mut shell = call("run_shell_command", Some("success"), Some("{}"));
        assert_eq!(Outcome::of(&shell), Outcome::Succeeded);
        shell.exit_code = Some(0);
        assert_eq!(Outcome::of(&shell), Outcome::Succeeded);
        shell.exit_code = Some(-1);
        assert_eq!(Outcome::of(&shell), Outcome::Failed);
        assert_eq!(Outcome::recorded(&shell), Outcome::Succeeded);
        shell.status = Some(CallStatus::Cancelled);
        assert_eq!(Outcome::of(&shell), Outcome::Cancelled);
    }

    #[test]
    fn the_answers_of_other_calls_do_not_count() {
        let turn = |first: &str| {
            let mut it = call("a", Some("success"), None);
            let parts = format!(
                r#"[{{"functionResponse":{{"id":"{first}","response":{{"error":"no"}}}}}},
                    {{"functionResponse":{{"id":"c1","response":{{"output":"yes"}}}}}}]"#
            );
            it.result = Raw::parse(&parts);
            Outcome::of(&it)
        };
        assert_eq!(turn("c0"), Outcome::Succeeded);
        assert_eq!(turn("c1"), Outcome::Failed);
    }

    #[test]
    fn only_tools_that_run_commands_have_exit_codes() {
        let report = "Output: a\nExit Code: 3\nProcess Group PGID: 7";
        assert_eq!(exit_code("run_shell_command", report), Some(3));
        let outline = outline_of(Raw::string(report).node());
        assert_eq!(exit_code("run_shell_command", &outline), Some(3));
        assert_eq!(exit_code("read_file", report), None);
        assert_eq!(outline_of(Raw::string("plain words").node()), "");
    }
}
