//! Pages of sessions as they are read. All but very long sessions are one page.

use std::sync::Arc;

use gemtrail_core::model::{Message, Session};
use gemtrail_export::present::{ExcerptSurroundings, Options, Presentation};
use gemtrail_store::SessionPart;

/// The sessions that are shown in pages, and how long these are.
#[derive(Clone, Debug)]
pub struct Paging {
    /// Those whose files are larger than this. Up to here, one page is quick and easier to search.
    pub above: u64,
    /// The number of messages on a page. The later numbers are for messages that are too large to be read
    /// together; each number is a multiple of the next, so that pages do not overlap.
    pub sizes: Vec<usize>,
}

impl Default for Paging {
    fn default() -> Self {
        Self {
            above: 64 << 20,
            sizes: vec![200, 50, 10],
        }
    }
}

/// A page of a session, and the version of the session that it is of.
#[derive(Clone)]
pub(crate) struct Read {
    pub(crate) session: Arc<Session>,
    pub(crate) version: u64,
    /// The messages of the whole session.
    pub(crate) total: usize,
    /// The index of a message that calls what was read, if there may be other pages.
    pub(crate) from: Option<usize>,
    around: ExcerptSurroundings,
    /// The indices in the whole session of messages that are not complete. What is missing is on no page.
    incomplete: Vec<usize>,
}

impl Read {
    pub(crate) fn of_whole(session: Arc<Session>, version: u64) -> Self {
        Self {
            total: session.messages.len(),
            session,
            version,
            from: None,
            around: ExcerptSurroundings {
                before: 0,
                ends: true,
                latest_before: None,
            },
            incomplete: Vec::new(),
        }
    }

    pub(crate) fn of_part(part: SessionPart, version: u64) -> Self {
        Self {
            version,
            total: part.total,
            from: Some(part.first),
            around: ExcerptSurroundings {
                before: part.first,
                ends: part.is_last(),
                latest_before: part.latest_before,
            },
            incomplete: part.without_copies,
            session: Arc::new(part.session),
        }
    }

    /// True if everything is known of a message that was found in it.
    pub(crate) fn is_complete(&self, message: &Message) -> bool {
        let own = |index: &usize| self.session.messages.get(index.checked_sub(self.first())?);
        let mut incomplete = self.incomplete.iter().filter_map(own);
        !incomplete.any(|it| std::ptr::eq(it, message))
    }

    /// The form in which a person reads it.
    pub(crate) fn presentation<'a>(&'a self, options: &'a Options) -> Presentation<'a> {
        Presentation::new(&self.session, options).of_excerpt(self.around)
    }

    /// The index of the first message in the whole session.
    pub(crate) fn first(&self) -> usize {
        self.around.before
    }

    /// True if no message comes after these.
    pub(crate) fn is_last(&self) -> bool {
        self.around.ends
    }

    /// True if it is all of the session.
    pub(crate) fn is_whole(&self) -> bool {
        self.first() == 0 && self.is_last()
    }
}
