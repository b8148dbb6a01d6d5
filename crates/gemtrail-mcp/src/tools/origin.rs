//! `origin`: which prompts wrote the lines of a file.

use std::path::{Path, PathBuf};

use gemtrail_core::model::{Role, SessionRef};
use gemtrail_export::text::plural;
use gemtrail_origin::{Edit, GitError, LineRun, Repository, Tracer, absolute, name_and_lines};
use gemtrail_query::Address;
use gemtrail_store::Named;
use serde_json::{Value, json};

use super::CallContext;
use super::named::moment;
use crate::answer::{AnswerItem, BudgetedAnswer, Call, McpAnswer};
use crate::arguments::CallRefusal;
use crate::quote::{self, WARNING, quoted, shortened};

const ROOMS: [usize; 3] = [600, 200, 60];

/// Consecutive lines with one origin.
struct TracedLines {
    start: usize,
    end: usize,
    source: Option<LineSource>,
}

/// The call that made them.
struct LineSource {
    by: &'static str,
    address: String,
    prompt: String,
    model: Option<String>,
    when: String,
}

pub(super) fn call(desk: &CallContext<'_>) -> Result<McpAnswer, CallRefusal> {
    let arguments = &desk.arguments;
    let frame = desk.frame()?;
    let asked = arguments.needed("file", "src/cart.ts:17-40")?;
    let (path, name, range) = desk.file(asked)?;
    let unreadable = |error| CallRefusal::new(format!("{name:?} cannot be read: {error}"));
    let bytes = gemtrail_store::read_given(&path).map_err(unreadable)?;
    let edits = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<Edit> {
        let edits = desk.library.edits_of(is_wanted, |_| true, |_, _| ());
        edits.into_iter().map(|(_, edit)| edit).collect()
    };
    let tracer = Tracer {
        edits: &edits,
        project_root: None,
    };
    let refused = |error: GitError| CallRefusal::new(format!("git cannot be asked: {error}"));
    let mut notes = Vec::new();
    let repository = path.parent().map(Repository::of);
    let repository = match repository.transpose() {
        Err(GitError::Missing(_)) => {
            notes.push("git was not found: commits and renames are not considered.".to_owned());
            None
        }
        other => other.map_err(refused)?.flatten(),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let file = tracer.file(&path, text, repository.as_ref());
    let file = file.map_err(refused)?;
    let runs = file.runs.iter();
    let runs: Vec<LineRun> = runs.filter_map(|run| run.within(range)).collect();
    let pieces = desk.with_prompts(&runs, &file.edits);
    let known = pieces.iter().filter(|piece| piece.source.is_some());
    let lines = |start: usize, end: usize| end + 1 - start;
    let known: usize = known.map(|piece| lines(piece.start, piece.end)).sum();
    let all: usize = pieces.iter().map(|it| lines(it.start, it.end)).sum();
    let rest = |shown: usize| {
        let (next, last) = (pieces.get(shown)?, pieces.last()?);
        let file = format!("{name}:{}-{}", next.start, last.end);
        let call = Call::again("origin", arguments.given, &[("file", file.into())]);
        Some((plural(lines(next.start, last.end), "line"), call))
    };
    let sheet = BudgetedAnswer {
        head: format!(
            "{} of {} of {} come from sessions; the others are unknown: typed by hand, written by a \
             command, or never recorded.\n{WARNING}",
            known,
            plural(all, "line"),
            shortened(&quote::name(name), 200),
        ),
        facts: json!({"file": name, "lines": all, "known": known}),
        pieces: &pieces,
        rooms: &ROOMS,
        notes,
        rest: &rest,
    };
    Ok(sheet.fit(frame))
}

impl CallContext<'_> {
    /// The file that an argument names: its path, its name, and the lines that are wanted.
    fn file<'n>(&self, asked: &'n str) -> Result<(PathBuf, &'n str, (usize, usize)), CallRefusal> {
        let here = self.tools.surroundings.current_dir.as_deref();
        let here = here.unwrap_or(Path::new("."));
        let whole = (asked, (1, usize::MAX));
        let mut named = [Some(whole), name_and_lines(asked)].into_iter().flatten();
        let there = named.find_map(|(name, range)| {
            let path = absolute(here, name);
            path.is_file().then_some((path, name, range))
        });
        let missing = || {
            CallRefusal::new(format!(
                "there is no file {asked:?} in this project; name it as src/cart.ts or src/cart.ts:17-40"
            ))
        };
        let found = there.ok_or_else(missing)?;
        // A model must not read arbitrary files.
        let physical = |path: &Path| std::fs::canonicalize(path).ok();
        let is_inside = physical(&found.0)
            .zip(physical(here))
            .is_some_and(|(path, here)| path.starts_with(here));
        is_inside.then_some(found).ok_or_else(missing)
    }

    /// The runs with the prompts behind them, without secrets.
    fn with_prompts(&self, runs: &[LineRun], edits: &[Edit]) -> Vec<TracedLines> {
        let mut known: Vec<((SessionRef, u32), String)> = Vec::new();
        let mut prompt = |edit: &Edit| {
            let key = (edit.prompt.reference, edit.prompt.turn);
            if let Some((_, text)) = known.iter().find(|(it, _)| *it == key) {
                return text.clone();
            }
            let text = self.prompt(edit).unwrap_or_default();
            known.push((key, text.clone()));
            text
        };
        let mut source = |run: &LineRun| {
            let origin = run.origin?;
            let edit = &edits[origin.edit];
            let address = Address {
                name: edit.prompt.reference.to_string(),
                place: Some(edit.place),
            };
            Some(LineSource {
                by: if origin.is_human { "human" } else { "model" },
                address: address.to_string(),
                prompt: prompt(edit),
                model: edit.model.clone().filter(|_| !origin.is_human),
                when: moment(edit.time.as_deref(), self.zone()),
            })
        };
        let runs = runs.iter().map(|run| TracedLines {
            start: run.start,
            end: run.end,
            source: source(run),
        });
        runs.collect()
    }

    /// The words of a prompt. The rest of the session may know what is secret in them.
    fn prompt(&self, edit: &Edit) -> Option<String> {
        let named = Named::Session(edit.prompt.reference);
        let turn = edit.prompt.turn;
        let part = self.read_around(&named, &turn.to_string());
        let session = part.or_else(|| self.read(&named).ok())?;
        let mut messages = session.messages.iter();
        let said = messages.find(|it| it.role == Role::Human && it.place.turn == turn)?;
        Some(said.text.clone())
    }
}

impl TracedLines {
    fn lines(&self) -> String {
        if self.start == self.end {
            return self.start.to_string();
        }
        format!("{}-{}", self.start, self.end)
    }
}

impl AnswerItem for TracedLines {
    fn markdown(&self, room: usize) -> String {
        let lines = self.lines();
        let Some(source) = &self.source else {
            return format!("- {lines}: unknown\n");
        };
        let model = source.model.as_deref().map(quote::name);
        let model = model.map(|model| format!(" ({})", shortened(&model, 60)));
        let (prompt, _) = quoted(&source.prompt, room);
        format!(
            "- {lines}: {}{} · {} · {}, asked:\n{prompt}",
            source.by,
            model.unwrap_or_default(),
            source.address,
            source.when,
        )
    }

    fn json(&self, room: usize) -> Value {
        let mut value = json!({"start": self.start, "end": self.end, "by": "unknown"});
        if let Some(source) = &self.source {
            value["by"] = source.by.into();
            value["id"] = source.address.as_str().into();
            value["prompt"] = shortened(&source.prompt, room).into();
            value["model"] = source.model.as_deref().into();
            value["when"] = source.when.as_str().into();
        }
        value
    }
}
