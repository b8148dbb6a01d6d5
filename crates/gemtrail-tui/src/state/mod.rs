//! The state of the browser, and its changes. Nothing here reads, writes or looks at a clock:
//! what happens comes in as events, what is to be done goes out as effects.

mod act;
mod brief;
mod copy;
mod document;
mod event;
mod fuzzy;
mod hits;
mod input;
mod lines;
mod list;
mod mark;
mod pages;
mod resume;
mod transcript;
mod update;
mod words;

use gemtrail_core::model::SessionRef;
use gemtrail_export::present::Now;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

pub use brief::{BriefLine, LAST_PROMPTS, LastPrompts};
pub use document::{Document, ItemPart, TranscriptItem};
pub use event::{CannotExport, CannotResume, Click, Effect, Event, Mouse, PageLine};
pub use hits::Hits;
pub use input::Input;
pub use list::{BrowserRow, Group, List, ListEntry, Sort};
pub use pages::{FileList, PageKind, TextPage, Turn, TurnList};
pub use resume::{DirectoryQuestion, Resuming};
pub use transcript::{MessageSpot, Transcript};
pub use update::update;

/// The words of a key that needs a session.
const NO_SESSION: &str = "no session is selected";

use crate::keys::KeyContext;

/// From this width on, the list and the session are beside each other.
pub const WIDE: u16 = 140;
/// From these columns and rows on, the session is below the list.
const PREVIEW_COLUMNS: u16 = 100;
const PREVIEW_ROWS: u16 = 24;
/// A smaller screen says so.
pub const LEAST_SIZE: (u16, u16) = (40, 10);
/// The time that a message stays in the footer.
const TOAST: SignedDuration = SignedDuration::from_secs(5);
/// The rest of the cursor before a session is read for the preview.
const REST: SignedDuration = SignedDuration::from_millis(50);
/// The rest after typing before all texts are searched.
const SEARCH_REST: SignedDuration = SignedDuration::from_millis(15);
/// The rest after typing before an answer without hits is shown: it may be about half a word.
const WORD_REST: SignedDuration = SignedDuration::from_millis(900);

/// The state of the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArchiveState {
    /// It is used.
    #[default]
    Used,
    /// There is none yet.
    Missing,
    /// There is none yet, but soon.
    BeingMade,
    /// It was not wanted.
    Off,
}

/// A session that is being read, and what for.
#[derive(Clone, Debug)]
pub struct LoadingSession {
    generation: u64,
    /// The session.
    pub reference: SessionRef,
    purpose: Purpose,
}

#[derive(Clone, Debug, PartialEq)]
enum Purpose {
    /// To be shown beside the list.
    Preview,
    /// To be read, at this place.
    Open(Option<MessageSpot>),
    /// To be shown as it is now.
    Renew,
}

/// The state of reading the rows of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RowsAsked {
    #[default]
    No,
    Yes,
    /// They are, but something changed since they were asked for.
    Again,
}

/// Everything that the browser knows.
#[derive(Debug)]
pub struct State {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The time of the last event.
    pub now: Timestamp,
    /// The reader's time zone.
    pub zone: TimeZone,
    /// The list.
    pub list: List,
    /// True if the rows are still being read.
    pub is_reading: bool,
    /// The filter of the list.
    pub filter: Input,
    /// True if it is being typed.
    pub is_filtering: bool,
    /// The session that is open.
    pub open: Option<Transcript>,
    /// The session beside the list.
    pub preview: Option<Transcript>,
    /// The last prompts of the sessions around the cursor of the list.
    pub last_prompts: LastPrompts,
    /// The sessions that are being read.
    pub loading: Vec<LoadingSession>,
    /// The list of turns, if it is shown.
    pub turns: Option<TurnList>,
    /// The words to look for in the session, while they are being typed.
    pub find: Option<Input>,
    /// The files that the session changed, if they are shown.
    pub files: Option<FileList>,
    /// The file to export to, while it is being typed.
    pub export: Option<(SessionRef, Input)>,
    /// The file that exists already: whether to replace it is asked.
    pub replacing: Option<(SessionRef, String)>,
    /// The marks of a session, while they are being typed.
    pub marking: Option<(SessionRef, Input)>,
    /// The session that is to be resumed.
    pub resuming: Option<Resuming>,
    /// The page that is shown.
    pub page: Option<TextPage>,
    /// A message in the footer, and until when.
    pub toast: Option<(String, Timestamp)>,
    /// Progress of the archive that is being made.
    pub progress: Option<String>,
    /// The file that is being written, in words.
    pub writing: Option<String>,
    /// True if the mouse is ours.
    pub has_mouse: bool,
    /// The state of the archive.
    pub archive: ArchiveState,
    /// Sessions that will be deleted and that no archive has, in a sentence.
    pub risk: Option<String>,
    /// True if a session is shown beside or below the list where there is room.
    pub has_preview: bool,
    /// The words for the sessions of the scope: `here`.
    pub scope: String,
    /// True if only the sessions of the scope are shown.
    pub is_scoped: bool,
    /// The places that are searched for sessions, as people call them.
    pub places: Vec<String>,
    /// The hit that was gone to last.
    pub hit: Option<usize>,
    /// The last block of code that was copied: the item, and which block.
    copied_code: Option<(u32, usize)>,
    pressed: Option<(u16, u16)>,
    preview_due: Option<Timestamp>,
    search_due: Option<Timestamp>,
    /// An answer without hits, and when it is shown.
    empty_due: Option<(Timestamp, Hits)>,
    effects: Vec<Effect>,
    generation: u64,
    rows_asked: RowsAsked,
    rows_generation: u64,
    search_generation: u64,
    find_generation: u64,
    page_generation: u64,
}

