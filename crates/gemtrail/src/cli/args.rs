//! Every argument, and nothing else: man pages and completions are made from here.

mod archive;
mod export;
mod keeping;
#[cfg(feature = "lake")]
mod lake;
mod origin;
mod report;
mod search;
mod signing;
mod stats;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{
    Args as ClapArgs, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum,
};

use gemtrail_core::model::SessionSource;
use gemtrail_export::present::ToolDetail;

use crate::global_args::GlobalArgs;
pub(crate) use archive::{
    ArchiveArgs, ArchiveCommand, BackupArgs, ForgetArgs, ImportArgs, OriginArg, RestoreArgs,
    ResumeArgs, SetupArgs, SyncArgs,
};
use export::spelled_out;
pub(crate) use export::{
    Content, ConvertArgs, Created, Encoding, ExportArgs, FormatArgs, OpenArgs, OutputArgs,
    RecordProfile, RedactArgs, VacArgs,
};
pub(crate) use keeping::{MarkArgs, TidyArgs};
#[cfg(feature = "lake")]
pub(crate) use lake::LakeArgs;
pub(crate) use origin::{FilesArgs, OriginArgs, OriginFormat};
pub(crate) use report::{DiffArgs, DigestArgs, ReportArgs};
pub(crate) use search::SearchArgs;
pub(crate) use signing::{KeygenArgs, SignArgs, VerifyArgs};
pub(crate) use stats::{SignalsArgs, StatsArgs};

/// Find, read, keep and share your Gemini CLI sessions
#[derive(Debug, Parser)]
#[command(name = "gemtrail", version = env!("GEMTRAIL_VERSION"), max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Args {
    /// Parses a command line; the help of the program as a whole has its commands in groups.
    pub(crate) fn parse_line(
        line: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, clap::Error> {
        let line = spelled_out(line);
        let matches = grouped(Self::command()).try_get_matches_from(&line);
        Self::from_arg_matches(&matches.map_err(|error| helped(error, &line))?)
    }
}

/// Adds how to search for words that stand where a command should.
fn helped(mut error: clap::Error, line: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let tip = format!("to search for it: gemtrail search '{word}'");
    let command = Args::command();
    let mut before = line.iter().skip(1).take_while(|it| *it != OsStr::new(word));
    let is_below = before.any(|it| command.find_subcommand(it).is_some());
    if !is_below && error.get(ContextKind::SuggestedSubcommand).is_none() {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// The commands as the help lists them.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Everyday",
        &[
            "browse", "list", "show", "search", "open", "resume", "mark", "projects", "files",
            "origin", "stats", "serve",
        ],
    ),
    (
        "Keep",
        &["setup", "sync", "restore", "tidy", "archive", "doctor"],
    ),
    (
        "Share",
        &[
            "export", "report", "diff", "convert", "keygen", "sign", "verify",
        ],
    ),
    (
        "For scripts and teams",
        &[
            "signals",
            "mcp",
            "lake",
            "config",
            "schema",
            "completions",
            "man",
        ],
    ),
];

/// The command with [`GROUPS`] in place of one long list, which clap has no word for: the list is hidden, and the
/// groups are part of the template.
fn grouped(command: clap::Command) -> clap::Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(groups, "{header}{title}:{header:#}");
        // Some builds have no browser, web viewer, MCP server or lake.
        for command in names
            .iter()
            .filter_map(|name| command.find_subcommand(name))
        {
            let (name, about) = (command.get_name(), command.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(groups, "  {literal}{name:<11}{literal:#}  {about}");
        }
        groups.push('\n');
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{{all-args}}{{after-help}}"
    );
    command
        .override_usage(format!("{literal}gemtrail{literal:#} [OPTIONS] [COMMAND]"))
        .help_template(template)
        .mut_subcommands(|command| command.hide(true))
}

/// Takes one of these words, each with the value that it stands for and its help.
fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let words = choices.iter();
    let words = words.map(|(word, _, about)| {
        let value = PossibleValue::new(*word);
        if about.is_empty() {
            value
        } else {
            value.help(*about)
        }
    });
    PossibleValuesParser::new(words).try_map(|word| {
        let choice = choices.iter().find(|(known, ..)| *known == word);
        choice.map(|(_, value, _)| *value).ok_or("unknown value")
    })
}

