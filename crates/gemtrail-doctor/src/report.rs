//! What the doctor says: the document of schema `gemtrail.doctor/1`.

use std::collections::BTreeMap;

use gemtrail_core::model::{Code, Diagnostic, Logged, Project, SessionId, SessionRef};
use gemtrail_core::prices::Prices;
use gemtrail_core::time::Timestamp;
use gemtrail_core::view::Unknown;
use serde::Serialize;

/// The schema name of the report.
pub const DOCTOR_SCHEMA: &str = "gemtrail.doctor/1";

/// What was found where, what is wrong with it, what will be deleted, what is lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Always `gemtrail.doctor/1`.
    pub schema: String,
    /// False if anything is damaged or lost, or if a session is at risk that no archive has.
    pub ok: bool,
    /// What each home holds.
    pub homes: Vec<HomeReport>,
    /// Everything odd, by file and line.
    pub diagnostics: Vec<Diagnostic>,
    /// When Gemini CLI deletes sessions, and which.
    pub retention: Retention,
    /// Sessions that left a trace but no journal, newest first.
    pub lost: Vec<LostSession>,
    /// What the newest sessions hold that this version of gemtrail has no word for.
    pub unknown: Vec<UnknownReport>,
    /// How old the price table is.
    pub prices: PriceReport,
    /// What the archive has of all this; null without one.
    pub archive: Option<ArchiveReport>,
}

impl Report {
    /// Sets `ok` by everything else.
    pub(super) fn judge(&mut self) {
        let at_risk = self.unarchived().next().is_some();
        self.ok = self.damage() == 0 && self.lost_for_good() == 0 && !at_risk;
    }

    /// The sessions at risk that no archive has.
    pub fn unarchived(&self) -> impl Iterator<Item = &AtRisk> {
        let at_risk = self.retention.at_risk.iter();
        at_risk.filter(|it| it.archived != Some(true))
    }

    /// The number of findings that are not about sessions at risk.
    pub fn damage(&self) -> usize {
        let is_risk = |code| matches!(code, Code::EndangeredSession | Code::ResumeStray);
        let damage = self.diagnostics.iter().filter(|it| !is_risk(it.code));
        damage.count()
    }

    /// The number of lost sessions that no archive has.
    pub fn lost_for_good(&self) -> usize {
        let lost = self.lost.iter().filter(|it| it.archived != Some(true));
        lost.count()
    }
}

/// The archive, as far as the doctor is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchiveReport {
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Sessions that it has, without subagents.
    pub sessions: u64,
    /// Subagents that it has.
    pub subagents: u64,
    /// When it was last brought up to date; null if that is not known.
    pub last_sync: Option<String>,
    /// Whether a process keeps it up to date all the time.
    pub watched: bool,
    /// Files on disk that it lacks, or has in an earlier state.
    pub files_behind: u64,
    /// How much of them it lacks.
    pub bytes_behind: u64,
}

/// Something that Gemini CLI writes and this version of gemtrail does not know. Nothing of it is
/// lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnknownReport {
    /// What it is.
    #[serde(flatten)]
    pub unknown: Unknown,
    /// How many of the sessions that were looked at have it.
    pub sessions: usize,
    /// One of them.
    #[serde(rename = "ref")]
    pub example: SessionRef,
}

/// How old the price table is that costs are told by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceReport {
    /// The day on which the prices were collected.
    pub as_of: String,
    /// How many days ago that was.
    pub days: Option<i64>,
    /// Whether prices may have changed since: after 120 days.
    pub old: bool,
}

/// After so many days, prices may have changed.
const OLD_AFTER_DAYS: i64 = 120;

impl PriceReport {
    /// The age of a table.
    pub(super) fn of(prices: &Prices, now: Timestamp) -> Self {
        let days = prices.age(now);
        Self {
            as_of: prices.as_of().to_owned(),
            days,
            old: days.is_some_and(|days| days > OLD_AFTER_DAYS),
        }
    }
}

