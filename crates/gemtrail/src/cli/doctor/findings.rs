//! The findings in a report: by kind, with place and advice.

use std::collections::BTreeMap;

use anstyle::Style;
use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_store::doctor::Report;

use super::page::ReportPage;
use crate::error::CliError;
use crate::style::{DIM, WARN};
use crate::text::plural;

/// At most this many places are named per kind.
const MOST_PLACES: usize = 3;

pub(super) fn print(page: &mut ReportPage<'_>, report: &Report) -> Result<(), CliError> {
    let mut by_code: BTreeMap<Code, Vec<&Diagnostic>> = BTreeMap::new();
    for diagnostic in &report.diagnostics {
        by_code.entry(diagnostic.code).or_default().push(diagnostic);
    }
    if by_code.is_empty() {
        return Ok(());
    }
    let (all, kinds) = (report.diagnostics.len(), by_code.len());
    page.heading(&format!(
        "{}, {}",
        plural(all, "finding"),
        plural(kinds, "kind")
    ))?;
    for (code, diagnostics) in by_code {
        page.gap()?;
        let name = page.styled(WARN, &code.as_str());
        let times = match diagnostics.len() {
            1 => String::new(),
            many => format!(" ×{many}"),
        };
        page.line(&format!("  {name}{times}"))?;
        let what = match diagnostics.as_slice() {
            [single] => sentence(&single.message),
            _ => code.meaning().to_owned(),
        };
        page.words("  ", &what, Style::new())?;
        for diagnostic in diagnostics.iter().take(MOST_PLACES) {
            let place = place(page, diagnostic);
            page.line(&format!("    {place}"))?;
        }
        if diagnostics.len() > MOST_PLACES {
            let more = diagnostics.len() - MOST_PLACES;
            page.line(&format!("    … and {more} more; --json lists all"))?;
        }
        page.words("  → ", advice(code), DIM)?;
    }
    Ok(())
}

/// A message of the library, which is a fragment, as a sentence.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Advice; what concerns deletion is told at the end, with names.
fn advice(code: Code) -> &'static str {
    match code {
        Code::EndangeredSession | Code::ResumeStray => "“What to do” below tells how to keep it.",
        _ => code.advice(),
    }
}

/// `path:line`, as editors take it.
fn place(page: &ReportPage<'_>, diagnostic: &Diagnostic) -> String {
    let line = diagnostic
        .line
        .map(|line| format!(":{line}"))
        .unwrap_or_default();
    let room = page.columns().saturating_sub(4 + line.len());
    match &diagnostic.journal {
        Some(path) => format!("{}{line}", page.path(path, room)),
        None => diagnostic.message.clone(),
    }
}
