//! The format that was asked for, with the options that were given for it.

use std::path::Path;

use gemtrail_export::exporter::{BuiltIn, Format, FormatOptions, SessionFormat, is_directory};
use gemtrail_export::{Selection, present};

use super::args::{Content, FormatArgs, ViewArgs};
use super::formats;
use super::records::{self, VacFormat, VconFormat};
use crate::error::CliError;
use crate::ui::Ui;

/// The format with its options, unless one was given that has no effect on it.
pub(super) fn chosen<'a>(
    format: &'static Format,
    args: &'a FormatArgs,
    index_title: Option<&str>,
    ui: &'a Ui,
) -> Result<Box<dyn SessionFormat + 'a>, CliError> {
    refuse_without_effect(format, args)?;
    let selection = selection(&args.view);
    let options = FormatOptions {
        selection,
        view: document_options(&args.view, ui),
        only: args.only,
        references: args.references,
        keys: args.keys.clone(),
        timestamps: args.timestamps.unwrap_or_default(),
        assistant_text: args.assistant_text,
        csv: args.csv,
        content: args.redact.content == Some(Content::Full),
        arguments: args.arguments.unwrap_or_default(),
        last_updated: None,
        reasoning: args.view.thoughts,
        pretty: ui.interactive,
        index_title: index_title.map(str::to_owned),
    };
    if format.name == formats::VAC.name {
        return Ok(Box::new(VacFormat::new(&args.vac, selection, ui)?));
    }
    if format.name == formats::VCON.name {
        let vcon = VconFormat::new(&args.vac, &args.redact, selection, ui)?;
        return Ok(Box::new(vcon));
    }
    match BuiltIn::new(format.name, options) {
        Some(built_in) => Ok(Box::new(built_in)),
        None => Err(CliError::usage(format!("no format writes {}", format.name))),
    }
}

/// The format to write: the one that was named, else that of the file's ending, else JSON where that
/// was asked for.
pub(super) fn pick(
    named: Option<&'static Format>,
    file: Option<&Path>,
    ui: &Ui,
) -> Result<Option<&'static Format>, CliError> {
    let json = || ui.json.then(|| formats::named("json")).flatten();
    let (None, Some(file)) = (named, file) else {
        return Ok(named.or_else(json));
    };
    let ending = file.extension().map(std::ffi::OsStr::to_string_lossy);
    let (Some(ending), false) = (ending, is_directory(file)) else {
        return Ok(json());
    };
    if let Some(format) = formats::of_file(file).or_else(json) {
        return Ok(Some(format));
    }
    let error = CliError::usage(format!("no format has the extension .{ending}"));
    let endings = formats::endings().join(", ");
    Err(error.hint(format!(
        "the extensions are {endings}; --format names a format for any file"
    )))
}

/// Refuses options that would silently do nothing.
fn refuse_without_effect(format: &Format, args: &FormatArgs) -> Result<(), CliError> {
    let mut given = args.given().into_iter();
    let Some(option) = given.find(|option| !format.has_option(option)) else {
        return Ok(());
    };
    let takers = formats::all().filter(|format| format.has_option(option));
    let takers: Vec<&str> = takers.map(|format| format.name).collect();
    let error = CliError::usage(format!("--{option} has no effect on {}", format.name));
    Err(error.hint(format!("it applies to {}", takers.join(", "))))
}

/// Refuses what standard output should not get.
pub(super) fn check_standard_output(
    format: &Format,
    args: &FormatArgs,
    ui: &Ui,
) -> Result<(), CliError> {
    if format.name == "html" && ui.interactive {
        let error = CliError::cannot("usage", "HTML is not for reading on a terminal");
        return Err(error.hint(
            "-o FILE.html writes it to a file, `gemtrail open SESSION` opens it in a browser",
        ));
    }
    records::refuse_terminal(&args.vac, ui)
}

/// The presentation of documents for people: everything, unless less was asked for.
fn document_options(args: &ViewArgs, ui: &Ui) -> present::Options {
    let mut options = view_options(args, ui);
    options.thoughts |= options.tools == present::ToolDetail::Full && !args.no_thoughts;
    options
}

/// The presentation; all of tool calls where nothing was said about them.
pub(super) fn view_options(args: &ViewArgs, ui: &Ui) -> present::Options {
    present::Options {
        thoughts: args.thoughts,
        tools: args.tools.unwrap_or_default(),
        selection: selection(args).unwrap_or(Selection::Conversation),
        subagents: args.subagents,
        minimal: args.minimal,
        empty: false,
        zone: ui.zone.clone(),
    }
}

/// The messages that were asked for, if that was said.
fn selection(args: &ViewArgs) -> Option<Selection> {
    match (args.live, args.superseded) {
        (true, _) => Some(Selection::Current),
        (false, true) => Some(Selection::All),
        (false, false) => None,
    }
}
