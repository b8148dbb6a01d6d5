//! `man`: the man pages.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::args::{Args, ManArgs};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ManArgs, ui: &Ui) -> Result<(), CliError> {
    let pages = pages()?;
    if let Some(dir) = &args.dir {
        for (name, page) in pages {
            std::fs::write(dir.join(name), page)?;
        }
        return Ok(());
    }
    let mut out = ui.out();
    let first = pages.first().map(|(_, page)| page.as_slice());
    out.write_all(first.unwrap_or_default())?;
    out.finish()
}

/// The names and the contents of all pages, that of the program first.
pub(super) fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let source = PageSource::of(command.get_version().unwrap_or_default());
    let mut pages = Vec::new();
    add_pages(&command, &source, &mut pages)?;
    Ok(pages)
}

/// The last line of a page: program and date.
struct PageSource {
    program: String,
    date: String,
}

impl PageSource {
    /// Of `0.1.0 (8582c1f05 2026-11-17)`; some builds have nothing in parentheses.
    fn of(version: &str) -> Self {
        let (number, build) = version.split_once(" (").unwrap_or((version, ""));
        let date = build.trim_end_matches(')').rsplit(' ').next();
        Self {
            program: format!("gemtrail {number}"),
            date: date.unwrap_or_default().to_owned(),
        }
    }
}

/// Adds the page of a command and those of the commands below it.
fn add_pages(
    command: &Command,
    source: &PageSource,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((format!("{name}.1"), page(command, source)?));
    let below = command.get_subcommands().filter(|it| !it.is_hide_set());
    for command in below {
        add_pages(command, source, pages)?;
    }
    Ok(())
}

fn page(command: &Command, source: &PageSource) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let name = command.get_display_name().unwrap_or(command.get_name());
    let PageSource { program, date } = source;
    let mut page = format!(".TH {name} 1 \"{date}\" \"{program}\"\n").into_bytes();
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|it| !it.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let mut more = Roff::new();
    #[cfg(feature = "tui")]
    if command.get_name() == "browse" {
        keys(&mut more);
    }
    let help = command.get_after_long_help().or(command.get_after_help());
    if let Some(help) = help {
        after_help(&help.to_string(), &mut more);
    }
    more.to_writer(&mut page)?;
    Ok(page)
}

/// The keys of the browser.
#[cfg(feature = "tui")]
fn keys(page: &mut Roff) {
    use clap_mangen::roff::bold;
    use gemtrail_tui::keys::{KeyContext, bindings};

    page.control("SH", ["KEYS"]);
    // Nothing between them.
    page.control("PD", ["0"]);
    for context in KeyContext::ALL {
        page.control("SS", [context.title()]);
        for binding in bindings(context) {
            let names: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
            page.control("TP", ["24"]);
            page.text([bold(names.join("  "))]);
            page.text([roman(binding.words)]);
        }
    }
    page.control("PD", []);
}

/// The text below the options: examples and the like as they are, under their heading, and
/// sentences.
fn after_help(help: &str, page: &mut Roff) {
    let mut has_notes = false;
    for paragraph in help.split("\n\n") {
        let lines: Vec<&str> = paragraph.lines().collect();
        let heading = lines.first().and_then(|line| line.strip_suffix(':'));
        match (heading, lines.as_slice()) {
            (Some(heading), [_, lines @ ..]) if !lines.is_empty() => {
                has_notes = false;
                page.control("SH", [heading.to_uppercase().as_str()]);
                page.control("nf", []);
                for line in lines {
                    page.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
                }
                page.control("fi", []);
            }
            _ => {
                let how = if has_notes { "PP" } else { "SH" };
                let words = (!has_notes).then_some("NOTES");
                page.control(how, words);
                page.text([roman(lines.join(" "))]);
                has_notes = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_stay_as_they_are() {
        let mut page = Roff::new();
        let help = "Examples:\n  gemtrail show latest    the newest\n  gemtrail list\n\nIt is\nso.\n\nOr not.";
        after_help(help, &mut page);
        let text = page.to_roff();
        assert_eq!(
            text,
            ".SH EXAMPLES\n.nf\ngemtrail show latest    the newest\ngemtrail list\n.fi\n.SH NOTES\nIt is so.\n.PP\nOr not.\n"
        );
    }

    #[cfg(feature = "tui")]
    #[test]
    fn the_page_of_the_browser_has_its_keys() {
        let mut command = Args::command();
        command.build();
        let browse = command.find_subcommand("browse").expect("it is there");
        let source = PageSource::of("0.1.0 (8582c1f05 2026-11-17)");
        let page = String::from_utf8(page(browse, &source).expect("a page")).expect("text");
        let title = ".TH gemtrail-browse 1 \"2026-11-17\" \"gemtrail 0.1.0\"\n";
        assert!(page.starts_with(title), "{page}");
        assert_eq!(PageSource::of("0.1.0").date, "");
        for words in [".SH KEYS", ".SS \"In the list\"", "copy the code block"] {
            assert!(page.contains(words), "{words}: {page}");
        }
    }
}
