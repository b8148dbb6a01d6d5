//! The public types. They serialise to the session document.

mod code;
mod diagnostic;
mod ids;
mod message;
mod money;
mod open;
mod place;
mod project_row;
mod session;
mod session_ref;
mod session_row;
mod tokens;
mod trace;

pub use code::Code;
pub use diagnostic::Diagnostic;
pub use ids::{CallId, MessageId, SessionId};
pub use message::{
    Copied, Message, OutputFile, Reference, Role, State, SupersededBy, Thought, ThoughtSource,
    ToolCall,
};
pub use money::Money;
pub use open::{CallStatus, MessageKind};
pub use place::{NotAPlace, Place};
pub use project_row::{PROJECTS_SCHEMA, ProjectRow};
pub use session::{
    Counts, Format, Journal, Kind, Logged, OpaqueRecord, Origin, PathSource, Project,
    SESSION_SCHEMA, Session, is_hash,
};
pub use session_ref::{NotARef, SessionRef};
pub use session_row::{ROW_SCHEMA, SessionRow};
pub use tokens::{Tokens, Written};
pub use trace::{Span, Trace};
