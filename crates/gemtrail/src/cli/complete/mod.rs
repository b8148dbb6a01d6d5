//! What a shell asks for while somebody types: `gemtrail __complete -- WORD…`.
//!
//! The scripts of all shells ask the same question and get lines of a value, a tab and a
//! description; or `:files` or `:dirs`, for what a shell completes best itself. Nobody wants to see
//! an error or to wait while typing: whatever goes wrong, and whatever takes too long, there is
//! nothing to complete.

mod line;
pub(super) mod shells;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::CommandFactory as _;

use super::args::Args;
use crate::text::Clean;
use crate::ui;
pub(super) use values::Wanted;

/// The name by which scripts call it.
const NAME: &str = "__complete";

/// How long a person may wait. A program that is not optimised needs longer, and nobody types with it.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 90 });

/// Something to complete a word with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    value: String,
    about: String,
}

impl Candidate {
    fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: about.into(),
        }
    }
}

/// Whether a shell asks.
pub(crate) fn is_asked(arguments: &[OsString]) -> bool {
    arguments.get(1).is_some_and(|argument| argument == NAME)
}

/// Answers a shell.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let words = words(arguments);
    let (sender, receiver) = channel();
    // Whatever it still does when nobody waits any more ends with the process.
    std::thread::spawn(move || sender.send(answer(&words)));
    if let Ok(lines) = receiver.recv_timeout(PATIENCE) {
        ui::print_lines(&lines);
    }
    ExitCode::SUCCESS
}

/// The words before the cursor, the last one as far as it is typed.
fn words(arguments: &[OsString]) -> Vec<String> {
    let arguments = arguments.iter().map(|it| it.to_string_lossy().into_owned());
    let mut rest = arguments.skip(2).peekable();
    // Some shells cannot pass an empty word.
    let is_empty = rest.next_if(|it| it == "--empty").is_some();
    let rest = rest.skip_while(|it| it == "--");
    // The first one is the name of the program.
    let mut words: Vec<String> = rest.skip(1).collect();
    if is_empty || words.is_empty() {
        words.push(String::new());
    }
    words
}

fn answer(words: &[String]) -> Vec<String> {
    let mut command = Args::command();
    command.build();
    let wanted = line::wanted(&command, words);
    let candidates = match values::of(&wanted, words) {
        Ok(candidates) => candidates,
        Err(of_shell) => return vec![of_shell.to_owned()],
    };
    let candidates = candidates
        .into_iter()
        .filter(|it| it.value.starts_with(&wanted.typed));
    candidates.filter_map(|it| shown(&wanted, &it)).collect()
}

/// A line for the shell; none for a value that it could not take as one word.
fn shown(wanted: &Wanted, candidate: &Candidate) -> Option<String> {
    let is_plain = |c: char| (c == ' ' || !c.is_whitespace()) && !c.is_control();
    let value = format!("{}{}", wanted.before, candidate.value);
    let is_word = value.chars().all(is_plain) && *Clean::line(&value) == *value;
    let about = Clean::line(&candidate.about).replace('\t', " ");
    is_word.then(|| format!("{value}\t{}", about.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let lines = answer(&words).into_iter();
        lines
            .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn commands_options_and_their_values() {
        assert!(completed("").contains(&"list".to_owned()));
        assert!(!completed("").contains(&NAME.to_owned()));
        assert_eq!(completed("sta"), ["stats"]);
        assert_eq!(completed("archive imp"), ["import"]);
        assert!(completed("export --form").contains(&"--format".to_owned()));
        assert!(completed("export latest --format ht").contains(&"html".to_owned()));
        assert_eq!(completed("export --format=ht"), ["--format=html"]);
        assert_eq!(completed("--color ne"), ["never"]);
        assert_eq!(completed("search --role hum"), ["human"]);
        assert_eq!(completed("search rol"), ["role:"]);
        assert_eq!(completed("search role:assis"), ["role:assistant"]);
        assert_eq!(completed("search --tool read_fi"), ["read_file"]);
        assert_eq!(completed("search --field tool_o"), ["tool_output"]);
        assert_eq!(completed("archive import "), [":files"]);
        assert_eq!(completed("restore x --in "), [":dirs"]);
        assert_eq!(completed("-q export -o x"), [":files"]);
        assert_eq!(completed("no-such-command "), [] as [&str; 0]);
    }

    #[test]
    fn words_that_no_shell_could_take_are_left_out() {
        let wanted = Wanted::default();
        let line = |value: &str| shown(&wanted, &Candidate::new(value, "a\u{1b}[31mb\tc\nd"));
        assert_eq!(line("a\nb"), None);
        assert!(line("a b").is_some(), "shells quote it");
        assert_eq!(line("a\u{7}"), None);
        let line = line("fine").expect("a word");
        assert!(!line.contains(['\u{1b}', '\n']), "{line:?}");
        assert_eq!(line.matches('\t').count(), 1);
    }
}
