//! The report that Gemini CLI makes of a shell command for the model.

/// What a shell command gave, taken out of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Report<'a> {
    /// What the command printed, and errors of the shell itself.
    pub(super) output: &'a str,
    /// The exit code, where the report has one. Newer versions leave 0 out.
    pub(super) exit_code: Option<i64>,
}

/// Lines that the report ends with, after the output.
const TRAILERS: [&str; 5] = [
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
    "Error: (none)",
];
/// Lines that the report begins with, before the output.
const LEADERS: [&str; 2] = ["Command: ", "Directory: "];
const OUTPUT: [&str; 2] = ["Output: ", "Stdout: "];

/// Takes a report apart. Text that is no report is all output.
///
/// The exit code counts only where the report has it, in the lines after the output: a program may
/// print `Exit Code: 1` itself.
pub(super) fn read(text: &str) -> Report<'_> {
    let text = text.trim_end();
    let inner = text
        .strip_prefix("<untrusted_context>")
        .and_then(|inner| inner.strip_suffix("</untrusted_context>"))
        .unwrap_or(text);
    let mut rest = inner.trim_start_matches('\n').trim_end();
    let mut exit_code = None;
    while let Some((before, line)) = split_last_line(rest) {
        if !TRAILERS.iter().any(|trailer| line.starts_with(trailer)) {
            break;
        }
        if let Some(code) = line.strip_prefix("Exit Code: ") {
            exit_code = code.trim().parse().ok();
        }
        rest = before;
    }
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
    Report {
        output: if output == "(empty)" { "" } else { output },
        exit_code,
    }
}

fn split_last_line(text: &str) -> Option<(&str, &str)> {
    if text.is_empty() {
        return None;
    }
    Some(text.rsplit_once('\n').unwrap_or(("", text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_reports_of_all_versions() {
        let new = "<untrusted_context>\nOutput: a\nb\nExit Code: 3\nProcess Group PGID: 16608\n</untrusted_context>";
        assert_eq!(
            read(new),
            Report {
                output: "a\nb",
                exit_code: Some(3)
            }
        );
        let old = "Command: make\nDirectory: (root)\nOutput: ok\nError: (none)\nExit Code: 0\nSignal: 0\n\
                   Background PIDs: (none)\nProcess Group PGID: 7";
        assert_eq!(
            read(old),
            Report {
                output: "ok",
                exit_code: Some(0)
            }
        );
        assert_eq!(read("Output: (empty)\nProcess Group PGID: 7").output, "");
    }

    #[test]
    fn an_exit_code_that_the_program_printed_does_not_count() {
        let printed = "Output: Exit Code: 9\nall fine\nProcess Group PGID: 7";
        assert_eq!(
            read(printed),
            Report {
                output: "Exit Code: 9\nall fine",
                exit_code: None
            }
        );
        assert_eq!(read("plain words").output, "plain words");
        assert_eq!(read("").output, "");
    }
}
