//! The formats of this crate.

use std::io::{BufWriter, Write};

use gemtrail_core::model::Session;

use super::format::{Audience, Format};
use super::options::FormatOptions;
use super::writer::{SessionFormat, SessionWriter};
use crate::html::IndexEntry;
use crate::text::EscapeControls;
use crate::{ExportError, Selection, atif, chat, events, html, json, jsonl, markdown, messages};
use crate::{native, otel, plain, share, sts, transcript, usage};

/// A format of this crate with its options.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    row: &'static Row,
    selection: Selection,
    options: FormatOptions,
}

/// A row of the table of formats.
#[derive(Debug)]
struct Row {
    format: Format,
    write: fn(&BuiltIn, &Session, &mut dyn Write) -> Result<(), ExportError>,
}

/// The options for selecting messages, which every format has.
const SELECTING: &[&str] = &["superseded", "live"];

const VIEW: &[&str] = &[
    "superseded",
    "live",
    "thoughts",
    "no-thoughts",
    "tools",
    "subagents",
    "minimal",
];

const EXACT: Format = Format {
    name: "",
    about: "",
    ending: "json",
    audience: Audience::Programs,
    redacts_files: false,
    selection: Selection::Conversation,
    options: SELECTING,
    includes_subagents: false,
    has_digests: false,
};

const FOR_PEOPLE: Format = Format {
    ending: "md",
    audience: Audience::People,
    redacts_files: true,
    ..EXACT
};

/// Made for other tools, which may be other people's.
const FOR_OTHERS: Format = Format {
    redacts_files: true,
    ..EXACT
};

/// Passes on JSON that is safe to print. Serialisers write a few bytes at a time, so these are gathered
/// before they are looked at.
fn as_json<'o>(
    out: &'o mut dyn Write,
    write: impl FnOnce(&mut BufWriter<EscapeControls<&'o mut dyn Write>>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut gathered = BufWriter::with_capacity(32 << 10, EscapeControls(out));
    write(&mut gathered)?;
    Ok(gathered.flush()?)
}

