//! Reads a part of a session without the rest, where the archive knows enough about it.

use std::ops::Range;

use gemtrail_core::LogEntry;
use gemtrail_core::model::{Kind, Logged, Message, Place, Session, SessionRef};
use gemtrail_core::time::Timestamp;

use super::read::fingerprint_of;
use super::{Handle, Library, ReadDetail};
use crate::discover::{FileKind, FoundFile};
use crate::outputs;
use crate::source::Archived;
use crate::spelled::text_of;

/// Which messages of a session to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedPart {
    /// What [`Session::narrow`] leaves at this place, and the given number of messages before and after it.
    At(Place, usize),
    /// Those with these indices.
    Within(Range<usize>),
    /// The block that contains a message, with the session cut into blocks of the given length; no
    /// messages if there is no such message. For display only: see [`SessionPart::without_copies`].
    Block(Spot, usize),
}

/// Which message of a session is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The one with this index; the last one if there are fewer.
    Index(usize),
    /// The first one with this id.
    Id(String),
    /// The one at this place, or the one whose call is at this place.
    Place(Place),
}

/// A session with some of its messages, which follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPart {
    /// The session, complete except for the other messages.
    pub session: Session,
    /// The index of the first of these messages in the whole session.
    pub first: usize,
    /// How many messages the whole session has.
    pub total: usize,
    /// The latest time of the messages before.
    pub latest_before: Option<Timestamp>,
    /// The indices, in the whole session, of messages that were copied: their [copies](Message::copies),
    /// and whatever only those contain, are missing here. Always empty unless a block was asked for.
    pub without_copies: Vec<usize>,
}

impl SessionPart {
    /// Whether no message comes after these.
    pub fn is_last(&self) -> bool {
        self.first + self.session.messages.len() == self.total
    }
}

/// A part of a session as the views know it.
pub(crate) struct KnownPart {
    /// The session without messages, subagents and what only the log has of it; as it was at the last
    /// sync.
    pub(crate) head: Session,
    /// As in the session, except for their journal.
    pub(crate) messages: Vec<Message>,
    pub(crate) first: usize,
    pub(crate) total: usize,
    pub(crate) latest_before: Option<Timestamp>,
    pub(crate) without_copies: Vec<usize>,
}

impl Library {
    /// Reads a part of a long session, exactly as [`read`](Self::read) would. `None` if the session is
    /// not long, or if it is not certain what reading all of it would tell.
    pub fn read_part(
        &self,
        reference: SessionRef,
        wanted: &WantedPart,
        detail: ReadDetail,
    ) -> Option<SessionPart> {
        if self.views.is_none() || detail == ReadDetail::Counts {
            return None;
        }
        let handle = self.locate(reference)?;
        if handle.reference != reference
            || handle.kind != Kind::Main
            || !self.is_covered(handle.project)
        {
            return None;
        }
        let (home, file, archived) = only_file(&handle)?;
        let part = self.ask_views(|views| views.part(&handle, archived, wanted))?;
        let entry = self.projects().get(handle.project)?;
        let mut session = part.head;
        if session.journals.first()?.path != text_of(&file.path) {
            return None;
        }
        session.reference = handle.reference;
        session.project = entry.project().clone();
        session.origin = self.origin(home);
        session.messages = part.messages;
        for message in &mut session.messages {
            message.journal = Some(0);
        }
        outputs::measure(&mut session, entry);
        session.logged = self.logged_of(&handle)?;
        let is_subagent = |file: &FoundFile| matches!(file.kind, FileKind::Subagent { .. });
        let files = handle.files.iter().filter(|(_, file)| is_subagent(file));
        let files: Vec<&(usize, FoundFile)> = files.collect();
        session.subagents = self.subagents(entry, &files, &handle.key.id, detail.into());
        self.add_what_others_know(&handle, &mut session, detail.into());
        if detail == ReadDetail::Words {
            session.journals.iter_mut().for_each(|it| it.sha256 = None);
        }
        Some(SessionPart {
            session,
            first: part.first,
            total: part.total,
            latest_before: part.latest_before,
            without_copies: part.without_copies,
        })
    }

    /// What only the log has of a session, according to the views.
    fn logged_of(&self, handle: &Handle) -> Option<Vec<Logged>> {
        let known = self.ask_views(|views| views.logged(handle))?;
        if known.is_empty() {
            return Some(Vec::new());
        }
        let prompts = self.prompts_of(handle.project).iter();
        let own = prompts.filter(|prompt| prompt.session_id == handle.key.id);
        let logged = |prompt: &LogEntry| Logged {
            time: Some(prompt.time.clone()),
            text: prompt.text.clone(),
        };
        let is_known = |logged: &Logged| known.contains(&fingerprint_of(logged));
        Some(own.map(logged).filter(is_known).collect())
    }
}

/// The file of a main session that has only one, of which there has only been one.
fn only_file(handle: &Handle) -> Option<(usize, &FoundFile, Archived)> {
    let is_own = |file: &FoundFile| !matches!(file.kind, FileKind::Subagent { .. });
    let mut own = handle.files.iter().filter(|(_, file)| is_own(file));
    let (home, file) = own.next()?;
    let is_only = own.next().is_none() && file.versions.earlier.is_empty();
    Some((*home, file, file.versions.archived.filter(|_| is_only)?))
}
