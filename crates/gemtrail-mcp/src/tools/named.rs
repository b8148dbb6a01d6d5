//! Sessions that calls name: finding and reading them, and how they, their items and times are written.

use gemtrail_core::model::{Place, Project, Session};
use gemtrail_core::time;
use gemtrail_export::text::Clean;
use gemtrail_store::{Library, ListRow, Named, ReadDetail, ResolveError, SessionFilter};
use jiff::tz::TimeZone;

use super::CallContext;
use crate::arguments::CallRefusal;
use crate::quote;

/// The number of sessions that a refusal names.
const MOST_CANDIDATES: usize = 3;

impl CallContext<'_> {
    /// Resolves a name.
    pub(super) fn resolve(&self, name: &str) -> Result<Named, CallRefusal> {
        let refused = |error| {
            CallRefusal::new(match error {
                ResolveError::Ambiguous { candidates, .. } => {
                    let names = candidates.iter().take(MOST_CANDIDATES);
                    let names: Vec<String> = names.map(|it| it.reference.to_string()).collect();
                    let more = match candidates.len() - names.len() {
                        0 => String::new(),
                        more => format!(" or {more} more"),
                    };
                    format!("{name:?} may mean {}{more}", names.join(", "))
                }
                ResolveError::AmbiguousCheckpoint { files, .. } => {
                    let count = files.len();
                    format!("{name:?} may mean {count} checkpoints; name one by its path")
                }
                _ => {
                    let meant = nearest(name, &self.library);
                    let meant = meant.map(|row| format!("did you mean {}?", self.described(&row)));
                    let lists = || "list_sessions lists what there is".to_owned();
                    format!("no session {name:?}; {}", meant.unwrap_or_else(lists))
                }
            })
        };
        match self.library.resolve(name).map_err(refused)? {
            // A model must not read arbitrary files.
            Named::File(_) => Err(CallRefusal::new(format!(
                "{name:?} is a file and no session"
            ))),
            named => Ok(named),
        }
    }

    /// Reads a session, without its secrets unless they are asked for.
    pub(super) fn read(&self, named: &Named) -> Result<Session, CallRefusal> {
        Ok(self.redacted_session(self.read_as_it_is(named)?))
    }

    /// Reads a session with everything in it.
    pub(super) fn read_as_it_is(&self, named: &Named) -> Result<Session, CallRefusal> {
        let session = self.library.read_named(named, ReadDetail::Words);
        session.map_err(|error| CallRefusal::new(format!("the session cannot be read: {error}")))
    }

    fn described(&self, row: &ListRow) -> String {
        let title = quote::title(self.title(row).as_deref());
        let when = moment(row.updated.as_deref(), self.zone());
        format!(
            "{} ({when}, {}, {title})",
            row.reference,
            quoted_project(&row.project)
        )
    }
}

/// The session whose id begins most like a name.
fn nearest(name: &str, library: &Library) -> Option<ListRow> {
    let length = name.chars().count();
    let rows = library.sessions(&SessionFilter::default()).into_iter();
    let distance = |row: &ListRow| {
        let id = [row.reference.as_str(), row.id.as_str()].into_iter();
        let start = |id: &str| id.chars().take(length).collect::<String>();
        id.map(|id| strsim::levenshtein(&start(id), name)).min()
    };
    let nearest = rows.min_by_key(|row| distance(row))?;
    (distance(&nearest)? * 2 <= length).then_some(nearest)
}

/// The name of a session in addresses: its reference, or the name of a checkpoint.
pub(super) fn name_of(named: &Named, session: &Session) -> String {
    match named {
        Named::Session(_) => session.reference.to_string(),
        Named::Checkpoint(_) | Named::File(_) => session.id.to_string(),
    }
}

/// Day and time in a zone: `2026-11-15 14:32`.
pub(super) fn moment(written: Option<&str>, zone: &TimeZone) -> String {
    shown(written, zone, "%Y-%m-%d %H:%M")
}

/// The time of day in a zone.
pub(super) fn clock(written: Option<&str>, zone: &TimeZone) -> String {
    shown(written, zone, "%H:%M")
}

fn shown(written: Option<&str>, zone: &TimeZone, form: &str) -> String {
    let time = written.and_then(time::parse);
    let shown = time.map(|time| time.to_zoned(zone.clone()).strftime(form).to_string());
    shown.unwrap_or_else(|| "–".to_owned())
}

/// The project's name as a line of an answer has it.
pub(super) fn quoted_project(project: &Project) -> String {
    quote::name(&project.name())
}

/// The project's name on one line.
pub(super) fn project(project: &Project) -> String {
    Clean::line(project.name()).as_str().to_owned()
}

/// An item of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemPlace {
    pub(crate) place: Place,
    /// The index of the message.
    pub(crate) message: usize,
    /// The index of the call in the message, if it is one.
    pub(crate) call: Option<usize>,
}

/// All items of a session, in order.
pub(crate) fn entries(session: &Session) -> Vec<ItemPlace> {
    let mut entries = Vec::new();
    for (message, said) in session.messages.iter().enumerate() {
        entries.push(ItemPlace {
            place: said.place,
            message,
            call: None,
        });
        entries.extend((0..said.tool_calls.len()).map(|call| ItemPlace {
            place: said.place.of_call(call),
            message,
            call: Some(call),
        }));
    }
    entries
}
