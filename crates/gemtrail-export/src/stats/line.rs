//! Lines for people, with what they are for: faces choose how that looks.

use crate::text::shorten;

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The name of what follows.
    Heading(String),
    /// Figures.
    Text(String),
    /// What to know about them.
    Note(String),
}

impl Line {
    /// Nothing.
    pub fn blank() -> Self {
        Self::Text(String::new())
    }

    /// The line in at most so many columns of a terminal.
    #[must_use]
    pub fn shortened(self, columns: usize) -> Self {
        match self {
            Self::Heading(text) => Self::Heading(shorten(&text, columns)),
            Self::Text(text) => Self::Text(shorten(&text, columns)),
            Self::Note(text) => Self::Note(shorten(&text, columns)),
        }
    }

    /// The line without what it is for.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Heading(text) | Self::Text(text) | Self::Note(text) => text,
        }
    }
}
