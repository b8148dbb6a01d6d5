//! From a session to bytes in the format that was asked for.

use std::io::Write;

use gemtrail_core::model::Session;
use gemtrail_export::{
    ExportError, Selection, chat, events, json, jsonl, markdown, native, plain, present, share,
    transcript, usage,
};

use super::args::{EventTimes, FormatArgs, Only, OutputFormat, ToolDetail, ViewArgs};
use crate::ui::Ui;

impl OutputFormat {
    /// The ending of files in this format.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Json | Self::TranscriptJson | Self::Chat | Self::ShareJson => "json",
            Self::Jsonl | Self::Events | Self::Usage | Self::Native => "jsonl",
            Self::Md | Self::Transcript | Self::ShareMd => "md",
            Self::Txt => "txt",
        }
    }

    /// Whether it is for people, who pass files on, and not an exact record.
    pub(super) fn is_for_people(self) -> bool {
        match self {
            Self::Md | Self::Txt | Self::Transcript | Self::TranscriptJson => true,
            Self::Json
            | Self::Jsonl
            | Self::Chat
            | Self::Events
            | Self::Usage
            | Self::ShareMd
            | Self::ShareJson
            | Self::Native => false,
        }
    }

    /// Which messages it takes by itself.
    fn selection(self) -> Selection {
        match self {
            Self::Json | Self::Jsonl | Self::Usage => Selection::All,
            Self::Md
            | Self::Txt
            | Self::Transcript
            | Self::TranscriptJson
            | Self::Chat
            | Self::Events => Selection::Conversation,
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
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let selection = format
        .selection()
        .adjusted(args.view.superseded, args.view.live);
    match format {
        OutputFormat::Json => json::write(
            session,
            &json::JsonOptions {
                selection,
                pretty: ui.interactive,
            },
            out,
        ),
        OutputFormat::Jsonl => jsonl::write(session, &jsonl::JsonlOptions { selection }, out),
        OutputFormat::Md => markdown::write(session, &view_options(&args.view, ui), out),
        OutputFormat::Txt => plain::write(session, &view_options(&args.view, ui), out),
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
            chat::write(session, &chat::ChatOptions { selection, only }, out)
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
            events::write(session, &options, out)
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
    }
}

/// What formats for people show.
pub(super) fn view_options(args: &ViewArgs, ui: &Ui) -> present::Options {
    present::Options {
        thoughts: args.thoughts,
        tools: match args.tools {
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
