//! The prompts of a session, each with its number.

use std::io::Write as _;

use gemtrail_core::model::{Kind, Role, Session};

use crate::error::CliError;
use crate::style::{DIM, ID};
use crate::text::{Clean, shorten, width};
use crate::ui::Ui;

/// Prints a line per prompt: its place, when, and its first words. On a terminal they are cut.
pub(super) fn print(session: &Session, ui: &Ui) -> Result<(), CliError> {
    let prompts = session.messages.iter().filter(|it| it.role == Role::Human);
    if prompts.clone().next().is_none() {
        let error = CliError::nothing("nothing-found", "no numbered prompts in this session");
        return Err(match session.kind {
            Kind::Log => error.hint(
                "only the prompt log is left of it; show without --outline lists its prompts",
            ),
            _ => error,
        });
    }
    let widest = session.counts.human.to_string().len();
    let mut out = ui.reading_out();
    let name = session.id.short();
    let clock = ui.clock();
    for message in prompts {
        let text = Clean::line(message.text.as_str());
        let time = message.time.as_deref();
        let fate = message.superseded_by.filter(|_| !message.is_current());
        let fate = fate.map_or("", |by| by.as_str());
        if !ui.interactive {
            let name = Clean::line(name);
            let time = clock.full(time);
            let state = if fate.is_empty() { "current" } else { fate };
            writeln!(out, "{name}:{}\t{time}\t{state}\t{text}", message.place)?;
            continue;
        }
        let place = format!("{:>widest$}", message.place.to_string());
        let when = clock.short(time);
        let mark = if fate.is_empty() { " " } else { "~" };
        let used = width(&place) + 2 + width(&when) + 2 + 2;
        let line = format!(
            "{mark} {}  {}  {}",
            out.styled(ID, &place),
            out.styled(DIM, &when),
            shorten(&text, ui.columns.saturating_sub(used).max(10)),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if ui.interactive {
        let how = format!(
            "\ngemtrail show {}:N reads on from there",
            Clean::line(name)
        );
        writeln!(out, "{}", out.styled(DIM, &how))?;
    }
    out.finish()
}
