//! Sessions in short: what was asked, which files changed, what failed, and what it cost.

mod comparison;
mod document;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::model::{Kind, Role, Session, SessionId, SessionRef, Tokens};
use gemtrail_core::prices::{Money, Prices};
use gemtrail_core::stats::Tally;
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::view::{Outcome, requests};
use gemtrail_origin::{Change, Edit};
use serde::Serialize;

pub use self::comparison::{ComparedFile, ComparedPrompt, ComparedTool, Comparison, DIFF_SCHEMA};
pub use self::document::{DigestDocument, FORMS};
pub use self::report::{ProjectReport, REPORT_SCHEMA, WorkReport};
use crate::present::verb_and_target;
use crate::{Selection, selected};

/// A session in short.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionDigest {
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The session.
    pub session: SessionId,
    /// Its title: the person's own, if there is one.
    pub title: Option<String>,
    /// The name of its project.
    pub project: String,
    /// Its start.
    pub started: Option<String>,
    /// Its last change.
    pub updated: Option<String>,
    /// The models that answered.
    pub models: Vec<String>,
    /// The figures, those of subagents included.
    pub totals: DigestTotals,
    /// The prompts that were not taken back.
    pub prompts: Vec<DigestPrompt>,
    /// The files that were changed, by name.
    pub files: Vec<DigestFile>,
    /// The tools that were called, by name.
    pub tools: Vec<DigestTool>,
    /// The calls that failed.
    pub failures: Vec<DigestFailure>,
}

/// What a person asked for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestPrompt {
    /// Its address; null if only the prompt log has it.
    pub address: Option<String>,
    /// When it was typed.
    pub time: Option<String>,
    /// The words.
    pub text: String,
}

/// A file that was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestFile {
    /// The file, relative to the project if it is in there.
    pub file: String,
    /// True if it was made.
    pub created: bool,
    /// The number of changes.
    pub edits: usize,
    /// Lines that they added.
    pub added: usize,
    /// Lines that they removed, as far as the text before was recorded.
    pub removed: usize,
}

/// A tool that was called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestTool {
    /// Its name as recorded.
    pub name: String,
    /// The number of calls.
    pub calls: u64,
    /// The number of those that failed.
    pub failures: u64,
}

/// A call that failed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestFailure {
    /// Its address.
    pub address: String,
    /// When it ended.
    pub time: Option<String>,
    /// The name of the tool as recorded.
    pub tool: String,
    /// On what: the command, the file.
    pub target: String,
    /// The code with which the command ended.
    pub exit_code: Option<i64>,
    /// What the tool said.
    pub error: Option<String>,
}

/// Figures of one session or of many.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestTotals {
    /// The number of sessions.
    pub sessions: usize,
    /// The number of prompts.
    pub prompts: usize,
    /// The number of files that were changed.
    pub files: usize,
    /// Lines that were added.
    pub added: usize,
    /// Lines that were removed.
    pub removed: usize,
    /// The number of calls of tools.
    pub calls: u64,
    /// The number of those that failed.
    pub failures: u64,
    /// The number of requests to models.
    pub requests: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost at list price; null if none of them has a price.
    pub cost: Option<Money>,
    /// True if every one of them has a price.
    pub complete: bool,
    #[serde(skip)]
    tally: Tally,
}

/// From one moment to another; open where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct DigestPeriod {
    /// What happened at this time or later.
    pub since: Option<Timestamp>,
    /// What happened at this time or earlier.
    pub until: Option<Timestamp>,
}

impl DigestPeriod {
    fn takes(self, time: Option<&str>) -> bool {
        let Some(at) = time.and_then(time::parse) else {
            return self.since.is_none() && self.until.is_none();
        };
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at <= until)
    }
}

impl SessionDigest {
    /// What happened in a session within a period.
    pub fn of(session: &Session, project: String, period: DigestPeriod, prices: &Prices) -> Self {
        let mut digest = Self {
            reference: session.reference,
            session: session.id.clone(),
            title: session.title.clone(),
            project,
            started: session.started.clone(),
            updated: session.updated.clone(),
            prompts: prompts(session, period),
            files: files(session, period),
            ..Self::default()
        };
        digest.take_calls(session, session.project.path.as_deref(), period);
        let mut tally = Tally::default();
        let mut models = BTreeSet::new();
        for request in requests(session, Selection::All) {
            if period.takes(request.message.time.as_deref()) {
                tally += Tally::once(request.tokens, request.cost(prices));
                models.extend(request.message.model.clone());
            }
        }
        digest.models = models.into_iter().collect();
        digest.totals = DigestTotals {
            sessions: 1,
            prompts: digest.prompts.len(),
            files: digest.files.len(),
            added: digest.files.iter().map(|file| file.added).sum(),
            removed: digest.files.iter().map(|file| file.removed).sum(),
            calls: digest.tools.iter().map(|tool| tool.calls).sum(),
            failures: digest.failures.len() as u64,
            ..DigestTotals::default()
        };
        digest.totals.price(tally);
        digest
    }

