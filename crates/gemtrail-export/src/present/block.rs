//! The blocks that make up a document, built one at a time from its outline.

use std::fmt;

use gemtrail_core::model::{Message, Place, Role, SupersededBy, Tokens};

use super::attachment::Attachment;
use super::call::CallBlock;
use super::pieces::{Piece, Pieces};
use super::presentation::Presentation;
use super::time::Moment;
use super::work::PromptWork;
use crate::text::{Clean, plural};

/// One block of a document.
#[derive(Clone, Debug)]
pub enum Block<'a> {
    /// A message.
    Message(Box<MessageBlock<'a>>),
    /// A line between messages.
    Divider(Divider<'a>),
    /// Something typed that is not part of the conversation, such as a slash command.
    Logged(LoggedEntry<'a>),
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
    /// Its place in the session.
    pub place: Place,
    /// True if it begins a new turn.
    pub opens_turn: bool,
    /// The number of the prompt among all prompts of the session, if the person typed it.
    pub prompt: Option<u64>,
    /// The speaker.
    pub role: Role,
    /// The type on disk, for unknown roles.
    pub kind: Clean<'a>,
    /// The time.
    pub moment: Option<Moment<'a>>,
    /// The model that answered.
    pub model: Option<Clean<'a>>,
    /// The reason why it is no longer part of the conversation, if it is superseded.
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
    pub calls: Vec<CallBlock<'a>>,
    /// The counters of the request.
    pub tokens: Option<Tokens>,
    /// What the prompt led to, if the person typed it.
    pub work: Option<PromptWork>,
}

impl MessageBlock<'_> {
    /// The speaker: `Human`, `Assistant`, …; the recorded type where the role is not known.
    pub fn speaker(&self) -> &str {
        match self.role {
            Role::Unknown if !self.kind.is_empty() => &self.kind,
            role => label(role),
        }
    }

    /// The fate of a superseded message, in a word or two: `rewound`.
    pub fn fate(&self) -> Option<&'static str> {
        self.superseded_by.map(|by| match by {
            SupersededBy::Rewind => "rewound",
            SupersededBy::Rollback => "rolled back",
            SupersededBy::Compress => "compressed away",
            SupersededBy::Resume | SupersededBy::Restore => "left behind",
            SupersededBy::Unknown => "superseded",
        })
    }

    /// True for injected context, which few want to read.
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
    /// Its subject; may be empty.
    pub subject: Clean<'a>,
    /// The thought itself.
    pub text: Clean<'a>,
}

/// Something typed that only the prompt log has.
#[derive(Clone, Debug)]
pub struct LoggedEntry<'a> {
    /// The time.
    pub moment: Option<Moment<'a>>,
    /// The words.
    pub text: Clean<'a>,
}

impl LoggedEntry<'_> {
    /// Its kind: a slash command, or anything else.
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
    /// Messages rewound or rolled back at this point; none of their words are shown.
    Folded(SupersededBy, MessageTally),
    /// The messages that follow are no longer part of the conversation.
    Superseded(SupersededBy, MessageTally),
}

impl Divider<'_> {
    /// The text of the line.
    pub fn words(&self) -> String {
        match self {
            Self::Day(moment) => moment.date(),
            Self::Compressed => "/compress ran here".to_owned(),
            Self::Folded(by, tally) | Self::Superseded(by, tally) => match by {
                SupersededBy::Rewind => format!("/rewind: {tally} rewound"),
                SupersededBy::Rollback => format!("{tally} rolled back: failed or cancelled"),
                SupersededBy::Compress => format!("{tally} compressed away later"),
                SupersededBy::Resume => format!("{tally} left behind by a resume"),
                SupersededBy::Restore => format!("{tally} left behind by /restore"),
                SupersededBy::Unknown => format!("{tally} no longer in the conversation"),
            },
        }
    }
}

/// Builds the blocks lazily.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    presentation: Presentation<'a>,
    pieces: Pieces<'a>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(presentation: Presentation<'a>) -> Self {
        let pieces = presentation.pieces();
        Self {
            presentation,
            pieces,
        }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pieces.find_map(|piece| self.presentation.build(piece))
    }
}

impl<'a> Presentation<'a> {
    /// The block that a piece of the outline stands for, unless the session has no such thing.
    pub fn build(&self, piece: Piece<'a>) -> Option<Block<'a>> {
        let session = self.session();
        Some(match piece {
            Piece::Message {
                index,
                opens_turn,
                prompt,
            } => {
                let mut block = self.block(index, session.messages.get(index)?);
                (block.opens_turn, block.prompt) = (opens_turn, prompt);
                Block::Message(Box::new(block))
            }
            Piece::Divider(divider) => Block::Divider(divider),
            Piece::Folded { by, tally, .. } => Block::Divider(Divider::Folded(by, tally)),
            Piece::Logged(index) => {
                let entry = session.logged.get(index)?;
                Block::Logged(LoggedEntry {
                    moment: self.moment(entry.time.as_deref()),
                    text: Clean::text(entry.text.as_str()),
                })
            }
            Piece::Subagent { index, name } => Block::Subagent {
                name,
                session: self.subagent(index)?,
            },
        })
    }
}

/// The number of messages of each kind in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageTally {
    /// Prompts of the person.
    pub prompts: u64,
    /// Answers of the model.
    pub answers: u64,
    /// Everything else.
    pub others: u64,
}

impl MessageTally {
    /// Counts the run of messages with the same fate as the first one.
    pub(super) fn of_run(messages: &[Message]) -> (Self, usize) {
        let mut tally = Self::default();
        let mut length = 0;
        let fate = messages.first().and_then(|message| message.superseded_by);
        for message in messages {
            if message.is_current() || message.superseded_by != fate {
                break;
            }
            match message.role {
                Role::Human | Role::Shell => tally.prompts += 1,
                Role::Assistant => tally.answers += 1,
                _ => tally.others += 1,
            }
            length += 1;
        }
        (tally, length)
    }
}

impl fmt::Display for MessageTally {
    /// `1 prompt, 2 answers and 1 other message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = if self.prompts + self.answers == 0 {
            plural(self.others, "message")
        } else {
            plural(self.others, "other message")
        };
        let kinds = [
            (self.prompts, plural(self.prompts, "prompt")),
            (self.answers, plural(self.answers, "answer")),
            (self.others, others),
        ];
        let words: Vec<_> = kinds
            .into_iter()
            .filter_map(|(number, words)| (number > 0).then_some(words))
            .collect();
        match words.split_last() {
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} and {last}", rest.join(", ")),
            None => f.write_str("nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MessageTally;

    #[test]
    fn counts_in_words() {
        let words = |prompts, answers, others| {
            MessageTally {
                prompts,
                answers,
                others,
            }
            .to_string()
        };
        assert_eq!(words(1, 2, 0), "1 prompt and 2 answers");
        assert_eq!(words(2, 1, 1), "2 prompts, 1 answer and 1 other message");
        assert_eq!(words(0, 0, 3), "3 messages");
        assert_eq!(words(0, 0, 0), "nothing");
    }
}
