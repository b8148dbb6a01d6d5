//! One conversation: the session document of schema `gemtrail.session/1`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Aside, Code, Diagnostic, Marks, Message, SessionId, SessionRef, Tokens};
use crate::json::{Fields, Raw};

/// The schema name of the session document.
pub const SESSION_SCHEMA: &str = "gemtrail.session/1";

/// The kind of session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A conversation between a person and the model.
    #[default]
    Main,
    /// A subagent's session.
    Subagent,
    /// Known only from the prompt log.
    Log,
    /// A conversation in an encrypted file, which is kept as it is.
    Sealed,
}

/// The program that wrote a session.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SessionSource {
    /// Gemini CLI.
    #[default]
    GeminiCli,
    /// Antigravity: its terminal program, its editor, or its SDK.
    Antigravity,
}

impl SessionSource {
    /// True for Gemini CLI.
    pub fn is_gemini_cli(&self) -> bool {
        *self == Self::GeminiCli
    }

    /// Its word in filters and documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GeminiCli => "gemini-cli",
            Self::Antigravity => "antigravity",
        }
    }

    /// The source of this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::GeminiCli, Self::Antigravity]
            .into_iter()
            .find(|source| source.as_str() == word)
    }
}

/// The source of a project's root path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PathSource {
    /// The `.project_root` file.
    Marker,
    /// `projects.json`.
    Registry,
    /// A path whose SHA-256 is the project's hash.
    Hash,
    /// The `directories` of a session.
    Directories,
    /// The text of a session context.
    Context,
    /// A path that a person taught.
    Mapping,
    /// The workspace that a conversation of Antigravity names.
    Workspace,
    /// Not known.
    #[default]
    None,
}

/// The project that a session belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Project {
    /// The directory below `tmp`: the slug if there is one, else the hash.
    pub dir: Option<String>,
    /// SHA-256 of the root path, in hex.
    pub hash: Option<String>,
    /// The root path, if known.
    pub path: Option<String>,
    /// The source of the path.
    pub path_source: PathSource,
}

impl Project {
    /// A name for people: the last part of the path, the slug, or the first 8 characters.
    pub fn name(&self) -> String {
        if let Some(path) = &self.path {
            let base = path
                .trim_end_matches(['/', '\\'])
                .rsplit(['/', '\\'])
                .next();
            if let Some(base) = base.filter(|b| !b.is_empty()) {
                return base.to_owned();
            }
            return path.clone();
        }
        match (&self.dir, &self.hash) {
            (Some(dir), _) if !is_hash(dir) => dir.clone(),
            (Some(hash), _) | (None, Some(hash)) => hash.chars().take(8).collect(),
            (None, None) => "–".to_owned(),
        }
    }
}

/// True if a directory name is a project hash: 64 lower-case hex digits.
pub fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The home and machine that a session was found on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// The home directory of Gemini CLI.
    pub home: Option<String>,
    /// The machine, if the archive knows it.
    pub host: Option<String>,
    /// The account, if the archive knows it.
    pub user: Option<String>,
}

/// Numbers of messages and calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// All messages, whatever role and state.
    pub messages: u64,
    /// Messages that the person typed.
    pub human: u64,
    /// Answers of the model.
    pub assistant: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Calls with status `error`.
    pub tool_errors: u64,
    /// Calls that failed for the person: those with status `error`, and those whose response holds
    /// an error or whose command exited with a non-zero code.
    #[serde(default)]
    pub tool_failures: u64,
    /// Messages that are no longer current.
    pub superseded: u64,
}

/// The shape of a session file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// One JSON object, as 0.4 to 0.38 wrote it (also `/export-session`).
    Json,
    /// A log of JSON lines, since 0.39.
    Jsonl,
    /// A `history` object or a bare array of contents: checkpoints and `/chat share`.
    History,
    /// `--output-format stream-json`.
    StreamJson,
    /// `--output-format json`.
    OutputJson,
    /// The prompt log.
    Logs,
    /// gemtrail's own session document.
    Document,
    /// A database of Antigravity.
    Database,
    /// A compressed conversation of Antigravity, before its databases.
    Trajectory,
    /// The lines that Antigravity writes beside a database.
    Transcript,
    /// An encrypted conversation of Antigravity.
    Sealed,
    /// Not recognised.
    #[default]
    Unknown,
}

/// One file of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Journal {
    /// Its path.
    pub path: String,
    /// The format, by its content.
    pub format: Format,
    /// Its size.
    pub bytes: u64,
    /// The digest of its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The facts that Gemini CLI's clean-up decides by; `None` where they were not looked for.
    #[serde(skip)]
    pub clean_up: Aside<Option<CleanUpFacts>>,
}

/// The facts of a session file that Gemini CLI's clean-up decides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanUpFacts {
    /// The time of its last update, as recorded in it.
    pub updated: Option<Timestamp>,
    /// True if anything was ever said in it.
    pub has_conversation: bool,
    /// The reason why Gemini CLI would not list it, if so.
    pub rejection: Option<Rejection>,
}

