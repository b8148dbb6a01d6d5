//! Connections shared by threads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gemtrail_home::source::Damage;
use rusqlite::Connection;

use super::connection::{open_in_memory, open_to_read};
use super::error::ArchiveError;
use super::identify::explain;
use super::{index_file, schema};

/// The wait for an index that is being replaced, and the number of tries.
const PAUSE: Duration = Duration::from_millis(5);
const TRIES: usize = 40;

/// An archive with its index, or an index in memory, open in several threads at once.
pub(crate) struct Pool {
    place: Place,
    /// Idle connections. An index in memory lives as long as one of them does.
    spare: Mutex<Vec<Connection>>,
    has_index: bool,
    damage: Damage,
}

enum Place {
    Archive(PathBuf),
    /// A URI.
    Memory(String),
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Pool").field(&self.path()).finish()
    }
}

impl Pool {
    /// Opens an archive for reading.
    pub(crate) fn open(path: &Path) -> Result<Arc<Self>, ArchiveError> {
        let opened = open_to_read(path).map_err(|error| explain(error, path));
        let (connection, has_index) = opened?;
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
            place: Place::Archive(path.to_owned()),
            spare: Mutex::new(vec![connection]),
            has_index,
            damage: Damage::default(),
        }))
    }

    /// Makes an empty index in memory.
    pub(crate) fn in_memory() -> Result<Arc<Self>, ArchiveError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let uri = format!("file:/gemtrail-{number}?vfs=memdb");
        let connection = open_in_memory(&uri)?;
        index_file::create(&connection)?;
        Ok(Arc::new(Self {
            place: Place::Memory(uri),
            spare: Mutex::new(vec![connection]),
            has_index: true,
            damage: Damage::default(),
        }))
    }

    /// The archive's file; empty for an index in memory.
    pub(crate) fn path(&self) -> &Path {
        match &self.place {
            Place::Archive(path) => path,
            Place::Memory(_) => Path::new(""),
        }
    }

    /// True if the index can be asked. It cannot while nobody has made it, or is making it.
    pub(crate) fn has_index(&self) -> bool {
        self.has_index
    }

    /// Files that readers found damaged.
    pub(crate) fn damage(&self) -> &Damage {
        &self.damage
    }

    /// Runs `work` with a connection of its own.
    pub(crate) fn with<T, E: From<ArchiveError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let spare = self.spare().pop();
        let connection = match (spare, &self.place) {
            (Some(connection), _) => connection,
            (None, Place::Archive(path)) => self.open_another(path)?,
            (None, Place::Memory(uri)) => open_in_memory(uri)?,
        };
        let result = work(&connection);
        self.spare().push(connection);
        result
    }

    /// Opens another connection. For a moment there may be no index, while a new one takes its place.
    fn open_another(&self, path: &Path) -> Result<Connection, ArchiveError> {
        for _ in 0..TRIES {
            let (connection, has_index) = open_to_read(path)?;
            if has_index || !self.has_index {
                return Ok(connection);
            }
            std::thread::sleep(PAUSE);
        }
        Err(ArchiveError::NotAsIndexed)
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
