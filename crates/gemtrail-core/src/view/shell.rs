//! The report on a shell command that Gemini CLI gives the model.

use crate::json::Node;

/// The result of a shell command, extracted from the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShellReport<'a> {
    /// What the command printed, and errors of the shell itself.
    pub output: &'a str,
    /// The exit code, if the report has one. Newer versions omit 0.
    pub exit_code: Option<i64>,
}

/// The text before an exit code.
pub(crate) const EXIT_CODE: &str = "Exit Code: ";

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

/// What newer versions put around a report.
const WRAPPER: [&str; 2] = ["<untrusted_context>", "</untrusted_context>"];

/// The exit code in a report that is still a JSON string.
///
/// Counting needs nothing else of a command's output, and decoding all of it would take longer
/// than everything else; so only the last lines are decoded, where the exit code is.
pub(crate) fn exit_code_in(report: Node<'_>) -> Option<i64> {
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
