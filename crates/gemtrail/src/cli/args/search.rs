//! Arguments of `search`.

use clap::{Args as ClapArgs, ValueEnum};

use super::{KindFilter, SourceFilter};

const LANGUAGE: &str = "\
Search prompts, answers, thoughts, tool calls and output

Finds texts that contain all words: a prompt, an answer, a thought, a tool call or its output. If there
are none, other spellings, forms and beginnings are tried. Case and accents do not matter.

  word other        both words
  \"two words\"       one after the other
  -word             not that word
  pre*              words that start with pre
  a b OR c          a, and b or c
  foo_bar src/a.rs  exactly as written, with the punctuation
  field:value       the same as the option --field value

The fields are project, session, role, tool, model, file, status, exit, state, field, since (or
after), until (which includes that day) and before (which does not). Quote the whole query for your
shell, and put -- before one that starts with -.

Each match has an address that `gemtrail show` opens: 2f1e0a52:17 is the 17th prompt of a session,
2f1e0a52:17.5 the fifth item after it. In a pipe there is one line per match, with tabs between the
columns: address, time, project, state, role, and the text.";

const EXAMPLES: &str = "\
Examples:
  gemtrail search cart total
  gemtrail search '\"parse error\" -test role:human after:7d'
  gemtrail search src/cart.js --tool replace --status failed
  gemtrail search --regex 'TODO\\(\\w+\\)' --project api
  gemtrail search quota --json | jq -r .session | sort -u";

/// Search prompts, answers, thoughts, tool calls and output
#[derive(Debug, ClapArgs)]
#[command(long_about = LANGUAGE, after_help = EXAMPLES)]
pub(crate) struct SearchArgs {
    /// What to search for; several arguments are joined by spaces
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// The query is a regular expression; capitals in it make case matter
    #[arg(long)]
    pub(crate) regex: bool,
    /// Only texts that contain all words as typed: no other spellings, forms or beginnings
    #[arg(long)]
    pub(crate) exact: bool,
    /// Most relevant first, instead of newest first
    #[arg(long)]
    pub(crate) rank: bool,
    /// One line per match, not grouped by session
    #[arg(long)]
    pub(crate) flat: bool,
    /// Show at most N matches; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Skip the first N matches
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    #[command(flatten)]
    pub(crate) filter: SearchFilterArgs,
}

/// Where to search
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Filters")]
pub(crate) struct SearchFilterArgs {
    /// In this project: its name or path, a part of either, or the start of its hash
    #[arg(short, long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// In the project of the current directory
    #[arg(long, conflicts_with = "project")]
    pub(crate) here: bool,
    /// In this session and its subagents: an id, a prefix of one, a file name, `latest`, `@N`
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// In sessions of this kind
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) kind: Option<KindFilter>,
    /// In sessions written by this program
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub(crate) source: Option<SourceFilter>,
    /// In sessions of this machine, as the archive knows it
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// In sessions of this account
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// In pinned sessions
    #[arg(long)]
    pub(crate) pinned: bool,
    /// In sessions with this tag; repeat it to require several
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// In messages of this role: human, assistant, agent, shell, context, …; commas between several
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Include injected context: session context, IDE context, directory notes
    #[arg(long)]
    pub(crate) context: bool,
    /// In calls of tools whose name contains this
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// In answers of models whose name contains this
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// About files whose path contains this: in tool arguments, or attached with `@path`
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// In tool calls with this status: failed (an error, or an exit code other than 0), or what Gemini
    /// CLI recorded: success, error or cancelled
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// In calls whose command had this exit code; commas between several
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    pub(crate) exit: Option<String>,
    /// Only what Gemini CLI would still load, or only what was rewound, compressed away or replaced
    #[arg(long, value_enum, value_name = "STATE", default_value_t = SearchState::All)]
    pub(crate) state: SearchState,
    /// In these parts of messages: `text`, `reference`, `thought`, `tool_args`, `tool_output`,
    /// `summary`, `log`, `title`; commas between several
    #[arg(long, value_name = "FIELD")]
    pub(crate) field: Option<String>,
    /// Since then: a date, a time, an age such as 7d, or yesterday, monday, 'last week', nov
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Until the end of this day, or until this time
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
}

/// Whether Gemini CLI would still load it
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchState {
    /// What Gemini CLI would still load
    Current,
    /// What was rewound, compressed away, rolled back or replaced
    Superseded,
    /// Both, and prompts that only the log has
    #[default]
    All,
}

impl SearchFilterArgs {
    /// The filters that were given, as fields of the query language.
    pub(crate) fn fields(&self) -> Vec<(&'static str, &str)> {
        let state = match self.state {
            SearchState::Current => Some("current"),
            SearchState::Superseded => Some("superseded"),
            SearchState::All => None,
        };
        let kind = self.kind.map(|kind| match kind {
            KindFilter::Main => "main",
            KindFilter::Subagent => "subagent",
            KindFilter::Log => "log",
            KindFilter::Sealed => "sealed",
            KindFilter::All => "all",
        });
        let project = self.project.as_deref().or(self.here.then_some("."));
        let fields = [
            ("project", project),
            ("session", self.session.as_deref()),
            ("kind", kind),
            ("source", self.source.map(|it| it.source().as_str())),
            ("host", self.host.as_deref()),
            ("user", self.user.as_deref()),
            ("role", self.role.as_deref()),
            ("tool", self.tool.as_deref()),
            ("model", self.model.as_deref()),
            ("file", self.file.as_deref()),
            ("status", self.status.as_deref()),
            ("exit", self.exit.as_deref()),
            ("state", state),
            ("field", self.field.as_deref()),
            ("since", self.since.as_deref()),
            ("until", self.until.as_deref()),
        ];
        let given = fields.into_iter();
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}
