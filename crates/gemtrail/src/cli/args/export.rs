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

/// Convert files, or standard input, without home or archive
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
    /// The format to write; by default the one that matches the extension of the output file
    #[arg(
        short = 'f',
        long,
        visible_alias = "format",
        value_parser = format_names(),
        value_name = "FORMAT"
    )]
    pub(crate) to: Option<&'static Format>,
    /// The project's root; accepted if its SHA-256 is the file's `projectHash`
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

In one file or on standard output, the events and requests of several sessions are in the order of \
time.

Which format is for what, with an example of each: \
https://github.com/gemtrail/gemtrail/blob/main/docs/formats.md")]
pub(crate) struct ExportArgs {
    /// Sessions: ids, prefixes, file names, paths, `latest`, `@N`; or one place in one (`ID:17.5`, as
    /// `search` prints it), which can be md, txt, html or json
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    /// All sessions that the filters take, in place of named ones
    #[arg(long = "all", conflicts_with = "sessions", id = "all_sessions")]
    pub(crate) all_sessions: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// The format to write; by default that of the file's ending, else md
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

/// Open a session in a browser
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail open latest
  gemtrail open 2f1e0a52:17
  gemtrail open 2f1e0a52 --superseded
  firefox \"$(gemtrail open 2f1e0a52 --print)\"

The page is a file that only you can read, in gemtrail's cache directory, without secrets. \
BROWSER names a program to open it with. Pages are removed after a day.")]
pub(crate) struct OpenArgs {
    /// An id, a prefix of one, a file name, a path, `latest`, or `@N` for row N of `list`; with a
    /// place (`ID:17.5`, as `search` prints it) the page opens there
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Only write the page, and print its path; of a place, the address of it
    #[arg(long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Do not replace secrets
    #[arg(long)]
    pub(crate) no_redact: bool,
}

/// Where to write
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// A file, or a directory for one file per session; standard output without it, or for `-`
    #[arg(short = 'o', long = "output", value_name = "PATH", alias = "out")]
    path: Option<PathBuf>,
    /// Replace files that exist
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
    /// Only what one side said (chat)
    #[arg(long, hide_short_help = true, value_name = "WHO", value_parser = one_of(&[
        ("human", ChatSide::Human, "What the person said"),
        ("assistant", ChatSide::Assistant, "What the model said"),
    ]))]
    pub(crate) only: Option<ChatSide>,
    /// Keep what prompts attached, as recorded (chat)
    #[arg(long, hide_short_help = true)]
    pub(crate) references: bool,
    /// Which arguments of tool calls to keep: these names, or without any only `file_path`,
    /// `command`, `path`, `pattern` and `query` (transcript)
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
    /// Where the times of events come from; as recorded if not given (events)
    #[arg(long, hide_short_help = true, value_name = "SOURCE", value_parser = one_of(&[
        ("real", Timestamps::Real, "As recorded"),
        ("synthetic", Timestamps::Synthetic, "One second per message, from the time in the file name"),
    ]))]
    pub(crate) timestamps: Option<Timestamps>,
    /// Also give the model's answers as events (events)
    #[arg(long, hide_short_help = true)]
    pub(crate) assistant_text: bool,
    /// Comma-separated values instead of JSON Lines (usage)
    #[arg(long, hide_short_help = true)]
    pub(crate) csv: bool,
    /// How the arguments of tool calls are written; as a string if not given (messages)
    #[arg(long, hide_short_help = true, value_name = "FORM", value_parser = one_of(&[
        ("string", ArgumentEncoding::String, "JSON in a string, as the API of `OpenAI` has it"),
        ("object", ArgumentEncoding::Object, "An object, as most chat templates want it"),
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

/// What must not leave with an export
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct RedactArgs {
    /// Replace secrets; files in md, html, txt, transcript, atif, messages and sts have none by default
    #[arg(long, help_heading = PRIVACY)]
    pub(crate) redact: bool,
    /// Write everything as it is
    #[arg(long, help_heading = PRIVACY, conflicts_with = "redact")]
    pub(crate) no_redact: bool,
    /// Replace home directories and user names
    #[arg(long, help_heading = PRIVACY)]
    pub(crate) redact_paths: bool,
    /// List what was replaced and where, on standard error or in a file; never the secret
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
    /// How much of the texts to write: all of them unless this says otherwise, but none in otel
    /// unless it is given
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
    /// All of them
    Full,
    /// Only how long they are; for reports about gemtrail itself
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
    /// The version of the record schema to follow, v3 if not given (vac); or the extension of vCons,
    /// agent-session if not given (vcon)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) profile: Option<RecordProfile>,
    /// How the record is encoded; json if not given (vac)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) encoding: Option<Encoding>,
    /// When the record was made: `now`, or an RFC 3339 time; without it the session's start (vac,
    /// vcon)
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = created)]
    pub(crate) created: Option<Created>,
    /// What the record calls the session, since no file says it; interactive if not given (vac,
    /// vcon)
    #[arg(long, hide_short_help = true, value_parser = one_of(&[
        ("interactive", SessionFormat::Interactive, "A person and an agent took turns"),
        ("autonomous", SessionFormat::Autonomous, "The agent worked by itself"),
    ]))]
    pub(crate) session_format: Option<SessionFormat>,
}

/// A version of the record schema, or an extension of vCons
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordProfile {
    /// draft-birkholz-verifiable-agent-conversations-00; nothing is lost
    V3,
    /// The first one, which has no place for much of the source
    V2,
    /// Valid under both; what the first does not define goes into extensions
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
    /// The same tree in binary, always the same bytes for the same record
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
