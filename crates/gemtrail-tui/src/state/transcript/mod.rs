//! A session that is open: cursor, scrolling, folds, hits.

mod find;
mod fold;
mod scroll;
mod seek;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use gemtrail_core::model::{CallId, MessageId, Session, SessionRef};
use gemtrail_export::plain::Line;

use super::document::{Document, ItemPart, TranscriptItem};
use super::lines::draw;
use find::Finding;

/// Wider lines are hard to read.
pub(super) const MOST_COLUMNS: usize = 110;

/// More rendered items than this are not kept.
const MOST_KEPT: usize = 4096;

/// A place in a session: a message, and a call of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSpot {
    /// The message.
    pub message: MessageId,
    /// The call.
    pub call: Option<CallId>,
}

/// A session on the screen.
#[derive(Debug)]
pub struct Transcript {
    document: Document,
    cursor: usize,
    /// The first visible item, and how many of its lines are above the screen.
    top: (usize, usize),
    columns: usize,
    height: usize,
    has_head: bool,
    open: HashSet<u32>,
    shows_thoughts: bool,
    kept: RefCell<HashMap<u32, Rc<[Line]>>>,
    /// The words of the search that led here, in lower case.
    pub words: Vec<String>,
    /// What is looked for in this session.
    finding: Option<Finding>,
}

impl Transcript {
    /// Opens a session at its start.
    pub fn new(document: Document) -> Self {
        Self {
            document,
            cursor: 0,
            top: (0, 0),
            columns: 80,
            height: 20,
            has_head: true,
            open: HashSet::new(),
            shows_thoughts: false,
            kept: RefCell::default(),
            words: Vec::new(),
            finding: None,
        }
    }

    /// The session's reference.
    pub fn reference(&self) -> SessionRef {
        self.document.session.reference
    }

    /// The session.
    pub fn session(&self) -> &Arc<Session> {
        &self.document.session
    }

    /// Its items.
    pub fn items(&self) -> &[TranscriptItem] {
        self.document.items()
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The place of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The item under the cursor.
    pub fn chosen(&self) -> Option<&TranscriptItem> {
        self.items().get(self.cursor)
    }

    /// The lines of an item.
    pub fn lines(&self, at: usize) -> Rc<[Line]> {
        let Some(item) = self.items().get(at) else {
            return Rc::from([]);
        };
        if item.part == ItemPart::Head && !self.has_head {
            return Rc::from([]);
        }
        if let Some(lines) = self.kept.borrow().get(&item.id) {
            return Rc::clone(lines);
        }
        let is_open = self.is_open(item);
        let lines: Rc<[Line]> = draw(&self.document, item, self.columns, is_open).into();
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(item.id, Rc::clone(&lines));
        lines
    }

    fn height_of(&self, at: usize) -> usize {
        self.lines(at).len()
    }
}
