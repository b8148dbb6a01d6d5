//! The current position in a tree.

use std::fmt;

/// A JSON path that grows on the way down and shrinks on the way back up.
#[derive(Clone, Debug, Default)]
pub(super) struct Path(String);

/// A position to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Path {
    /// Enters a member.
    pub(super) fn enter_member(&mut self, name: &str) -> Mark {
        let is_plain = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        self.enter(&if is_plain {
            format!(".{name}")
        } else {
            format!("[{name:?}]")
        })
    }

    /// Enters an element.
    pub(super) fn enter_element(&mut self, index: usize) -> Mark {
        self.enter(&format!("[{index}]"))
    }

    /// Returns to where the mark was made.
    pub(super) fn leave(&mut self, mark: Mark) {
        self.0.truncate(mark.0);
    }

    fn enter(&mut self, step: &str) -> Mark {
        let mark = Mark(self.0.len());
        self.0.push_str(step);
        mark
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}
