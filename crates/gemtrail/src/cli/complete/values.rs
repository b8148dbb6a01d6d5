//! Values of arguments: sessions, projects, words of the query language.

use clap::Parser as _;
use gemtrail_core::model::Role;
use gemtrail_core::stats::Key;
use gemtrail_query::{FIELDS, Field};
use gemtrail_store::{ListRow, SessionFilter, Trail, paths};

use super::Completion;
use crate::cli::Context;
use crate::cli::args::Args;
use crate::config;
use crate::environment::Environment;
use crate::text::plural;
use crate::ui::Ui;

/// At most this many sessions are offered.
const MOST_SESSIONS: usize = 200;

const STATUSES: [&str; 4] = ["success", "error", "cancelled", "failed"];

const TOOLS: [&str; 14] = [
    "read_file",
    "write_file",
    "replace",
    "run_shell_command",
    "glob",
    "grep_search",
    "search_file_content",
    "list_directory",
    "read_many_files",
    "web_fetch",
    "google_web_search",
    "save_memory",
    "write_todos",
    "activate_skill",
];

const TIMES: [&str; 5] = ["today", "yesterday", "7d", "2w", "30d"];

/// A value that is being typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedValue {
    pub(super) kind: ValueKind,
    /// The text before the value in the same word: `--format=`.
    pub(super) before: String,
    /// The part of the value that is typed.
    pub(super) typed: String,
}

impl TypedValue {
    /// One of these names.
    pub(super) fn one_of(names: Vec<Completion>, typed: &str) -> Self {
        Self {
            kind: ValueKind::Names(names),
            before: String::new(),
            typed: typed.to_owned(),
        }
    }
}
/// A kind of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ValueKind {
    #[default]
    Nothing,
    /// One of these.
    Names(Vec<Completion>),
    Session,
    Project,
    Model,
    Host,
    User,
    Tag,
    Role,
    Tool,
    Field,
    Status,
    Time,
    Query,
    Breakdown,
    Files,
    Directories,
}

impl ValueKind {
    /// The kind of value that an argument takes, by its name and that of its value.
    pub(super) fn of(command: &str, id: &str, value: &str) -> Self {
        match (id, value) {
            ("project", _) => Self::Project,
            ("model", _) => Self::Model,
            ("host", _) => Self::Host,
            ("user", _) => Self::User,
            ("tag" | "untag", _) => Self::Tag,
            ("role", _) => Self::Role,
            ("tool", _) => Self::Tool,
            ("field", _) => Self::Field,
            ("status", _) => Self::Status,
            ("query", _) => Self::Query,
            ("by", _) => Self::Breakdown,
            (_, "SESSION") => Self::Session,
            (_, "WHEN") if id != "color" => Self::Time,
            (_, "DIR") => Self::Directories,
            ("paths", "PATH") if command == "add" => Self::Directories,
            (_, "FILE" | "PATH" | "PEM") => Self::Files,
            _ => Self::Nothing,
        }
    }
}

/// The candidates, or the word that makes the shell look for files.
pub(super) fn of(wanted: &TypedValue, words: &[String]) -> Result<Vec<Completion>, &'static str> {
    Ok(match &wanted.kind {
        ValueKind::Nothing => Vec::new(),
        ValueKind::Names(names) => names.clone(),
        ValueKind::Files => return Err(":files"),
        ValueKind::Directories => return Err(":dirs"),
        ValueKind::Role => plain(Role::ALL.iter().map(|it| it.as_str())),
        ValueKind::Tool => plain(TOOLS),
        ValueKind::Status => plain(STATUSES),
        ValueKind::Time => plain(TIMES),
        ValueKind::Breakdown => plain(Key::ALL.map(Key::as_str)),
        ValueKind::Field => plain(Field::ALL.iter().map(|it| it.as_str())),
        ValueKind::Query => query(&wanted.typed, words),
        ValueKind::Session
        | ValueKind::Project
        | ValueKind::Model
        | ValueKind::Host
        | ValueKind::User
        | ValueKind::Tag => stored(wanted, words),
    })
}

