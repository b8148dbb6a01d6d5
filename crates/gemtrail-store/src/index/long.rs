//! Takes in long sessions a few messages at a time: a journal may be longer than memory.
//!
//! The survey knows everything about a session except what its messages say, and it knows where their
//! records are. Each message is read from its own records and dropped once its rows are written.

use std::sync::mpsc::{SyncSender, sync_channel};

use gemtrail_core::model::{Message, Session};
use gemtrail_home::catalog::by_session;
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::load::Depth;

use super::head::{Head, only_digested};
use super::message::{MessageReader, MessageRow};
use super::session::{Delivery, Numbers, SessionView, Stretch, units_of, views_of};
use super::survey::Top;
use super::unit::UnitView;
use super::work::{Files, ProjectWork};
use crate::db::ids::VersionRowId;
use crate::db::pool::Pool;
use crate::raw::store::{BatchSender, Sent};

/// The bytes of records that are in memory together; fewer if shorter sessions count as long.
const STRETCH_BYTES: u64 = 1 << 20;

/// The number of stretches that may wait for the writer.
const WAITING: usize = 2;

/// A long session whose messages can be read one by one.
pub(super) struct LongSession<'t, 'w> {
    work: &'t ProjectWork<'w>,
    top: &'t Top,
    journal: &'t (usize, FoundFile),
    pool: &'t Pool,
    version: VersionRowId,
    subagents: Vec<&'t (usize, FoundFile)>,
}

type Views<'t> = Vec<SessionView<'t>>;

impl<'t, 'w> LongSession<'t, 'w> {
    /// `None` if the session is not long, or has to be read as a whole.
    pub(super) fn of(work: &'t ProjectWork<'w>, top: &'t Top, files: &Files<'t>) -> Option<Self> {
        let session = &top.session;
        let journal = *files.get(only_digested(session)?.path.as_str())?;
        let versions = &journal.1.versions;
        let is_traced = |message: &Message| !message.trace.is_empty();
        if !versions.earlier.is_empty() || !session.messages.iter().all(is_traced) {
            return None;
        }
        let is_subagent = |file: &FoundFile| match &file.kind {
            FileKind::Subagent { parent } => *parent == session.id.as_str(),
            _ => false,
        };
        let others = top.outlines.iter().skip(1).flat_map(|it| &it.paths);
        let subagents = others.map(|path| {
            let file = files.get(path.as_str()).copied();
            file.filter(|(_, file)| is_subagent(file))
        });
        Some(Self {
            work,
            top,
            journal,
            pool: work.pool?,
            version: versions.archived?.version,
            subagents: subagents.collect::<Option<_>>()?,
        })
    }

    /// Sends the session with its subagents, and then its messages, which the writer waits for. Fails
    /// when the writer has stopped.
    pub(super) fn send(&self, writer: &mut BatchSender<'_, Delivery<'t>>) -> Sent<Delivery<'t>> {
        let (views, sent, sender) = self.open();
        for view in views {
            writer.add(Ok(view), 0)?;
        }
        // From here on, this thread must not wait for others of its pool: one of them may be
        // waiting for the writer, and the writer waits for this session.
        writer.send()?;
        // Ends early if the writer has stopped; the next session will notice that.
        self.send_messages(sent, &sender);
        Ok(())
    }

    /// The views of its subagents and its own, and where its messages go.
    fn open(&self) -> (Views<'t>, Numbers, SyncSender<Stretch>) {
        let mut views = self.subagents();
        let (sender, rest) = sync_channel(WAITING);
        let mut sent = Numbers::default();
        let opening = Session {
            title: self.top.session.title.clone(),
            summary: self.top.session.summary.clone(),
            diagnostics: self.top.session.diagnostics.clone(),
            ..self.silent()
        };
        let units = self.units(&opening, &mut sent);
        views.push(SessionView {
            outline: &self.top.outlines[0],
            head: Head::of(&self.top.session),
            units,
            outputs: Vec::new(),
            session: opening,
            rest: Some(rest),
        });
        (views, sent, sender)
    }

    fn subagents(&self) -> Views<'t> {
        let (work, id) = (self.work, self.top.session.id.as_str());
        let files = &self.subagents;
        let subagents = work.catalog.subagents(work.entry, files, id, Depth::Words);
        let mut views = Vec::new();
        for subagent in subagents {
            views_of(
                subagent,
                (&self.top.outlines[..], &work.outputs, None),
                &mut views,
            );
        }
        views
    }

    /// Sends all messages, then what only the log has, unless the writer stops.
    fn send_messages(&self, mut sent: Numbers, writer: &SyncSender<Stretch>) {
        let mut reader = MessageReader::new(self.pool);
        let mut whole = None;
        let most = STRETCH_BYTES.min(self.work.long_from);
        let silent = self.silent();
        let mut messages = self.top.session.messages.iter().enumerate();
        loop {
            let (mut part, mut bytes) = (silent.clone(), 0);
            while (bytes < most || part.messages.is_empty())
                && let Some((number, traced)) = messages.next()
            {
                let spans = traced.trace.spans().iter();
                bytes += spans.map(|span| span.bytes).sum::<u64>();
                let read = self.read(traced, &mut reader).unwrap_or_else(|| {
                    let whole = whole.get_or_insert_with(|| self.read_whole());
                    whole.get(number).unwrap_or(traced).clone()
                });
                part.messages.push(read);
            }
            let is_last = part.messages.is_empty();
            if is_last {
                part.logged.clone_from(&self.top.session.logged);
            }
            let first = sent.messages;
            let units = self.units(&part, &mut sent);
            let outcome = writer.send(Stretch {
                first,
                units,
                outputs: self.work.outputs.named_by(&part.messages),
                messages: part.messages,
            });
            if is_last || outcome.is_err() {
                return;
            }
        }
    }

    /// Reads a message from its records.
    fn read(&self, traced: &Message, reader: &mut MessageReader<'_>) -> Option<Message> {
        let read = reader.read(&MessageRow::traced(traced, self.version))?;
        Some(Message {
            journal: traced.journal,
            trace: traced.trace.clone(),
            ..read
        })
    }

    /// Reads everything, should the records of a message not be enough after all.
    fn read_whole(&self) -> Vec<Message> {
        let (work, id) = (self.work, self.top.session.id.as_str());
        let prompts = by_session(&work.prompts).remove(id).unwrap_or_default();
        let read = work
            .catalog
            .assemble(work.entry, &[self.journal], &prompts, Depth::Words);
        let is_it = |session: &Session| session.reference == self.top.session.reference;
        let session = read.sessions.into_iter().find(is_it);
        session.map_or_else(Vec::new, |session| session.messages)
    }

    /// The units of a part of the session that follows what was sent.
    fn units(&self, part: &Session, sent: &mut Numbers) -> Vec<UnitView> {
        let outline = &self.top.outlines[0];
        let units = units_of(part, *sent, outline.known_units(), &self.work.outputs);
        sent.units += units.len();
        sent.messages += part.messages.len();
        units
    }

    /// The session without anything to find in it.
    fn silent(&self) -> Session {
        Session {
            title: None,
            summary: None,
            diagnostics: Vec::new(),
            records: Vec::new(),
            ..self.top.session.head()
        }
    }
}