impl State {
    /// A browser before anything was read.
    pub fn new(size: (u16, u16), now: Timestamp, zone: TimeZone, archive: ArchiveState) -> Self {
        Self {
            size,
            now,
            zone,
            list: List::default(),
            is_reading: true,
            filter: Input::default(),
            is_filtering: false,
            open: None,
            preview: None,
            last_prompts: LastPrompts::default(),
            loading: Vec::new(),
            turns: None,
            files: None,
            find: None,
            export: None,
            replacing: None,
            marking: None,
            resuming: None,
            page: None,
            toast: None,
            progress: None,
            writing: None,
            has_mouse: true,
            archive,
            risk: None,
            has_preview: true,
            scope: String::new(),
            is_scoped: false,
            places: Vec::new(),
            hit: None,
            copied_code: None,
            pressed: None,
            preview_due: None,
            search_due: None,
            empty_due: None,
            effects: Vec::new(),
            generation: 0,
            rows_asked: RowsAsked::No,
            rows_generation: 0,
            search_generation: 0,
            find_generation: 0,
            page_generation: 0,
        }
    }

    /// The first effects.
    pub fn start(&mut self) -> Vec<Effect> {
        self.load_rows();
        // The first of them come first.
        if !self.is_scoped {
            self.effects
                .insert(0, Effect::LoadFirstRows(self.rows_generation));
        }
        std::mem::take(&mut self.effects)
    }

    /// The part of the browser that has the keyboard.
    pub fn context(&self) -> KeyContext {
        if self.export.is_some() {
            KeyContext::Export
        } else if self.replacing.is_some() {
            KeyContext::Replace
        } else if self.marking.is_some() {
            KeyContext::Mark
        } else if self.question().is_some() {
            KeyContext::Directory
        } else if self.page.is_some() {
            KeyContext::Page
        } else if self.files.is_some() {
            KeyContext::Files
        } else if self.turns.is_some() {
            KeyContext::Turns
        } else if self.find.is_some() {
            KeyContext::Find
        } else if self.open.is_some() {
            KeyContext::Transcript
        } else if self.is_filtering {
            KeyContext::Filter
        } else {
            KeyContext::List
        }
    }

    /// True if the list and a session are beside each other.
    pub fn is_wide(&self) -> bool {
        self.has_preview && self.size.0 >= WIDE
    }

    /// The rows for the session below the list, without the line between; 0 if none is shown there.
    pub fn rows_below(&self) -> u16 {
        let has_room = self.size.0 >= PREVIEW_COLUMNS && self.height() >= PREVIEW_ROWS;
        let is_below = self.has_preview && has_room && self.size.0 < WIDE;
        if is_below { self.height() / 2 } else { 0 }
    }

    /// True if the session under the cursor of the list is shown.
    pub fn shows_preview(&self) -> bool {
        self.is_wide() || self.rows_below() > 0
    }

    /// True if the screen is too small for anything.
    pub fn is_tiny(&self) -> bool {
        self.size.0 < LEAST_SIZE.0 || self.size.1 < LEAST_SIZE.1
    }

    /// The columns of the list and of the session beside it.
    pub fn columns(&self) -> (u16, u16) {
        if self.is_wide() {
            let list = (self.size.0 * 2 / 5).clamp(60, 90);
            (list, self.size.0 - list - 3)
        } else {
            (self.size.0, self.size.0)
        }
    }