/// Names without descriptions.
fn plain<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Completion> {
    names
        .into_iter()
        .map(|name| Completion::new(name, ""))
        .collect()
}
/// A field of the query language, then its values.
fn query(typed: &str, words: &[String]) -> Vec<Completion> {
    let Some((field, value)) = typed.split_once(':') else {
        let fields = FIELDS.iter();
        return fields
            .map(|field| Completion::new(format!("{field}:"), ""))
            .collect();
    };
    let wanted = TypedValue {
        kind: match field {
            "session" => ValueKind::Session,
            "before" | "after" | "since" | "until" => ValueKind::Time,
            "state" => ValueKind::Names(plain(["current", "superseded"])),
            field => ValueKind::of("search", field, ""),
        },
        before: String::new(),
        typed: value.trim_start_matches('"').to_owned(),
    };
    let quote = if value.starts_with('"') { "\"" } else { "" };
    let of_query = |it: Completion| {
        let key = format!("{field}:{quote}{}", it.value);
        // What has spaces in it is quoted in the language itself, whatever the shell does.
        let value = if it.value.contains(' ') || !quote.is_empty() {
            format!("{field}:\"{}\"", it.value)
        } else {
            key.clone()
        };
        Completion {
            value,
            about: it.about,
            key: Some(key),
        }
    };
    let values = of(&wanted, words).unwrap_or_default().into_iter();
    values.map(of_query).collect()
}

/// Candidates from homes and archive.
fn stored(wanted: &TypedValue, words: &[String]) -> Vec<Completion> {
    let Some(arguments) = parsed(words) else {
        return Vec::new();
    };
    let environment = Environment::read();
    let Ok(layers) = config::load(&environment) else {
        return Vec::new();
    };
    let settings = config::Settings::new(&arguments.global, &environment, &layers);
    let ui = Ui::new(&arguments.global, &environment, &settings);
    let context = Context {
        environment: &environment,
        layers: &layers,
        settings: &settings,
        ui: &ui,
        may_sync: false,
    };
    let Ok(trail) = context.open() else {
        return Vec::new();
    };
    let mut candidates: Vec<Completion> = match &wanted.kind {
        ValueKind::Session => sessions(&trail),
        ValueKind::Project => projects(&trail, &wanted.typed),
        ValueKind::Tag => {
            let tags = trail.view().tags().into_iter();
            tags.map(|(tag, sessions)| Completion::new(tag, plural(sessions, "session")))
                .collect()
        }
        kind => {
            let of_row = |row: ListRow| match kind {
                ValueKind::Model => row.models.to_vec(),
                ValueKind::Host => row.origin.host.iter().cloned().collect(),
                _ => row.origin.user.iter().cloned().collect(),
            };
            let values = rows(&trail).into_iter().flat_map(of_row);
            values.map(|it| Completion::new(it, "")).collect()
        }
    };
    let mut known = std::collections::HashSet::new();
    candidates.retain(|it| known.insert(it.value.clone()));
    candidates
}

/// The global options among the words: they say where to look.
fn parsed(words: &[String]) -> Option<Args> {
    let mut global = vec!["gemtrail".to_owned(), "--quiet".to_owned()];
    let mut words = words.iter().take(words.len().saturating_sub(1));
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => break,
            "--no-archive" => global.push(word.clone()),
            "--home" | "--archive" => {
                global.push(word.clone());
                global.push(words.next()?.clone());
            }
            word if word.starts_with("--home=") || word.starts_with("--archive=") => {
                global.push(word.to_owned());
            }
            _ => {}
        }
    }
    Args::try_parse_from(global).ok()
}

/// The newest sessions.
fn rows(trail: &Trail) -> Vec<ListRow> {
    trail.view().sessions(&SessionFilter {
        limit: Some(MOST_SESSIONS),
        ..SessionFilter::default()
    })
}

fn sessions(trail: &Trail) -> Vec<Completion> {
    let rows = rows(trail);
    let is_ambiguous = |row: &ListRow| {
        let same = rows.iter().filter(|it| it.id.short() == row.id.short());
        same.count() > 1
    };
    let about = |row: &ListRow| {
        let title = row.title.as_deref().unwrap_or_default();
        format!("{}  {title}", row.project.name())
    };
    let of_row = |row: &ListRow| {
        let id = row.id.short();
        let name = if is_ambiguous(row) {
            row.reference.as_str()
        } else {
            id
        };
        Completion::new(name, about(row))
    };
    let latest = rows
        .first()
        .map(|row| Completion::new("latest", about(row)));
    latest.into_iter().chain(rows.iter().map(of_row)).collect()
}

/// Projects by their names, or by their paths if a path is being typed.
fn projects(trail: &Trail, typed: &str) -> Vec<Completion> {
    let library = trail.view();
    let projects = library.projects().iter().map(|entry| {
        let project = entry.project();
        let path = project.path.clone().unwrap_or_default();
        if paths::looks_like_path(typed) {
            Completion::new(path, project.name())
        } else {
            Completion::new(project.name(), path)
        }
    });
    let mut projects: Vec<Completion> = projects.collect();
    projects.sort_by(|a, b| a.value.cmp(&b.value));
    projects
}
