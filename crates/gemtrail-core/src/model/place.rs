//! Positions in a session, in numbers that people can say.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The place of a message or a tool call in its session: `17` is the 17th prompt, `17.5` the fifth
/// item after it.
///
/// Every message counts, whatever its state, in the order of the session document; so a place does
/// not change as a session grows. Within a turn, each message after the prompt is one item, and so
/// is each of its tool calls, right after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The number of the human message that it follows, from 1; 0 before the first.
    pub turn: u32,
    /// The number of the item after that message, from 1; 0 for the message itself.
    pub item: u32,
}

impl Place {
    /// The item of a turn.
    pub const fn new(turn: u32, item: u32) -> Self {
        Self { turn, item }
    }

    /// The place of a message's call, given that of the message.
    #[must_use]
    pub fn of_call(self, index: usize) -> Self {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Self {
            item: self.item.saturating_add(index).saturating_add(1),
            ..self
        }
    }

    /// True if it is no place at all: nothing comes before the first item of turn 0.
    pub fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            0 => f.pad(&self.turn.to_string()),
            item => f.pad(&format!("{}.{item}", self.turn)),
        }
    }
}

/// The text is not a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a place such as 17 or 17.5")]
pub struct NotAPlace;

impl FromStr for Place {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        // `parse` alone would take a sign.
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| text.parse().ok()).flatten();
            number.ok_or(NotAPlace)
        };
        match text.split_once('.') {
            Some((turn, item)) => Ok(Self::new(number(turn)?, number(item)?)),
            None => Ok(Self::new(number(text)?, 0)),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Place {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A place in a session: `17` is the 17th prompt, `17.5` the fifth item after it.",
            "type": "string",
            "pattern": "^[0-9]+(\\.[0-9]+)?$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_people_say_them() {
        assert_eq!(Place::new(17, 0).to_string(), "17");
        assert_eq!(Place::new(17, 5).to_string(), "17.5");
        assert_eq!(format!("{:>6}", Place::new(0, 2)), "   0.2");
        for place in [Place::new(0, 1), Place::new(3, 0), Place::new(12, 40)] {
            assert_eq!(place.to_string().parse(), Ok(place));
            let json = serde_json::to_string(&place).unwrap();
            assert_eq!(serde_json::from_str::<Place>(&json).unwrap(), place);
        }
        assert_eq!("17.0".parse(), Ok(Place::new(17, 0)));
    }

    #[test]
    fn nothing_else_is_a_place() {
        for text in [
            "",
            ".",
            "1.",
            ".1",
            "+1",
            "-1",
            "1.2.3",
            "a",
            "1:2",
            " 1",
            "99999999999",
        ] {
            assert_eq!(text.parse::<Place>(), Err(NotAPlace), "{text:?}");
        }
    }

    #[test]
    fn places_are_in_the_order_of_reading() {
        let places = [(0, 1), (0, 2), (1, 0), (1, 1), (1, 12), (2, 0), (10, 0)];
        assert!(
            places
                .map(|(turn, item)| Place::new(turn, item))
                .is_sorted()
        );
    }
}