    /// True if nothing happened.
    pub fn is_empty(&self) -> bool {
        let totals = &self.totals;
        totals.prompts == 0 && totals.calls == 0 && totals.requests == 0
    }

    /// Adds the calls of a session and of its subagents.
    fn take_calls(&mut self, session: &Session, root: Option<&str>, period: DigestPeriod) {
        for message in &session.messages {
            for (at, call) in message.tool_calls.iter().enumerate() {
                let time = call.time.as_ref().or(message.time.as_ref());
                if !period.takes(time.map(String::as_str)) {
                    continue;
                }
                let known = self.tools.binary_search_by(|it| it.name.cmp(&call.name));
                let tool = known.unwrap_or_else(|new| {
                    let name = call.name.clone();
                    self.tools.insert(
                        new,
                        DigestTool {
                            name,
                            ..DigestTool::default()
                        },
                    );
                    new
                });
                self.tools[tool].calls += 1;
                if Outcome::of(call) == Outcome::Failed {
                    self.tools[tool].failures += 1;
                    self.failures.push(DigestFailure {
                        address: format!("{}:{}", session.reference, message.place.of_call(at)),
                        time: time.cloned(),
                        tool: call.name.clone(),
                        target: verb_and_target(call, root).1.as_str().to_owned(),
                        exit_code: call.exit_code,
                        error: call.error.clone(),
                    });
                }
            }
        }
        for agent in &session.subagents {
            self.take_calls(agent, root, period);
        }
    }
}

impl DigestTotals {
    /// The figures of many sessions. A file that several of them changed counts once.
    pub fn of<'d>(digests: impl IntoIterator<Item = &'d SessionDigest>) -> Self {
        let mut sum = Self::default();
        let mut tally = Tally::default();
        let mut files = BTreeSet::new();
        for digest in digests {
            let one = &digest.totals;
            sum.sessions += 1;
            sum.prompts += one.prompts;
            sum.added += one.added;
            sum.removed += one.removed;
            sum.calls += one.calls;
            sum.failures += one.failures;
            tally += one.tally;
            files.extend(digest.files.iter().map(|it| (&digest.project, &it.file)));
        }
        sum.files = files.len();
        sum.price(tally);
        sum
    }

    fn price(&mut self, tally: Tally) {
        self.requests = tally.requests;
        self.tokens = tally.tokens;
        self.cost = tally.cost();
        self.complete = tally.is_complete();
        self.tally = tally;
    }
}

/// The prompts that were not taken back, or those of the prompt log if there is nothing else.
fn prompts(session: &Session, period: DigestPeriod) -> Vec<DigestPrompt> {
    if session.kind == Kind::Log {
        let logged = session.logged.iter().map(|entry| DigestPrompt {
            address: None,
            time: entry.time.clone(),
            text: entry.text.clone(),
        });
        return logged
            .filter(|it| period.takes(it.time.as_deref()))
            .collect();
    }
    selected(session, Selection::Conversation)
        .filter(|message| message.role == Role::Human && !message.text.is_empty())
        .filter(|message| period.takes(message.time.as_deref()))
        .map(|message| DigestPrompt {
            address: Some(format!("{}:{}", session.reference, message.place)),
            time: message.time.clone(),
            text: message.text.clone(),
        })
        .collect()
}

/// The files that a session and its subagents changed.
fn files(session: &Session, period: DigestPeriod) -> Vec<DigestFile> {
    let root = session.project.path.as_deref();
    let mut files: BTreeMap<String, DigestFile> = BTreeMap::new();
    let edits = Edit::of_session(session).into_iter();
    for edit in edits.filter(|edit| period.takes(edit.time.as_deref())) {
        let below = root.and_then(|root| edit.path.strip_prefix(root));
        let below = below.and_then(|rest| rest.strip_prefix(['/', '\\']));
        let name = below.unwrap_or(&edit.path);
        let file = files.entry(name.to_owned()).or_insert_with(|| DigestFile {
            file: name.to_owned(),
            ..DigestFile::default()
        });
        let (added, removed) = edit.line_counts();
        file.edits += 1;
        file.added += added;
        file.removed += removed.unwrap_or(0);
        file.created |= matches!(edit.change, Change::Whole { before: None, .. });
    }
    files.into_values().collect()
}