    /// The columns and rows for the text of the open session.
    fn text_room(&self) -> (usize, usize) {
        // A margin for the cursor, and one at the right.
        let columns = self.columns().1.saturating_sub(3);
        (usize::from(columns), usize::from(self.height()))
    }

    /// The same for the preview.
    fn preview_room(&self) -> (usize, usize) {
        let (columns, rows) = self.text_room();
        match self.rows_below() {
            0 => (columns, rows - usize::from(self.brief_height())),
            below => (columns, below.into()),
        }
    }

    /// The rows between the title and the footer.
    pub fn height(&self) -> u16 {
        self.size.1.saturating_sub(4).max(1)
    }

    /// True if a line above the list shows its filter.
    pub fn has_filter_line(&self) -> bool {
        self.is_filtering || self.list.is_filtered()
    }

    /// The line above the list: sessions that will be deleted, or that there is no archive.
    pub fn warning(&self) -> Option<String> {
        let is_missing = self.archive == ArchiveState::Missing && !self.list.rows().is_empty();
        let what = match (&self.risk, self.archive) {
            (_, ArchiveState::BeingMade) => return None,
            (Some(risk), ArchiveState::Missing) => format!("{risk} Press A to keep them."),
            (Some(risk), ArchiveState::Used) => {
                format!("{risk} D tells why the archive lacks them.")
            }
            (Some(risk), ArchiveState::Off) => format!("{risk} gemtrail sync keeps them."),
            (None, _) if is_missing => {
                "No archive yet: what Gemini CLI deletes is lost. Press A to keep it all."
                    .to_owned()
            }
            (None, _) => return None,
        };
        (!self.has_filter_line()).then_some(what)
    }

    /// The rows above the list: its filter, or a warning.
    pub fn rows_above(&self) -> u16 {
        u16::from(self.has_filter_line() || self.warning().is_some())
    }

    /// The rows of the list itself.
    pub fn list_height(&self) -> u16 {
        let below = match self.rows_below() {
            rows if rows > 0 && self.open.is_none() => rows + 1,
            _ => 0,
        };
        let taken = self.rows_above() + below;
        self.height().saturating_sub(taken).max(1)
    }

    /// The present, for telling how long ago something was.
    pub fn present(&self) -> Now {
        Now::new(self.now, self.zone.clone())
    }

    /// The words of the filter that are marked in what it takes.
    pub fn filter_words(&self) -> Vec<String> {
        if !self.list.is_filtered() {
            Vec::new()
        } else if self.list.hits.words.is_empty() {
            words::of_query(self.filter.text())
        } else {
            self.list.hits.words.clone()
        }
    }

    /// The session that keys are about.
    pub fn subject(&self) -> Option<SessionRef> {
        match &self.open {
            Some(open) => Some(open.reference()),
            None => self.list.chosen_ref(),
        }
    }

    /// Its row.
    pub fn subject_row(&self) -> Option<&BrowserRow> {
        self.list.row_of(self.subject()?)
    }

    /// True if a session is being opened.
    pub fn is_opening(&self) -> bool {
        let mut loading = self.loading.iter();
        loading.any(|it| matches!(it.purpose, Purpose::Open(_)))
    }

    /// The time at which something is due, if anything is.
    pub fn due(&self) -> Option<Timestamp> {
        let toast = self.toast.as_ref().map(|(_, until)| *until);
        let empty = self.empty_due.as_ref().map(|(at, _)| *at);
        [toast, self.preview_due, self.search_due, empty]
            .into_iter()
            .flatten()
            .min()
    }

    /// The line that is being typed.
    fn input_mut(&mut self) -> Option<&mut Input> {
        match self.context() {
            KeyContext::Filter => Some(&mut self.filter),
            KeyContext::Find => self.find.as_mut(),
            KeyContext::Export => self.export.as_mut().map(|(_, input)| input),
            KeyContext::Mark => self.marking.as_mut().map(|(_, input)| input),
            KeyContext::Directory => Some(&mut self.resuming.as_mut()?.question.as_mut()?.input),
            _ => None,
        }
    }

    fn tell(&mut self, words: impl Into<String>) {
        self.toast = Some((words.into(), self.now + TOAST));
    }

    /// Adds something to what is to be done about the current event.
    fn ask(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// Reads the rows; if they are being read, once more after that. So questions do not pile up
    /// when files change faster than rows are read, and each answer is shown.
    fn load_rows(&mut self) {
        if self.rows_asked != RowsAsked::No {
            self.rows_asked = RowsAsked::Again;
            return;
        }
        self.rows_asked = RowsAsked::Yes;
        self.rows_generation = self.next_generation();
        self.ask(Effect::LoadRows(self.rows_generation, self.is_scoped));
    }
}
