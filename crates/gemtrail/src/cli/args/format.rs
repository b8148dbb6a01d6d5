//! Options of single formats.

use clap::{Args as ClapArgs, FromArgMatches as _, ValueEnum};
use gemtrail_export::transcript;

use super::{RedactArgs, VacArgs, ViewArgs};

/// Options of single formats
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Format options")]
pub(crate) struct FormatArgs {
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    #[command(flatten)]
    pub(crate) redact: RedactArgs,
    /// Only what one side said (chat)
    #[arg(long, hide_short_help = true, value_enum, value_name = "WHO")]
    pub(crate) only: Option<Only>,
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
    #[arg(long, hide_short_help = true, value_enum, value_name = "SOURCE")]
    pub(crate) timestamps: Option<EventTimes>,
    /// Also give the model's answers as events (events)
    #[arg(long, hide_short_help = true)]
    pub(crate) assistant_text: bool,
    /// Comma-separated values instead of JSON Lines (usage)
    #[arg(long, hide_short_help = true)]
    pub(crate) csv: bool,
    /// How the arguments of tool calls are written; as a string if not given (messages)
    #[arg(long, hide_short_help = true, value_enum, value_name = "FORM")]
    pub(crate) arguments: Option<ArgumentForm>,
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

/// One side of a conversation
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// What the person said
    Human,
    /// What the model said
    Assistant,
}

/// Where the times of events come from
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventTimes {
    /// As recorded
    Real,
    /// One second per message, from the time in the file name
    Synthetic,
}

/// How the arguments of tool calls are written
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArgumentForm {
    /// JSON in a string, as the API of `OpenAI` has it
    String,
    /// An object, as most chat templates want it
    Object,
}
