//! The command line that resumes a session.

use std::path::PathBuf;

use gemtrail_store::{Home, paths};

use super::Restored;
use crate::cli::Context;
use crate::environment::Environment;

/// The way in which Gemini CLI comes to use a home.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum Way {
    /// It does so by itself.
    Usual,
    /// With this in `GEMINI_CLI_HOME`.
    With(String),
    /// It never does: it looks into directories called `.gemini` only.
    None,
}

impl Way {
    pub(in crate::cli) fn to(home: &Home, environment: &Environment) -> Self {
        let is_home_of = |base: &PathBuf| paths::lead_to_same(&base.join(".gemini"), &home.root);
        let is_default = environment.user_home.as_ref().is_some_and(is_home_of);
        // The command may be pasted into another shell, so it includes what is set in this one.
        if is_default && environment.cli_home.as_ref().is_none_or(is_home_of) {
            return Self::Usual;
        }
        match home.root.parent() {
            Some(base) if home.root.ends_with(".gemini") => {
                Self::With(base.to_string_lossy().into_owned())
            }
            _ => Self::None,
        }
    }
}

/// The command, if there is any that does what it says: Gemini CLI would take an id like `--yolo` for
/// an option, and a line cannot show every name of a directory.
pub(super) fn command_line(
    context: &Context<'_>,
    home: &Home,
    root: &str,
    id: &str,
) -> Option<String> {
    if id.starts_with('-') || root.chars().any(char::is_control) {
        return None;
    }
    let variable = match Way::to(home, context.environment) {
        Way::Usual => String::new(),
        Way::With(base) => format!("GEMINI_CLI_HOME={} ", quoted(&base)),
        Way::None => return None,
    };
    let gemini = context.environment.gemini.as_deref();
    let gemini = gemini.map_or_else(|| "gemini".to_owned(), |it| quoted(&it.to_string_lossy()));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let id = if !id.is_empty() && id.chars().all(is_plain) {
        id.to_owned()
    } else {
        quoted(id)
    };
    let root = quoted(root);
    Some(format!("cd {root} && {variable}{gemini} --resume {id}"))
}

/// The command that goes on with a conversation of Antigravity.
pub(super) fn antigravity_line(
    context: &Context<'_>,
    id: &str,
    restored: &Restored,
) -> Option<String> {
    let root = restored.project.as_deref();
    if id.starts_with('-')
        || id
            .chars()
            .chain(root.unwrap_or_default().chars())
            .any(char::is_control)
    {
        return None;
    }
    let agy = context.environment.agy.as_deref();
    let agy = agy.map_or_else(|| "agy".to_owned(), |it| quoted(&it.to_string_lossy()));
    let go = root.map(|root| format!("cd {} && ", quoted(root)));
    let is_plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let id = if is_plain { id.to_owned() } else { quoted(id) };
    Some(format!(
        "{}{agy} --conversation {id}",
        go.unwrap_or_default()
    ))
}

fn quoted(text: &str) -> String {
    if cfg!(windows) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
