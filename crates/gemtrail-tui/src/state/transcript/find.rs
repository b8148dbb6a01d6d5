//! Finding words in a session: with each letter, from where the cursor was.

use super::super::document::ItemPart;
use super::Transcript;

/// Words that are looked for in a session.
#[derive(Debug)]
pub(super) struct Finding {
    words: Vec<String>,
    /// The ids of the items that have them, in order; nothing while the answer is awaited.
    found: Option<Vec<u32>>,
    /// The cursor and the top of the screen before.
    start: (usize, (usize, usize)),
    /// The item that was unfolded to show its words.
    unfolded: Option<u32>,
    /// True if the answer moves the cursor.
    moves: bool,
}

impl Transcript {
    /// Looks for words from here on; the answer comes later.
    pub fn look_for(&mut self, words: Vec<String>) {
        let start = match &self.finding {
            Some(finding) => finding.start,
            None => (self.cursor, self.top),
        };
        self.go_back_to(start);
        self.finding = Some(Finding {
            words,
            found: None,
            start,
            unfolded: None,
            moves: true,
        });
        self.kept.borrow_mut().clear();
    }

    /// Forgets what was looked for. True if anything was.
    pub fn stop_finding(&mut self, goes_back: bool) -> bool {
        let start = self.finding.as_ref().map(|finding| finding.start);
        if let Some(start) = start.filter(|_| goes_back) {
            self.go_back_to(start);
        }
        self.finding = None;
        start.is_some()
    }

    fn go_back_to(&mut self, (cursor, top): (usize, (usize, usize))) {
        let finding = self.finding.as_mut();
        if let Some(id) = finding.and_then(|finding| finding.unfolded.take()) {
            self.open.remove(&id);
            self.kept.borrow_mut().remove(&id);
        }
        (self.cursor, self.top) = (cursor, top);
        self.show_cursor();
    }

    /// The words that are marked: those that are looked for, else those of the search.
    pub fn marked_words(&self) -> &[String] {
        let finding = self.finding.as_ref();
        finding.map_or(&self.words, |finding| &finding.words)
    }

    /// True if the answer is awaited.
    pub fn is_finding(&self) -> bool {
        let finding = self.finding.as_ref();
        finding.is_some_and(|finding| finding.found.is_none())
    }

    /// The words to look for again after the session changed.
    pub(super) fn find_again(&mut self) {
        if let Some(finding) = &mut self.finding {
            finding.found = None;
            finding.moves = false;
        }
    }

    /// Takes the places of the words: messages by their indices, in order, and which part of them.
    /// True if somebody waits for it.
    pub fn take_found(&mut self, places: &[(usize, ItemPart)]) -> bool {
        let mut places = places.iter().peekable();
        let mut found = Vec::new();
        let mut first = None;
        let start = self.finding.as_ref().map_or(0, |finding| finding.start.0);
        for (at, item) in self.items().iter().enumerate() {
            // Only the session itself is looked through.
            if !item.agent.is_empty() {
                continue;
            }
            let is_before = |it: &&(usize, ItemPart)| it.0 < item.message;
            while places.next_if(|it| is_before(it)).is_some() {}
            let mut same = places.clone().take_while(|it| it.0 == item.message);
            if same.any(|(_, part)| *part == item.part) {
                found.push(item.id);
                first = first.or((at >= start).then_some(at));
            }
        }
        let Some(finding) = &mut self.finding else {
            return false;
        };
        let moves = finding.moves;
        let first = first.or(found.first().and_then(|id| self.document.place_of(*id)));
        finding.found = Some(found);
        if let Some(first) = first.filter(|_| moves) {
            let unfolded = self.open_at(first);
            if let Some(finding) = &mut self.finding {
                finding.unfolded = unfolded;
            }
        }
        moves
    }

    /// The place of the cursor among the items that have the words, and how many there are.
    pub fn found_place(&self) -> Option<(usize, usize)> {
        let found = self.finding.as_ref()?.found.as_ref()?;
        let own = self.chosen().map(|item| item.id);
        let at = found.iter().position(|id| Some(*id) == own);
        Some((at.map_or(0, |at| at + 1), found.len()))
    }

    /// To the next or previous item with the words; at an end to the other one, if it goes around.
    /// True if there is one.
    pub fn seek_found(&mut self, direction: isize, goes_around: bool) -> bool {
        let found = self.finding.as_ref().and_then(|it| it.found.as_deref());
        let places = found.unwrap_or_default().iter();
        let places = places.filter_map(|id| self.document.place_of(*id));
        let places: Vec<usize> = places.collect();
        let (next, around) = if direction > 0 {
            let next = places.iter().find(|&&at| at > self.cursor);
            (next, places.first())
        } else {
            let next = places.iter().rfind(|&&at| at < self.cursor);
            (next, places.last())
        };
        let place = next.or(around.filter(|_| goes_around)).copied();
        if let Some(at) = place {
            self.open_at(at);
        }
        place.is_some()
    }
}