static TABLE: [Row; 17] = [
    Row {
        format: Format {
            name: "json",
            about: "The session document",
            selection: Selection::All,
            has_digests: true,
            ..EXACT
        },
        write: |it, session, out| {
            let options = json::JsonOptions {
                selection: it.selection,
                pretty: it.options.pretty,
            };
            as_json(out, |out| json::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "jsonl",
            about: "The same as lines: header, messages, footer",
            ending: "jsonl",
            selection: Selection::All,
            has_digests: true,
            ..EXACT
        },
        write: |it, session, out| {
            let options = jsonl::JsonlOptions {
                selection: it.selection,
            };
            as_json(out, |out| jsonl::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "md",
            about: "Markdown to read",
            options: &[
                "superseded",
                "live",
                "thoughts",
                "no-thoughts",
                "tools",
                "subagents",
                "minimal",
                "split",
            ],
            ..FOR_PEOPLE
        },
        write: |it, session, out| markdown::write(session, &it.options.view, out),
    },
    Row {
        format: Format {
            name: "html",
            about: "One self-contained page",
            ending: "html",
            options: VIEW,
            ..FOR_PEOPLE
        },
        write: |it, session, out| html::write(session, &it.options.view, out),
    },
    Row {
        format: Format {
            name: "txt",
            about: "Plain text in 80 columns",
            ending: "txt",
            options: VIEW,
            ..FOR_PEOPLE
        },
        write: |it, session, out| plain::write(session, &it.options.view, out),
    },
    Row {
        format: Format {
            name: "transcript",
            about: "The dialogue without outputs and thoughts, as Markdown",
            options: &["superseded", "live", "keys"],
            ..FOR_PEOPLE
        },
        write: |it, session, mut out| {
            transcript::markdown::write(session, &it.transcript_options(), &mut out)
        },
    },
    Row {
        format: Format {
            name: "transcript-json",
            about: "The same as JSON",
            ending: "json",
            options: &["superseded", "live", "keys"],
            ..FOR_PEOPLE
        },
        write: |it, session, mut out| {
            transcript::json::write(session, &it.transcript_options(), &mut out)
        },
    },
    Row {
        format: Format {
            name: "chat",
            about: "Role, content, time and tokens as a JSON array",
            options: &["superseded", "live", "only", "references"],
            ..EXACT
        },
        write: |it, session, out| {
            let options = chat::ChatOptions {
                selection: it.selection,
                only: it.options.only,
                references: it.options.references,
            };
            as_json(out, |out| chat::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "events",
            about: "Normalised events, JSON Lines",
            ending: "jsonl",
            options: &["superseded", "live", "timestamps", "assistant-text"],
            ..EXACT
        },
        write: |it, session, out| {
            let options = events::EventsOptions {
                selection: it.selection,
                timestamps: it.options.timestamps,
                assistant_text: it.options.assistant_text,
            };
            as_json(out, |out| events::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "usage",
            about: "One row per model request",
            ending: "jsonl",
            selection: Selection::All,
            options: &["superseded", "live", "csv"],
            includes_subagents: true,
            ..EXACT
        },
        write: |it, session, mut out| usage::write(session, &it.usage_options(), &mut out),
    },
    Row {
        format: Format {
            name: "share-md",
            about: "What `/chat share file.md` writes",
            ending: "md",
            selection: Selection::Current,
            ..EXACT
        },
        write: |it, session, mut out| {
            share::markdown::write(session, &it.share_options(), &mut out)
        },
    },
    Row {
        format: Format {
            name: "share-json",
            about: "What `/chat share file.json` writes",
            selection: Selection::Current,
            ..EXACT
        },
        write: |it, session, mut out| share::json::write(session, &it.share_options(), &mut out),
    },
    Row {
        format: Format {
            name: "native",
            about: "A journal that Gemini CLI can resume",
            ending: "jsonl",
            selection: Selection::Current,
            ..EXACT
        },
        write: |it, session, mut out| {
            let options = native::NativeOptions {
                selection: it.selection,
                last_updated: None,
            };
            native::write(session, &options, &mut out)
        },
    },
    Row {
        format: Format {
            name: "atif",
            about: "Agent trajectories, as Harbor reads them",
            ending: "atif.json",
            includes_subagents: true,
            ..FOR_OTHERS
        },
        write: |it, session, out| {
            let options = atif::AtifOptions {
                selection: it.selection,
            };
            as_json(out, |out| atif::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "otel",
            about: "Traces in OTLP/JSON; without words unless --content",
            ending: "otlp.jsonl",
            selection: Selection::All,
            includes_subagents: true,
            ..EXACT
        },
        write: |it, session, out| {
            let options = otel::OtelOptions {
                selection: it.selection,
                content: it.options.content,
            };
            as_json(out, |out| otel::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "messages",
            about: "Chat messages with tool calls, as OpenAI takes them",
            ending: "messages.jsonl",
            selection: Selection::Current,
            options: &["superseded", "live", "thoughts", "arguments"],
            includes_subagents: true,
            ..FOR_OTHERS
        },
        write: |it, session, out| {
            let options = messages::MessagesOptions {
                selection: it.selection,
                arguments: it.options.arguments,
                thoughts: it.options.reasoning,
            };
            as_json(out, |out| messages::write(session, &options, out))
        },
    },
    Row {
        format: Format {
            name: "sts",
            about: "Session traces for the Hugging Face Hub",
            ending: "jsonl",
            selection: Selection::Current,
            options: &["superseded", "live", "style"],
            ..FOR_OTHERS
        },
        write: |it, session, out| {
            let options = sts::StsOptions {
                selection: it.selection,
                style: it.options.style,
            };
            as_json(out, |out| sts::write(session, &options, out))
        },
    },
];

impl Format {
    /// The formats of this crate.
    pub fn built_in() -> impl Iterator<Item = &'static Format> {
        TABLE.iter().map(|row| &row.format)
    }
}

impl BuiltIn {
    /// The format of that name with these options.
    pub fn new(name: &str, options: FormatOptions) -> Option<Self> {
        let row = TABLE.iter().find(|row| row.format.name == name)?;
        let selection = options.selection.unwrap_or(row.format.selection);
        let mut options = options;
        options.view.selection = selection;
        Some(Self {
            row,
            selection,
            options,
        })
    }

    fn transcript_options(&self) -> transcript::TranscriptOptions {
        transcript::TranscriptOptions {
            selection: self.selection,
            keys: self.options.keys.clone(),
        }
    }

    fn usage_options(&self) -> usage::UsageOptions {
        let form = if self.options.csv {
            usage::UsageForm::Csv
        } else {
            usage::UsageForm::JsonLines
        };
        usage::UsageOptions {
            selection: self.selection,
            form,
        }
    }

    fn share_options(&self) -> share::ShareOptions {
        share::ShareOptions {
            selection: self.selection,
            era: None,
        }
    }

    fn is_csv(&self) -> bool {
        self.options.csv && self.row.format.has_option("csv")
    }
}

impl SessionFormat for BuiltIn {
    fn format(&self) -> &Format {
        &self.row.format
    }

    fn ending(&self) -> &str {
        if self.is_csv() {
            "csv"
        } else {
            self.row.format.ending
        }
    }

    fn writer(&self) -> Box<dyn SessionWriter + '_> {
        Box::new(self)
    }

    fn splits(&self) -> bool {
        self.options.split.is_some() && self.row.format.has_option("split")
    }

    fn parts(&self, session: &Session) -> Result<Vec<Vec<u8>>, ExportError> {
        let lines = self.options.split.unwrap_or(usize::MAX);
        let parts = markdown::parts(session, &self.options.view, lines);
        Ok(parts.into_iter().map(String::into_bytes).collect())
    }

    fn index_file(&self) -> Option<&'static str> {
        (self.row.format.name == "html").then_some("index.html")
    }

    fn write_index(
        &self,
        entries: &[IndexEntry<'_>],
        out: &mut dyn Write,
    ) -> Result<(), ExportError> {
        let title = self.options.index_title.as_deref();
        let title = title.unwrap_or("Gemini CLI sessions");
        html::write_index(title, entries, &self.options.view.zone, out)
    }
}

/// Sessions follow each other; only CSV has a header before the first one.
impl SessionWriter for &BuiltIn {
    fn begin(&mut self, mut out: &mut dyn Write) -> Result<(), ExportError> {
        if self.is_csv() {
            usage::write_header(&mut out)?;
        }
        Ok(())
    }

    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), ExportError> {
        (self.row.write)(self, session, out)
    }
}
