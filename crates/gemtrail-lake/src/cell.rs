//! One value of a row.

/// One value of a row, of the type of its column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Not known, or not at this level.
    Null,
    /// Text or words.
    Text(String),
    /// Numbers, times and money.
    Int(i64),
    /// Yes or no.
    Bool(bool),
}

/// A row: a cell for each column.
pub type Row = Vec<Cell>;

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Cell {
    /// Counters come from files, which may say anything.
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Cell {
    fn from(is_so: bool) -> Self {
        Self::Bool(is_so)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
