//! Writing sessions elsewhere: `convert`, `export`, `open`.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gemtrail_export::exporter::Format;

use super::super::formats;
use super::{FilterArgs, FormatArgs, ViewArgs};

/// Convert one file, or standard input, without home or archive
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail convert ~/.gemini/tmp/api/chats/session-2026-06-01T10-00-2f1e0a52.jsonl --to json
  gemini -p hi --output-format stream-json | gemtrail convert - --to jsonl")]
pub(crate) struct ConvertArgs {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
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
  gemtrail export --all --project api --since 30d --format events -o events/")]
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
