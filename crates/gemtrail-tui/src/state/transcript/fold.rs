//! Folds, which stay as they are when the session grows.

use std::collections::HashSet;
use std::sync::Arc;

use gemtrail_core::model::{Role, Session};
use jiff::tz::TimeZone;

use super::super::document::{Document, ItemPart, TranscriptItem};
use super::Transcript;
use super::scroll::signed;

impl Transcript {
    /// True if an item is unfolded.
    pub fn is_open(&self, item: &TranscriptItem) -> bool {
        self.open.contains(&item.id) || (self.shows_thoughts && item.part == ItemPart::Thoughts)
    }

    /// True if the item under the cursor is unfolded.
    pub fn is_chosen_open(&self) -> bool {
        self.chosen().is_some_and(|item| self.is_open(item))
    }

    pub(super) fn is_background(&self, item: &TranscriptItem) -> bool {
        let role = self.document.message(item).map(|message| message.role);
        matches!(
            role,
            Some(Role::Context | Role::Hook | Role::Summary | Role::Tool)
        )
    }

    /// True if the item under the cursor can be unfolded.
    pub fn can_unfold(&self) -> bool {
        self.chosen().is_some_and(|item| match item.part {
            ItemPart::Thoughts | ItemPart::Call(_) | ItemPart::Folded(..) | ItemPart::Agent(..) => {
                true
            }
            ItemPart::Words => self.is_background(item),
            ItemPart::Head | ItemPart::Divider(_) | ItemPart::Logged(_) => false,
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

    pub(super) fn unfold_at(&mut self, at: usize) {
        let Some(item) = self.items().get(at) else {
            return;
        };
        let (id, inside) = (item.id, self.document.inside(item));
        self.kept.borrow_mut().remove(&id);
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
        let is_simple =
            |item: &&TranscriptItem| matches!(item.part, ItemPart::Thoughts | ItemPart::Call(_));
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
        self.kept.borrow_mut().clear();
        let place = self.items().iter().position(|item| Some(item.id) == spot);
        self.cursor = place
            .unwrap_or(self.cursor)
            .min(self.items().len().saturating_sub(1));
        self.top = (self.cursor, 0);
        self.scroll(-signed(self.height / 3));
    }

    /// Shows or hides all thoughts. Whether there are any.
    pub fn toggle_thoughts(&mut self) -> bool {
        let has = self
            .items()
            .iter()
            .any(|item| item.part == ItemPart::Thoughts);
        self.shows_thoughts = !self.shows_thoughts;
        let ids = self
            .items()
            .iter()
            .filter(|item| item.part == ItemPart::Thoughts);
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
        self.find_again();
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
}
