//! The tools: plain functions over homes and archive.

mod get_item;
mod list_sessions;
mod named;
mod origin;
mod read_session;
mod search;
mod stats;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gemtrail_core::model::Session;
use gemtrail_export::redact::{Redactor, redact_owned, redact_session};
use gemtrail_export::text::Clean;
use gemtrail_query::ProjectPattern;
use gemtrail_store::{Library, ListRow, QueryContext, Trail, paths};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::answer::{AnswerForm, McpAnswer};
use crate::arguments::{Arguments, CallRefusal, did_you_mean, nearest};
use crate::definitions::{Definition, TOOLS};
use crate::quote::DEFAULT_BUDGET;

/// The zone and directories that answers depend on.
#[derive(Clone, Debug)]
pub struct ToolSettings {
    /// The zone of days and times.
    pub zone: TimeZone,
    /// The project that the client works in.
    pub current_dir: Option<PathBuf>,
    /// The meaning of `~`.
    pub user_home: Option<PathBuf>,
}

/// The tools, ready to be called from any thread.
#[derive(Debug)]
pub struct Tools {
    trail: Trail,
    surroundings: ToolSettings,
    /// Without it, secrets are told as they are.
    redactor: Option<Mutex<Redactor>>,
}

/// The context of one call.
struct CallContext<'a> {
    tools: &'a Tools,
    library: Arc<Library>,
    arguments: Arguments<'a>,
    now: Timestamp,
}

impl Tools {
    /// Tools over this trail; secrets are replaced if there is a redactor.
    pub fn new(trail: Trail, surroundings: ToolSettings, redactor: Option<Redactor>) -> Self {
        Self {
            trail,
            surroundings,
            redactor: redactor.map(Mutex::new),
        }
    }

    /// True if there is a tool with this name.
    pub fn has(tool: &str) -> bool {
        Definition::of(tool).is_some()
    }

    /// Calls a tool. What was said until now is part of the answer: new files are taken into the
    /// archive, or else read as they are.
    pub fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<McpAnswer, CallRefusal> {
        let answer = self.answer(tool, arguments, now);
        answer.map_err(|refusal| {
            let budget = Arguments { given: arguments }.budget();
            refusal.within(budget.unwrap_or(DEFAULT_BUDGET))
        })
    }

    fn answer(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<McpAnswer, CallRefusal> {
        let Some(definition) = Definition::of(tool) else {
            let meant = did_you_mean(nearest(tool, TOOLS.iter().map(|it| it.name)));
            return Err(CallRefusal::new(format!("unknown tool {tool:?}{meant}")));
        };
        let arguments = Arguments::new(definition, arguments)?;
        self.trail
            .refresh(now.as_millisecond())
            .map_err(|error| CallRefusal::new(format!("the sessions cannot be read: {error}")))?;
        let desk = CallContext {
            tools: self,
            library: self.trail.view(),
            arguments,
            now,
        };
        match definition.name {
            "search" => search::call(&desk),
            "list_sessions" => list_sessions::call(&desk),
            "read_session" => read_session::call(&desk),
            "get_item" => get_item::call(&desk),
            "origin" => origin::call(&desk),
            _ => stats::call(&desk),
        }
    }
}

impl CallContext<'_> {
    fn frame(&self) -> Result<AnswerForm, CallRefusal> {
        Ok(AnswerForm {
            budget: self.arguments.budget()?,
            data: self.arguments.wants_data()?,
        })
    }

    fn zone(&self) -> &TimeZone {
        &self.tools.surroundings.zone
    }

    fn query_context(&self) -> QueryContext<'_> {
        QueryContext {
            library: &self.library,
            now: self.now,
            zone: self.zone(),
            current_dir: self.tools.surroundings.current_dir.as_deref(),
            user_home: self.tools.surroundings.user_home.as_deref(),
        }
    }

    /// The project that is asked for.
    fn project(&self) -> Result<Option<ProjectPattern>, CallRefusal> {
        let Some(name) = self.arguments.text("project")? else {
            return Ok(None);
        };
        let surroundings = &self.tools.surroundings;
        let (current, home) = (&surroundings.current_dir, &surroundings.user_home);
        let roots = if paths::looks_like_path(name) {
            paths::roots(name, current.as_deref(), home.as_deref())
        } else {
            Vec::new()
        };
        let pattern = ProjectPattern::new(name, &roots);
        let projects = self.library.projects();
        if projects.iter().any(|it| pattern.takes(it.project())) {
            return Ok(Some(pattern));
        }
        let names: Vec<String> = projects.iter().map(|it| it.project().name()).collect();
        let meant = nearest(name, names.iter().map(String::as_str));
        let meant = did_you_mean(meant.or_else(|| names.first().map(String::as_str)));
        Err(CallRefusal::new(format!(
            "no project is called {name:?}{meant}"
        )))
    }

    /// A text without secrets, unless they are asked for.
    fn redacted(&self, text: &str) -> String {
        match &self.tools.redactor {
            Some(redactor) => {
                let mut redactor = redactor.lock().unwrap_or_else(PoisonError::into_inner);
                redactor.text(text).into_owned()
            }
            None => text.to_owned(),
        }
    }

    /// A session without secrets, unless they are asked for.
    fn redacted_session(&self, session: Session) -> Session {
        match self.own_redactor() {
            Some(mut own) => redact_owned(session, &mut own),
            None => session,
        }
    }

    /// True if a part of a session can be told as it is: there is no secret in it, and in these
    /// texts of it nothing that the rest of the session could prove to be one.
    fn has_no_secrets(&self, part: &Session, texts: &[String]) -> bool {
        self.own_redactor().is_none_or(|mut own| {
            !texts.iter().any(|text| own.may_hold_known(text))
                && redact_session(part, &mut own) == *part
        })
    }

    /// A redactor for one thread, as sessions are redacted on several; none if secrets are asked
    /// for.
    fn own_redactor(&self) -> Option<Redactor> {
        let shared = self.tools.redactor.as_ref()?.lock();
        Some(shared.unwrap_or_else(PoisonError::into_inner).fresh())
    }

    /// The title of a row on one line.
    fn title(&self, row: &ListRow) -> Option<String> {
        Some(self.title_line(row.title.as_deref()?))
    }

    /// A title on one line. The last word of one that was cut may be half a secret, which no rule
    /// would recognise.
    fn title_line(&self, title: &str) -> String {
        let title = match title.strip_suffix('…') {
            Some(cut) if self.tools.redactor.is_some() => {
                let whole = cut.rfind(char::is_whitespace).map_or("", |at| &cut[..at]);
                format!("{}…", whole.trim_end())
            }
            _ => title.to_owned(),
        };
        Clean::line(self.redacted(&title)).as_str().to_owned()
    }
}
