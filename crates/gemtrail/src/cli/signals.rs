//! `signals`: where sessions did not go as the person wanted.

use std::io::Write;

use gemtrail_core::model::{Kind, SessionRef};
use gemtrail_core::view::ProjectNames;
use gemtrail_export::signals::{
    Facets, SessionOutcome, SessionSignals, Severity, Signal, SignalKind, SignalTotal, Signals,
};
use gemtrail_store::{ReadDetail, Trail};

use super::args::SignalsArgs;
use super::context::Context;
use super::filter::{filter, refuse_beside_names};
use super::session;
use crate::error::CliError;
use crate::style::{BOLD, DIM, FAILED, ID};
use crate::text::{Clean, fit, plural, shorten};
use crate::ui::{Output, Ui};

pub(super) fn run(args: &SignalsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let thresholds = context.settings.signals;
    let trail = context.open()?;
    let chosen = chosen(args, &trail, context)?;
    let library = trail.view();
    let mut sessions = Vec::with_capacity(chosen.len());
    let mut unread = Vec::new();
    for (index, one) in chosen.iter().enumerate() {
        ui.progress(index, chosen.len(), "sessions");
        // One at a time: only what was found stays in memory.
        let session = match one {
            Chosen::Listed(reference) => match library.read(*reference, ReadDetail::Words) {
                Ok(session) => session,
                Err(error) => {
                    unread.push(error);
                    continue;
                }
            },
            Chosen::Named(name) => session::read(&library, name)?,
        };
        sessions.push(SessionSignals::of(session, &thresholds));
    }
    ui.progress_done();
    for error in unread {
        let error = CliError::from(error).error;
        ui.note(&format!("warning: a session was left out: {error:#}"));
    }
    context.tell_what_is_missing(&library);
    let signals = Signals::new(thresholds, sessions);
    if ui.json {
        return ui.print_json(&signals);
    }
    let mut out = ui.reading_out();
    let names = library.project_names();
    print_signals(&mut out, ui, &signals, !args.sessions.is_empty(), &names)?;
    out.finish()
}

/// A session to look at.
enum Chosen {
    Listed(SessionRef),
    Named(String),
}

/// The sessions to look at, newest first.
fn chosen(
    args: &SignalsArgs,
    trail: &Trail,
    context: &Context<'_>,
) -> Result<Vec<Chosen>, CliError> {
    if !args.sessions.is_empty() {
        refuse_beside_names(&args.filter, "leave the option or the names out")?;
        return Ok(args.sessions.iter().cloned().map(Chosen::Named).collect());
    }
    let filter = filter(&args.filter, false, context)?;
    context.look_for_project(trail, filter.project.as_ref())?;
    let rows = trail.view().sessions(&filter);
    // Of a session that only the prompt log knows, nothing is left that could go wrong.
    let rows = rows.iter().filter(|row| row.kind != Kind::Log);
    Ok(rows.map(|row| Chosen::Listed(row.reference)).collect())
}

/// Columns of the project's name.
const PROJECT_COLUMNS: usize = 14;

/// Prints the sessions with friction, or all if they were asked for by name.
fn print_signals(
    out: &mut Output,
    ui: &Ui,
    signals: &Signals,
    is_named: bool,
    names: &ProjectNames,
) -> Result<(), CliError> {
    for session in &signals.sessions {
        if is_named || !session.signals.is_empty() {
            print_session(out, ui, session, names)?;
            writeln!(out)?;
        }
    }
    print_totals(out, signals)
}

fn print_totals(out: &mut Output, signals: &Signals) -> Result<(), CliError> {
    let all = plural(signals.sessions.len(), "session");
    if signals.sessions.is_empty() {
        writeln!(out, "There are no sessions to check.")?;
        return Ok(());
    }
    if signals.totals.is_empty() {
        writeln!(out, "No friction found in {all}.")?;
        return Ok(());
    }
    let mut found = signals.sessions.iter().flat_map(|session| &session.signals);
    if signals.sessions.len() > 1 {
        let with = signals
            .sessions
            .iter()
            .filter(|session| !session.signals.is_empty());
        writeln!(out, "Friction in {} of {all}:", with.count())?;
        for total in &signals.totals {
            writeln!(out, "  {}", total_line(total))?;
        }
        writeln!(out)?;
    }
    let legend = if found.any(|signal| signal.severity == Severity::High) {
        "!! is well beyond the threshold. gemtrail show ID reads a session."
    } else {
        "gemtrail show ID reads a session."
    };
    writeln!(out, "{}", out.styled(DIM, legend))?;
    Ok(())
}

