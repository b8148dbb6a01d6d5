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
mod blocks;
mod body;
mod call;
mod day;
mod diff;
mod excerpt;
mod fold;
mod heading;
mod language;
mod options;
mod pieces;
mod presentation;
mod summary;
mod terminal;
mod time;
mod todo;

pub use attachment::{Attachment, IMAGE_TYPES};
pub(crate) use attachment::{answered, attachments};
pub use block::{AttachedFile, Block, Divider, Logged, MessageBlock, Reasoning, label};
pub use blocks::Blocks;
pub use body::Body;
pub use call::{Argument, Call, SpilledOutput, SubagentWork};
pub use day::Now;
pub use diff::{Diff, DiffLine};
pub use excerpt::Surroundings;
pub use fold::Tally;
pub use gemtrail_core::view::{Outcome, diff::LineKind};
pub(crate) use heading::token_words;
pub use heading::{Fact, Heading};
pub use language::language_of;
pub use options::{Options, ToolDetail};
pub use pieces::{Piece, Pieces};
pub(crate) use presentation::call_anchor;
pub use presentation::{Presentation, Prompt};
pub use terminal::{Rgb, Span, SpanStyle, Terminal};
pub use time::Moment;
pub use todo::{Todo, TodoStatus};