const EXAMPLES: &str = "\
Examples:
  gemtrail                         browse all sessions; in a pipe, list them
  gemtrail show latest             read the newest one
  gemtrail show @3 --json          the third session of the list, as JSON
  gemtrail list --here --since monday
  gemtrail search 'parse error'    search prompts, answers and tool calls
  gemtrail projects                what you worked on, and where
  gemtrail --home /mnt/backup/alice list
  gemtrail convert session.jsonl --to json";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[cfg(feature = "tui")]
    Browse(BrowseArgs),
    #[command(alias = "ls")]
    List(ListArgs),
    #[command(alias = "view")]
    Show(ShowArgs),
    #[command(aliases = ["find", "grep"])]
    Search(SearchArgs),
    Stats(StatsArgs),
    Signals(SignalsArgs),
    Export(ExportArgs),
    Report(ReportArgs),
    Diff(DiffArgs),
    Open(OpenArgs),
    #[command(alias = "blame")]
    Origin(OriginArgs),
    Files(FilesArgs),
    Convert(ConvertArgs),
    Sync(SyncArgs),
    Restore(RestoreArgs),
    Resume(ResumeArgs),
    Mark(MarkArgs),
    Tidy(TidyArgs),
    Archive(ArchiveArgs),
    #[cfg(feature = "lake")]
    Lake(LakeArgs),
    Doctor(DoctorArgs),
    #[cfg(feature = "web")]
    #[command(alias = "web")]
    Serve(ServeArgs),
    Keygen(KeygenArgs),
    Sign(SignArgs),
    Verify(VerifyArgs),
    Projects(ProjectsArgs),
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    #[command(alias = "install")]
    Setup(SetupArgs),
    Config(ConfigArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Browse sessions in the terminal; the same as gemtrail alone
#[cfg(feature = "tui")]
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct BrowseArgs {
    /// Begin with the sessions of the project in the current directory
    #[arg(long, conflicts_with = "project")]
    pub(crate) here: bool,
    /// Begin with the sessions of this project: its name or path, or a part of it
    #[arg(short, long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Begin with sessions updated at or after this: a date, a time, an age such as 7d
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
}

/// List sessions, newest first
///
/// In a pipe, one line per session with tabs between the columns: row, reference, last update,
/// project, where it is (disk, archive, log, subagent), prompts, failed calls, tokens, title.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail list --here
  gemtrail list --project api --since monday
  gemtrail show \"$(gemtrail list | fzf -d '\\t' --with-nth=3,4,9)\"
  gemtrail list --json | jq -r '[.id, .tokens.total] | @tsv'
  gemtrail list --kind subagent")]
pub(crate) struct ListArgs {
    /// Nothing; accepted so that the answer can say what was probably meant.
    #[arg(hide = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Only sessions that changed this file, or one below this directory
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Include empty sessions
    #[arg(long, visible_alias = "all")]
    pub(crate) empty: bool,
    /// Show at most N; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 0)]
    pub(crate) limit: usize,
}

/// Which sessions to take
#[derive(Clone, Debug, Default, PartialEq, Eq, ClapArgs)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Only sessions of this project: its name or path, a part of either, or the start of its hash
    #[arg(short, long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Only sessions of the project in the current directory
    #[arg(long, conflicts_with = "project")]
    pub(crate) here: bool,
    /// Only sessions updated since then: a date, a time, an age such as 7d or
    /// '2 weeks', today, yesterday, monday, 'last week', 2026-11, nov, '15 nov'
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Only sessions started before the end of this day, or by this time
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
    /// Only sessions that used a model whose name contains NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Only sessions written by this program
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub(crate) source: Option<SourceFilter>,
    /// Only sessions from this machine
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// Only sessions of this account
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Only pinned sessions (see `gemtrail mark`)
    #[arg(long)]
    pub(crate) pinned: bool,
    /// Only sessions with this tag; repeat it to require several
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Which kind of session [default: main and log]
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindFilter>,
}

/// Which program wrote a session
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SourceFilter {
    /// Gemini CLI
    GeminiCli,
    /// Antigravity: its terminal program, its editor, or its SDK
    Antigravity,
}

impl SourceFilter {
    /// The program.
    pub(crate) fn source(self) -> SessionSource {
        match self {
            Self::GeminiCli => SessionSource::GeminiCli,
            Self::Antigravity => SessionSource::Antigravity,
        }
    }
}

/// Which kind of sessions
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindFilter {
    /// Regular sessions
    Main,
    /// Subagent sessions
    Subagent,
    /// Sessions of which only the prompts are left
    Log,
    /// Conversations that Antigravity encrypted
    Sealed,
    /// All kinds
    All,
}

/// Read a session
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail show latest
  gemtrail show 2f1e0a52:17          open it at the 17th prompt
  gemtrail show @3 --find discount   open it at a word
  gemtrail show 2f1e0a52 --tools full
  gemtrail show @3 --json | jq '.messages[].text'")]