/// From this size on, tidying a home up is worth the trouble.
const LARGE: u64 = 1_000_000_000;

impl HomeReport {
    /// True if it takes more than a gigabyte.
    pub fn is_large(&self) -> bool {
        self.bytes.total > LARGE
    }
}

/// What one home holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HomeReport {
    /// The `.gemini` directory.
    pub path: String,
    /// Projects with a directory in it.
    pub projects: u64,
    /// Session files, subagents' included, by format: `json`, `jsonl`, `other`, `unknown`.
    pub journals: BTreeMap<String, u64>,
    /// The same by the releases that last wrote into them, as far as their content tells.
    pub eras: BTreeMap<String, u64>,
    /// Main sessions in which something was said.
    pub sessions: u64,
    /// Main sessions in which nothing was said.
    pub stubs: u64,
    /// Sessions known only from a prompt log.
    pub logged_only: u64,
    /// Sessions of subagents.
    pub subagents: u64,
    /// Files of `/chat save`.
    pub checkpoints: u64,
    /// Files of `/restore`.
    pub restore_points: u64,
    /// Prompt logs, backups included.
    pub logs: u64,
    /// Entries of the prompt logs.
    pub prompts: u64,
    /// Files that hold the whole output of a tool.
    pub tool_outputs: u64,
    /// Documents written in plan mode.
    pub plans: u64,
    /// Histories of `!` commands.
    pub shell_histories: u64,
    /// Journals that Gemini CLI could not load and put aside.
    pub unreadable_journals: u64,
    /// How large they are.
    pub bytes: Bytes,
    /// Conversations of Antigravity, by the program that held them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub antigravity: Vec<AntigravityReport>,
    /// Stores of other tools, which gemtrail does not read.
    pub other_stores: Vec<OtherStore>,
}

/// What a program of Antigravity keeps in a home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AntigravityReport {
    /// Its directory.
    pub path: String,
    /// Conversations that are read.
    pub conversations: u64,
    /// Encrypted ones, which are kept as they are.
    pub sealed: u64,
    /// The size of their files.
    pub bytes: u64,
}

/// Sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bytes {
    /// Session files, subagents' and unreadable ones included.
    pub journals: u64,
    /// Checkpoints and restore points.
    pub checkpoints: u64,
    /// Prompt logs and shell histories.
    pub logs: u64,
    /// Tool outputs.
    pub tool_outputs: u64,
    /// Plans.
    pub plans: u64,
    /// All of these.
    pub total: u64,
}

/// A store of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherStore {
    /// Its directory.
    pub path: String,
    /// How many files it has.
    pub files: u64,
}

/// The retention settings in force, and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Retention {
    /// Settings of the first home; projects may differ.
    #[serde(flatten)]
    pub policy: Policy,
    /// Homes and projects with other settings.
    pub exceptions: Vec<Exception>,
    /// Sessions that will be deleted within [`DAYS_AHEAD`](super::DAYS_AHEAD) days: soonest first;
    /// among those, first the ones that no setting asks for, then the newest.
    pub at_risk: Vec<AtRisk>,
}

/// What `general.sessionRetention` comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// Whether Gemini CLI deletes anything.
    pub enabled: bool,
    /// How long a session is kept after its last update, for example `30d`.
    pub max_age: Option<String>,
    /// How many sessions are kept per project.
    pub max_count: Option<u64>,
    /// The topmost layer of settings that says anything about it.
    pub source: Layer,
    /// The file of that layer.
    pub source_file: Option<String>,
    /// Why the settings have no effect, where they are wrong: then nothing is deleted.
    pub invalid: Option<String>,
}

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Built into Gemini CLI.
    Default,
    /// The defaults of the system's administrator.
    SystemDefaults,
    /// `settings.json` in the home.
    User,
    /// `.gemini/settings.json` in the project.
    Project,
    /// The overrides of the system's administrator.
    System,
}

