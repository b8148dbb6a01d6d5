//! What had to be changed or omitted when making a record.

use std::fmt;

use gemtrail_core::model::MessageId;

/// Something that a reader of the record cannot see in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Lone surrogates became U+FFFD, since they have no UTF-8 form.
    LoneSurrogate {
        /// The message that holds them; `None` if it is the session itself.
        message: Option<MessageId>,
    },
    /// A time that is not RFC 3339 was kept under its native name instead.
    BadTime {
        /// The message that holds it; `None` if it is the session itself.
        message: Option<MessageId>,
        /// The time as written.
        text: String,
    },
    /// The given root directory is not that of this project.
    ForeignProjectRoot {
        /// The directory.
        path: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |message: &Option<MessageId>| match message {
            Some(id) => format!("message {id}"),
            None => "the session".to_owned(),
        };
        match self {
            Self::LoneSurrogate { message } => write!(
                f,
                "{}: half surrogate pairs became U+FFFD in the record",
                place(message)
            ),
            Self::BadTime { message, text } => {
                write!(f, "{}: {text:?} is not an RFC 3339 time", place(message))
            }
            Self::ForeignProjectRoot { path } => write!(
                f,
                "{path} is not the root of this project: its SHA-256 is not the project's hash"
            ),
        }
    }
}
