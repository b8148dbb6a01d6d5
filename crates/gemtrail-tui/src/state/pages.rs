//! Pages to scroll, and the list of turns.

use super::event::PageLine;

/// The subject of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Statistics.
    Stats,
    /// The doctor.
    Doctor,
    /// The keys.
    Help,
}

impl PageKind {
    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Stats => "statistics",
            Self::Doctor => "doctor",
            Self::Help => "keys",
        }
    }
}

/// A page.
#[derive(Debug)]
pub struct TextPage {
    /// Its subject.
    pub kind: PageKind,
    /// Its lines; none while it is being written.
    pub lines: Option<Vec<PageLine>>,
    /// The first visible line.
    pub top: usize,
}

impl TextPage {
    /// A page that is being written.
    pub fn new(kind: PageKind) -> Self {
        Self {
            kind,
            lines: None,
            top: 0,
        }
    }

    /// Scrolls; no further than the end.
    pub fn scroll(&mut self, lines: isize, height: usize) {
        let length = self.lines.as_ref().map_or(0, Vec::len);
        let most = length.saturating_sub(height);
        self.top = self.top.saturating_add_signed(lines).min(most);
    }
}

/// The list of turns.
#[derive(Debug)]
pub struct TurnList {
    /// The item of each prompt, its number, and its words.
    pub turns: Vec<(usize, u64, String)>,
    /// The place of the cursor.
    pub cursor: usize,
}

impl TurnList {
    /// Moves the cursor.
    pub fn move_by(&mut self, lines: isize) {
        let last = self.turns.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(lines).min(last);
    }
}
