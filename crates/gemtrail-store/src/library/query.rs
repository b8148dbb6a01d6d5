//! What queries need to know about their environment.

use std::path::Path;

use gemtrail_home::paths;
use gemtrail_query::{Condition, Surroundings};
use jiff::{Timestamp, tz::TimeZone};

use super::{Library, Named, ResolveError};

/// A library, with everything else that names in a query depend on.
#[derive(Clone, Copy, Debug)]
pub struct QueryContext<'a> {
    /// Where sessions are looked up.
    pub library: &'a Library,
    /// The current time, for relative dates.
    pub now: Timestamp,
    /// The time zone of dates.
    pub zone: &'a TimeZone,
    /// The base of relative paths.
    pub current_dir: Option<&'a Path>,
    /// The meaning of `~`.
    pub user_home: Option<&'a Path>,
}

impl<'a> From<&'a QueryContext<'a>> for Surroundings<'a> {
    fn from(context: &'a QueryContext<'a>) -> Self {
        Self {
            now: context.now,
            zone: context.zone,
            roots: Box::new(|name| {
                if paths::looks_like_path(name) {
                    paths::roots(name, context.current_dir, context.user_home)
                } else {
                    Vec::new()
                }
            }),
            session: Box::new(|name| context.session(name)),
        }
    }
}

impl QueryContext<'_> {
    fn session(&self, name: &str) -> Result<Condition, String> {
        match self.library.resolve(name) {
            Ok(Named::Session(reference)) => Ok(Condition::Ref(reference)),
            Err(error) if name.starts_with('@') || name == "latest" => Err(error.to_string()),
            // An id prefix may match several sessions, and a checkpoint is searched by its name.
            Ok(_) | Err(ResolveError::Ambiguous { .. } | ResolveError::Unknown(_)) => {
                Ok(Condition::Session(gemtrail_core::stem_of(name).to_owned()))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
