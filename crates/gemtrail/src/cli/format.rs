//! From a session to bytes in the format that was asked for.

use std::cell::RefCell;
use std::io::{self, Write};

use gemtrail_core::model::Session;
use gemtrail_export::{
    Selection, chat, events, html, json, jsonl, markdown, native, plain, present, share,
    transcript, usage,
};

use super::args::{EventTimes, FormatArgs, Only, OutputFormat, ToolDetail, ViewArgs};
use super::vac;
use crate::error::CliError;
use crate::text::EscapeControls;
use crate::ui::Ui;

impl OutputFormat {
    /// The ending of files in this format.
    pub(super) fn ending(self, args: &FormatArgs) -> &'static str {
        match self {
            Self::Vac => args.vac.encoding.ending(),
            Self::Json | Self::TranscriptJson | Self::Chat | Self::ShareJson => "json",
            Self::Jsonl | Self::Events | Self::Usage | Self::Native => "jsonl",
            Self::Md | Self::Transcript | Self::ShareMd => "md",
            Self::Html => "html",
            Self::Txt => "txt",
        }
    }

    /// Whether it is for people, who pass files on, and not an exact record.
    pub(super) fn is_for_people(self) -> bool {
        match self {
            Self::Md | Self::Html | Self::Txt | Self::Transcript | Self::TranscriptJson => true,
            Self::Json
            | Self::Jsonl
            | Self::Chat
            | Self::Events
            | Self::Usage
            | Self::ShareMd
            | Self::ShareJson
            | Self::Native
            | Self::Vac => false,
        }
    }

    /// Which messages it takes by itself.
    fn selection(self) -> Selection {
        match self {
            Self::Json | Self::Jsonl | Self::Usage => Selection::All,
            Self::Md
            | Self::Html
            | Self::Txt
            | Self::Transcript
            | Self::TranscriptJson
            | Self::Chat
            | Self::Events
            | Self::Vac => Selection::Conversation,
            Self::ShareMd | Self::ShareJson | Self::Native => Selection::Current,
        }
    }
}

/// Writes a session.
pub(super) fn write(
    session: &Session,
    format: OutputFormat,
    args: &FormatArgs,
    ui: &Ui,
    mut out: &mut (impl Write + ?Sized),
) -> Result<(), CliError> {
    let out = &mut out;
    let selection = format
        .selection()
        .adjusted(args.view.superseded, args.view.live);
    let written = match format {
        OutputFormat::Vac => return vac::write(session, selection, &args.vac, ui, out),
        OutputFormat::Json => json::write(
            session,
            &json::JsonOptions {
                selection,
                pretty: ui.interactive,
            },
            &mut EscapeControls(out),
        ),
        OutputFormat::Jsonl => jsonl::write(
            session,
            &jsonl::JsonlOptions { selection },
            &mut EscapeControls(out),
        ),
        OutputFormat::Md => markdown::write(session, &document_options(&args.view, ui), out),
        OutputFormat::Html => html::write(session, &document_options(&args.view, ui), out),
        OutputFormat::Txt => plain::write(session, &document_options(&args.view, ui), out),
        OutputFormat::Transcript => {
            transcript::markdown::write(session, &transcript::TranscriptOptions { selection }, out)
        }
        OutputFormat::TranscriptJson => {
            transcript::json::write(session, &transcript::TranscriptOptions { selection }, out)
        }
        OutputFormat::Chat => {
            let only = args.only.map(|only| match only {
                Only::Human => chat::Speaker::Human,
                Only::Assistant => chat::Speaker::Assistant,
            });
            let options = chat::ChatOptions { selection, only };
            chat::write(session, &options, &mut EscapeControls(out))
        }
        OutputFormat::Events => {
            let timestamps = match args.timestamps {
                EventTimes::Real => events::Timestamps::Real,
                EventTimes::Synthetic => events::Timestamps::Synthetic,
            };
            let options = events::EventsOptions {
                selection,
                timestamps,
                assistant_text: args.assistant_text,
            };
            events::write(session, &options, &mut EscapeControls(out))
        }
        OutputFormat::Usage => {
            let form = if args.csv {
                usage::UsageForm::Csv
            } else {
                usage::UsageForm::JsonLines
            };
            usage::write(
                session,
                &usage::UsageOptions {
                    selection,
                    form,
                    header: true,
                },
                out,
            )
        }
        OutputFormat::ShareMd => share::markdown::write(
            session,
            &share::ShareOptions {
                selection,
                era: None,
            },
            out,
        ),
        OutputFormat::ShareJson => share::json::write(
            session,
            &share::ShareOptions {
                selection,
                era: None,
            },
            out,
        ),
        OutputFormat::Native => native::write(
            session,
            &native::NativeOptions {
                selection,
                last_updated: None,
            },
            out,
        ),
    };
    Ok(written?)
}

/// The session as several documents of about so many lines each.
pub(super) fn parts(
    session: &Session,
    args: &FormatArgs,
    lines: usize,
    ui: &Ui,
) -> Result<Vec<Vec<u8>>, CliError> {
    let parts = RefCell::new(Vec::new());
    let options = document_options(&args.view, ui);
    markdown::write_parts(session, &options, lines, |_| {
        parts.borrow_mut().push(Vec::new());
        Ok(LastPart(&parts))
    })?;
    Ok(parts.into_inner())
}

/// Writes to the last of some parts.
struct LastPart<'a>(&'a RefCell<Vec<Vec<u8>>>);

impl Write for LastPart<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(part) = self.0.borrow_mut().last_mut() {
            part.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses options that the format does not have and that would silently do nothing.
pub(super) fn check_options(format: OutputFormat, args: &FormatArgs) -> Result<(), CliError> {
    if args.split.is_some() && format != OutputFormat::Md {
        let error = CliError::cannot("usage", "only md can be split");
        return Err(error.hint("leave --split out, or use --format md"));
    }
    Ok(())
}

/// Refuses what standard output should not get.
pub(super) fn check_standard_output(
    format: OutputFormat,
    args: &FormatArgs,
    ui: &Ui,
) -> Result<(), CliError> {
    if args.split.is_some() {
        let error = CliError::cannot("usage", "parts cannot go to standard output");
        return Err(error.hint("-o FILE or -o DIRECTORY says where to write them"));
    }
    match format {
        OutputFormat::Vac => vac::refuse_terminal(&args.vac, ui),
        _ => Ok(()),
    }
}

/// What documents for people show: everything, unless less was asked for.
fn document_options(args: &ViewArgs, ui: &Ui) -> present::Options {
    let mut options = view_options(args, ToolDetail::Full, ui);
    options.thoughts |= options.tools == present::ToolDetail::Full;
    options
}

/// What is shown, with this much of tool calls where nothing was said about them.
pub(super) fn view_options(args: &ViewArgs, usual: ToolDetail, ui: &Ui) -> present::Options {
    present::Options {
        thoughts: args.thoughts,
        tools: match args.tools.unwrap_or(usual) {
            ToolDetail::None => present::ToolDetail::None,
            ToolDetail::Brief => present::ToolDetail::Brief,
            ToolDetail::Full => present::ToolDetail::Full,
        },
        selection: Selection::Conversation.adjusted(args.superseded, args.live),
        subagents: args.subagents,
        minimal: args.minimal,
        zone: ui.zone.clone(),
    }
}
