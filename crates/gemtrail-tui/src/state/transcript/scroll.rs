//! The visible part of a session: every move of cursor and view.

use super::{MOST_COLUMNS, Transcript};

impl Transcript {
    /// Fits the text into a space, with or without the facts at its head. What was at the top
    /// stays there.
    pub fn fit(&mut self, (columns, height): (usize, usize), has_head: bool) {
        let columns = columns.min(MOST_COLUMNS);
        if (columns, has_head) != (self.columns, self.has_head) {
            self.columns = columns;
            self.has_head = has_head;
            self.kept.borrow_mut().clear();
            self.top.1 = 0;
        }
        if height != self.height {
            self.height = height.max(1);
        }
        self.show_cursor();
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
    pub(super) fn scroll(&mut self, lines: isize) -> bool {
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

    /// True if the end is visible.
    pub fn is_at_end(&self) -> bool {
        self.top >= self.last_top()
    }

    /// The lines from the top of the screen to the first line of an item; negative above.
    pub(super) fn distance(&self, to: usize) -> isize {
        let (top, line) = self.top;
        if to < top {
            let above: usize = (to..top).rev().map(|at| self.height_of(at)).sum();
            return -signed(above + line);
        }
        let below: usize = (top..to).map(|at| self.height_of(at)).sum();
        signed(below) - signed(line)
    }

    /// Scrolls as little as possible so that the item under the cursor is visible.
    pub(super) fn show_cursor(&mut self) {
        self.cursor = self.cursor.min(self.items().len().saturating_sub(1));
        // Far jumps need no way.
        let is_far = self.cursor < self.top.0 || self.cursor > self.top.0 + self.height;
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
        let lines = signed(self.height.saturating_sub(2).max(1));
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

    /// Half a page further (1) or back (−1).
    pub fn half_page(&mut self, direction: isize) {
        if self.scroll(signed(self.height / 2).max(1) * direction) {
            return self.bring_cursor();
        }
        self.page(direction);
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

    /// The position of the view in the session, in percent.
    pub fn percent(&self) -> usize {
        if self.is_at_end() {
            return 100;
        }
        self.top.0 * 100 / self.items().len().max(1)
    }
}

/// A count of lines as a distance.
pub(super) fn signed(lines: usize) -> isize {
    isize::try_from(lines).unwrap_or(isize::MAX)
}
