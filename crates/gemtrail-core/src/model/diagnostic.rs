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
    EmptyFile => "It is empty; your prompts may be in the prompt log (`gemtrail doctor --lost`).",
    /// The file matches no known format.
    UnknownFormat => "If Gemini CLI wrote the file, please report it.",
    /// A line (or the whole file) is not JSON and was skipped.
    BadJson => "The rest was read. If the line matters, restore the file from a backup.",
    /// The last line was cut off while it was written.
    TornLine => "Nothing to do: the process was stopped while writing. Everything before was read.",
    /// A JSON file ends too early; everything before the end was read.
    TruncatedFile => "Restore the file from a backup: Gemini CLI cannot load it and deletes it at its next start.",
    /// Bytes follow the end of the JSON document.
    TrailingBytes => "Remove what follows the closing brace, or leave it: it was ignored.",
    /// Bytes that are not UTF-8 were replaced by U+FFFD.
    InvalidUtf8 => "Nothing to do: a tool printed bytes that are not text, or the disk damaged the file.",
    /// A string contains half a surrogate pair; it is shown as U+FFFD.
    LoneSurrogate => "Nothing to do: a text was cut inside a character.",
    /// The file starts with a byte order mark.
    ByteOrderMark => "Save the file without the mark: Gemini CLI cannot load it and deletes it at its next start.",
    /// NUL bytes, usually left by a crash.
    NulBytes => "Nothing to do: the machine stopped before the bytes reached the disk.",
    /// Part of the file is damaged in the archive, and it is no longer on disk.
    DamagedArchive => "Replace the archive with a backup; `gemtrail archive verify` lists the damage. The rest is shown.",
    /// An object has a key twice; the last one counts, as in JavaScript.
    DuplicateKey => "Nothing to do: both values are kept in the raw record.",
    /// A kind of record that this version does not know; kept under `extra`.
    UnknownRecord => "Update gemtrail. Nothing is lost.",
    /// A message type that this version does not know.
    UnknownType => "Update gemtrail. The message is shown with the role `unknown`.",
    /// A known field holds a value of another type; kept under `extra`.
    UnexpectedType => "Update gemtrail, or check whether a tool edits your session files.",
    /// A number that is out of range.
    BadNumber => "It is not counted; a tool that edits session files may be the cause.",
    /// A time that is not RFC 3339.
    BadTime => "The message keeps its position; a tool that edits session files may be the cause.",
    /// A message has no id and was given one.
    MissingId => "Nothing to do: a tool that edits session files may be the cause.",
    /// Two messages have the same id.
    RepeatedId => "Nothing to do: both are shown. A tool that edits session files may be the cause.",
    /// The file has messages but no `sessionId`.
    MissingSessionId => "Its file name is used as the id. Gemini CLI does not list the file and deletes it at its next start.",
    /// `$rewindTo` names a message that does not exist, which clears the session in Gemini CLI.
    RewindTargetMissing => "Nothing is lost: the cleared messages are shown as superseded.",
    /// A line longer than the limit was skipped.
    LineTooLong => "Gemini CLI cannot load it, either. The other lines were read.",
    /// A line of more than 64 MiB, which was read anyway.
    LongLine => "Nothing to do if memory suffices: a tool read or printed something very large.",
    /// The content is nested deeper than the limit.
    TooDeep => "The record is kept as text; a tool that edits session files may be the cause.",
    /// Two processes wrote into one line.
    InterleavedLines => "Do not resume one session in two terminals. What could be separated was read.",
    /// A session name, but not a regular file.
    NotAFile => "It was skipped. Rename or remove it.",
    /// A symbolic link that leads back to a directory above it.
    SymlinkLoop => "Remove the link. It was skipped.",
    /// A broken symbolic link.
    BrokenLink => "Mount or restore its target, or remove the link.",
    /// The entry or file could not be read.
    Unreadable => "Check owner and permissions.",
    /// A leftover of an interrupted rewrite.
    LeftoverFile => "You can remove it once the session next to it opens.",
    /// A session file that Gemini CLI set aside because it could not load it.
    UnreadableJournal => "Keep it: its content is shown with the session.",
    /// The session file names a different project than its directory.
    ProjectMismatch => "It is shown under the directory's project. Move the file if it was copied there by mistake.",
    /// Registry and marker name different paths for one directory.
    RegistryMismatch => "The marker counts. Start Gemini CLI in the project once to repair the registry.",
    /// The project registry cannot be read.
    BadRegistry => "Nothing to do: Gemini CLI rebuilds it at its next start.",
    /// The prompt log cannot be read.
    BadLog => "Restore `logs.json` from a backup; Gemini CLI starts a new one.",
    /// Entries of the prompt log are incomplete.
    BadLogEntry => "Gemini CLI ignores them, too; a tool that edits the log may be the cause.",
    /// A subagent's parent session is missing.
    OrphanSubagent => "`gemtrail doctor --lost` shows what is left of the parent.",
    /// Two copies of a session file have diverged: each has messages that the other lacks.
    ConflictingCopies => "Keep both; they are shown as one session with the messages of both.",
    /// Two machines have this session, with different content.
    HostsDisagree => "They are shown as two sessions; add `@HOST` to the name to choose one.",
    /// A tool output file is gone.
    MissingToolOutput => "The session still has the beginning and the end of the output; only a backup has the rest.",
    /// A file in a chats directory that is not a session.
    ForeignFile => "It was skipped. Move it elsewhere if you put it there.",
    /// A session that Gemini CLI 0.47 to 0.61 deletes at its next start.
    EndangeredSession => "Set `general.sessionRetention.enabled` to `false` in `settings.json`, or rename the session file so that its name does not end in the first 8 characters of the session id.",
    /// An empty file that `--resume` left next to the session file.
    ResumeStray => "When Gemini CLI removes it, it removes the session file, too: see `endangered-session`.",
    /// Data of another tool, which gemtrail does not read.
    OtherStore => "Nothing to do: they are not sessions of Gemini CLI.",
    /// A settings file that cannot be read, or an invalid retention setting.
    BadSettings => "Correct the file. Until then Gemini CLI does not start, or deletes nothing.",
    /// A database of Antigravity has an unknown schema; it was read anyway.
    UnknownSchema => "Update gemtrail, and compare the session with what Antigravity shows.",
    /// A database cannot be read, or only in part.
    DamagedDatabase => "What could be read is shown. If the rest matters, restore the file from a backup.",
    /// An invalid step; kept under `extra`.
    DamagedStep => "Its bytes are kept. If the step matters, restore the database from a backup.",
    /// A conversation that Antigravity encrypted.
    Sealed => "Nothing to do: it is archived byte for byte, and Antigravity has the key.",
    /// Steps of a conversation are missing.
    MissingSteps => "The steps before and after are shown. Restore the database from a backup.",
    /// The columns of a step contradict its record; the record counts.
    StepMismatch => "Nothing to do: a tool that edits databases may be the cause.",
    /// An unfinished step.
    UnfinishedStep => "Nothing to do: it is still running, or the program was stopped.",
    /// Token counters of one request that do not add up.
    OddTokens => "Totals are shown as stored. Update gemtrail.",
    /// A checkpoint that cannot be read.
    BadCheckpoint => "`/chat resume` and `/restore` cannot use it. Restore it from a backup.",
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
