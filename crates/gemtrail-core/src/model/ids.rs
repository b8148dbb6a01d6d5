//! Identifiers as newtypes, so that a message id is never mistaken for a session id, and the
//! permanent name of a session.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps the text as found on disk; ids are opaque.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}

id! {
    /// The `sessionId` of Gemini CLI: usually a UUID, but any text is possible.
    SessionId
}
id! {
    /// The id of one message; unique within a session only.
    MessageId
}
id! {
    /// The id of one tool call.
    CallId
}

impl SessionId {
    /// The first eight characters, as Gemini CLI puts them into file names.
    pub fn short(&self) -> &str {
        let end = self
            .0
            .char_indices()
            .nth(8)
            .map_or(self.0.len(), |(i, _)| i);
        &self.0[..end]
    }
}

/// Characters of the session id at the start of a reference, as in Gemini CLI's file names.
const HEAD: usize = 8;
/// Characters of the digest: 50 bits in addition to those of the id.
const TAIL: usize = 10;
const LENGTH: usize = HEAD + 1 + TAIL;

/// Crockford's alphabet: no letter looks like a digit, and none needs escaping in a URL.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Separates these digests from any other use of SHA-256 over the same texts.
const DOMAIN: &str = "gemtrail session 1";

/// Identifies one session, permanently and unambiguously: `2f1e0a52-7qk3m9x2ab`.
///
/// Ids alone do not: a copied project directory has the ids of the original, a subagent of an old
/// release has its parent's, and two machines may hold the same session. A reference is a digest of
/// everything that identifies a session, after the eight characters that people know it by. It
/// depends neither on when nor from where the session is read, so disk and archive agree on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionRef([u8; LENGTH]);

impl SessionRef {
    /// The reference of a session.
    ///
    /// * `project`: the hash of the project's root path, or whatever else identifies the project.
    /// * `parent`: the id of the session that a subagent worked for.
    /// * `stem`: the file name without extension, if several sessions share project, parent and id.
    pub fn new(project: &str, parent: Option<&str>, id: &str, stem: Option<&str>) -> Self {
        let parts = [Some(DOMAIN), Some(project), parent, Some(id), stem];
        Self::of(digest(&parts), head(id))
    }

    /// The reference of the same session if it is known to come from another machine.
    #[must_use]
    pub fn on_machine(self, host: &str) -> Self {
        let digest = digest(&[Some(DOMAIN), Some(self.as_str()), Some(host)]);
        let mut head = [0; HEAD];
        head.copy_from_slice(&self.0[..HEAD]);
        Self::of(digest, Some(head))
    }

    fn of(digest: [u8; 32], head: Option<[u8; HEAD]>) -> Self {
        let mut text = [b'-'; LENGTH];
        let mut letters = letters(&digest);
        for place in &mut text[HEAD + 1..] {
            *place = letters.next().unwrap_or(b'0');
        }
        // An id that would not survive a URL or a terminal does not appear.
        let head = head.unwrap_or_else(|| std::array::from_fn(|_| letters.next().unwrap_or(b'0')));
        text[..HEAD].copy_from_slice(&head);
        Self(text)
    }

    /// The reference as text.
    pub fn as_str(&self) -> &str {
        // Made of ASCII characters only.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The digest of several texts, each hashed with its length, so that no two lists look alike.
fn digest(parts: &[Option<&str>]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        digest.update(length.to_le_bytes());
        digest.update(part.unwrap_or_default());
    }
    digest.finalize().into()
}

/// The first characters of an id, if they are plain letters and digits.
fn head(id: &str) -> Option<[u8; HEAD]> {
    let head = id.as_bytes().first_chunk::<HEAD>()?;
    head.iter()
        .all(u8::is_ascii_alphanumeric)
        .then(|| head.map(|byte| byte.to_ascii_lowercase()))
}

/// The digest, five bits at a time.
fn letters(digest: &[u8; 32]) -> impl Iterator<Item = u8> {
    (0..).step_by(5).map_while(move |bit| {
        let pair = [*digest.get(bit / 8)?, *digest.get(bit / 8 + 1)?];
        let value = u16::from_be_bytes(pair) >> (11 - bit % 8) & 0b1_1111;
        Some(ALPHABET[usize::from(value)])
    })
}

/// The text is not a session reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a session reference")]
pub struct NotARef;

impl FromStr for SessionRef {
    type Err = NotARef;

    fn from_str(text: &str) -> Result<Self, NotARef> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| NotARef)?;
        let bytes = bytes.map(|byte| byte.to_ascii_lowercase());
        let (head, tail) = bytes.split_at(HEAD);
        let is_ref = head.iter().all(u8::is_ascii_alphanumeric)
            && tail[0] == b'-'
            && tail[1..].iter().all(|byte| ALPHABET.contains(byte));
        is_ref.then_some(Self(bytes)).ok_or(NotARef)
    }
}

impl Default for SessionRef {
    /// A reference to no session.
    fn default() -> Self {
        let mut text = [b'0'; LENGTH];
        text[HEAD] = b'-';
        Self(text)
    }
}

impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionRef({self})")
    }
}

impl Serialize for SessionRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SessionRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SessionRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SessionRef".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Names one session and no other, for good.",
            "type": "string",
            "pattern": "^[0-9a-z]{8}-[0-9a-hjkmnp-tv-z]{10}$",
        })
    }
}

#[cfg(test)]
mod session_ref_tests {
    use super::*;

    const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

    fn of(project: &str, parent: Option<&str>, id: &str, stem: Option<&str>) -> SessionRef {
        SessionRef::new(project, parent, id, stem)
    }

    /// People write references down: if this test fails, every link ever shared is dead.
    #[test]
    fn a_reference_never_changes() {
        assert_eq!(of("p", None, ID, None).as_str(), "2f1e0a52-2r5n5hrkas");
        let elsewhere = of("p", None, ID, None).on_machine("desk");
        assert_eq!(elsewhere.as_str(), "2f1e0a52-594b0c8e3m");
    }

    #[test]
    fn everything_that_sets_sessions_apart_counts() {
        let all = [
            of("p", None, ID, None),
            of("q", None, ID, None),
            of("p", Some(ID), ID, None),
            of("p", None, ID, Some("stem")),
            of("p", Some("stem"), ID, None),
            of("p", None, ID, Some("")),
            of("p", None, ID, None).on_machine("a"),
            of("p", None, ID, None).on_machine("b"),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != one), "{at}: {one}");
            assert!(one.as_str().starts_with("2f1e0a52-"));
        }
    }

    #[test]
    fn hostile_ids_do_not_show() {
        for id in [
            "",
            "../../etc",
            "a b c d e f",
            "\u{1b}[31mred",
            "日本語日本語日本語",
        ] {
            let reference = of("p", None, id, None);
            assert_eq!(reference.as_str().parse(), Ok(reference), "{id:?}");
        }
    }

    #[test]
    fn only_references_parse() {
        let reference = of("p", None, ID, None);
        assert_eq!(reference.to_string().to_uppercase().parse(), Ok(reference));
        for text in [
            "",
            "2f1e0a52",
            ID,
            "2f1e0a52_7qk3m9x2ab",
            "2f1e0a52-7qk3m9x2ai",
        ] {
            assert_eq!(text.parse::<SessionRef>(), Err(NotARef), "{text:?}");
        }
        let json = serde_json::to_string(&reference).unwrap();
        assert_eq!(
            serde_json::from_str::<SessionRef>(&json).unwrap(),
            reference
        );
    }
}