fn print_session(
    out: &mut Output,
    ui: &Ui,
    session: &SessionSignals,
    names: &ProjectNames,
) -> Result<(), CliError> {
    let time = ui.clock().short(session.updated.as_deref());
    let id = fit(&Clean::line(session.id.short()), 8);
    let project = fit(&Clean::line(names.name(&session.project)), PROJECT_COLUMNS);
    let title = Clean::line(session.title.as_deref().unwrap_or("–"));
    let used = 8 + 2 + 12 + 2 + PROJECT_COLUMNS + 2;
    let title = shorten(&title, ui.columns.saturating_sub(used).max(12));
    writeln!(
        out,
        "{}  {}  {project}  {}",
        out.styled(ID, &id),
        out.styled(DIM, &time),
        out.styled(BOLD, &title),
    )?;
    let facts = shorten(&facts(&session.facets), ui.columns.saturating_sub(5));
    writeln!(out, "     {}", out.styled(DIM, &facts))?;
    for kind in session.signals.chunk_by(|a, b| a.signal == b.signal) {
        let worst = kind.iter().map(|signal| signal.severity).max();
        let mark = if worst == Some(Severity::High) {
            "!!"
        } else {
            " !"
        };
        let is_stall = kind[0].signal == SignalKind::LongStall;
        let between = if is_stall { " " } else { ": " };
        let label = label(kind[0].signal);
        let text = format!("{label}{between}{}", Clean::line(told(kind)));
        let text = shorten(&text, ui.columns.saturating_sub(5));
        writeln!(out, "  {} {text}", out.styled(FAILED, mark))?;
    }
    Ok(())
}

/// `12 prompts, 31 calls, 6 % failed, 30 min, rust; completed`.
fn facts(facets: &Facets) -> String {
    let calls: usize = facets.tools.iter().map(|tool| tool.calls).sum();
    let mut parts = vec![plural(facets.turns, "prompt"), plural(calls, "call")];
    if let Some(rate) = facets.failure_rate.filter(|rate| *rate > 0.0) {
        parts.push(format!("{:.0} % failed", rate * 100.0));
    }
    parts.extend(facets.duration_seconds.map(duration));
    parts.extend(
        facets
            .languages
            .iter()
            .map(|language| (*language).to_owned()),
    );
    let outcome = facets.outcome.map_or("", |outcome| match outcome {
        SessionOutcome::Completed => "; completed",
        SessionOutcome::Abandoned => "; not finished",
        SessionOutcome::Errored => "; ended with an error",
    });
    format!("{}{outcome}", parts.join(", "))
}

/// The words of one kind of signal in a session.
fn told(signals: &[Signal]) -> String {
    let longest = signals.iter().filter_map(|signal| signal.seconds).max();
    match (signals, longest) {
        ([signal], Some(seconds)) if signal.signal == SignalKind::LongStall => {
            format!("{} for an answer", duration(seconds))
        }
        ([signal], _) => signal.detail.clone(),
        (several, Some(seconds)) => {
            format!("{} times, at most {}", several.len(), duration(seconds))
        }
        (several, None) => {
            let worst = several.iter().max_by_key(|signal| signal.count);
            let detail = worst.map_or("", |signal| signal.detail.as_str());
            format!("{} times, for example {detail}", several.len())
        }
    }
}

fn label(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::ToolFailureCascade => "failures",
        SignalKind::RetryLoop => "retries",
        SignalKind::RephraseStorm => "rephrasing",
        SignalKind::AbandonSignal => "abandoned",
        SignalKind::LongStall => "waited",
        SignalKind::ContextChurn => "context churn",
        SignalKind::PermissionFriction => "cancelled",
    }
}

fn total_line(total: &SignalTotal) -> String {
    let what = match total.signal {
        SignalKind::ToolFailureCascade => "failure cascade",
        SignalKind::RetryLoop => "retry loop",
        SignalKind::RephraseStorm => "rephrase storm",
        SignalKind::AbandonSignal => "abandonment",
        SignalKind::LongStall => "long wait",
        SignalKind::ContextChurn => "session with context churn",
        SignalKind::PermissionFriction => "session with cancelled calls",
    };
    let count = match (total.signal, total.count) {
        (SignalKind::ContextChurn | SignalKind::PermissionFriction, 2..) => {
            what.replacen("session", &format!("{} sessions", total.count), 1)
        }
        (_, count) => plural(count, what),
    };
    if total.sessions < total.count {
        format!("{count} in {}", plural(total.sessions, "session"))
    } else {
        count
    }
}

/// `59 s`, `12 min`, `3 h 05 min`, `2 days`.
fn duration(seconds: u64) -> String {
    match seconds {
        0..90 => format!("{seconds} s"),
        90..5_400 => format!("{} min", (seconds + 30) / 60),
        5_400..172_800 => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_are_short() {
        for (seconds, text) in [
            (0, "0 s"),
            (89, "89 s"),
            (90, "2 min"),
            (5_399, "90 min"),
            (5_400, "1 h 30 min"),
            (172_800, "2 days"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
