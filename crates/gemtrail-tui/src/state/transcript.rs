//! A session that is open: cursor, scrolling, folds, hits.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use gemtrail_core::model::{CallId, MessageId, Role, Session, SessionRef};
use gemtrail_export::plain::Line;
use jiff::tz::TimeZone;

use super::document::{Document, Item, Part};
use super::lines::{Drawing, draw};

/// Wider lines are hard to read.
pub(super) const MOST_COLUMNS: usize = 110;

/// More rendered items than this are not kept.
const MOST_KEPT: usize = 4096;

/// A place in a session: a message, and a call of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
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
    open: HashSet<u32>,
    shows_thoughts: bool,
    kept: RefCell<HashMap<u32, Rc<[Line]>>>,
    /// The words that were looked for, in lower case.
    pub words: Vec<String>,
    /// The items that have them.
    pub found: Vec<usize>,
    /// Whether the answer is awaited.
    pub is_finding: bool,
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
            open: HashSet::new(),
            shows_thoughts: false,
            kept: RefCell::default(),
            words: Vec::new(),
            found: Vec::new(),
            is_finding: false,
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
    pub fn items(&self) -> &[Item] {
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
    pub fn chosen(&self) -> Option<&Item> {
        self.items().get(self.cursor)
    }

    /// Fits the text into a space. What was at the top stays there.
    pub fn fit(&mut self, columns: usize, height: usize) {
        let columns = columns.min(MOST_COLUMNS);
        if columns != self.columns {
            self.columns = columns;
            self.kept.borrow_mut().clear();
            self.top.1 = 0;
        }
        if height != self.height {
            self.height = height.max(1);
        }
        self.show_cursor();
    }

    /// Whether an item is unfolded.
    pub fn is_open(&self, item: &Item) -> bool {
        self.open.contains(&item.id) || (self.shows_thoughts && item.part == Part::Thoughts)
    }

    /// The lines of an item.
    pub fn lines(&self, at: usize) -> Rc<[Line]> {
        let Some(item) = self.items().get(at) else {
            return Rc::from([]);
        };
        if let Some(lines) = self.kept.borrow().get(&item.id) {
            return Rc::clone(lines);
        }
        let how = Drawing {
            columns: self.columns,
            is_open: self.is_open(item),
        };
        let lines: Rc<[Line]> = draw(&self.document, item, how).into();
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

    /// The visible lines: the item of each, and which of its lines it is.
    pub fn visible(&self) -> Vec<(usize, usize)> {
        let (mut at, mut line) = self.top;
        let mut visible = Vec::with_capacity(self.height);
        while visible.len() < self.height && at < self.items().len() {
            let height = self.height_of(at);
            while line < height && visible.len() < self.height {
                visible.push((at, line));
                line += 1;
            }
            at += 1;
            line = 0;
        }
        visible
    }

    /// Moves the view by so many lines. Whether it moved.
    fn scroll(&mut self, lines: isize) -> bool {
        let before = self.top;
        let (mut at, mut line) = self.top;
        if lines >= 0 {
            let mut left = lines.unsigned_abs();
            while left > 0 && at < self.items().len() {
                let rest = self.height_of(at).saturating_sub(line);
                if left < rest {
                    line += left;
                    break;
                }
                left -= rest;
                at += 1;
                line = 0;
            }
        } else {
            let mut left = lines.unsigned_abs();
            while left > 0 {
                if left <= line {
                    line -= left;
                    break;
                }
                left -= line;
                let Some(previous) = at.checked_sub(1) else {
                    line = 0;
                    break;
                };
                at = previous;
                line = self.height_of(at);
            }
        }
        self.top = (at, line);
        let end = self.last_top();
        if self.top > end {
            self.top = end;
        }
        self.top != before
    }

    /// The top at which the last line is at the bottom.
    fn last_top(&self) -> (usize, usize) {
        let mut room = self.height;
        let mut at = self.items().len();
        while let Some(previous) = at.checked_sub(1) {
            let height = self.height_of(previous);
            if height >= room {
                return (previous, height - room);
            }
            room -= height;
            at = previous;
        }
        (0, 0)
    }

    /// Whether the end is visible.
    pub fn is_at_end(&self) -> bool {
        self.top >= self.last_top()
    }

    /// The lines from the top of the screen to the first line of an item; negative above.
    fn distance(&self, to: usize) -> isize {
        let signed = |lines: usize| isize::try_from(lines).unwrap_or(isize::MAX);
        let (top, line) = self.top;
        if to < top {
            let above: usize = (to..top).rev().map(|at| self.height_of(at)).sum();
            return -signed(above + line);
        }
        let below: usize = (top..to).map(|at| self.height_of(at)).sum();
        signed(below) - signed(line)
    }

    /// Scrolls as little as possible so that the item under the cursor is visible.
    fn show_cursor(&mut self) {
        self.cursor = self.cursor.min(self.items().len().saturating_sub(1));
        // Far jumps need no way.
        let is_far = self.cursor < self.top.0 || self.cursor > self.top.0 + self.height;
        let signed = |lines: usize| isize::try_from(lines).unwrap_or(isize::MAX);
        let room = signed(self.height);
        let own = signed(self.height_of(self.cursor));
        if is_far {
            self.top = (self.cursor, 0);
            let above = (room / 3).min((room - own).max(0));
            self.scroll(-above);
            return;
        }
        let start = self.distance(self.cursor);
        let end = start + own;
        if own >= room {
            // A part of it is enough.
            if start > room / 2 || end < 1 {
                self.top = (self.cursor, 0);
            }
        } else if start < 0 {
            self.top = (self.cursor, 0);
        } else if end > room {
            self.scroll(end - room);
        }
        self.scroll(0);
    }

    /// One item or, in a long one, some lines further.
    pub fn down(&mut self) {
        let signed = |lines: usize| isize::try_from(lines).unwrap_or(isize::MAX);
        let end = self.distance(self.cursor) + signed(self.height_of(self.cursor));
        if end > signed(self.height) {
            self.scroll(3.min(end - signed(self.height)));
            return;
        }
        if self.cursor + 1 < self.items().len() {
            self.cursor += 1;
            self.reveal();
        }
    }

    /// One item or, in a long one, some lines back.
    pub fn up(&mut self) {
        let start = self.distance(self.cursor);
        if start < 0 {
            self.scroll((-3).max(start));
            return;
        }
        if self.cursor > 0 {
            self.cursor -= 1;
            let signed = |lines: usize| isize::try_from(lines).unwrap_or(isize::MAX);
            let start = self.distance(self.cursor);
            // Of a long item the end is what was next.
            if start < 0 {
                let own = signed(self.height_of(self.cursor));
                let hidden = -start;
                self.scroll(if own > signed(self.height) {
                    -3
                } else {
                    -hidden
                });
            }
        }
    }

    /// Makes the item under the cursor visible, a long one from its start.
    fn reveal(&mut self) {
        let own = self.height_of(self.cursor);
        if own >= self.height {
            self.top = (self.cursor, 0);
            self.scroll(-1);
        } else {
            self.show_cursor();
        }
    }

    /// A page further (1) or back (−1).
    pub fn page(&mut self, direction: isize) {
        let lines = isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        if !self.scroll(lines * direction) {
            self.cursor = if direction > 0 {
                self.items().len().saturating_sub(1)
            } else {
                0
            };
            return;
        }
        self.bring_cursor();
    }

    /// Turns the wheel.
    pub fn wheel(&mut self, lines: isize) {
        self.scroll(lines);
        self.bring_cursor();
    }

    /// Brings the cursor to what is visible.
    fn bring_cursor(&mut self) {
        let visible = self.visible();
        let (Some(first), Some(last)) = (visible.first(), visible.last()) else {
            return;
        };
        let start = if first.1 == 0 || first.0 == last.0 {
            first.0
        } else {
            first.0 + 1
        };
        let is_whole = last.1 + 1 == self.height_of(last.0) || last.0 == start;
        let end = if is_whole { last.0 } else { last.0 - 1 };
        self.cursor = self.cursor.clamp(start, end.max(start));
    }

    /// To the start.
    pub fn first(&mut self) {
        self.cursor = 0;
        self.top = (0, 0);
    }

    /// To the end.
    pub fn last(&mut self) {
        self.cursor = self.items().len().saturating_sub(1);
        self.top = self.last_top();
    }

    /// To an item.
    pub fn go_to(&mut self, at: usize) {
        self.cursor = at.min(self.items().len().saturating_sub(1));
        self.show_cursor();
    }

    /// To a prompt, which then is the first on the screen.
    pub fn go_to_turn(&mut self, at: usize) {
        self.cursor = at;
        self.top = (at, 0);
        self.scroll(0);
    }

    /// To the line that was clicked. Whether the item was under the cursor already.
    pub fn click(&mut self, line: usize) -> bool {
        let Some(&(at, _)) = self.visible().get(line) else {
            return false;
        };
        let was_there = self.cursor == at;
        self.cursor = at;
        was_there
    }

    /// To the next (1) or previous (−1) item of a kind.
    fn seek(&self, direction: isize, is_wanted: impl Fn(&Item) -> bool) -> Option<usize> {
        let items = self.items();
        let mut at = self.cursor;
        while let Some(next) = at.checked_add_signed(direction) {
            match items.get(next) {
                Some(item) if is_wanted(item) => return Some(next),
                Some(_) => at = next,
                None => break,
            }
        }
        None
    }

    /// To the next or previous prompt. Whether there is one.
    pub fn seek_turn(&mut self, direction: isize) -> bool {
        let place = self.seek(direction, |item| item.has_speaker && item.prompt.is_some());
        if let Some(at) = place {
            self.go_to_turn(at);
        }
        place.is_some()
    }

    /// To the next or previous failure. Whether there is one.
    pub fn seek_failure(&mut self, direction: isize) -> bool {
        let place = self.seek(direction, |item| item.is_failure);
        if let Some(at) = place {
            self.go_to(at);
        }
        place.is_some()
    }

    /// To the next or previous item with the words that were looked for. Whether there is one.
    pub fn seek_found(&mut self, direction: isize) -> bool {
        let place = if direction > 0 {
            self.found.iter().find(|&&at| at > self.cursor)
        } else {
            self.found.iter().rev().find(|&&at| at < self.cursor)
        };
        let place = place.copied();
        if let Some(at) = place {
            self.open_at(at);
        }
        place.is_some()
    }

    /// Goes to an item and unfolds what hides its words.
    pub fn open_at(&mut self, at: usize) {
        self.cursor = at.min(self.items().len().saturating_sub(1));
        let hides = self.chosen().is_some_and(|item| match item.part {
            Part::Call(_) | Part::Thoughts => true,
            Part::Words => self.is_background(item),
            _ => false,
        });
        if hides && let Some(item) = self.chosen() {
            let id = item.id;
            self.open.insert(id);
            self.kept.borrow_mut().remove(&id);
        }
        self.top = (self.cursor, 0);
        self.scroll(-isize::try_from(self.height / 4).unwrap_or(0));
        self.show_cursor();
        // The word may be far down in a long output.
        if let Some(line) = self.line_with_words() {
            let height = self.height;
            if line + 2 > height {
                self.top = (self.cursor, line.saturating_sub(height / 3));
                self.scroll(0);
            }
        }
    }

    /// The first line of the item under the cursor that has one of the words.
    fn line_with_words(&self) -> Option<usize> {
        let has = |line: &Line| {
            let text: String = line.iter().map(|(_, text)| text.as_str()).collect();
            let text = text.to_lowercase();
            self.words.iter().any(|word| text.contains(word))
        };
        self.lines(self.cursor).iter().position(has)
    }

    fn is_background(&self, item: &Item) -> bool {
        let role = self.document.message(item).map(|message| message.role);
        matches!(
            role,
            Some(Role::Context | Role::Hook | Role::Summary | Role::Tool)
        )
    }

    /// Goes to a message or call, unfolding what was taken back if it is in there. Whether it is
    /// there.
    pub fn go_to_spot(&mut self, spot: &Spot) -> bool {
        if let Some(at) = self.find_spot(spot) {
            self.open_at(at);
            return true;
        }
        // It may be in something that is folded.
        for at in (0..self.items().len()).rev() {
            let item = &self.items()[at];
            let Part::Folded(_, messages) = &item.part else {
                continue;
            };
            let session = &self.document.session;
            let mut inside = messages.clone();
            if item.agent.is_empty() && inside.any(|it| session.messages[it].id == spot.message) {
                self.unfold_at(at);
                break;
            }
        }
        let place = self.find_spot(spot);
        if let Some(at) = place {
            self.open_at(at);
        }
        place.is_some()
    }

    fn find_spot(&self, spot: &Spot) -> Option<usize> {
        let is_message = |item: &Item| {
            let message = self.document.message(item);
            let is_part = matches!(item.part, Part::Words | Part::Thoughts | Part::Call(_));
            message.filter(|it| is_part && it.id == spot.message)
        };
        let is_call = |item: &Item| {
            let Part::Call(call) = item.part else {
                return false;
            };
            let calls = is_message(item).map(|message| &message.tool_calls);
            calls.is_some_and(|calls| Some(&calls[call].id) == spot.call.as_ref())
        };
        let mut items = self.items().iter();
        let call = spot.call.as_ref().and_then(|_| items.position(is_call));
        let words = |item: &Item| item.part == Part::Words && is_message(item).is_some();
        call.or_else(|| self.items().iter().position(words))
            .or_else(|| {
                self.items()
                    .iter()
                    .position(|item| is_message(item).is_some())
            })
    }

    /// The place of what is under the cursor.
    pub fn spot(&self) -> Option<Spot> {
        let item = self.chosen()?;
        let message = self.document.message(item)?;
        let call = match item.part {
            Part::Call(call) => message.tool_calls.get(call).map(|call| call.id.clone()),
            Part::Words | Part::Thoughts => None,
            _ => return None,
        };
        Some(Spot {
            message: message.id.clone(),
            call,
        })
    }

    /// Whether the item under the cursor can be unfolded.
    pub fn can_unfold(&self) -> bool {
        self.chosen().is_some_and(|item| match item.part {
            Part::Thoughts | Part::Call(_) | Part::Folded(..) | Part::Agent(..) => true,
            Part::Words => self.is_background(item),
            Part::Head | Part::Divider(_) | Part::Logged(_) => false,
        })
    }

    /// Unfolds or folds the item under the cursor.
    pub fn unfold(&mut self) -> bool {
        let can = self.can_unfold();
        if can {
            self.unfold_at(self.cursor);
            self.show_cursor();
        }
        can
    }

    fn unfold_at(&mut self, at: usize) {
        let Some(item) = self.items().get(at) else {
            return;
        };
        let (id, inside) = (item.id, self.document.inside(item));
        self.kept.borrow_mut().remove(&id);
        self.found.clear();
        if self.open.remove(&id) {
            self.document.remove_inside(at);
        } else {
            self.open.insert(id);
            self.document.insert(at, inside);
        }
    }

    /// Unfolds all calls and thoughts, or folds everything.
    pub fn unfold_all(&mut self) {
        let spot = self.chosen().map(|item| item.id);
        let is_simple = |item: &&Item| matches!(item.part, Part::Thoughts | Part::Call(_));
        let all: Vec<u32> = self
            .items()
            .iter()
            .filter(is_simple)
            .map(|it| it.id)
            .collect();
        let is_all = all.iter().all(|id| self.open.contains(id));
        if is_all {
            let deep: Vec<usize> = (0..self.items().len()).rev().collect();
            for at in deep {
                self.document.remove_inside(at);
            }
            self.open.clear();
        } else {
            for at in (0..self.items().len()).rev() {
                let item = &self.items()[at];
                if is_simple(&item) && !self.open.contains(&item.id) {
                    let (id, inside) = (item.id, self.document.inside(item));
                    self.open.insert(id);
                    self.document.insert(at, inside);
                }
            }
        }
        self.found.clear();
        self.kept.borrow_mut().clear();
        let place = self.items().iter().position(|item| Some(item.id) == spot);
        self.cursor = place
            .unwrap_or(self.cursor)
            .min(self.items().len().saturating_sub(1));
        self.top = (self.cursor, 0);
        self.scroll(-isize::try_from(self.height / 3).unwrap_or(0));
    }

    /// Shows or hides all thoughts. Whether there are any.
    pub fn toggle_thoughts(&mut self) -> bool {
        let has = self.items().iter().any(|item| item.part == Part::Thoughts);
        self.shows_thoughts = !self.shows_thoughts;
        let ids = self
            .items()
            .iter()
            .filter(|item| item.part == Part::Thoughts);
        let ids: Vec<u32> = ids.map(|item| item.id).collect();
        for id in ids {
            self.open.remove(&id);
            self.kept.borrow_mut().remove(&id);
        }
        self.show_cursor();
        has
    }

    /// Replaces the session by what it is now. Stays at its place, or at the end.
    pub fn renew(&mut self, session: Arc<Session>, zone: TimeZone) {
        let follows = self.is_at_end();
        let (spot, cursor, top) = (self.spot(), self.cursor, self.top);
        let open: HashSet<(usize, String)> = self.open_parts();
        self.document = Document::new(session, zone);
        self.kept.borrow_mut().clear();
        self.open.clear();
        self.found.clear();
        for at in (0..self.items().len()).rev() {
            let item = &self.items()[at];
            if open.contains(&(item.message, format!("{:?}", item.part))) {
                self.unfold_at(at);
            }
        }
        if follows {
            self.last();
            return;
        }
        self.top = top;
        self.cursor = cursor.min(self.items().len().saturating_sub(1));
        let moved = spot.and_then(|spot| self.find_spot(&spot));
        if let Some(at) = moved.filter(|&at| at != cursor) {
            let by = self.distance(cursor);
            self.cursor = at;
            self.top = (at, 0);
            self.scroll(-by);
        }
        self.scroll(0);
    }

    fn open_parts(&self) -> HashSet<(usize, String)> {
        let items = self.items().iter().filter(|item| item.depth == 0);
        let open = items.filter(|item| self.open.contains(&item.id));
        open.map(|item| (item.message, format!("{:?}", item.part)))
            .collect()
    }

    /// The prompts: their items and first words.
    pub fn turns(&self) -> Vec<(usize, u64, String)> {
        let items = self.items().iter().enumerate();
        items
            .filter(|(_, item)| item.has_speaker && item.depth == 0)
            .filter_map(|(at, item)| {
                let text = &self.document.message(item)?.text;
                let words = gemtrail_export::text::Clean::line(text.as_str());
                Some((at, item.prompt?, words.to_string()))
            })
            .collect()
    }

    /// How far through the session the view is, in percent.
    pub fn percent(&self) -> usize {
        if self.is_at_end() {
            return 100;
        }
        self.top.0 * 100 / self.items().len().max(1)
    }
}
