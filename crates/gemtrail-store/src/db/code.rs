//! Values of few kinds as numbers in columns. There are very many searchable texts.

use gemtrail_core::model::{Role, State};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use gemtrail_query::Field;

/// A type whose values are numbers in columns.
pub(crate) trait Coded: Copy + PartialEq + 'static {
    /// Its values in the order of their numbers. If that changes, so must the version of the views.
    const ALL: &'static [Self];
}

impl Coded for Field {
    const ALL: &'static [Self] = &Self::ALL;
}

impl Coded for Role {
    const ALL: &'static [Self] = Self::ALL;
}

impl Coded for State {
    const ALL: &'static [Self] = &[Self::Current, Self::Superseded];
}

/// A value that is a number in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code<T>(pub(crate) T);

impl<T: Coded> Code<T> {
    pub(crate) fn number(self) -> i64 {
        let numbered = (0..).zip(T::ALL).find(|(_, it)| **it == self.0);
        // All values are in the list.
        numbered.map_or(-1, |(number, _)| number)
    }
}

impl<T: Coded> ToSql for Code<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.number().into())
    }
}

impl<T: Coded> FromSql for Code<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = i64::column_result(value)?;
        let place = usize::try_from(number).ok();
        let value = place.and_then(|place| T::ALL.get(place));
        value
            .map(|value| Self(*value))
            .ok_or(FromSqlError::OutOfRange(number))
    }
}
