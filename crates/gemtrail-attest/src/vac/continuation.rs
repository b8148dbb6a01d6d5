//! Sessions that continue in another file.

use gemtrail_core::model::{Message, Session};

use super::native::event_data;
use super::options::Profile;
use crate::value::{Value, object};

/// Follows the messages and detects where another journal starts.
pub(super) struct Continuations<'a> {
    session: &'a Session,
    /// The furthest journal so far.
    journal: Option<usize>,
}

impl<'a> Continuations<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self {
            session,
            journal: None,
        }
    }

    /// The event to put before this message, if it is the first of a later journal.
    pub(super) fn before(&mut self, message: &Message, profile: Profile) -> Option<Value> {
        let journal = message.journal?;
        let is_later = self.journal.is_some_and(|known| journal > known);
        self.journal = self.journal.max(Some(journal));
        is_later.then(|| self.event(journal, profile))
    }

    fn event(&self, journal: usize, profile: Profile) -> Value {
        let mut event = object([
            ("type", "system-event".into()),
            ("event-type", "session-continued".into()),
        ]);
        if let Some(journal) = self.session.journals.get(journal) {
            // The name alone: directories describe the machine, not the session.
            let name = journal.path.rsplit(['/', '\\']).next().unwrap_or_default();
            let data = object([("file", name.into())]);
            event.insert("data".to_owned(), event_data(data, profile));
        }
        event.into()
    }
}
