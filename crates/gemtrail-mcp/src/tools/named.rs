//! Finds and reads the session that a call names.

use gemtrail_core::model::Session;
use gemtrail_store::{Library, ListRow, Named, ReadDetail, ResolveError, SessionFilter};

use super::CallContext;
use super::words::{moment, quoted_project};
use crate::quote;
use crate::refusal::Refusal;

/// The number of sessions that a refusal names.
const MOST_CANDIDATES: usize = 3;

impl CallContext<'_> {
    /// Resolves a name.
    pub(super) fn resolve(&self, name: &str) -> Result<Named, Refusal> {
        let refused = |error| match error {
            ResolveError::Ambiguous { candidates, .. } => {
                let names = candidates.iter().take(MOST_CANDIDATES);
                let names: Vec<String> = names.map(|it| it.reference.to_string()).collect();
                let more = candidates.len().saturating_sub(names.len());
                let more = if more > 0 {
                    format!(" or {more} more")
                } else {
                    String::new()
                };
                Refusal::new(format!("{name:?} may mean {}{more}", names.join(", ")))
            }
            ResolveError::AmbiguousCheckpoint { files, .. } => {
                let count = files.len();
                Refusal::new(format!(
                    "{name:?} may mean {count} checkpoints; name one by its path"
                ))
            }
            _ => {
                let meant = nearest(name, &self.library);
                let meant = meant.map_or_else(
                    || "; list_sessions lists what there is".to_owned(),
                    |row| format!("; did you mean {}?", self.described(&row)),
                );
                Refusal::new(format!("no session {name:?}{meant}"))
            }
        };
        match self.library.resolve(name).map_err(refused)? {
            // A model must not read arbitrary files.
            Named::File(_) => Err(Refusal::new(format!("{name:?} is a file and no session"))),
            named => Ok(named),
        }
    }

    /// Reads a session, without its secrets unless they are asked for.
    pub(super) fn read(&self, named: &Named) -> Result<Session, Refusal> {
        Ok(self.redacted_session(self.read_as_it_is(named)?))
    }

    /// Reads a session with everything in it.
    pub(super) fn read_as_it_is(&self, named: &Named) -> Result<Session, Refusal> {
        let session = self.library.read_named(named, ReadDetail::Words);
        session.map_err(|error| Refusal::new(format!("the session cannot be read: {error}")))
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
