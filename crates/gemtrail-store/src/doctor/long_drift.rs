//! What is unknown in a session that is too long to be in memory as a whole.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use gemtrail_core::model::{Message, Session, Span};
use gemtrail_core::read_message;
use gemtrail_core::view::{Unknown, Unknowns};

use crate::discover::FoundFile;
use crate::paths::text_of;

/// Reads the messages of a session one by one, from the records that their traces name. `None` if a
/// message cannot be rebuilt from its records alone, or if the records are no longer on disk.
pub(super) fn find(traced: &Session, files: &[&(usize, FoundFile)]) -> Option<BTreeSet<Unknown>> {
    let mut look = Look {
        found: Unknowns::default(),
        files,
        open: HashMap::new(),
    };
    look.at(traced)?;
    Some(look.found.into_set())
}

struct Look<'f> {
    found: Unknowns,
    files: &'f [&'f (usize, FoundFile)],
    /// Files that were opened, by their paths.
    open: HashMap<String, File>,
}

impl Look<'_> {
    fn at(&mut self, session: &Session) -> Option<()> {
        self.found.head(session);
        for traced in &session.messages {
            let journal = session.journals.get(traced.journal?)?;
            let records = self.read(&journal.path, traced.trace.spans())?;
            let read = read_message(&records).filter(|it| it.id == traced.id)?;
            self.found.message(&Message {
                role: traced.role,
                ..read
            });
        }
        session.subagents.iter().try_for_each(|it| self.at(it))
    }

    fn read(&mut self, path: &str, spans: &[Span]) -> Option<Vec<Vec<u8>>> {
        if !self.open.contains_key(path) {
            let is_it = |(_, file): &&&(usize, FoundFile)| text_of(&file.path) == path;
            let (_, file) = self.files.iter().find(is_it)?;
            let file = File::open(&file.path).ok()?;
            self.open.insert(path.to_owned(), file);
        }
        let file = self.open.get_mut(path)?;
        spans.iter().map(|span| record(file, *span).ok()).collect()
    }
}

fn record(file: &mut File, span: Span) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(span.start))?;
    let mut bytes = Vec::new();
    file.take(span.bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}
