//! A session turned into what a person reads, independent of any format.
//!
//! [`Presentation`] gives the facts for the head of a document and, one after another, the blocks
//! of its body: messages with their tool calls, dividers where something was taken back or
//! compressed, what was typed outside the conversation, and nested subagents. Every text in it is
//! [`Clean`](crate::text::Clean), and nothing in it knows about Markdown, HTML or terminals.
//!
//! Blocks are built lazily, so a large session is never held twice.

mod attachment;
mod block;
mod body;
mod call;
mod changes;
mod diff;
mod heading;
mod pieces;
mod presentation;
mod time;
mod work;

pub use attachment::{Attachment, IMAGE_TYPES};
pub(crate) use attachment::{answered, attachments};
pub use block::{
    AttachedFile, Block, Blocks, Divider, LoggedEntry, MessageBlock, MessageTally, Reasoning, label,
};
pub use body::{Body, Rgb, SpanStyle, Terminal, TerminalSpan, Todo, TodoStatus, language_of};
pub(crate) use call::verb_and_target;
pub use call::{Argument, CallBlock, SpilledOutput, SubagentWork};
pub use changes::{FileChanges, below};
pub use diff::{Diff, DiffLine};
pub use gemtrail_core::view::{Outcome, diff::LineKind};
pub(crate) use heading::token_words;
pub use heading::{Heading, HeadingFact};
pub use pieces::{Piece, Pieces};
pub(crate) use presentation::call_anchor;
pub use presentation::{ExcerptSurroundings, Options, Presentation, Prompt, ToolDetail};
pub use time::{Moment, Now};
pub use work::PromptWork;
