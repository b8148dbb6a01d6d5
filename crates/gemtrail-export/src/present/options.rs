//! Which parts of a session are shown.

use jiff::tz::TimeZone;

use crate::Selection;

/// How much of each tool call is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolDetail {
    /// Nothing.
    None,
    /// One line per call.
    Brief,
    /// Arguments and output as well.
    #[default]
    Full,
}

/// Which parts of a session are shown, and the time zone for its times.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the model's reasoning is shown.
    pub thoughts: bool,
    /// How much of each tool call is shown.
    pub tools: ToolDetail,
    /// Which messages are shown. [`Selection::Conversation`] folds those taken back to one line;
    /// [`Selection::Current`] drops superseded ones without a trace.
    pub selection: Selection,
    /// Whether the sessions of subagents are shown where they were called.
    pub subagents: bool,
    /// Only what was said: no facts, no reasoning, no tokens, no injected context.
    pub minimal: bool,
    /// Whether messages that have nothing to show are there as well, so that each can be pointed at.
    pub empty: bool,
    /// The reader's time zone.
    pub zone: TimeZone,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            thoughts: true,
            tools: ToolDetail::Full,
            selection: Selection::Conversation,
            subagents: false,
            minimal: false,
            empty: false,
            zone: TimeZone::UTC,
        }
    }
}

impl Options {
    /// Whether reasoning is shown, taking all options into account.
    pub(crate) fn shows_thoughts(&self) -> bool {
        self.thoughts && !self.minimal
    }
}
