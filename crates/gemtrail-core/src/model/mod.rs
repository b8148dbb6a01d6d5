//! The public types. They serialise to the session document.

mod diagnostic;
mod ids;
mod marks;
mod message;
mod money;
mod place;
mod rows;
mod session;
mod tokens;
mod trace;

pub(crate) use diagnostic::quote;
pub use diagnostic::{Code, Diagnostic};
pub use ids::{CallId, MessageId, NotARef, SessionId, SessionRef};
pub use marks::Marks;
pub use message::{
    CallStatus, Copied, CopiedFrom, Message, MessageKind, OutputFile, Reference, Role, State, Stop,
    SupersededBy, Thought, ThoughtSource, ToolCall,
};
pub use money::Money;
pub use place::{NotAPlace, Place};
pub use rows::{PROJECTS_SCHEMA, ProjectRow, ROW_SCHEMA, SessionRow};
pub use session::{
    CleanUpFacts, Counts, Format, Journal, Kind, Logged, OpaqueRecord, Origin, PathSource, Project,
    Rejection, SESSION_SCHEMA, Session, SessionSource, is_hash,
};
pub use tokens::{Tokens, Written};
pub(crate) use trace::Anchor;
pub use trace::{Aside, Span, Trace};
