//! What was read of a session: all of it, or a page of a very long one.

use std::sync::Arc;

use gemtrail_core::model::{Message, Session};
use gemtrail_export::present::{ExcerptSurroundings, Options, Presentation};
use gemtrail_store::SessionPart;

/// Which sessions are shown in pages, and how long these are.
#[derive(Clone, Debug)]
pub struct Paging {
    /// Those whose files are larger than this. Up to here, one page is quick and easier to search.
    pub above: u64,
    /// How many messages a page has. The later numbers are for messages that are too large to be read
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

/// What was read of a session, and of which version of it.
#[derive(Clone)]
pub(crate) struct Read {
    pub(crate) session: Arc<Session>,
    pub(crate) version: u64,
    /// Which of its messages these are, if there are others.
    pub(crate) page: Option<Page>,
    /// The index of a message that calls what was read, if there may be pages.
    pub(crate) from: Option<usize>,
    /// The indices in the whole session of messages that are not complete. What is missing is on no page.
    incomplete: Vec<usize>,
}

/// Some messages among all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) around: ExcerptSurroundings,
    pub(crate) total: usize,
}

impl Read {
    pub(crate) fn of_whole(session: Arc<Session>, version: u64) -> Self {
        Self {
            session,
            version,
            page: None,
            from: None,
            incomplete: Vec::new(),
        }
    }

    pub(crate) fn of_part(part: SessionPart, version: u64) -> Self {
        let around = ExcerptSurroundings {
            before: part.first,
            ends: part.is_last(),
            latest_before: part.latest_before,
        };
        let page = Page {
            around,
            total: part.total,
        };
        Self {
            session: Arc::new(part.session),
            version,
            page: Some(page).filter(|_| around.before > 0 || !around.ends),
            from: Some(part.first),
            incomplete: part.without_copies,
        }
    }

    /// Whether everything is known of a message that was found in it.
    pub(crate) fn is_complete(&self, message: &Message) -> bool {
        let own = |index: &usize| self.session.messages.get(index.checked_sub(self.first())?);
        let mut incomplete = self.incomplete.iter().filter_map(own);
        !incomplete.any(|it| std::ptr::eq(it, message))
    }

    /// How a person reads it.
    pub(crate) fn presentation<'a>(&'a self, options: &'a Options) -> Presentation<'a> {
        let presentation = Presentation::new(&self.session, options);
        match &self.page {
            Some(page) => presentation.of_excerpt(page.around),
            None => presentation,
        }
    }

    /// The index of the first message in the whole session.
    pub(crate) fn first(&self) -> usize {
        self.page.map_or(0, |page| page.around.before)
    }

    /// Whether no message comes after these.
    pub(crate) fn is_last(&self) -> bool {
        self.page.is_none_or(|page| page.around.ends)
    }
}
