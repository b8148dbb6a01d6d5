//! Row ids, a type for each table.
//!
//! All of them are `i64` to `SQLite`; to the compiler a file is not a version.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};

pub(crate) use gemtrail_home::source::{FileRowId, VersionRowId};

/// A project directory: its home and its name.
pub(crate) type Dir = (HomeRowId, String);

macro_rules! columns {
    ($($name:ident),+) => {$(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )+};
}

macro_rules! row_ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(
                Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            )]
            #[serde(transparent)]
            pub(crate) struct $name(pub(crate) i64);
        )+
        columns!($($name),+);
    };
}

row_ids! {
    /// A row of `home`.
    HomeRowId,
    /// A row of `content`.
    ContentRowId,
    /// A row of `chunk`.
    ChunkRowId,
    /// A row of `project`.
    ProjectRowId,
    /// A row of `session`.
    SessionRowId,
    /// A row of `unit`.
    UnitRowId,
}
