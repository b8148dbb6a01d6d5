//! Very long sessions: reads the page that a message is on.

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_store::{ReadDetail, ReadError, Spot, WantedPart};

use crate::kept::lock;
use crate::read::Read;
use crate::viewer::Viewer;

impl Viewer {
    /// Reads the page of a session that a message is on: all of it, unless it is very long and its
    /// archive is up to date. If a very long one has no such message, nothing is on the page.
    pub(crate) fn page(&self, reference: SessionRef, spot: &Spot) -> Result<Read, ReadError> {
        if !self.is_long(reference) {
            return self.session(reference);
        }
        if let Some(read) = self.part(reference, spot) {
            return Ok(read);
        }
        let mut read = self.session(reference)?;
        // Other messages may be on pages of their own.
        read.from = index_of(&read.session, spot);
        Ok(read)
    }

    /// Whether a session is so long that it is shown in pages, if it can be.
    pub(crate) fn is_long(&self, reference: SessionRef) -> bool {
        // To look for one that is not there would mean to read everything.
        self.row(reference).is_some()
            && self
                .trail
                .view()
                .locate(reference)
                .is_some_and(|handle| handle.bytes() > self.options.paging.above)
    }

    fn part(&self, reference: SessionRef, spot: &Spot) -> Option<Read> {
        // Before the view: a change in between is then noticed later.
        let version = self.versions.of(reference);
        let _one_at_a_time = lock(&self.reading);
        let view = self.trail.view();
        let part = self.options.paging.sizes.iter().find_map(|size| {
            let wanted = WantedPart::Block(spot.clone(), *size);
            view.read_part(reference, &wanted, ReadDetail::Words)
        })?;
        Some(Read::of_part(part, version))
    }
}

/// The index of a message in its whole session.
fn index_of(session: &Session, spot: &Spot) -> Option<usize> {
    match spot {
        Spot::Index(index) => Some(*index),
        Spot::Id(id) => session.messages.iter().position(|it| it.id.as_str() == id),
        Spot::Place(place) => session.at(*place).map(|item| item.index),
    }
}
