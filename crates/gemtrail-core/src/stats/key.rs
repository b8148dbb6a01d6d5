//! What statistics can be broken down by.

/// What the rows of a breakdown have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The day.
    Day,
    /// The week, by its first day.
    Week,
    /// The month.
    Month,
    /// The hour of the day.
    Hour,
    /// The day of the week.
    Weekday,
    /// The project.
    Project,
    /// The model that answered.
    Model,
    /// The tool that an answer called first.
    Tool,
    /// The session, that of its agents included.
    Session,
    /// The agent that worked for another one.
    Agent,
    /// The machine.
    Host,
}

/// How many keys a breakdown can have.
pub const MAX_KEYS: usize = 3;

impl Key {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Hour,
        Self::Weekday,
        Self::Project,
        Self::Model,
        Self::Tool,
        Self::Session,
        Self::Agent,
        Self::Host,
    ];

    /// Its name on the command line and in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Hour => "hour",
            Self::Weekday => "weekday",
            Self::Project => "project",
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Session => "session",
            Self::Agent => "agent",
            Self::Host => "host",
        }
    }

    /// The key of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == name)
    }

    /// Whether it is a period of time. Periods have an order, and those without data are rows too.
    pub fn is_period(self) -> bool {
        matches!(
            self,
            Self::Day | Self::Week | Self::Month | Self::Hour | Self::Weekday
        )
    }

    /// Whether it is a property of sessions, so that a session without requests has a row as well.
    pub(super) fn is_of_session(self) -> bool {
        matches!(self, Self::Project | Self::Session | Self::Host)
    }
}

/// Reads keys separated by commas; the error says what is wrong.
pub fn parse_keys(text: &str) -> Result<Vec<Key>, String> {
    let mut keys = Vec::new();
    for name in text.split(',').map(str::trim) {
        let Some(key) = Key::parse(name) else {
            let names: Vec<&str> = Key::ALL.iter().map(|key| key.as_str()).collect();
            let names = names.join(", ");
            return Err(format!("{name:?} is not one of {names}"));
        };
        if keys.contains(&key) {
            return Err(format!("{name:?} is named twice"));
        }
        keys.push(key);
    }
    if keys.len() > MAX_KEYS {
        return Err(format!("at most {MAX_KEYS} keys at once"));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_separated_by_commas() {
        assert_eq!(parse_keys("month, model"), Ok(vec![Key::Month, Key::Model]));
        for key in Key::ALL {
            assert_eq!(parse_keys(key.as_str()), Ok(vec![key]));
        }
        for wrong in ["", "year", "day,day", "day,model,project,host"] {
            assert!(parse_keys(wrong).is_err(), "{wrong}");
        }
    }
}
