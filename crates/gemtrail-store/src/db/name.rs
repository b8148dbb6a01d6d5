//! How names of files are stored: as text, or as bytes where they are no text.

use std::path::{Path, PathBuf};

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// A path in a column. Two names that differ only in bytes that are no text stay two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(pub(crate) PathBuf);

impl Name {
    pub(crate) fn of(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl ToSql for Name {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        #[cfg(unix)]
        if self.0.to_str().is_none() {
            use std::os::unix::ffi::OsStrExt as _;
            return Ok(ToSqlOutput::from(self.0.as_os_str().as_bytes()));
        }
        Ok(ToSqlOutput::from(self.0.to_string_lossy().into_owned()))
    }
}

impl FromSql for Name {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            #[cfg(unix)]
            ValueRef::Blob(bytes) => {
                use std::os::unix::ffi::OsStrExt as _;
                Ok(Self(std::ffi::OsStr::from_bytes(bytes).into()))
            }
            // An archive may come from another system.
            #[cfg(not(unix))]
            ValueRef::Blob(bytes) => Ok(Self(String::from_utf8_lossy(bytes).as_ref().into())),
            ValueRef::Text(_) => Ok(Self(value.as_str()?.into())),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
