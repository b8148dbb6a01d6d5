//! Writing sessions elsewhere: `convert`, `export`, `open`, the options of single formats and of privacy.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, FromArgMatches as _, ValueEnum};
use gemtrail_attest::Timestamp;
use gemtrail_attest::vac::SessionFormat;
use gemtrail_export::exporter::Format;
use gemtrail_export::{ArgumentEncoding, ChatSide, Timestamps, transcript};

use super::super::formats;
use super::{FilterArgs, ViewArgs, one_of};

/// Convert a session file or standard input to another format
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail convert ~/.gemini/tmp/api/chats/session-2026-06-01T10-00-2f1e0a52.jsonl --to json
  gemtrail convert ~/.gemini/tmp/api/chats/*.jsonl --to events -o all.jsonl
  gemini -p hi --output-format stream-json | gemtrail convert - --to jsonl")]
pub(crate) struct ConvertArgs {
    /// The files, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The format [default: by the extension of the output file]
    #[arg(
        short = 'f',
        long,
        visible_alias = "format",
        value_parser = format_names(),
        value_name = "FORMAT"
    )]
    pub(crate) to: Option<&'static Format>,
    /// The project's path; it must match the `projectHash` in the file
    #[arg(long, value_name = "PATH")]
    pub(crate) project_root: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Export sessions to a file, a directory, or standard output
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail export latest -o session.md
  gemtrail export latest -o session.html
  gemtrail export 2f1e0a52:17.5 -o answer.md
  gemtrail export @1 @2 @3 --format json -o sessions/
  gemtrail export @1 --format json --redact --redact-paths -o for-a-friend.json
  gemtrail export --all --project api --since 30d --format events -o events/
  gemtrail export --all --format events -o all.jsonl
  gemtrail export --all --format usage -o all.csv

In one file or on standard output, the events and requests of several sessions are in chronological \
order.

What each format is for, with examples: \
https://github.com/gemtrail/gemtrail/blob/main/docs/formats.md")]
pub(crate) struct ExportArgs {
    /// Sessions: ids, prefixes, file names, paths, `latest`, `@N`; or one place in a session (`ID:17.5`,
    /// as `search` prints it) as md, txt, html or json
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    /// Export all sessions that match the filters
    #[arg(long = "all", conflicts_with = "sessions", id = "all_sessions")]
    pub(crate) all_sessions: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// The format [default: by the extension of the output file, else md]
    #[arg(
        short = 'f',
        long,
        visible_alias = "to",
        value_parser = format_names(),
        value_name = "FORMAT"
    )]
    pub(crate) format: Option<&'static Format>,
    #[command(flatten)]
    pub(crate) options: FormatArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Open a session as a page in your browser
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail open latest
  gemtrail open 2f1e0a52:17
  gemtrail open 2f1e0a52 --superseded
  firefox \"$(gemtrail open 2f1e0a52 --print)\"

The page is a file in gemtrail's cache directory, without secrets, that only you can read. It is \
deleted after a day. BROWSER names the program to open it with.")]
pub(crate) struct OpenArgs {
    /// An id, a prefix of one, a file name, a path, `latest`, or `@N` for row N of `list`; with a
    /// place (`ID:17.5`, as `search` prints it) the page opens there
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Only write the page and print its path (or its URL, for a place)
    #[arg(long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Do not redact secrets
    #[arg(long)]
    pub(crate) no_redact: bool,
}

/// Where to write
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// A file, or a directory for one file per session [default: standard output]
    #[arg(short = 'o', long = "output", value_name = "PATH", alias = "out")]
    path: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
}

impl OutputArgs {
    /// The file or directory, if it is not standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

/// Takes the name of a format.
fn format_names() -> impl TypedValueParser<Value = &'static Format> {
    let values = formats::all().map(|it| PossibleValue::new(it.name).help(it.about));
    PossibleValuesParser::new(values).try_map(|name| formats::named(&name).ok_or("unknown format"))
}

/// Options of single formats
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Format options")]
pub(crate) struct FormatArgs {
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    #[command(flatten)]
    pub(crate) redact: RedactArgs,
    /// Only one side of the conversation (chat)
    #[arg(long, hide_short_help = true, value_name = "WHO", value_parser = one_of(&[
        ("human", ChatSide::Human, "Your prompts"),
        ("assistant", ChatSide::Assistant, "Gemini's answers"),
    ]))]
    pub(crate) only: Option<ChatSide>,
    /// Keep what prompts attached, as recorded (chat)
    #[arg(long, hide_short_help = true)]
    pub(crate) references: bool,
    /// Keep only these arguments of tool calls [without names: `file_path`, `command`, `path`,
    /// `pattern` and `query`] (transcript)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "NAME,…",
        num_args = 0..=1,
        require_equals = true,
        value_delimiter = ',',
        default_missing_values = transcript::FIRST_KEY_ARGUMENTS
    )]
    pub(crate) keys: Option<Vec<String>>,
    /// Where the times of events come from [default: real] (events)
    #[arg(long, hide_short_help = true, value_name = "SOURCE", value_parser = one_of(&[
        ("real", Timestamps::Real, "As recorded"),
        ("synthetic", Timestamps::Synthetic, "One second per message, from the time in the file name"),
    ]))]
    pub(crate) timestamps: Option<Timestamps>,
    /// Write the model's answers as events, too (events)
    #[arg(long, hide_short_help = true)]
    pub(crate) assistant_text: bool,
    /// CSV instead of JSON Lines (usage)
    #[arg(long, hide_short_help = true)]
    pub(crate) csv: bool,
    /// How to write the arguments of tool calls [default: string] (messages)
    #[arg(long, hide_short_help = true, value_name = "FORM", value_parser = one_of(&[
        ("string", ArgumentEncoding::String, "JSON in a string, as in the API of `OpenAI`"),
        ("object", ArgumentEncoding::Object, "An object, as most chat templates expect"),
    ]))]
    pub(crate) arguments: Option<ArgumentEncoding>,
    #[command(flatten)]
    pub(crate) vac: VacArgs,
}

impl FormatArgs {
    /// As if none were given.
    pub(crate) fn none() -> Result<Self, clap::Error> {
        let command = Self::augment_args(clap::Command::new("gemtrail"));
        Self::from_arg_matches(&command.try_get_matches_from(["gemtrail"])?)
    }

    /// The options that were given, by their names.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let (view, vac) = (&self.view, &self.vac);
        [
            ("thoughts", view.thoughts),
            ("no-thoughts", view.no_thoughts),
            ("tools", view.tools.is_some()),
            ("superseded", view.superseded),
            ("live", view.live),
            ("subagents", view.subagents),
            ("minimal", view.minimal),
            ("only", self.only.is_some()),
            ("references", self.references),
            ("keys", self.keys.is_some()),
            ("timestamps", self.timestamps.is_some()),
            ("assistant-text", self.assistant_text),
            ("csv", self.csv),
            ("arguments", self.arguments.is_some()),
            ("profile", vac.profile.is_some()),
            ("encoding", vac.encoding.is_some()),
            ("created", vac.created.is_some()),
            ("session-format", vac.session_format.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name))
        .collect()
    }
}

/// The heading of the privacy options in the help.
const PRIVACY: &str = "Privacy";

/// Privacy of exports
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct RedactArgs {
    /// Redact secrets (default for files in md, html, txt, transcript, atif, messages and sts)
    #[arg(long, help_heading = PRIVACY)]
    pub(crate) redact: bool,
    /// Do not redact secrets
    #[arg(long, help_heading = PRIVACY, conflicts_with = "redact")]
    pub(crate) no_redact: bool,
    /// Redact home directories and user names as well
    #[arg(long, help_heading = PRIVACY)]
    pub(crate) redact_paths: bool,
    /// List what was redacted and where, on standard error or in a file; never the secrets themselves
    #[arg(
        long,
        help_heading = PRIVACY,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-",
        conflicts_with = "no_redact"
    )]
    pub(crate) redact_report: Option<PathBuf>,
    /// How much text to write [default: full; none for otel]
    #[arg(
        long,
        help_heading = PRIVACY,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        default_missing_value = "full"
    )]
    pub(crate) content: Option<Content>,
}

/// How much of the texts to write
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Content {
    /// All text
    Full,
    /// Only the length of each text (for bug reports)
    None,
}

/// The arguments with what a bare `--content` means spelled out: it must not swallow the name of the
/// session or file that follows it.
pub(super) fn spelled_out(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter().peekable();
    let mut spelled = Vec::new();
    while let Some(arg) = args.next() {
        if arg == "--" {
            spelled.push(arg);
            spelled.extend(args);
            return spelled;
        }
        let has_value = |next: &OsString| next == "full" || next == "none";
        if arg == "--content" && !args.peek().is_some_and(has_value) {
            spelled.push("--content=full".into());
        } else {
            spelled.push(arg);
        }
    }
    spelled
}

/// How a verifiable record is made
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct VacArgs {
    /// The version of the record schema [default: v3] (vac), or the vCon extension [default:
    /// agent-session] (vcon)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) profile: Option<RecordProfile>,
    /// The encoding of the record [default: json] (vac)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) encoding: Option<Encoding>,
    /// When the record was made: `now`, or an RFC 3339 time [default: the session's start] (vac, vcon)
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = created)]
    pub(crate) created: Option<Created>,
    /// What to call the session in the record [default: interactive] (vac, vcon)
    #[arg(long, hide_short_help = true, value_parser = one_of(&[
        ("interactive", SessionFormat::Interactive, "You and the agent took turns"),
        ("autonomous", SessionFormat::Autonomous, "The agent worked by itself"),
    ]))]
    pub(crate) session_format: Option<SessionFormat>,
}

/// A version of the record schema, or an extension of vCons
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordProfile {
    /// draft-birkholz-verifiable-agent-conversations-00, lossless
    V3,
    /// The first version, which leaves out much of the source
    V2,
    /// Valid under both; extensions hold what v2 does not define
    Dual,
    /// The session as draft-howe-vcon-agent-session has it (vcon)
    AgentSession,
    /// Its successor, which cannot be written yet (vcon)
    #[value(hide = true)]
    AiAgent,
}

/// How a record is encoded
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    /// Text
    Json,
    /// Binary, with the same bytes for the same record every time
    Cbor,
}

/// When a record was made
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Created {
    /// When the command runs
    Now,
    /// Then, as written
    At(Timestamp),
}

fn created(text: &str) -> Result<Created, String> {
    if text == "now" {
        return Ok(Created::Now);
    }
    Timestamp::parse(text)
        .map(Created::At)
        .ok_or_else(|| "write `now`, or a time such as 2026-06-01T10:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_option_does_not_swallow_what_follows() {
        let spelled = |args: &[&str]| spelled_out(args.iter().map(OsString::from));
        assert_eq!(
            spelled(&["--content", "latest"]),
            ["--content=full", "latest"]
        );
        assert_eq!(spelled(&["x", "--content"]), ["x", "--content=full"]);
        for same in [
            ["--content", "none"],
            ["--content", "full"],
            ["--", "--content"],
        ] {
            assert_eq!(spelled(&same), same);
        }
    }
}
