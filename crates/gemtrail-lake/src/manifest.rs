//! The manifest of an origin: everything that it has put into a lake.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::LakeError;
use crate::options::Level;
use crate::origin::OriginId;
use crate::table::{LAKE_SCHEMA, Table};

/// The schema name of the document.
pub const ORIGIN_SCHEMA: &str = "gemtrail.lake-origin/1";

/// Everything that one origin has put into a lake; written last, so that everything it names is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `gemtrail.lake-origin/1`.
    pub schema: String,
    /// The number of the lake's schema.
    pub lake_schema: i32,
    /// The version of gemtrail that wrote it.
    pub gemtrail: String,
    /// Whose files these are.
    pub origin: OriginId,
    /// A pseudonym of the machine.
    pub machine: Option<String>,
    /// The highest level that one of them may have.
    pub level: Level,
    /// The digest of everything else that decides what may be known of what was recorded.
    #[serde(default)]
    pub privacy: String,
    /// The files by their paths below the lake.
    pub files: BTreeMap<String, ManifestEntry>,
}

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The number of its rows; an empty table has no file.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// The digest of its bytes.
    pub sha256: String,
    /// The digest of everything that it was made of.
    pub source: String,
    /// Its level.
    #[serde(default)]
    pub level: Option<Level>,
    /// The digest of the references of its sessions, without their contents.
    #[serde(default)]
    pub sessions: String,
}

impl Manifest {
    pub(crate) fn new(origin: OriginId, level: Level) -> Self {
        Self {
            schema: ORIGIN_SCHEMA.to_owned(),
            lake_schema: LAKE_SCHEMA,
            gemtrail: env!("CARGO_PKG_VERSION").to_owned(),
            origin,
            machine: None,
            level,
            privacy: String::new(),
            files: BTreeMap::new(),
        }
    }

    /// The path of an origin's manifest.
    pub(crate) fn path(lake: &Path, origin: &OriginId) -> PathBuf {
        let name = format!("{}.json", origin.stem());
        root(lake).join("_origins").join(name)
    }

    /// The manifest of an origin. One that cannot be read counts as missing: everything is then
    /// written again.
    pub(crate) fn read(lake: &Path, origin: &OriginId) -> Result<Option<Self>, LakeError> {
        let path = Self::path(lake, origin);
        match std::fs::read(&path) {
            Ok(bytes) => {
                let manifest: Option<Self> = serde_json::from_slice(&bytes).ok();
                Ok(manifest.filter(|it| it.schema == ORIGIN_SCHEMA && it.origin == *origin))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LakeError::file(&path)(error)),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // A manifest has a JSON form.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// The directory of this schema.
pub(crate) fn root(lake: &Path) -> PathBuf {
    lake.join(format!("v{LAKE_SCHEMA}"))
}

/// The path of a table's file of a month, below the lake. Projects have no month.
pub(crate) fn file_of(table: Table, month: Option<&str>, origin: &OriginId) -> String {
    let name = format!("{}.parquet", origin.stem());
    match month {
        Some(month) => format!("v{LAKE_SCHEMA}/{}/month={month}/{name}", table.name()),
        None => format!("v{LAKE_SCHEMA}/{}/{name}", table.name()),
    }
}
