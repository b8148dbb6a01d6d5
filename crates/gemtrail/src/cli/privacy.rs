//! What must not leave with an export: secrets, paths, or all words.

use std::borrow::Cow;
use std::io::Write;

use gemtrail_core::model::Session;
use gemtrail_export::redact::{Paths, Redactor, Watch, hide_paths, outline, redact_session};

use super::args::{Content, FormatArgs, OutputFormat, RedactArgs};
use super::context::Context;
use super::{format, target};
use crate::environment::Environment;
use crate::error::CliError;
use crate::text::{clean_line, plural};
use crate::ui::Ui;

/// Where an export goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    File,
    Stdout,
}

/// What is done about secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// They are replaced.
    Redact,
    /// They stay, and are counted.
    Warn,
    /// They stay.
    Ignore,
}

/// Writes sessions, each only as far as it may leave.
pub(super) struct Privacy<'a> {
    format: OutputFormat,
    args: &'a FormatArgs,
    ui: &'a Ui,
    policy: Policy,
    redactor: Redactor,
    paths: Option<Paths>,
}

impl<'a> Privacy<'a> {
    pub(super) fn new(
        format: OutputFormat,
        destination: Destination,
        args: &'a FormatArgs,
        context: &Context<'a>,
    ) -> Result<Self, CliError> {
        let ui = context.ui;
        Ok(Self {
            format,
            args,
            ui,
            policy: policy(&args.redact, format, destination, ui),
            redactor: context.redactor()?,
            paths: args.redact.redact_paths.then(|| paths(context.environment)),
        })
    }

    /// A session without what must not leave.
    pub(super) fn prepared<'s>(&mut self, session: &'s Session) -> Cow<'s, Session> {
        let mut session = Cow::Borrowed(session);
        if self.args.redact.content == Content::None {
            session = Cow::Owned(outline(&session));
        }
        if let Some(paths) = &self.paths {
            session = Cow::Owned(hide_paths(&session, paths));
        }
        if self.policy == Policy::Redact {
            session = Cow::Owned(redact_session(&session, &mut self.redactor));
        }
        session
    }

    /// Writes a session without what must not leave; nothing at all if that cannot be said of it.
    pub(super) fn write(
        &mut self,
        session: &Session,
        out: &mut impl Write,
    ) -> Result<(), CliError> {
        let session = self.prepared(session);
        self.write_prepared(&session, out)
    }

    /// The same for a session that is prepared.
    pub(super) fn write_prepared(
        &mut self,
        session: &Session,
        out: &mut impl Write,
    ) -> Result<(), CliError> {
        let (format, args, ui) = (self.format, self.args, self.ui);
        self.guard(out, |out| format::write(session, format, args, ui, out))
    }

    /// The parts of a prepared session, of about so many lines each.
    pub(super) fn parts(
        &mut self,
        session: &Session,
        lines: usize,
    ) -> Result<Vec<Vec<u8>>, CliError> {
        let parts = format::parts(session, self.args, lines, self.ui)?;
        let guarded = parts.into_iter().map(|part| {
            let mut bytes = Vec::new();
            self.guard(&mut bytes, |out| Ok(out.write_all(&part)?))?;
            Ok(bytes)
        });
        guarded.collect()
    }

    /// Lets through what `fill` writes, unless a secret is left in it that must not leave.
    pub(super) fn guard(
        &mut self,
        out: &mut impl Write,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        match self.policy {
            Policy::Redact => {
                let mut bytes = Vec::new();
                fill(&mut bytes)?;
                self.redactor.check(&bytes)?;
                out.write_all(&bytes)?;
            }
            Policy::Warn => {
                let mut watch = Watch::new(&mut self.redactor, &mut *out);
                fill(&mut watch)?;
                watch.finish()?;
            }
            Policy::Ignore => fill(out)?,
        }
        Ok(out.flush()?)
    }

    /// Tells what was replaced, or what was not.
    pub(super) fn finish(&self) -> Result<(), CliError> {
        if self.policy == Policy::Warn && self.redactor.secrets() > 0 {
            let seen = self.seen();
            self.ui
                .note(&format!("warning: {seen} written as is; --redact replaces"));
        }
        let Some(report) = &self.args.redact.redact_report else {
            return Ok(());
        };
        if report.as_os_str() == "-" {
            self.tell_report();
            return Ok(());
        }
        target::write(report, true, |out| {
            for line in self.redactor.report().lines() {
                serde_json::to_writer(&mut *out, line)?;
                out.write_all(b"\n")?;
            }
            Ok(out.flush()?)
        })
    }

    /// How many secrets there were, of which kinds.
    fn seen(&self) -> String {
        let kinds = self.redactor.secrets_by_rule().into_iter();
        let kinds: Vec<String> = kinds
            .map(|(rule, count)| format!("{rule} {count}"))
            .collect();
        let secrets = plural(self.redactor.secrets(), "secret");
        format!("{secrets} ({})", kinds.join(", "))
    }

    fn tell_report(&self) {
        let report = self.redactor.report();
        for line in report.lines() {
            if self.ui.json {
                // A line has nothing in it that JSON could not hold.
                self.ui
                    .tell(&serde_json::to_string(line).unwrap_or_default());
                continue;
            }
            let message = line.message.as_ref().map_or("–", |id| id.as_str());
            self.ui.tell(&clean_line(&format!(
                "{}  {message}  {}  {}  {}",
                line.session.short(),
                line.field,
                line.rule,
                line.count
            )));
        }
        if !self.ui.json {
            let places = usize::try_from(report.places()).unwrap_or(usize::MAX);
            let places = plural(places, "place");
            self.ui.tell(&format!(
                "{} in {places}",
                plural(self.redactor.secrets(), "secret")
            ));
        }
    }
}

/// Formats for people are made to be passed on once they are files. On a terminal, in a pipe and in
/// exact formats the person sees, or needs, what there is.
fn policy(args: &RedactArgs, format: OutputFormat, destination: Destination, ui: &Ui) -> Policy {
    if args.no_redact {
        Policy::Ignore
    } else if args.redact
        || args.redact_report.is_some()
        || format.is_for_people() && destination == Destination::File
    {
        Policy::Redact
    } else if ui.is_quiet() {
        // Nobody would hear the warning.
        Policy::Ignore
    } else {
        Policy::Warn
    }
}

fn paths(environment: &Environment) -> Paths {
    let mut paths = Paths::new();
    if let Some(home) = &environment.user_home {
        paths.add_home(&home.to_string_lossy());
    }
    paths
}
