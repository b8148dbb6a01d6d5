//! Read connections shared by threads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::connection::open_to_read;
use super::error::ArchiveError;
use super::identify::explain;
use super::schema;
use crate::source::Damage;

/// An archive open for reading by several threads at once.
pub(crate) struct Pool {
    path: PathBuf,
    /// Idle connections.
    spare: Mutex<Vec<Connection>>,
    damage: Damage,
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Pool").field(&self.path).finish()
    }
}

impl Pool {
    pub(crate) fn open(path: &Path) -> Result<Arc<Self>, ArchiveError> {
        let connection = open_to_read(path).map_err(|error| explain(error, path))?;
        let found = schema::check(&connection).map_err(|error| explain(error, path))?;
        if found == 0 {
            return Err(ArchiveError::Empty);
        }
        if found < schema::VERSION {
            return Err(ArchiveError::Older {
                found,
                known: schema::VERSION,
            });
        }
        Ok(Arc::new(Self {
            path: path.to_owned(),
            spare: Mutex::new(vec![connection]),
            damage: Damage::default(),
        }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What readers found damaged.
    pub(crate) fn damage(&self) -> &Damage {
        &self.damage
    }

    /// Runs `work` with a connection of its own.
    pub(crate) fn with<T, E: From<ArchiveError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let spare = self.spare().pop();
        let connection = match spare {
            Some(connection) => connection,
            None => open_to_read(&self.path)?,
        };
        let result = work(&connection);
        self.spare().push(connection);
        result
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
