//! Events, and effects that they ask for.

use std::sync::Arc;

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_core::view::ProjectNames;
use gemtrail_export::present::FileChanges;
use gemtrail_store::Changes;

use super::document::{Document, ItemPart};
use super::hits::Hits;
use super::list::BrowserRow;
use crate::keys::Key;

/// The reason why a session cannot be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotResume {
    /// In a sentence.
    pub why: String,
    /// True if it could be in another directory.
    pub needs_directory: bool,
}

/// The reason why a session cannot be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotExport {
    /// There is such a file already.
    Exists(SessionRef, String),
    /// Another one, in a sentence.
    Other(String),
}

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// A button or the wheel of the mouse.
    Mouse(Mouse),
    /// The terminal has another size: columns, rows.
    Resize(u16, u16),
    /// Time passed.
    Tick,
    /// The rows of the list are read, with the names of their projects.
    Rows(u64, Arc<Vec<BrowserRow>>, ProjectNames),
    /// The first of very many sessions, what their projects are called, and how many there are.
    FirstRows(u64, Arc<Vec<BrowserRow>>, ProjectNames, usize),
    /// A session is read, or why not.
    Loaded(u64, Box<Result<Document, String>>),
    /// The last prompts of some sessions, oldest first.
    Prompts(Vec<(SessionRef, Vec<String>)>),
    /// A search is done.
    Hits(u64, Hits),
    /// Words were found in parts of these messages of a session, by their indices and in their order.
    Found(u64, Vec<(usize, ItemPart)>),
    /// A page is written.
    Page(u64, Result<Vec<PageLine>, String>),
    /// The session that is to be resumed can be, or not.
    ResumeChecked(u64, Result<(), CannotResume>),
    /// Whether sessions will be deleted that no archive has, in a sentence.
    Risk(Option<String>),
    /// The files that a session changed.
    Files(u64, Result<Vec<FileChanges>, String>),
    /// A file was exported, or could not be: the session and the path that exists already.
    Exported(Result<String, CannotExport>),
    /// Progress of the archive that is being made.
    Progress(String),
    /// Something was done, or could not be.
    Done(Result<String, String>),
    /// An archive was made, or could not be.
    ArchiveMade(Result<String, String>),
    /// Files changed.
    Changed(Changes),
    /// The program was told to end.
    End,
}

/// An action of the mouse and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// The action.
    pub what: Click,
    /// The column.
    pub column: u16,
    /// The row.
    pub row: u16,
}

/// An action of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// The left button went down.
    Press,
    /// It was let go.
    Release,
    /// The wheel was turned: lines, negative upwards.
    Wheel(i8),
}

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageLine {
    /// A heading.
    Heading(String),
    /// Text.
    Text(String),
    /// Something less important.
    Note(String),
    /// A line that was added to a file.
    Added(String),
    /// A line that was removed from it.
    Removed(String),
}

impl PageLine {
    /// Its text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Heading(text)
            | Self::Text(text)
            | Self::Note(text)
            | Self::Added(text)
            | Self::Removed(text) => text,
        }
    }
}

/// Something to be done elsewhere.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Ends the program.
    Quit,
    /// Stops it until it is brought back.
    Suspend,
    /// Draws everything anew.
    Redraw,
    /// Takes the mouse, or gives it back.
    Mouse(bool),
    /// Reads the rows of the list; only those of the scope, if so.
    LoadRows(u64, bool),
    /// Reads the first of them, if they are very many.
    LoadFirstRows(u64),
    /// Reads a session to show it.
    Load(u64, SessionRef),
    /// Reads the open session again.
    Renew(u64, SessionRef),
    /// Looks up the last prompts of sessions.
    Peek(Vec<SessionRef>),
    /// Counts the sessions that will be deleted.
    Risk,
    /// Finds the files that a session changed.
    Files(u64, SessionRef),
    /// Searches all texts; only those of the scope, if so.
    Search(u64, String, bool),
    /// Looks for words in a session.
    Find(u64, Arc<Session>, Vec<String>),
    /// Writes the statistics in so many columns.
    Stats(u64, usize),
    /// Lets the doctor write in so many columns.
    Doctor(u64, usize),
    /// Copies the path of a session's file.
    CopyPath(SessionRef),
    /// Copies a text; what it is.
    Copy(String, String),
    /// Opens a session in the editor.
    Editor(SessionRef),
    /// Opens a session in the pager.
    Pager(SessionRef),
    /// Writes a session to a file, perhaps in place of another one.
    Export(SessionRef, String, bool),
    /// Gives a session these marks, as they were typed.
    Mark(SessionRef, String),
    /// Puts a session back.
    Restore(SessionRef),
    /// Finds out whether a session can be resumed, perhaps in this directory.
    CheckResume(u64, SessionRef, Option<String>),
    /// Ends the program and goes on with a session, perhaps in this directory.
    Resume(SessionRef, Option<String>),
    /// Makes an archive.
    MakeArchive,
}
