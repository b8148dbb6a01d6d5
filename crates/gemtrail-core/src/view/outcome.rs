//! The outcome of a tool call: the one definition of *failed*.

use std::sync::LazyLock;

use memchr::memmem;
use strum::{EnumString, IntoStaticStr};

use crate::json::Node;
use crate::model::{CallStatus, ToolCall};
use crate::tools::{self, Action};
use crate::wire::content::{self, WirePart};

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
    /// The outcome for the person. A command with a non-zero exit code has failed, although
    /// Gemini CLI calls it a success because it could be run.
    pub fn of(call: &ToolCall) -> Self {
        match Self::recorded(call) {
            Self::Succeeded if call.exit_code.is_some_and(|code| code != 0) => Self::Failed,
            outcome => outcome,
        }
    }

    /// The outcome for Gemini CLI: by the status and, where that is missing or contradicted,
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

    /// True if the call failed.
    pub fn is_failed(self) -> bool {
        self == Self::Failed
    }

    /// The outcome in a word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The outcome of that word.
    pub fn parse(word: &str) -> Option<Self> {
        word.parse().ok()
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
    content::ResponseOutcome::of(response).error()
}

/// True if an answer to the call holds an error.
fn holds_error(call: &ToolCall) -> bool {
    let mut answers = call.result.iter().chain(&call.revisions);
    answers.any(|answer| may_hold_error(answer.text()) && is_error(answer.node(), call.id.as_str()))
}

