//! What people call a place: a session's name, and where in the session.

use std::fmt;

use gemtrail_core::model::Place;

/// A session, or a place in it: `NAME:17.5`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// What the session is called.
    pub name: String,
    /// Where in the session; `None` for all of it.
    pub place: Option<Place>,
}

impl Address {
    /// Splits a place off a name. Only digits after the last colon are a place, so `C:\chat.json`
    /// is a name as a whole. Ids and file names may end like a place all the same, which only the library
    /// of all sessions can tell.
    pub fn parse(text: &str) -> Self {
        let split = text
            .rsplit_once(':')
            .filter(|(name, _)| !name.is_empty())
            .and_then(|(name, place)| Some((name, place.parse().ok()?)));
        match split {
            Some((name, place)) => Self {
                name: name.to_owned(),
                place: Some(place),
            },
            None => Self {
                name: text.to_owned(),
                place: None,
            },
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}:{place}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_follows_the_name() {
        for (text, name, place) in [
            ("@3:17", "@3", (17, 0)),
            ("latest:2", "latest", (2, 0)),
            ("2f1e0a52:17.5", "2f1e0a52", (17, 5)),
            ("2f1e0a52@desk:0.1", "2f1e0a52@desk", (0, 1)),
            (r"C:\chats\a.jsonl:4", r"C:\chats\a.jsonl", (4, 0)),
            ("a:b:4", "a:b", (4, 0)),
        ] {
            let address = Address::parse(text);
            assert_eq!(address.name, name);
            assert_eq!(address.place, Some(Place::new(place.0, place.1)));
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn other_colons_belong_to_the_name() {
        for text in [
            "latest",
            r"C:\chats\session.jsonl",
            "C:session",
            ":17",
            "a:",
            "a:b",
            "a:17.",
            "a:-1",
        ] {
            let address = Address::parse(text);
            assert_eq!((address.name.as_str(), address.place), (text, None));
        }
    }
}
