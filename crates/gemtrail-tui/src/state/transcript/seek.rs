//! Finding a place: turns, failures, hits, a message that a link names.

use gemtrail_export::plain::Line;
use gemtrail_export::present::Moment;
use gemtrail_export::text::Clean;

use super::super::document::{ItemPart, TranscriptItem};
use super::super::pages::Turn;
use super::scroll::signed;
use super::{MessageSpot, Transcript};

impl Transcript {
    /// To the next (1) or previous (−1) item of a kind.
    fn seek(&self, direction: isize, is_wanted: impl Fn(&TranscriptItem) -> bool) -> Option<usize> {
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

    /// Goes to an item and unfolds what hides its words; its id if it was folded.
    pub fn open_at(&mut self, at: usize) -> Option<u32> {
        self.cursor = at.min(self.items().len().saturating_sub(1));
        let hides = self.chosen().is_some_and(|item| match item.part {
            ItemPart::Call(_) | ItemPart::Thoughts => true,
            ItemPart::Words => self.is_background(item),
            _ => false,
        });
        let id = self.chosen().filter(|_| hides).map(|item| item.id);
        let unfolded = id.filter(|id| self.open.insert(*id));
        if let Some(id) = unfolded {
            self.kept.borrow_mut().remove(&id);
        }
        self.top = (self.cursor, 0);
        self.scroll(-signed(self.height / 4));
        self.show_cursor();
        // The word may be far down in a long output.
        if let Some(line) = self.line_with_words() {
            let height = self.height;
            if line + 2 > height {
                self.top = (self.cursor, line.saturating_sub(height / 3));
                self.scroll(0);
            }
        }
        unfolded
    }

    /// The first line of the item under the cursor that has one of the words.
    fn line_with_words(&self) -> Option<usize> {
        let has = |line: &Line| {
            let text: String = line.iter().map(|(_, text)| text.as_str()).collect();
            let text = text.to_lowercase();
            self.marked_words().iter().any(|word| text.contains(word))
        };
        self.lines(self.cursor).iter().position(has)
    }

    /// Goes to a message or call, unfolding what was taken back if it is in there. Whether it is
    /// there.
    pub fn go_to_spot(&mut self, spot: &MessageSpot) -> bool {
        if let Some(at) = self.find_spot(spot) {
            self.open_at(at);
            return true;
        }
        // It may be in something that is folded.
        for at in (0..self.items().len()).rev() {
            let item = &self.items()[at];
            let ItemPart::Folded(_, messages) = &item.part else {
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

    pub(super) fn find_spot(&self, spot: &MessageSpot) -> Option<usize> {
        let is_message = |item: &TranscriptItem| {
            let message = self.document.message(item);
            let is_part = matches!(
                item.part,
                ItemPart::Words | ItemPart::Thoughts | ItemPart::Call(_)
            );
            message.filter(|it| is_part && it.id == spot.message)
        };
        let is_call = |item: &TranscriptItem| {
            let ItemPart::Call(call) = item.part else {
                return false;
            };
            let calls = is_message(item).map(|message| &message.tool_calls);
            calls.is_some_and(|calls| Some(&calls[call].id) == spot.call.as_ref())
        };
        let mut items = self.items().iter();
        let call = spot.call.as_ref().and_then(|_| items.position(is_call));
        let words =
            |item: &TranscriptItem| item.part == ItemPart::Words && is_message(item).is_some();
        call.or_else(|| self.items().iter().position(words))
            .or_else(|| {
                self.items()
                    .iter()
                    .position(|item| is_message(item).is_some())
            })
    }

    /// The place of what is under the cursor.
    pub fn spot(&self) -> Option<MessageSpot> {
        let item = self.chosen()?;
        let message = self.document.message(item)?;
        let call = match item.part {
            ItemPart::Call(call) => message.tool_calls.get(call).map(|call| call.id.clone()),
            ItemPart::Words | ItemPart::Thoughts => None,
            _ => return None,
        };
        Some(MessageSpot {
            message: message.id.clone(),
            call,
        })
    }

    /// The prompts.
    pub fn turns(&self) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        for (at, item) in self.items().iter().enumerate() {
            if let Some(turn) = self.turn(at, item) {
                turns.push(turn);
            } else if let Some(turn) = turns.last_mut() {
                turn.failures += usize::from(item.is_failure);
            }
        }
        turns
    }

    /// The prompt that begins with an item.
    fn turn(&self, at: usize, item: &TranscriptItem) -> Option<Turn> {
        let number = item
            .prompt
            .filter(|_| item.has_speaker && item.depth == 0)?;
        let block = self.document.block(item)?;
        Some(Turn {
            item: at,
            number,
            clock: block.moment.as_ref().map(Moment::clock).unwrap_or_default(),
            failures: 0,
            words: Clean::line(block.text.as_str()).to_string(),
        })
    }
}
