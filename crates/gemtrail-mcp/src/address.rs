//! How messages and tool calls of a session are named: `17` is the 17th thing that the person
//! typed, `17.5` the fifth item after it. Every message but the person's counts one, every tool
//! call counts one; what stands before the first prompt is turn 0.

use std::fmt;
use std::str::FromStr;

use gemtrail_core::model::{Role, Session};

/// The place of an item in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address {
    turn: usize,
    item: usize,
}

/// An item of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) address: Address,
    /// The index of the message.
    pub(crate) message: usize,
    /// The index of the call in the message, if it is one.
    pub(crate) call: Option<usize>,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            0 => write!(f, "{}", self.turn),
            item => write!(f, "{}.{item}", self.turn),
        }
    }
}

impl FromStr for Address {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (turn, item) = text.split_once('.').unwrap_or((text, "0"));
        Ok(Self {
            turn: turn.parse()?,
            item: item.parse()?,
        })
    }
}

/// All items of a session, in order.
pub(crate) fn entries(session: &Session) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut address = Address::default();
    for (message, said) in session.messages.iter().enumerate() {
        address = if said.role == Role::Human {
            Address {
                turn: address.turn + 1,
                item: 0,
            }
        } else {
            address.next()
        };
        entries.push(Entry {
            address,
            message,
            call: None,
        });
        for call in 0..said.tool_calls.len() {
            address = address.next();
            entries.push(Entry {
                address,
                message,
                call: Some(call),
            });
        }
    }
    entries
}

impl Address {
    fn next(self) -> Self {
        Self {
            item: self.item + 1,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in ["0.1", "17", "17.5"] {
            assert_eq!(
                text.parse::<Address>().map(|it| it.to_string()),
                Ok(text.to_owned())
            );
        }
        assert!("".parse::<Address>().is_err() && "a.1".parse::<Address>().is_err());
    }
}