/// True if the answer to the call with this id holds an error. Some versions recorded the answers
/// of a whole turn with each of its calls; if none names this call, all are taken to be its own.
fn is_error(result: Node<'_>, id: &str) -> bool {
    let parts = content::parts(result);
    let responses = || {
        parts.iter().filter_map(|part| match part {
            WirePart::Response(response) => Some(response),
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

/// True if a tool runs commands, whose answers have exit codes.
pub(crate) fn runs_commands(name: &str) -> bool {
    tools::canonical(name).action == Action::Shell
}

/// True if an answer, as raw JSON, may hold an exit code. When only counting, most answers are
/// skipped, so this must be cheap.
pub(crate) fn may_hold_exit_code(json: &str) -> bool {
    static EXIT: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(EXIT_CODE));
    EXIT.find(json.as_bytes()).is_some()
}

/// True if raw JSON may name an error: literally, or behind escapes, which are unusual but would
/// hide it from a byte search.
fn may_hold_error(json: &str) -> bool {
    static NAMES: LazyLock<[memmem::Finder<'static>; 2]> =
        LazyLock::new(|| ["\"error\"", "\\u00"].map(memmem::Finder::new));
    let (bytes, [name, escape]) = (json.as_bytes(), &*NAMES);
    // The letters of the name are U+0065 to U+0072; escaped control characters are everywhere.
    let is_letter = |at: usize| matches!(bytes.get(at + 4), Some(b'6' | b'7'));
    name.find(bytes).is_some() || escape.find_iter(bytes).any(is_letter)
}

/// The part of an answer's text to keep when only counting: the line with its exit code.
pub(crate) fn outline_of(answer: Node<'_>) -> String {
    exit_code_in(answer)
        .map(|code| format!("{EXIT_CODE}{code}"))
        .unwrap_or_default()
}

/// The result of a shell command, extracted from the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShellReport<'a> {
    /// The output of the command, and errors of the shell itself.
    pub output: &'a str,
    /// The exit code, if the report has one. Newer versions omit 0.
    pub exit_code: Option<i64>,
}

/// The text before an exit code.
const EXIT_CODE: &str = "Exit Code: ";

/// Lines that end the report, after the output: each at most once, listed from last to first.
const TRAILERS: [&str; 5] = [
    "Process Group PGID: ",
    "Background PIDs: ",
    "Signal: ",
    EXIT_CODE,
    "Error: (none)",
];
/// Lines that start the report, before the output.
const LEADERS: [&str; 2] = ["Command: ", "Directory: "];
const OUTPUT: [&str; 2] = ["Output: ", "Stdout: "];

/// The tags that newer versions put around a report.
const WRAPPER: [&str; 2] = ["<untrusted_context>", "</untrusted_context>"];

/// The exit code in a report that is still a JSON string.
///
/// Counting needs nothing else of a command's output, and decoding all of it would take longer
/// than everything else; so only the last lines are decoded, where the exit code is.
fn exit_code_in(report: Node<'_>) -> Option<i64> {
    const END: usize = 512;
    let (end, is_all) = report.last_lines(END)?;
    if is_all {
        return ShellReport::read(&end).exit_code;
    }
    let end = end.trim_end();
    let is_wrapped = report
        .text()
        .trim_start_matches('"')
        .starts_with(WRAPPER[0]);
    let inner = end.strip_suffix(WRAPPER[1]).filter(|_| is_wrapped);
    match without_trailers(inner.unwrap_or(end)) {
        // More of them may come before the lines that were decoded.
        ("", _) => ShellReport::read(&report.as_str()?).exit_code,
        (_, exit_code) => exit_code,
    }
}

/// A report without the lines at its end, and the exit code that one of them gives.
fn without_trailers(report: &str) -> (&str, Option<i64>) {
    let mut rest = report.trim_end();
    let mut exit_code = None;
    for trailer in TRAILERS {
        let (before, line) = rest.rsplit_once('\n').unwrap_or(("", rest));
        if let Some(value) = line.strip_prefix(trailer) {
            if trailer == EXIT_CODE {
                exit_code = value.trim().parse().ok();
            }
            rest = before;
        }
    }
    (rest, exit_code)
}

impl<'a> ShellReport<'a> {
    /// Parses a report. Text that is not a report is all output.
    ///
    /// The exit code counts only in the lines after the output, where the report has it: a program
    /// may print `Exit Code: 1` itself.
    pub fn read(text: &'a str) -> Self {
        let text = text.trim_end();
        let inner = text
            .strip_prefix(WRAPPER[0])
            .and_then(|inner| inner.strip_suffix(WRAPPER[1]))
            .unwrap_or(text);
        let (mut rest, exit_code) = without_trailers(inner.trim_start_matches('\n'));
        while let Some((line, after)) = rest.split_once('\n') {
            if !LEADERS.iter().any(|leader| line.starts_with(leader)) {
                break;
            }
            rest = after;
        }
        let output = OUTPUT
            .iter()
            .find_map(|label| rest.strip_prefix(label))
            .unwrap_or(rest);
        Self {
            output: if output == "(empty)" { "" } else { output },
            exit_code,
        }
    }
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

#[cfg(test)]
mod shell_tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::Raw;

    #[test]
    fn reads_the_reports_of_all_versions() {
        let new = "<untrusted_context>\nOutput: a\nb\nExit Code: 3\nProcess Group PGID: 16608\n</untrusted_context>";
        assert_eq!(
            ShellReport::read(new),
            ShellReport {
                output: "a\nb",
                exit_code: Some(3)
            }
        );
        let old = "Command: make\nDirectory: (root)\nOutput: ok\nError: (none)\nExit Code: 0\nSignal: 0\n\
                   Background PIDs: (none)\nProcess Group PGID: 7";
        assert_eq!(
            ShellReport::read(old),
            ShellReport {
                output: "ok",
                exit_code: Some(0)
            }
        );
        assert_eq!(
            ShellReport::read("Output: (empty)\nProcess Group PGID: 7").output,
            ""
        );
    }

    #[test]
    fn an_exit_code_that_the_program_printed_does_not_count() {
        let printed = "Output: Exit Code: 9\nall fine\nProcess Group PGID: 7";
        assert_eq!(
            ShellReport::read(printed),
            ShellReport {
                output: "Exit Code: 9\nall fine",
                exit_code: None
            }
        );
        let masked = "Output: Exit Code: 0\nExit Code: 0\nExit Code: 2\nProcess Group PGID: 7";
        assert_eq!(
            ShellReport::read(masked),
            ShellReport {
                output: "Exit Code: 0\nExit Code: 0",
                exit_code: Some(2)
            }
        );
        assert_eq!(ShellReport::read("plain words").output, "plain words");
        assert_eq!(ShellReport::read("").output, "");
    }

    proptest! {
        /// Reading the end of a report gives what reading all of it gives.
        #[test]
        fn the_end_is_enough(
            words in "[a-z \\n\\\\\"é]{0,700}",
            code in proptest::option::of(-3..300i64),
            pids in 0..400usize,
            is_wrapped: bool,
            is_closed: bool,
        ) {
            let code = code.map(|code| format!("\n{EXIT_CODE}{code}")).unwrap_or_default();
            let pids = match pids {
                0 => String::new(),
                pids => format!("\nBackground PIDs: {}", "12, ".repeat(pids)),
            };
            let opening = if is_wrapped { "<untrusted_context>\n" } else { "" };
            let closing = if is_closed { "\n</untrusted_context>" } else { "" };
            let report = format!(
                "{opening}Output: {words}{code}{pids}\nProcess Group PGID: 7{closing}"
            );
            let raw = Raw::string(&report);
            prop_assert_eq!(exit_code_in(raw.node()), ShellReport::read(&report).exit_code);
        }
    }
}
