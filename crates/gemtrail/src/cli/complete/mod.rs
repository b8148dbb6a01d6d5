//! Completion while somebody types: `gemtrail __complete -- WORD…`.
//!
//! The scripts of all shells ask the same question and get lines of a value, a tab and a
//! description; or `:files` or `:dirs`, for what a shell completes best itself. Quotes are read here
//! (`--typed`), and for bash, which inserts what it is told, written as well (`--bash`). Nobody wants to see
//! an error or to wait while typing: whatever goes wrong, and whatever takes too long, there is
//! nothing to complete.

mod line;
mod quotes;
pub(super) mod shells;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::CommandFactory as _;
use clap::builder::StyledStr;

use super::args::Args;
use crate::text::Clean;
use crate::ui;
use quotes::{Typed, unquoted};
pub(super) use values::TypedValue;

/// The name by which scripts call it.
const NAME: &str = "__complete";

/// The longest wait. A program that is not optimised needs longer, and nobody types with it.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 90 });

/// Something to complete a word with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    value: String,
    about: String,
    /// The text that is typed to get it, if it begins differently.
    key: Option<String>,
}

impl Completion {
    fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: about.into(),
            key: None,
        }
    }

    /// A word of the command line with the first lines of its help.
    fn explained(value: impl Into<String>, help: Option<&StyledStr>) -> Self {
        Self::new(value, help.map(ToString::to_string).unwrap_or_default())
    }
    fn is_for(&self, typed: &str) -> bool {
        let key = self.key.as_ref().unwrap_or(&self.value);
        key.starts_with(typed)
    }
}

/// True if a shell asks.
pub(crate) fn is_asked(arguments: &[OsString]) -> bool {
    arguments.get(1).is_some_and(|argument| argument == NAME)
}

/// Answers a shell.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let question = ShellQuestion::of(arguments);
    let (sender, receiver) = channel();
    // Whatever it still does when nobody waits any more ends with the process.
    std::thread::spawn(move || sender.send(question.answer()));
    if let Ok(lines) = receiver.recv_timeout(PATIENCE) {
        ui::print_lines(&lines);
    }
    ExitCode::SUCCESS
}

/// A question of a shell.
struct ShellQuestion {
    /// The words before the cursor, the last one as far as it is typed.
    words: Vec<String>,
    /// The line as typed, if quotes are for us to write.
    bash: Option<Typed>,
}

impl ShellQuestion {
    fn of(arguments: &[OsString]) -> Self {
        let arguments = arguments.iter().map(|it| it.to_string_lossy().into_owned());
        let mut rest = arguments.skip(2).peekable();
        // Some shells cannot pass an empty word.
        let is_empty = rest.next_if(|it| it == "--empty").is_some();
        // The last word still has its quotes.
        let is_typed = rest.next_if(|it| it == "--typed").is_some();
        // A whole line, and the characters that cut its words.
        let breaks = rest.next_if(|it| it == "--bash").and_then(|_| rest.next());
        let mut rest = rest.skip_while(|it| it == "--");
        let bash = breaks.map(|breaks| Typed::new(&rest.next().unwrap_or_default(), &breaks));
        let mut words: Vec<String> = match &bash {
            Some(typed) => typed.words.clone(),
            None => rest.collect(),
        };
        // The first one is the name of the program.
        words.drain(..words.len().min(1));
        if is_empty || words.is_empty() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| is_typed) {
            *last = unquoted(last);
        }
        Self { words, bash }
    }

    fn answer(&self) -> Vec<String> {
        let mut command = Args::command();
        command.build();
        let wanted = line::wanted(&command, &self.words);
        let candidates = match values::of(&wanted, &self.words) {
            Ok(candidates) => candidates,
            Err(of_shell) => return vec![of_shell.to_owned()],
        };
        let candidates = candidates.into_iter().filter(|it| it.is_for(&wanted.typed));
        candidates
            .filter_map(|it| shown(&wanted, &it, self.bash.as_ref()))
            .collect()
    }
}

/// A line for the shell; none for a value that it could not take as one word.
fn shown(wanted: &TypedValue, candidate: &Completion, bash: Option<&Typed>) -> Option<String> {
    let is_plain = |c: char| (c == ' ' || !c.is_whitespace()) && !c.is_control();
    let value = format!("{}{}", wanted.before, candidate.value);
    let is_word = value.chars().all(is_plain) && *Clean::line(&value) == *value;
    let about = Clean::line(&candidate.about).replace('\t', " ");
    let value = match bash {
        Some(typed) => typed.insertion(&value)?,
        None => value,
    };
    is_word.then(|| format!("{value}\t{}", about.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let question = ShellQuestion { words, bash: None };
        let lines = question.answer().into_iter();
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
        assert_eq!(completed("stats --by mon"), ["month"]);
        assert_eq!(
            completed("stats --by month,mo"),
            ["month,month", "month,model"]
        );
        assert_eq!(completed("archive import "), [":files"]);
        assert_eq!(completed("restore x --in "), [":dirs"]);
        assert_eq!(completed("-q export -o x"), [":files"]);
        assert_eq!(completed("no-such-command "), [] as [&str; 0]);
    }

    #[test]
    fn words_that_no_shell_could_take_are_left_out() {
        let wanted = TypedValue::default();
        let line =
            |value: &str| shown(&wanted, &Completion::new(value, "a\u{1b}[31mb\tc\nd"), None);
        assert_eq!(line("a\nb"), None);
        assert!(line("a b").is_some(), "shells quote it");
        assert_eq!(line("a\u{7}"), None);
        let line = line("fine").expect("a word");
        assert!(!line.contains(['\u{1b}', '\n']), "{line:?}");
        assert_eq!(line.matches('\t').count(), 1);
    }
}
