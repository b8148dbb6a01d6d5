//! Words that Gemini CLI writes: known ones are typed, all others are kept verbatim.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares an enum of known words with a variant for unknown ones, so that nothing is lost from
/// the files of a newer version.
macro_rules! open_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$about])* $variant,)+
            /// Any other word, as written.
            Other(Box<str>),
        }

        impl $name {
            /// The word as in the file and in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                Ok(Self::from(word.as_str()))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}

open_words! {
    /// What a record says that it is: the `type` of a message.
    MessageKind {
        /// Sent to the model as the user's turn; the client may have written it.
        User = "user",
        /// The same in documents about Gemini CLI; no version ever wrote it.
        Human = "human",
        /// An answer of the model.
        Gemini = "gemini",
        /// The same in documents about Gemini CLI; no version ever wrote it.
        Model = "model",
        /// A notice of the user interface.
        Info = "info",
        /// A warning of the user interface.
        Warning = "warning",
        /// An error of the user interface.
        Error = "error",
    }
}

impl MessageKind {
    /// Whether the record was sent to the model in the user's name.
    pub fn is_user(&self) -> bool {
        matches!(self, Self::User | Self::Human)
    }

    /// Whether the record is an answer of the model.
    pub fn is_model(&self) -> bool {
        matches!(self, Self::Gemini | Self::Model)
    }

    /// Whether records of both types under one id can be one message.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.is_user() && other.is_user()
            || self.is_model() && other.is_model()
            || std::mem::discriminant(self) == std::mem::discriminant(other)
            || self.is_empty()
            || other.is_empty()
    }

    /// Whether the record has no type.
    pub fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }
}

/// A record without a type.
impl Default for MessageKind {
    fn default() -> Self {
        Self::Other(Box::default())
    }
}

open_words! {
    /// What Gemini CLI says about how a call went. Whether it failed for the person is another
    /// matter: see [`Outcome`](crate::view::Outcome).
    CallStatus {
        /// It was run.
        Success = "success",
        /// It could not be run, or said that it failed.
        Error = "error",
        /// The person or the CLI stopped it.
        Cancelled = "cancelled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_was_read() {
        for word in ["success", "error", "cancelled", "awaiting_approval", ""] {
            let json = serde_json::to_string(word).unwrap();
            let status: CallStatus = serde_json::from_str(&json).unwrap();
            assert_eq!(status.as_str(), word);
            assert_eq!(serde_json::to_string(&status).unwrap(), json);
        }
        assert_eq!(CallStatus::from("error"), CallStatus::Error);
        assert_eq!(MessageKind::from("User").as_str(), "User");
    }

    #[test]
    fn a_record_without_a_type_is_nobodys() {
        let kind = MessageKind::default();
        assert!(kind.is_empty() && !kind.is_user());
        assert_eq!(MessageKind::from(""), kind);
    }

    #[test]
    fn an_answer_goes_by_two_names() {
        let (gemini, model) = (MessageKind::from("gemini"), MessageKind::from("model"));
        assert!(gemini.is_like(&model) && model.is_model());
        assert!(!model.is_like(&MessageKind::User));
        assert!(!MessageKind::Info.is_like(&MessageKind::Error));
        assert!(MessageKind::default().is_like(&MessageKind::Error));
    }
}
