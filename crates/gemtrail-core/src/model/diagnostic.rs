//! Something odd in a file: a stable code, the location, and what was done about it. The codes are
//! one table, with the meaning of each and advice.

use serde::{Deserialize, Serialize};

/// One finding. Never fatal to anything else, never part of an exit code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// The kind of finding.
    pub code: Code,
    /// The file, where there is one.
    pub journal: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The byte offset, if the line number is not precise enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// The finding and what was done about it, in words.
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

    /// Sets the file.
    #[must_use]
    pub fn in_journal(mut self, path: impl Into<String>) -> Self {
        self.journal = Some(path.into());
        self
    }

    /// Sets the line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }
}

/// Declares [`Code`] from one table, so that the list, the meanings and the advice cannot drift
/// apart.
macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident => $advice:literal,)+) => {
        /// Stable names that scripts may match on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $meaning])+ $name,)+
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The meaning, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($meaning),+).trim_ascii(),)+
                }
            }

            /// Advice on what to do about it.
            pub fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)+
                }
            }
        }
    };
}

codes! {
    /// The file has no bytes.
    EmptyFile => "Nothing is left in it; what was typed may stand in the prompt log (`gemtrail doctor --lost`).",
    /// The file matches no known format.
    UnknownFormat => "Look at the file; if Gemini CLI wrote it, please report it.",
    /// A line (or the whole file) is not JSON; it was left out.
    BadJson => "The rest of the file was read. Restore the file from a backup if the line matters.",
    /// The last line was cut off while it was written.
    TornLine => "Nothing; the process was stopped while writing. Everything before it was read.",
    /// A whole-file JSON ends too early; everything before the cut was read.
    TruncatedFile => "Restore the file from a backup; Gemini CLI cannot load it and deletes it at its next start.",
    /// Bytes follow the end of the JSON document.
    TrailingBytes => "Remove what follows the closing brace, or leave it: it was passed over.",
    /// Bytes that are not UTF-8 were replaced by U+FFFD.
    InvalidUtf8 => "Nothing; a tool printed bytes that are no text, or the disk damaged the file.",
    /// A string holds half of a surrogate pair; it is kept raw and shown as U+FFFD.
    LoneSurrogate => "Nothing; a text was cut inside a character.",
    /// The file starts with a byte order mark.
    ByteOrderMark => "Save the file without the mark: Gemini CLI cannot load it and deletes it at its next start.",
    /// NUL bytes, as a crash of the machine leaves them.
    NulBytes => "Nothing; the machine stopped before the bytes reached the disk.",
    /// A part of the file is damaged in the archive, and the disk no longer has it.
    DamagedArchive => "Put a backup of the archive in its place; `gemtrail archive verify` names what is damaged. The rest is shown.",
    /// An object names a key twice; the last one counts, as in JavaScript.
    DuplicateKey => "Nothing; both values are kept with the raw record.",
    /// A record of a kind that this version does not know; kept under `extra`.
    UnknownRecord => "Look for a newer gemtrail; nothing is lost until then.",
    /// A message type that this version does not know.
    UnknownType => "Look for a newer gemtrail; the message is shown with the role `unknown`.",
    /// A known field holds a value of another type; kept under `extra`.
    UnexpectedType => "Look for a newer gemtrail, or for a tool that edits session files.",
    /// A number that no counter can hold.
    BadNumber => "Totals of this session leave it out; a tool that edits session files may be the cause.",
    /// A time that is not RFC 3339.
    BadTime => "The message keeps its place; a tool that edits session files may be the cause.",
    /// A message had no id and was given one.
    MissingId => "Nothing; a tool that edits session files may be the cause.",
    /// Two messages have one id: of different types, or in a whole-file JSON.
    RepeatedId => "Nothing; both are shown. A tool that edits session files may be the cause.",
    /// The file holds messages, but no `sessionId`.
    MissingSessionId => "Its file name stands for the id. Gemini CLI does not list such a file and deletes it at its next start.",
    /// `$rewindTo` names a message that is not there, which clears the session in Gemini CLI.
    RewindTargetMissing => "Nothing is lost here: the cleared messages are shown as superseded.",
    /// A line longer than the limit was skipped.
    LineTooLong => "Gemini CLI cannot load the line either; the other lines were read.",
    /// A line of more than 64 MiB, which was read all the same.
    LongLine => "Nothing, if there is memory enough for it; a tool read or printed something very large.",
    /// The content is nested deeper than the limit.
    TooDeep => "The record is kept as text; a tool that edits session files may be the cause.",
    /// Two processes wrote into one line.
    InterleavedLines => "Do not resume one session in two terminals; what could be told apart was read.",
    /// The name of a session, but not a regular file.
    NotAFile => "Rename or remove it if it is not yours; it was passed over.",
    /// A symbolic link that leads back to a directory above it.
    SymlinkLoop => "Remove the link; it was passed over.",
    /// A symbolic link that leads nowhere.
    BrokenLink => "Mount or restore what it points to, or remove the link.",
    /// The entry or file could not be read.
    Unreadable => "Check its owner and permissions.",
    /// A leftover of an interrupted rewrite.
    LeftoverFile => "It may be removed once the session beside it opens.",
    /// Old bytes that Gemini CLI kept when it could not load a journal.
    UnreadableJournal => "Keep it: what it holds is shown with the session.",
    /// The journal names a different project from the directory that it is in.
    ProjectMismatch => "It is shown under the directory's project; move the file if it was copied by mistake.",
    /// Registry and marker name different paths for one directory.
    RegistryMismatch => "The marker counts; start Gemini CLI in the project once, and it mends the registry.",
    /// The project registry cannot be read.
    BadRegistry => "Nothing; Gemini CLI builds it anew at its next start.",
    /// The prompt log cannot be read.
    BadLog => "Restore `logs.json` from a backup; Gemini CLI starts a new one.",
    /// Entries of the prompt log lack one of their five fields.
    BadLogEntry => "Gemini CLI passes over them as well; a tool that edits the log may be the cause.",
    /// A subagent's parent session is not there.
    OrphanSubagent => "`gemtrail doctor --lost` tells what is left of the parent.",
    /// Two copies of a journal went different ways: each has messages that the other lacks.
    ConflictingCopies => "Keep both; they are shown as one session that has the messages of both.",
    /// Two machines have this session, with different content.
    HostsDisagree => "They are two sessions; add `@HOST` to the name to choose one.",
    /// A tool output file that a record points to is gone.
    MissingToolOutput => "The record keeps the beginning and the end of the output; the rest is gone unless a backup has it.",
    /// A file in a chats directory that is not a session.
    ForeignFile => "Move it elsewhere if you put it there; it was passed over.",
    /// A session that the next start of Gemini CLI 0.47 to 0.61 deletes.
    EndangeredSession => "Set `general.sessionRetention.enabled` to `false` in `settings.json`, or rename the journal so that its name does not end in the first 8 characters of the session id.",
    /// A file without conversation that a resume left beside the journal.
    ResumeStray => "It holds nothing of yours, but its removal by Gemini CLI takes the journal along: see `endangered-session`.",
    /// Another tool's store that gemtrail saw and does not read.
    OtherStore => "Nothing; its sessions are not those of Gemini CLI.",
    /// A settings file that cannot be read, or a retention setting that makes no sense.
    BadSettings => "Correct the file; until then Gemini CLI does not start, or does not clean up.",
    /// A database of Antigravity has another schema than the known one; it was read all the same.
    UnknownSchema => "Look for a newer gemtrail, and compare the session with what Antigravity shows.",
    /// A database, or a part of it, cannot be read.
    DamagedDatabase => "What could be read is shown; restore the file from a backup if the rest matters.",
    /// A step that is no valid record; kept under `extra`.
    DamagedStep => "Restore the database from a backup if the step matters; its bytes are kept.",
    /// A conversation that Antigravity encrypted.
    Sealed => "Nothing; it is kept byte for byte, and Antigravity has the key.",
    /// Steps of a conversation are missing.
    MissingSteps => "Restore the database from a backup; the steps before and after are shown.",
    /// The columns of a step and its record say different things; the record counts.
    StepMismatch => "Nothing; a tool that edits databases may be the cause.",
    /// A step that had not ended when it was last written.
    UnfinishedStep => "Nothing; it still runs, or the program was stopped before it ended.",
    /// Token counters of one request that do not add up.
    OddTokens => "Totals are as stored; look for a newer gemtrail.",
    /// A checkpoint that cannot be read.
    BadCheckpoint => "Restore it from a backup; `/chat resume` and `/restore` cannot use it.",
}

