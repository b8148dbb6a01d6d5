//! One document of several sessions in the order of time.

use std::io::Write;

use gemtrail_core::model::Session;

use super::SessionWriter;
use crate::{Result, TimedLine};

/// Gathers the lines of all sessions and writes them when all are known. Lines of one time stay in
/// the order of their sessions, and a single session keeps its own order.
pub(super) struct Timeline<W, L> {
    writer: W,
    lines_of: L,
    sessions: usize,
    lines: Vec<TimedLine>,
}

impl<W, L> Timeline<W, L> {
    /// A document that begins as `writer` begins it, of the lines that `lines_of` makes of sessions.
    pub(super) fn new(writer: W, lines_of: L) -> Self {
        Self {
            writer,
            lines_of,
            sessions: 0,
            lines: Vec::new(),
        }
    }
}

impl<W, L> SessionWriter for Timeline<W, L>
where
    W: SessionWriter,
    L: Fn(&Session) -> Result<Vec<TimedLine>>,
{
    fn begin(&mut self, out: &mut dyn Write) -> Result {
        self.writer.begin(out)
    }

    fn session(&mut self, session: &Session, _: &mut dyn Write) -> Result {
        self.sessions += 1;
        self.lines.extend((self.lines_of)(session)?);
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> Result {
        if self.sessions > 1 {
            self.lines.sort_by_key(|(at, _)| *at);
        }
        let mut lines = self.lines.iter();
        lines.try_for_each(|(_, line)| out.write_all(line))?;
        Ok(())
    }
}
