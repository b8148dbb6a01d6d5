//! Something odd in a file: a stable code, the place, and what was done about it.

use serde::{Deserialize, Serialize};

/// Stable names that scripts may match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// The file has no bytes.
    EmptyFile,
    /// The file holds nothing that any known format has.
    UnknownFormat,
    /// A line (or the whole file) is not JSON; it was left out.
    BadJson,
    /// The last line was cut off while it was written.
    TornLine,
    /// A whole-file JSON ends too early; what stands before the cut was read.
    TruncatedFile,
    /// Bytes follow the end of the JSON document.
    TrailingBytes,
    /// Bytes that are not UTF-8 were replaced by U+FFFD.
    InvalidUtf8,
    /// A string holds half of a surrogate pair; it is kept raw and shown as U+FFFD.
    LoneSurrogate,
    /// The file starts with a byte order mark.
    ByteOrderMark,
    /// NUL bytes, as a crash of the machine leaves them.
    NulBytes,
    /// An object names a key twice; the last one counts, as in JavaScript.
    DuplicateKey,
    /// A record of a kind that this version does not know; kept under `extra`.
    UnknownRecord,
    /// A message type that this version does not know.
    UnknownType,
    /// A known field holds a value of another type; kept under `extra`.
    UnexpectedType,
    /// A number that no counter can hold.
    BadNumber,
    /// A time that is not RFC 3339.
    BadTime,
    /// A message without id got one of gemtrail's own.
    MissingId,
    /// No `sessionId` in the file.
    MissingSessionId,
    /// `$rewindTo` names a message that is not there, which clears the session in Gemini CLI.
    RewindTargetMissing,
    /// A line longer than the limit was skipped.
    LineTooLong,
    /// The content is nested deeper than the limit.
    TooDeep,
    /// Two processes wrote into one line.
    InterleavedLines,
    /// The name of a session, but not a regular file.
    NotAFile,
    /// A symbolic link that leads back to a directory above it.
    SymlinkLoop,
    /// The entry or file could not be read.
    Unreadable,
    /// A leftover of an interrupted rewrite.
    LeftoverFile,
    /// Old bytes that Gemini CLI kept when it could not load a journal.
    UnreadableJournal,
    /// The journal names another project than the directory it lies in.
    ProjectMismatch,
    /// Registry and marker name different paths for one directory.
    RegistryMismatch,
    /// The project registry cannot be read.
    BadRegistry,
    /// The prompt log cannot be read.
    BadLog,
    /// Entries of the prompt log lack one of their five fields.
    BadLogEntry,
    /// A subagent's parent session is not there.
    OrphanSubagent,
    /// The same session id and journal name hold different bytes in two places.
    ConflictingCopies,
    /// A tool output file that a record points to is gone.
    MissingToolOutput,
    /// A file in a chats directory that is no session.
    ForeignFile,
    /// The journal holds no message.
    EmptySession,
    /// A session that the next start of Gemini CLI 0.47 to 0.61 deletes.
    EndangeredSession,
    /// A stub that a resume left beside the journal.
    ResumeStray,
    /// Another tool's store that gemtrail saw and does not read.
    OtherStore,
    /// A settings file that cannot be read.
    BadSettings,
    /// A checkpoint that cannot be read.
    BadCheckpoint,
    /// The file changed while it was read.
    ChangedWhileReading,
}

impl Code {
    /// The code as it stands in JSON, for example `torn-line`.
    pub fn as_str(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// One finding. Never fatal to anything else, never part of an exit code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// What it is.
    pub code: Code,
    /// The file, where there is one.
    pub journal: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The byte offset, where a line says too little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// What was seen and what was done about it, in words.
    pub message: String,
}

impl Diagnostic {
    /// A finding that concerns a whole file.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            journal: None,
            line: None,
            byte: None,
            message: message.into(),
        }
    }

    /// The same, in this file.
    #[must_use]
    pub fn in_journal(mut self, path: impl Into<String>) -> Self {
        self.journal = Some(path.into());
        self
    }

    /// The same, at this line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same, at this byte.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.byte = Some(byte);
        self
    }
}