impl Code {
    /// True if something in the file was passed over, or kept without being understood.
    pub fn is_about_unread(self) -> bool {
        matches!(
            self,
            Self::BadJson
                | Self::TornLine
                | Self::TruncatedFile
                | Self::TrailingBytes
                | Self::InvalidUtf8
                | Self::NulBytes
                | Self::UnknownRecord
                | Self::UnexpectedType
                | Self::BadNumber
                | Self::LineTooLong
                | Self::TooDeep
                | Self::InterleavedLines
                | Self::BadLogEntry
        )
    }

    /// The code as in JSON, for example `torn-line`.
    pub fn as_str(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod code_tests {
    use super::*;

    #[test]
    fn names_and_meanings() {
        assert_eq!(Code::TornLine.as_str(), "torn-line");
        assert_eq!(Code::InvalidUtf8.as_str(), "invalid-utf8");
        assert_eq!(Code::EmptyFile.meaning(), "The file has no bytes.");
        for code in Code::ALL {
            assert!(code.meaning().ends_with('.'), "{code:?}");
            assert!(code.advice().ends_with(['.', ')']), "{code:?}");
        }
    }
}

/// The longest value that is quoted.
const LONGEST: usize = 32;

/// A recorded value, safe to show in a message. Messages end up in bug reports, and a misplaced
/// value may be anything, even a secret: only what looks like a type name or a time is quoted; for
/// everything else, its length is given.
pub(crate) fn quote(text: &str) -> String {
    let is_name = |b: u8| b.is_ascii_lowercase() || matches!(b, b'_' | b'-' | b'.');
    let is_time = |b: u8| b.is_ascii_digit() || b"-:.+TZ /".contains(&b);
    if text.len() <= LONGEST && (text.bytes().all(is_name) || text.bytes().all(is_time)) {
        format!("{text:?}")
    } else {
        format!("[{} characters]", text.chars().count())
    }
}

#[cfg(test)]
mod quote_tests {
    use super::quote;

    #[test]
    fn only_names_and_times_are_quoted() {
        assert_eq!(quote("new_kind"), "\"new_kind\"");
        assert_eq!(quote("2026-13-01T00:00:00Z"), "\"2026-13-01T00:00:00Z\"");
        assert_eq!(quote(""), "\"\"");
        assert_eq!(quote("AKIA2E0A8F3B244C9986"), "[20 characters]");
        assert_eq!(quote("my password is ü"), "[16 characters]");
        assert_eq!(quote(&"a".repeat(33)), "[33 characters]");
    }
}