pub(crate) struct ShowArgs {
    /// An id, a prefix of one, a file name, a path, `latest`, or `@N` for row N of `list`;
    /// `SESSION:17` for its 17th prompt, `SESSION:17.5` for the fifth item after that
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Open it at this word, in upper or lower case
    #[arg(long, value_name = "WORD")]
    pub(crate) find: Option<String>,
    /// List the prompts with their numbers
    #[arg(long, conflicts_with = "find")]
    pub(crate) outline: bool,
    /// Show all details of the session
    #[arg(long)]
    pub(crate) facts: bool,
    /// Show injected context
    #[arg(long)]
    pub(crate) context: bool,
    /// Show the tokens of each answer
    #[arg(long)]
    pub(crate) tokens: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

/// What to show of a session
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    /// Include thoughts (default in exports with --tools full)
    #[arg(long)]
    pub(crate) thoughts: bool,
    /// Leave out thoughts
    #[arg(long, conflicts_with = "thoughts")]
    pub(crate) no_thoughts: bool,
    /// How much of tool calls to show [default: full in exports, a few lines in `show`]
    #[arg(long, value_parser = one_of(&[
        ("none", ToolDetail::None, "Nothing"),
        ("brief", ToolDetail::Brief, "A line for each"),
        ("full", ToolDetail::Full, "Arguments and outputs"),
    ]))]
    pub(crate) tools: Option<ToolDetail>,
    /// Show rewound and rolled-back messages
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Leave out everything that Gemini CLI would no longer load
    #[arg(long, conflicts_with = "superseded")]
    pub(crate) live: bool,
    /// Include subagents
    #[arg(long)]
    pub(crate) subagents: bool,
    /// Leave out details, thoughts, tokens and context
    #[arg(long)]
    pub(crate) minimal: bool,
}

/// Check your sessions: what is at risk, damaged or lost
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail doctor
  gemtrail doctor --lost
  gemtrail doctor --strict --quiet || notify-send 'Gemini CLI sessions need a look'
  gemtrail doctor --json | jq '.retention.at_risk[].session'")]
pub(crate) struct DoctorArgs {
    /// List every session whose file is gone, and what is left of it
    #[arg(long)]
    pub(crate) lost: bool,
    /// Exit with 1 if anything is at risk, damaged or lost
    #[arg(long)]
    pub(crate) strict: bool,
}

/// List projects, their paths, and how each path was found
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail projects
  gemtrail projects --scan
  gemtrail projects add ~/src/api ~/old/website
  gemtrail projects --json | jq -r 'select(.path == null) | .hash'")]
pub(crate) struct ProjectsArgs {
    /// First look for unknown paths in the usual development directories
    #[arg(long)]
    pub(crate) scan: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ProjectsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectsCommand {
    Add(ProjectsAddArgs),
}

/// Register project directories (they need not exist)
#[derive(Debug, ClapArgs)]
pub(crate) struct ProjectsAddArgs {
    /// Directories in which Gemini CLI was started
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<String>,
}

/// Show or edit the configuration
#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting, its value, and where the value came from
    Show,
    /// Print the path of the configuration file, the archive or other files
    Path(ConfigPathArgs),
    /// Edit the configuration file in $VISUAL or $EDITOR
    Edit,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail config path
  ls -l \"$(gemtrail config path archive)\"")]
pub(crate) struct ConfigPathArgs {
    /// Which of them
    #[arg(value_enum, value_name = "WHAT", default_value_t = ConfigPath::Config)]
    pub(crate) what: ConfigPath,
}

/// A place that gemtrail uses
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfigPath {
    /// Your configuration file
    Config,
    /// The archive
    Archive,
    /// The directory of what gemtrail has learned
    Data,
    /// The directory of pages that were opened
    Cache,
}

/// Print the JSON Schema of a document, or the CDDL of records
#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// The name of a document (without one, all names are listed), or `vac` or `vac-v2` for the CDDL
    /// of records
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// Print a completion script for a shell
#[derive(Debug, ClapArgs)]
#[command(after_help = "Where it goes:
  bash        ~/.local/share/bash-completion/completions/gemtrail
  zsh         _gemtrail in a directory of your fpath, such as ~/.zfunc
  fish        ~/.config/fish/completions/gemtrail.fish
  PowerShell  this line in $PROFILE:
              gemtrail completions powershell | Out-String | Invoke-Expression

Example:
  gemtrail completions fish > ~/.config/fish/completions/gemtrail.fish

It also completes session ids (with their titles), projects, roles, tools and fields.")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the man pages
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail man ~/.local/share/man/man1
  gemtrail man | man -l -")]
pub(crate) struct ManArgs {
    /// An existing directory for the pages of all commands; without it the main page is printed
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Run an MCP server (stdio) that lets a model search earlier sessions
#[cfg(feature = "mcp")]
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Tools: search, list_sessions, read_session, get_item, stats. All are read-only.

Examples:
  gemini mcp add --trust gemtrail gemtrail mcp
  gemtrail setup --only extension,policy      the same, with commands and a hook
  npx @modelcontextprotocol/inspector --cli gemtrail mcp --method tools/list"
)]
pub(crate) struct McpArgs {
    /// Do not redact secrets
    #[arg(long)]
    pub(crate) no_redact: bool,
}

/// Open the web viewer, on this machine only
#[cfg(feature = "web")]
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The first line on standard output is the address. Its token works once; after that, the browser has
a cookie. The viewer only reads. Press Ctrl-C to stop it.

Examples:
  gemtrail serve
  gemtrail serve --no-open --port 8080
  ssh -L 7747:127.0.0.1:7747 desk gemtrail serve --no-open --port 7747"
)]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; 0 for any free one [default: 7747, or another if that is taken]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let command = Args::command();
        let mut all: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        grouped.retain(|name| all.contains(name));
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
