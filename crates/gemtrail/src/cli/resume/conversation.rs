//! Goes on with a conversation of Antigravity.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{can_start, hand_over};
use crate::cli::context::Context;
use crate::cli::restore::{RestoreRequest, Restored, lines, put_conversation};
use crate::error::CliError;

/// A conversation that can be resumed, and where.
pub(super) struct AgyConversation<'a> {
    wanted: &'a RestoreRequest<'a>,
    context: &'a Context<'a>,
    program: PathBuf,
    /// The directory of its project; where we are if nobody knows it.
    root: Option<PathBuf>,
}

impl<'a> AgyConversation<'a> {
    /// Finds out what it takes. Nothing is written.
    pub(super) fn find(
        wanted: &'a RestoreRequest<'a>,
        root: Option<&Path>,
        context: &'a Context<'a>,
    ) -> Result<Self, CliError> {
        let known = wanted.conversation_root();
        let root = root.map(Path::to_owned).or(known);
        if let Some(root) = root.as_ref().filter(|root| !root.is_dir()) {
            let root = root.display();
            let what =
                format!("the project's directory {root} does not exist; nothing was written");
            return Err(CliError::cannot("no-directory", what).hint("--in names another directory"));
        }
        let usual = if cfg!(windows) { "agy.exe" } else { "agy" };
        let program = context.environment.agy.clone();
        let found = Self {
            wanted,
            context,
            program: program.unwrap_or_else(|| usual.into()),
            root,
        };
        if !can_start(&found.program, context) {
            return Err(found.not_started(&"not found; nothing was written"));
        }
        // What is in the way is said now.
        found.restored(true)?;
        Ok(found)
    }

    /// Puts it back where that is needed, or says what would be put back.
    pub(super) fn restored(&self, dry_run: bool) -> Result<Restored, CliError> {
        put_conversation(self.wanted, dry_run)
    }

    /// Puts it back if needed and starts Antigravity with it; these words are for Antigravity.
    pub(super) fn go_on(&self, arguments: &[OsString]) -> Result<(), CliError> {
        let restored = self.restored(false)?;
        for line in lines(&restored, self.context) {
            self.context.ui.note(&line);
        }
        let mut command = Command::new(&self.program);
        command.arg("--conversation").arg(&restored.session);
        command.args(arguments);
        if let Some(root) = &self.root {
            command.current_dir(root);
        }
        hand_over(&mut command, |error| self.not_started(&error))
    }

    fn not_started(&self, why: &dyn std::fmt::Display) -> CliError {
        let what = format!("{} cannot be started: {why}", self.program.display());
        let hint = "GEMTRAIL_AGY names the program that is Antigravity's for the terminal";
        CliError::cannot("no-agy", what).hint(hint)
    }
}
