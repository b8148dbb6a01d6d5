//! Origins for people: lines beside the prompts that wrote them, and a summary of commits.

use std::collections::BTreeMap;
use std::io::Write as _;

use gemtrail_export::text::{Clean, fit, shorten};

use super::{LineAuthor, LineSource, OriginDocument, OriginLines};
use crate::cli::args::OriginFormat;
use crate::cli::context::Context;
use crate::error::CliError;
use crate::style::{BOLD, DIM, ID};
use crate::ui::Output;

/// The widest prompt beside a line.
const PROMPT_COLUMNS: usize = 34;

pub(super) fn print(
    document: &OriginDocument,
    format: OriginFormat,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let mut out = context.ui.reading_out();
    match format {
        OriginFormat::Text => text(document, &mut out)?,
        OriginFormat::Md => markdown(document, &mut out)?,
    }
    out.finish()
}

fn text(document: &OriginDocument, out: &mut Output) -> Result<(), CliError> {
    if let Some(lines) = &document.lines {
        blame(&document.text, lines, out)?;
    }
    for commit in document.commits.iter().flatten() {
        let id: String = commit.commit.chars().take(10).collect();
        let subject = Clean::line(&commit.subject);
        writeln!(
            out,
            "{} {}",
            out.styled(ID, &id),
            out.styled(BOLD, subject.as_str())
        )?;
        let all = commit.files.iter().flat_map(|file| &file.lines);
        for share in shares(all) {
            writeln!(out, "  {}", share.line(out))?;
        }
    }
    Ok(())
}

/// Each line with its prompt, like `git blame`.
fn blame(text: &str, lines: &[OriginLines], out: &mut Output) -> Result<(), CliError> {
    let texts: Vec<&str> = text.lines().collect();
    for run in lines {
        for number in run.start..=run.end {
            let label = match &run.source {
                Some(source) if number == run.start => label(run.by, source),
                Some(_) => "│".to_owned(),
                None => String::new(),
            };
            let label = Clean::line(&label);
            let label = fit(label.as_str(), PROMPT_COLUMNS + 14);
            let text = Clean::line(texts.get(number - 1).copied().unwrap_or_default());
            writeln!(
                out,
                "{} {number:>5}  {}",
                out.styled(DIM, &label),
                text.as_str()
            )?;
        }
    }
    Ok(())
}

fn label(by: LineAuthor, source: &LineSource) -> String {
    let day = source.time.as_deref().unwrap_or_default();
    let day: String = day.chars().take(10).collect();
    let who = if by == LineAuthor::Human { "you: " } else { "" };
    format!("{day}  {who}{}", source.prompt)
}

/// The lines of one prompt among others.
struct PromptShare<'a> {
    source: Option<&'a LineSource>,
    lines: usize,
    of: usize,
}

impl PromptShare<'_> {
    fn percent(&self) -> usize {
        self.lines * 100 / self.of.max(1)
    }

    fn line(&self, out: &Output) -> String {
        let figures = format!("{:>4} lines {:>3} %", self.lines, self.percent());
        match self.source {
            None => format!("{figures}  {}", out.styled(DIM, "no session")),
            Some(source) => {
                let prompt = Clean::line(&source.prompt);
                let prompt = shorten(prompt.as_str(), 60);
                format!("{figures}  {}  {prompt}", out.styled(ID, &source.address))
            }
        }
    }
}

/// The prompts of lines with their shares, the largest first, those of no session last.
fn shares<'a>(runs: impl Iterator<Item = &'a OriginLines>) -> Vec<PromptShare<'a>> {
    /// A session and a prompt of it.
    type Asked<'a> = Option<(&'a str, &'a str)>;
    let mut counts: BTreeMap<Asked<'_>, (Option<&LineSource>, usize)> = BTreeMap::new();
    let mut of = 0;
    for run in runs {
        let lines = run.end - run.start + 1;
        of += lines;
        let key = run.source.as_ref();
        let key = key.map(|source| (source.session.as_str(), source.prompt.as_str()));
        counts.entry(key).or_insert((run.source.as_ref(), 0)).1 += lines;
    }
    let mut shares: Vec<PromptShare<'_>> = counts
        .into_values()
        .map(|(source, lines)| PromptShare { source, lines, of })
        .collect();
    shares.sort_by_key(|share| (share.source.is_none(), std::cmp::Reverse(share.lines)));
    shares
}

/// The prompts behind a pull request.
fn markdown(document: &OriginDocument, out: &mut Output) -> Result<(), CliError> {
    let commits = document.commits.iter().flatten();
    let of_commits = commits.flat_map(|commit| &commit.files);
    let of_commits = of_commits.flat_map(|file| &file.lines);
    let runs = of_commits.chain(document.lines.iter().flatten());
    writeln!(
        out,
        "| Lines | Share | Prompt | Session |\n|---:|---:|---|---|"
    )?;
    for share in shares(runs) {
        let (prompt, session) = match share.source {
            None => ("*no session*".to_owned(), String::new()),
            Some(source) => (inert(&source.prompt), format!("`{}`", source.address)),
        };
        writeln!(
            out,
            "| {} | {} % | {prompt} | {session} |",
            share.lines,
            share.percent()
        )?;
    }
    Ok(())
}

/// A text in a cell of a table, of which nothing is markup or a link.
fn inert(text: &str) -> String {
    let text = shorten(Clean::line(text).as_str(), 100);
    let mut inert = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => inert.push_str("&lt;"),
            '&' => inert.push_str("&amp;"),
            ':' => inert.push_str("&#58;"),
            '@' => inert.push_str("&#64;"),
            '.' if inert.ends_with("www") => inert.push_str("&#46;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => inert.extend(['\\', c]),
            c => inert.push(c),
        }
    }
    inert
}