impl CleanUpFacts {
    /// True if a resume may have left the file: nothing was ever said in it.
    pub fn is_stray(&self) -> bool {
        self.rejection == Some(Rejection::NothingToResume) && !self.has_conversation
    }
}

/// A reason why Gemini CLI does not list a file. Unlisted files are deleted at the next start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It cannot be loaded.
    Damaged,
    /// It does not say which session it is.
    NoSession,
    /// A subagent's file next to the main ones, as written by 0.31 to 0.36.
    Subagent,
    /// Nothing in it is worth resuming.
    NothingToResume,
}

impl Rejection {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Damaged => "Gemini CLI cannot load it",
            Self::NoSession => "it does not say which session and project it is of",
            Self::Subagent => "it is a subagent's file among the main ones",
            Self::NothingToResume => "Gemini CLI finds nothing in it that is worth resuming",
        }
    }
}

/// Something typed that only the prompt log has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Logged {
    /// The time.
    pub time: Option<String>,
    /// The text.
    pub text: String,
}

/// One conversation, each message once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Always `gemtrail.session/1`.
    pub schema: String,
    /// Identifies exactly this session, permanently.
    #[serde(rename = "ref", default)]
    pub reference: SessionRef,
    /// The session id on disk.
    pub id: SessionId,
    /// File names without their extension.
    pub stems: Vec<String>,
    /// The project.
    pub project: Project,
    /// The home and machine it was found on.
    pub origin: Origin,
    /// The program that wrote it.
    #[serde(default)]
    pub source: SessionSource,
    /// The kind of session.
    pub kind: Kind,
    /// The word for it in the files, where they have one: `main`, `subagent`, or one that this
    /// version does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_kind: Option<String>,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The reference of that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_ref: Option<SessionRef>,
    /// The person's own, else the summary, else the first human words.
    pub title: Option<String>,
    /// The marks that the person set; kept in the archive.
    #[serde(default)]
    pub marks: Marks,
    /// The summary that Gemini CLI made.
    pub summary: Option<String>,
    /// The earliest start ever written.
    pub started: Option<String>,
    /// The latest of the update and message times.
    pub updated: Option<String>,
    /// True if no file has a start, and it is that of the first message.
    #[serde(skip)]
    pub infers_start: Aside<bool>,
    /// True if no file has an update, and it is that of the last message.
    #[serde(skip)]
    pub infers_update: Aside<bool>,
    /// Every model that answered, in order of appearance.
    pub models: Vec<String>,
    /// Numbers of messages and calls.
    pub counts: Counts,
    /// The sum over all requests, subagents excluded.
    pub tokens: Tokens,
    /// Workspace directories besides the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<String>,
    /// The files.
    pub journals: Vec<Journal>,
    /// The messages in order of their first record.
    pub messages: Vec<Message>,
    /// Prompts that are in no journal.
    pub logged: Vec<Logged>,
    /// Sessions of the agents that worked for this one.
    pub subagents: Vec<Session>,
    /// Findings.
    pub diagnostics: Vec<Diagnostic>,
    /// Records that this version does not know, with their line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<OpaqueRecord>,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
}

/// A record of an unknown kind, kept as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpaqueRecord {
    /// The file (index into `journals`).
    pub journal: usize,
    /// The line.
    pub line: u64,
    /// The record.
    pub record: Raw,
}

impl Session {
    /// True if anything was said in it, by a human, the assistant or a shell command.
    pub fn has_conversation(&self) -> bool {
        use super::Role::{Assistant, Human, Shell};
        let mut messages = self.messages.iter();
        // The damaged part may have been conversation, so it counts as such.
        messages.any(|it| matches!(it.role, Human | Assistant | Shell)) || self.is_damaged()
    }

    /// The session without its messages, its subagents and what only the log has of it. Messages
    /// may be too long to be cloned and dropped.
    #[must_use]
    pub fn head(&self) -> Self {
        Self {
            schema: self.schema.clone(),
            reference: self.reference,
            id: self.id.clone(),
            stems: self.stems.clone(),
            project: self.project.clone(),
            origin: self.origin.clone(),
            source: self.source,
            kind: self.kind,
            recorded_kind: self.recorded_kind.clone(),
            parent: self.parent.clone(),
            parent_ref: self.parent_ref,
            title: self.title.clone(),
            marks: self.marks.clone(),
            summary: self.summary.clone(),
            started: self.started.clone(),
            updated: self.updated.clone(),
            infers_start: self.infers_start,
            infers_update: self.infers_update,
            models: self.models.clone(),
            counts: self.counts,
            tokens: self.tokens,
            directories: self.directories.clone(),
            journals: self.journals.clone(),
            diagnostics: self.diagnostics.clone(),
            records: self.records.clone(),
            extra: self.extra.clone(),
            ..Self::default()
        }
    }

    /// Gives it the marks that the person set.
    pub fn mark(&mut self, marks: Marks) {
        if marks.title.is_some() {
            self.title.clone_from(&marks.title);
        }
        self.marks = marks;
    }

    /// True if a part of it is lost.
    pub fn is_damaged(&self) -> bool {
        let mut findings = self.diagnostics.iter();
        findings.any(|it| it.code == Code::DamagedArchive)
    }
}
