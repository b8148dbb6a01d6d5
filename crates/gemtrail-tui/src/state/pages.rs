//! Pages to scroll, and the lists of prompts and of files.

use gemtrail_export::present::{FileChanges, LineKind};

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
    /// What a session changed in a file.
    Changes,
}

impl PageKind {
    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Stats => "statistics",
            Self::Doctor => "doctor",
            Self::Help => "keys",
            Self::Changes => "changes",
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

    /// The number of lines below those that are visible.
    pub fn below(&self, height: usize) -> usize {
        let length = self.lines.as_ref().map_or(0, Vec::len);
        length.saturating_sub(self.top + height)
    }
}

/// The files that a session changed.
#[derive(Debug)]
pub struct FileList {
    /// The files; none while they are being looked up.
    pub files: Option<Vec<FileChanges>>,
    /// The place of the cursor.
    pub cursor: usize,
}

impl FileList {
    /// Moves the cursor.
    pub fn move_by(&mut self, lines: isize) {
        let last = self.files.as_ref().map_or(0, Vec::len).saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(lines).min(last);
    }

    /// The changes of the file under the cursor, as a page.
    pub(super) fn changes(&self) -> Option<TextPage> {
        let file = self.files.as_ref()?.get(self.cursor)?;
        let prompts: Vec<String> = file.prompts.iter().map(u32::to_string).collect();
        let mut lines = vec![
            PageLine::Heading(file.name.to_string()),
            PageLine::Note(format!("prompts {}", prompts.join(", "))),
        ];
        let mut before = None;
        lines.extend(file.diff.lines().map(|line| {
            // The prompt that wrote a line stands where another one begins.
            let turn = line.new.filter(|_| line.kind == LineKind::Added);
            let turn = turn.and_then(|new| Some(file.origin(new)?.turn));
            let is_new = turn.is_some() && turn != before;
            before = turn;
            let margin = turn.filter(|_| is_new);
            let margin = margin.map_or_else(String::new, |turn| format!("#{turn}"));
            let text = format!("{margin:>5} {}{}", line.kind.prefix(), line.text);
            match line.kind {
                LineKind::Added => PageLine::Added(text),
                LineKind::Removed => PageLine::Removed(text),
                LineKind::Context => PageLine::Text(text),
                LineKind::Hunk | LineKind::Note => PageLine::Note(text),
            }
        }));
        Some(TextPage {
            lines: Some(lines),
            ..TextPage::new(PageKind::Changes)
        })
    }
}

/// A prompt of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The place of its item.
    pub item: usize,
    /// Its number.
    pub number: u64,
    /// When it was typed.
    pub clock: String,
    /// The calls that failed until the next one.
    pub failures: usize,
    /// Its words.
    pub words: String,
}

/// The list of prompts.
#[derive(Debug)]
pub struct TurnList {
    /// The prompts.
    pub turns: Vec<Turn>,
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
