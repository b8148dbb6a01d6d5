//! What must not leave with an export: secrets, paths, or all words.

use std::io::Write;

use gemtrail_core::model::Session;
use gemtrail_export::redact::{
    Checker, Paths, Redactor, Sightings, Watch, hide_paths, outline, redact_owned,
};

use super::args::{Content, FormatArgs, OutputFormat, RedactArgs};
use super::context::Context;
use super::{format, target};
use crate::environment::Environment;
use crate::error::CliError;
use crate::text::{Clean, plural};
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
    rules: Rules<'a>,
    redactor: Redactor,
}

/// What holds for all sessions of an export.
pub(super) struct Rules<'a> {
    format: OutputFormat,
    args: &'a FormatArgs,
    ui: &'a Ui,
    policy: Policy,
    paths: Option<Paths>,
}

/// A session that may leave, and what is still to be done about it.
pub(super) struct Cleared {
    pub(super) session: Session,
    guard: Guard,
}

/// What is done with the bytes of a session.
enum Guard {
    /// They leave only if nothing in them looks like a secret.
    Check(Checker),
    /// They leave, and secrets in them are counted.
    Watch(Sightings),
    /// They leave.
    None,
}

impl Rules<'_> {
    /// Takes out what does not depend on other sessions.
    pub(super) fn prepared(&self, mut session: Session) -> Session {
        if self.args.redact.content == Content::None {
            session = outline(&session);
        }
        if let Some(paths) = &self.paths {
            session = hide_paths(&session, paths);
        }
        session
    }

    /// Takes out the secrets. A secret has the same placeholder in all sessions, so that the order
    /// of the sessions counts.
    pub(super) fn cleared(&self, mut session: Session, redactor: &mut Redactor) -> Cleared {
        if self.policy == Policy::Redact {
            session = redact_owned(session, redactor);
        }
        Cleared {
            session,
            guard: self.guard(redactor),
        }
    }

    /// Writes the session; nothing at all if a secret is in it that must not be.
    pub(super) fn write(
        &self,
        cleared: &mut Cleared,
        out: &mut impl Write,
    ) -> Result<(), CliError> {
        let Cleared { session, guard } = cleared;
        guard.watch(out, |out| {
            format::write(session, self.format, self.args, self.ui, out)
        })
    }

    /// The parts of a session, of about so many lines each.
    pub(super) fn parts(
        &self,
        cleared: &mut Cleared,
        lines: usize,
    ) -> Result<Vec<Vec<u8>>, CliError> {
        let Cleared { session, guard } = cleared;
        let parts = format::parts(session, self.args, lines, self.ui)?;
        let guarded = parts.into_iter().map(|part| {
            let mut bytes = Vec::new();
            guard.watch(&mut bytes, |out| Ok(out.write_all(&part)?))?;
            Ok(bytes)
        });
        guarded.collect()
    }

    /// Into how many lines each part of a session goes, if it is to be split.
    pub(super) fn split(&self) -> Option<usize> {
        let lines = self.args.split?;
        Some(usize::try_from(lines).unwrap_or(usize::MAX))
    }

    fn guard(&self, redactor: &Redactor) -> Guard {
        match self.policy {
            Policy::Redact => Guard::Check(redactor.checker()),
            Policy::Warn => Guard::Watch(redactor.sightings()),
            Policy::Ignore => Guard::None,
        }
    }
}

impl Guard {
    /// Lets through what `fill` writes, unless a secret is left in it that must not leave.
    fn watch(
        &mut self,
        out: &mut impl Write,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        match self {
            Self::Check(checker) => {
                let mut bytes = Vec::new();
                fill(&mut bytes)?;
                checker.check(&bytes)?;
                out.write_all(&bytes)?;
            }
            Self::Watch(sightings) => {
                let mut watch = Watch::new(sightings, &mut *out);
                fill(&mut watch)?;
                watch.finish()?;
            }
            Self::None => fill(out)?,
        }
        Ok(out.flush()?)
    }
}

impl Cleared {
    /// The session as it left, and the secrets that were seen in it and stayed.
    pub(super) fn into_parts(self) -> (Session, Option<Sightings>) {
        let sightings = match self.guard {
            Guard::Watch(sightings) => Some(sightings),
            Guard::Check(_) | Guard::None => None,
        };
        (self.session, sightings)
    }
}

impl<'a> Privacy<'a> {
    pub(super) fn new(
        format: OutputFormat,
        destination: Destination,
        args: &'a FormatArgs,
        context: &Context<'a>,
    ) -> Result<Self, CliError> {
        let ui = context.ui;
        let rules = Rules {
            format,
            args,
            ui,
            policy: policy(&args.redact, format, destination, ui),
            paths: args.redact.redact_paths.then(|| paths(context.environment)),
        };
        Ok(Self {
            rules,
            redactor: context.redactor()?,
        })
    }

    /// Writes a session without what must not leave; nothing at all if that cannot be said of it.
    pub(super) fn write(&mut self, session: Session, out: &mut impl Write) -> Result<(), CliError> {
        let mut cleared = self.clear(session);
        let outcome = self.rules.write(&mut cleared, out);
        self.note(cleared.into_parts().1.as_ref());
        outcome
    }

    /// Takes out of a session what must not leave.
    pub(super) fn clear(&mut self, session: Session) -> Cleared {
        let session = self.rules.prepared(session);
        self.rules.cleared(session, &mut self.redactor)
    }

    /// What holds for all sessions.
    pub(super) fn rules(&self) -> &Rules<'a> {
        &self.rules
    }

    /// Lets through what `fill` writes, unless a secret is left in it that must not leave.
    pub(super) fn guard(
        &mut self,
        out: &mut impl Write,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut guard = self.rules.guard(&self.redactor);
        let outcome = guard.watch(out, fill);
        if let Guard::Watch(sightings) = &guard {
            self.redactor.note(sightings);
        }
        outcome
    }

    /// For writing sessions on several threads.
    pub(super) fn parts(&mut self) -> (&Rules<'a>, &mut Redactor) {
        (&self.rules, &mut self.redactor)
    }

    /// Takes note of secrets that stayed in a session, in the order of the sessions.
    pub(super) fn note(&mut self, sightings: Option<&Sightings>) {
        if let Some(sightings) = sightings {
            self.redactor.note(sightings);
        }
    }

    /// Tells what was replaced, or what was not.
    pub(super) fn finish(&self) -> Result<(), CliError> {
        if self.rules.policy == Policy::Warn && self.redactor.secrets() > 0 {
            let seen = self.seen();
            self.rules
                .ui
                .note(&format!("warning: {seen} written as is; --redact replaces"));
        }
        let Some(report) = &self.rules.args.redact.redact_report else {
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
            if self.rules.ui.json {
                // A line has nothing in it that JSON could not hold.
                self.rules
                    .ui
                    .tell(&serde_json::to_string(line).unwrap_or_default());
                continue;
            }
            let message = line.message.as_ref().map_or("–", |id| id.as_str());
            self.rules.ui.tell(&Clean::line(&format!(
                "{}  {message}  {}  {}  {}",
                line.session.short(),
                line.field,
                line.rule,
                line.count
            )));
        }
        if !self.rules.ui.json {
            let places = usize::try_from(report.places()).unwrap_or(usize::MAX);
            let places = plural(places, "place");
            self.rules.ui.tell(&format!(
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
