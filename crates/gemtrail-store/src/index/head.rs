//! The heads of long sessions: everything but their messages, so that a part of one can be shown
//! without reading the rest.

use gemtrail_core::model::{Journal, Kind, Session};
use rusqlite::{Connection, OptionalExtension as _, Transaction};
use serde::{Deserialize, Serialize};

use crate::db::ArchiveError;
use crate::db::ids::SessionRowId;

/// A session without its messages, its subagents, and what only the log has of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) session: Session,
    /// The numbers of messages with copies: these have more than their own records say.
    pub(crate) copied: Vec<usize>,
}

impl Head {
    /// The head of a long session.
    pub(super) fn of(session: &Session) -> Option<Self> {
        only_digested(session)?;
        let messages = session.messages.iter().enumerate();
        let with_copies = messages.filter(|(_, message)| !message.copies.is_empty());
        Some(Self {
            copied: with_copies.map(|(number, _)| number).collect(),
            session: session.head(),
        })
    }

    pub(super) fn put(
        &self,
        transaction: &Transaction<'_>,
        session: SessionRowId,
    ) -> Result<(), ArchiveError> {
        let json = serde_json::to_string(self).map_err(std::io::Error::from)?;
        let mut statement =
            transaction.prepare_cached("INSERT INTO head(session, json) VALUES(?1, ?2)")?;
        statement.execute((session, json))?;
        Ok(())
    }

    /// The head of a session, if it has one.
    pub(crate) fn read(
        connection: &Connection,
        session: SessionRowId,
    ) -> Result<Option<Self>, ArchiveError> {
        let mut statement =
            connection.prepare_cached("SELECT json FROM head WHERE session = ?1")?;
        let json: Option<String> = statement
            .query_row([session], |row| row.get(0))
            .optional()?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
    }
}

/// The file of a long main session: only those of long sessions are digested. `None` as well if there
/// are several, because a message that is in two of them cannot be read by itself.
pub(super) fn only_digested(session: &Session) -> Option<&Journal> {
    let [journal] = session.journals.as_slice() else {
        return None;
    };
    let is_main = session.kind == Kind::Main && session.source.is_gemini_cli();
    let is_long = is_main && journal.sha256.is_some();
    (is_long && !session.is_damaged()).then_some(journal)
}