/// A home or project with settings of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exception {
    /// The home.
    pub home: String,
    /// The project; without it the whole home.
    pub project: Option<Project>,
    /// What holds there.
    #[serde(flatten)]
    pub policy: Policy,
}

/// Why a session will be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Its last update is longer ago than the settings allow.
    Age,
    /// There are more sessions in the project than the settings allow.
    Count,
    /// A resume left a file without conversation beside it, and removing that file removes the
    /// session too.
    Stray,
    /// Gemini CLI cannot list it, or a file with the same ending, and deletes what it cannot list.
    Unlisted,
}

impl Risk {
    /// True if no setting asked for it.
    pub fn is_danger(self) -> bool {
        matches!(self, Self::Stray | Self::Unlisted)
    }
}

/// A session that will be deleted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtRisk {
    /// Identifies exactly this session; null if none of its files can be read.
    #[serde(rename = "ref")]
    pub reference: Option<SessionRef>,
    /// The session.
    pub session: SessionId,
    /// Its project.
    pub project: Project,
    /// The home.
    pub home: String,
    /// The session's title.
    pub title: Option<String>,
    /// When it was last updated.
    pub updated: Option<String>,
    /// Why.
    pub risk: Risk,
    /// The first start of Gemini CLI in the project after this deletes it; null: the next one does.
    pub deleted_after: Option<String>,
    /// The file whose removal also removes the session; null if its own journal is the cause.
    pub because_of: Option<String>,
    /// The journals that go.
    pub journals: Vec<DoomedJournal>,
    /// Whether the archive has these as they are; null without an archive.
    pub archived: Option<bool>,
}

/// A journal that will be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoomedJournal {
    /// Its path.
    pub path: String,
    /// A file name under which it would be safe, where another name helps.
    pub safe_name: Option<String>,
}

/// A session that left a trace but no journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostSession {
    /// Its id, where a trace tells it.
    pub session: Option<SessionId>,
    /// Its project.
    pub project: Project,
    /// The earliest trace.
    pub first: Option<String>,
    /// The latest trace.
    pub last: Option<String>,
    /// What was typed.
    pub prompts: Vec<Logged>,
    /// What is left of it.
    pub survives: Vec<Survivor>,
    /// Why it is gone, where the files prove it.
    pub cause: Cause,
    /// Whether the archive has a journal of it; null without an archive.
    pub archived: Option<bool>,
}

/// A file that is left of a lost session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survivor {
    /// What it is.
    pub kind: SurvivorKind,
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// What is left of a lost session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SurvivorKind {
    /// What was typed.
    PromptLog,
    /// The whole conversation up to a `/chat save`.
    Checkpoint,
    /// The whole conversation up to a change of a file.
    RestorePoint,
    /// Bytes that Gemini CLI could not load.
    UnreadableJournal,
    /// What an agent did for it.
    Subagent,
    /// The whole output of a tool.
    ToolOutput,
    /// A document written in plan mode.
    Plan,
    /// A session file without conversation.
    Stub,
    /// `!` commands of the project.
    ShellHistory,
}

/// Why a session is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The clean-up of 0.47 to 0.61 mistook it for a leftover of a resume.
    CleanUpBug,
    /// Gemini CLI before 0.4 kept no session files.
    NoRecorder,
    /// The person asked for it: `/quit --delete`.
    DeletedByCommand,
    /// Gemini CLI could not load it and put its bytes aside.
    SetAside,
    /// The files do not say.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_old_after_120_days() {
        let report = |now: &str| {
            let now = now.parse().expect("a time");
            PriceReport::of(Prices::built_in(), now)
        };
        assert!(!report("2027-01-04T12:00:00Z").old);
        assert!(report("2027-01-05T00:00:00Z").old);
        assert_eq!(report("2027-01-05T00:00:00Z").days, Some(121));
    }
}
