//! The tables and their columns.
//!
//! Columns are only ever added, at the end. Types are those that every engine reads as what they
//! are: no unsigned numbers, no nanoseconds, no nesting, no field ids.

/// The number of the schema, in every row and in the directory's name.
pub const LAKE_SCHEMA: i32 = 1;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A word from a list, an id or a pseudonym.
    Text,
    /// Words of somebody; empty at the level without words.
    Words,
    /// A whole number of 64 bits.
    Number,
    /// A whole number of 32 bits.
    Small,
    /// Yes or no.
    Bool,
    /// Microseconds since 1970, in UTC.
    Time,
    /// US dollars: decimal(18,9).
    Money,
}

impl ColumnKind {
    /// The type as SQL calls it.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Text | Self::Words => "varchar",
            Self::Number => "bigint",
            Self::Small => "integer",
            Self::Bool => "boolean",
            Self::Time => "timestamp with time zone",
            Self::Money => "decimal(18,9)",
        }
    }

    /// The type as a Parquet schema has it.
    pub(crate) fn parquet(self, name: &str) -> String {
        match self {
            Self::Text | Self::Words => format!("binary {name} (STRING)"),
            Self::Number => format!("int64 {name}"),
            Self::Small => format!("int32 {name}"),
            Self::Bool => format!("boolean {name}"),
            Self::Time => format!("int64 {name} (TIMESTAMP(MICROS,true))"),
            Self::Money => format!("int64 {name} (DECIMAL(18,9))"),
        }
    }

    /// True if it holds text. Statistics would repeat that in the footer.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Words)
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LakeColumn {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnKind,
}

const fn column(name: &'static str, kind: ColumnKind) -> LakeColumn {
    LakeColumn { name, kind }
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LakeTable {
    /// One row per request to a model.
    Requests,
    /// One row per session.
    Sessions,
    /// One row per call of a tool.
    ToolCalls,
    /// One row per message; only with words.
    Messages,
    /// One row per project.
    Projects,
}

impl LakeTable {
    /// All tables.
    pub const ALL: [Self; 5] = [
        Self::Requests,
        Self::Sessions,
        Self::ToolCalls,
        Self::Messages,
        Self::Projects,
    ];

    /// Its name, and that of its directory.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its columns, in order. The first four are the same in all tables.
    pub fn columns(self) -> &'static [LakeColumn] {
        match self {
            Self::Requests => REQUESTS,
            Self::Sessions => SESSIONS,
            Self::ToolCalls => TOOL_CALLS,
            Self::Messages => MESSAGES,
            Self::Projects => PROJECTS,
        }
    }

    /// The position of a column.
    pub(crate) fn position(self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column.name == name)
    }
}

use ColumnKind::{Bool, Money, Number, Small, Text, Time, Words};

const REQUESTS: &[LakeColumn] = &[
    column("origin", Text),
    column("host", Text),
    column("user", Text),
    column("schema", Small),
    column("session_id", Text),
    column("message_id", Text),
    column("time", Time),
    column("model", Text),
    column("input", Number),
    column("output", Number),
    column("cached", Number),
    column("thoughts", Number),
    column("tool", Number),
    column("total", Number),
    column("state", Text),
    column("kind", Text),
    column("parent_id", Text),
    column("project_key", Text),
    column("cost_usd", Money),
    column("prices_as_of", Text),
];

const SESSIONS: &[LakeColumn] = &[
    column("origin", Text),
    column("host", Text),
    column("user", Text),
    column("schema", Small),
    column("session_id", Text),
    column("kind", Text),
    column("parent_id", Text),
    column("project_key", Text),
    column("started", Time),
    column("updated", Time),
    column("messages", Number),
    column("human", Number),
    column("assistant", Number),
    column("tool_calls", Number),
    column("tool_errors", Number),
    column("tool_failures", Number),
    column("superseded", Number),
    column("input", Number),
    column("output", Number),
    column("cached", Number),
    column("thoughts", Number),
    column("tool", Number),
    column("total", Number),
    column("format", Text),
    column("cli_version", Text),
    column("lost", Bool),
    column("title", Words),
    column("summary", Words),
    column("first_prompt", Words),
];

const TOOL_CALLS: &[LakeColumn] = &[
    column("origin", Text),
    column("host", Text),
    column("user", Text),
    column("schema", Small),
    column("session_id", Text),
    column("call_id", Text),
    column("message_id", Text),
    column("time", Time),
    column("name", Text),
    column("canonical", Text),
    column("category", Text),
    column("server", Text),
    column("status", Text),
    column("duration_ms", Number),
    column("output_bytes", Number),
    column("args", Words),
    column("args_bytes", Number),
    column("output", Words),
    column("error", Words),
    column("error_bytes", Number),
    column("state", Text),
    column("project_key", Text),
];

const MESSAGES: &[LakeColumn] = &[
    column("origin", Text),
    column("host", Text),
    column("user", Text),
    column("schema", Small),
    column("session_id", Text),
    column("message_id", Text),
    column("seq", Number),
    column("time", Time),
    column("role", Text),
    column("state", Text),
    column("superseded_by", Text),
    column("model", Text),
    column("text_bytes", Number),
    column("text", Words),
    column("thoughts", Words),
    column("project_key", Text),
];

const PROJECTS: &[LakeColumn] = &[
    column("origin", Text),
    column("host", Text),
    column("user", Text),
    column("schema", Small),
    column("project_key", Text),
    column("name", Words),
    column("path", Words),
    column("sessions", Number),
    column("first", Time),
    column("last", Time),
];

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
pub type LakeRow = Vec<Cell>;

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
