//! Privacy of exports: from arguments to a policy, and from findings to words.

use std::io::Write;

use gemtrail_export::exporter::{Destination, Exporter, Privacy, Secrets, SessionFormat};
use gemtrail_export::file;
use gemtrail_export::redact::{Paths, Redactor};

use super::args::{Content, OutputArgs, RedactArgs};
use super::context::Context;
use crate::environment::Environment;
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::Ui;

/// An export in this format under the policy that was asked for.
pub(super) fn exporter<'f>(
    format: &'f dyn SessionFormat,
    output: &OutputArgs,
    args: &RedactArgs,
    context: &Context<'_>,
) -> Result<Exporter<'f>, CliError> {
    let privacy = Privacy {
        secrets: secrets(format, output, args, context.ui),
        paths: args.redact_paths.then(|| paths(context.environment)),
        outline: args.content == Some(Content::None),
    };
    Ok(Exporter::new(format, privacy, context.redactor()?))
}

fn secrets(format: &dyn SessionFormat, output: &OutputArgs, args: &RedactArgs, ui: &Ui) -> Secrets {
    let destination = match output.path() {
        Some(_) => Destination::File,
        None => Destination::Stream,
    };
    if args.no_redact {
        Secrets::Keep
    } else if args.redact || args.redact_report.is_some() {
        Secrets::Replace
    } else {
        match Secrets::usual(format.format(), destination) {
            // The warning would not be shown.
            Secrets::Count if ui.is_unheard() => Secrets::Keep,
            usual => usual,
        }
    }
}

fn paths(environment: &Environment) -> Paths {
    let mut paths = Paths::new();
    if let Some(home) = &environment.user_home {
        paths.add_home(&home.to_string_lossy());
    }
    paths
}

/// Tells what was replaced, or what was not.
pub(super) fn tell(exporter: &Exporter<'_>, args: &RedactArgs, ui: &Ui) -> Result<(), CliError> {
    let redactor = exporter.redactor();
    if exporter.privacy().secrets == Secrets::Count && redactor.secrets() > 0 {
        let seen = seen(redactor);
        ui.note(&format!(
            "warning: it contains {seen}; --redact removes them"
        ));
    }
    let Some(report) = &args.redact_report else {
        return Ok(());
    };
    if report.as_os_str() == "-" {
        tell_report(redactor, ui);
        return Ok(());
    }
    file::write(report, true, |out| {
        for line in redactor.report().lines() {
            serde_json::to_writer(&mut *out, line)?;
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    })?;
    Ok(())
}

/// Tells of secrets in what was written, after a semicolon.
pub(super) fn outcome(exporter: &Exporter<'_>) -> String {
    let redactor = exporter.redactor();
    match exporter.privacy().secrets {
        Secrets::Replace if redactor.secrets() == 0 => {
            "; no secrets found, but check before you publish it".to_owned()
        }
        Secrets::Replace => {
            let kinds = redactor.secrets_by_rule().into_iter();
            let kinds: Vec<String> = kinds.map(|(rule, _)| rule.to_string()).collect();
            let secrets = plural(redactor.secrets(), "secret");
            format!("; {secrets} redacted: {}", kinds.join(", "))
        }
        Secrets::Keep => "; secrets not redacted".to_owned(),
        Secrets::Count => String::new(),
    }
}

/// Tells of secrets in what was written, for a sentence.
pub(super) fn in_words(exporter: &Exporter<'_>) -> String {
    let count = exporter.redactor().secrets();
    match exporter.privacy().secrets {
        Secrets::Keep => "not redacted".to_owned(),
        _ if count == 0 => "no secrets found".to_owned(),
        Secrets::Replace => format!("{} redacted", plural(count, "secret")),
        Secrets::Count => format!("not redacted: {} in it", plural(count, "secret")),
    }
}

/// Counts the secrets by kind.
fn seen(redactor: &Redactor) -> String {
    let kinds = redactor.secrets_by_rule().into_iter();
    let kinds: Vec<String> = kinds
        .map(|(rule, count)| format!("{rule} {count}"))
        .collect();
    let secrets = plural(redactor.secrets(), "secret");
    format!("{secrets} ({})", kinds.join(", "))
}

fn tell_report(redactor: &Redactor, ui: &Ui) {
    let report = redactor.report();
    for line in report.lines() {
        if ui.json {
            // A line has nothing in it that JSON could not hold.
            ui.tell(&serde_json::to_string(line).unwrap_or_default());
            continue;
        }
        let message = line.message.as_ref().map_or("–", |id| id.as_str());
        let (session, field) = (line.session.short(), &line.field);
        let (rule, count) = (&line.rule, line.count);
        ui.tell(&Clean::line(format!(
            "{session}  {message}  {field}  {rule}  {count}"
        )));
    }
    if !ui.json {
        let secrets = plural(redactor.secrets(), "secret");
        let places = plural(report.places(), "place");
        ui.tell(&format!("{secrets} in {places}"));
    }
}
