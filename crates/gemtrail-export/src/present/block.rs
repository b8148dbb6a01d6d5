//! The blocks that make up a document.

use gemtrail_core::model::{Place, Role, SupersededBy, Tokens};

use super::attachment::Attachment;
use super::call::Call;
use super::fold::Tally;
use super::presentation::Presentation;
use super::time::Moment;
use crate::text::Clean;

/// One block of a document.
#[derive(Clone, Debug)]
pub enum Block<'a> {
    /// A message.
    Message(Box<MessageBlock<'a>>),
    /// A line between messages.
    Divider(Divider<'a>),
    /// Something typed that is not part of the conversation, such as a slash command.
    Logged(Logged<'a>),
    /// A subagent's work.
    Subagent {
        /// The agent's name.
        name: Clean<'a>,
        /// Its session.
        session: Presentation<'a>,
    },
}

/// A message with everything that belongs to it.
#[derive(Clone, Debug)]
pub struct MessageBlock<'a> {
    /// A name that is unique in the document and safe in a link: `m-`, then the message's id.
    pub anchor: String,
    /// Where it is in the session.
    pub place: Place,
    /// Whether it begins a new turn.
    pub opens_turn: bool,
    /// The number of the prompt among all prompts of the session, if the person typed it.
    pub prompt: Option<u64>,
    /// Who speaks.
    pub role: Role,
    /// The type on disk, for unknown roles.
    pub kind: Clean<'a>,
    /// When.
    pub moment: Option<Moment<'a>>,
    /// The model that answered.
    pub model: Option<Clean<'a>>,
    /// What took it out of the conversation, if it is superseded.
    pub superseded_by: Option<SupersededBy>,
    /// The words.
    pub text: Clean<'a>,
    /// Files that the prompt pulled in.
    pub files: Vec<AttachedFile<'a>>,
    /// Pictures and other parts that are not text.
    pub attachments: Vec<Attachment<'a>>,
    /// The model's reasoning.
    pub reasoning: Vec<Reasoning<'a>>,
    /// Tools that the model called.
    pub calls: Vec<Call<'a>>,
    /// The counters of the request.
    pub tokens: Option<Tokens>,
}

impl MessageBlock<'_> {
    /// Who speaks: `Human`, `Assistant`, …; the recorded type where the role is not known.
    pub fn speaker(&self) -> &str {
        match self.role {
            Role::Unknown if !self.kind.is_empty() => &self.kind,
            role => label(role),
        }
    }

    /// What happened to a superseded message, in a word or two: `rewound`.
    pub fn fate(&self) -> Option<&'static str> {
        self.superseded_by.map(|by| match by {
            SupersededBy::Rewind => "rewound",
            SupersededBy::Rollback => "rolled back",
            SupersededBy::Compress => "compressed away",
            SupersededBy::Resume | SupersededBy::Restore => "left behind",
            SupersededBy::Unknown => "superseded",
        })
    }

    /// Whether it is context that was injected and that few want to read.
    pub fn is_background(&self) -> bool {
        matches!(
            self.role,
            Role::Context | Role::Hook | Role::Summary | Role::Tool
        )
    }
}

/// The name of a role for people.
pub fn label(role: Role) -> &'static str {
    match role {
        Role::Human => "Human",
        Role::Assistant => "Assistant",
        Role::Agent => "Parent agent",
        Role::Tool => "Tool",
        Role::Context => "Context",
        Role::Hook => "Hook",
        Role::Shell => "Shell",
        Role::Summary => "Summary",
        Role::Info => "Info",
        Role::Warning => "Warning",
        Role::Error => "Error",
        Role::Unknown => "Unknown",
    }
}

/// A file that a prompt pulled in.
#[derive(Clone, Debug)]
pub struct AttachedFile<'a> {
    /// The path as typed; empty where the record does not name it.
    pub path: Clean<'a>,
    /// Its text; empty for binary content.
    pub text: Clean<'a>,
    /// Its size: `214 lines`, or the type of binary content.
    pub measure: String,
}

/// A piece of the model's reasoning.
#[derive(Clone, Debug)]
pub struct Reasoning<'a> {
    /// What it is about; may be empty.
    pub subject: Clean<'a>,
    /// The thought itself.
    pub text: Clean<'a>,
}

/// Something typed that only the prompt log has.
#[derive(Clone, Debug)]
pub struct Logged<'a> {
    /// When.
    pub moment: Option<Moment<'a>>,
    /// What.
    pub text: Clean<'a>,
}

impl Logged<'_> {
    /// What it is: a slash command, or anything else.
    pub fn label(&self) -> &'static str {
        if self.text.starts_with('/') {
            "command"
        } else {
            "logged"
        }
    }
}

/// A line between messages.
#[derive(Clone, Debug)]
pub enum Divider<'a> {
    /// A new day begins.
    Day(Moment<'a>),
    /// `/compress` ran here.
    Compressed,
    /// Messages taken back at this point; none of their words are shown.
    Folded(SupersededBy, Tally),
    /// The messages that follow are no longer part of the conversation.
    Superseded(SupersededBy, Tally),
}

impl Divider<'_> {
    /// The text of the line.
    pub fn words(&self) -> String {
        match self {
            Self::Day(moment) => moment.date(),
            Self::Compressed => "/compress ran here".to_owned(),
            Self::Folded(by, tally) | Self::Superseded(by, tally) => match by {
                SupersededBy::Rewind => format!("/rewind: {tally} taken back"),
                SupersededBy::Rollback => format!("{tally} taken back: failed or cancelled"),
                SupersededBy::Compress => format!("{tally} compressed away since"),
                SupersededBy::Resume => format!("{tally} left behind by a resume"),
                SupersededBy::Restore => format!("{tally} left behind by /restore"),
                SupersededBy::Unknown => format!("{tally} no longer in the conversation"),
            },
        }
    }
}
