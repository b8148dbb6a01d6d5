//! The formats of this crate.

use std::io::{BufWriter, Write};

use gemtrail_core::model::Session;

use super::timeline::Timeline;
use super::{Audience, Format, SessionFormat, SessionWriter};
use crate::html::IndexEntry;
use crate::options::FormatOptions;
use crate::text::EscapeControls;
use crate::{
    Result, atif, chat, events, html, json, jsonl, markdown, messages, native, otel, plain, share,
    sts, transcript, usage,
};

/// A format of this crate with its options.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    row: &'static FormatRow,
    options: FormatOptions,
}

/// A row of the table of formats.
#[derive(Debug)]
struct FormatRow {
    format: Format,
    write: fn(&Session, &FormatOptions, &mut dyn Write) -> Result,
}

const EXACT: Format = Format {
    name: "",
    about: "",
    ending: "json",
    audience: Audience::Programs,
    redacts_files: false,
    options: &["superseded", "live"],
    includes_subagents: false,
    has_digests: false,
    joins_sessions: false,
};

const FOR_PEOPLE: Format = Format {
    ending: "md",
    audience: Audience::People,
    redacts_files: true,
    options: &[
        "superseded",
        "live",
        "thoughts",
        "no-thoughts",
        "tools",
        "subagents",
        "minimal",
    ],
    ..EXACT
};

/// Made for other tools, which may be other people's.
const FOR_OTHERS: Format = Format {
    redacts_files: true,
    ..EXACT
};

/// Passes on JSON that is safe to print. Serialisers write a few bytes at a time, so these are
/// gathered before they are looked at.
fn as_json<'o>(
    out: &'o mut dyn Write,
    write: impl FnOnce(&mut BufWriter<EscapeControls<&'o mut dyn Write>>) -> Result,
) -> Result {
    let mut gathered = BufWriter::with_capacity(32 << 10, EscapeControls(out));
    write(&mut gathered)?;
    Ok(gathered.flush()?)
}

#[rustfmt::skip]
static TABLE: [FormatRow; 17] = [
    FormatRow {
        format: Format { name: "json", about: "The session document", has_digests: true, ..EXACT },
        write: |session, options, out| as_json(out, |out| json::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "jsonl", about: "The session document as lines: header, messages, footer",
            ending: "jsonl", has_digests: true, joins_sessions: true, ..EXACT },
        write: |session, options, out| as_json(out, |out| jsonl::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "md", about: "Markdown to read", ..FOR_PEOPLE },
        write: |session, options, out| markdown::write(session, &options.view, out),
    },
    FormatRow {
        format: Format { name: "html", about: "One self-contained page", ending: "html", ..FOR_PEOPLE },
        write: |session, options, out| html::write(session, &options.view, out),
    },
    FormatRow {
        format: Format { name: "txt", about: "Plain text in 80 columns", ending: "txt", ..FOR_PEOPLE },
        write: |session, options, out| plain::write(session, &options.view, out),
    },
    FormatRow {
        format: Format { name: "transcript", about: "The dialogue without outputs and thoughts, as Markdown",
            options: &["superseded", "live", "keys"], ..FOR_PEOPLE },
        write: |session, options, mut out| transcript::write_markdown(session, options, &mut out),
    },
    FormatRow {
        format: Format { name: "transcript-json", about: "The same dialogue as JSON",
            ending: "json", options: &["superseded", "live", "keys"], ..FOR_PEOPLE },
        write: |session, options, mut out| transcript::write_json(session, options, &mut out),
    },
    FormatRow {
        format: Format { name: "chat", about: "Role, content, time and tokens as a JSON array",
            options: &["superseded", "live", "only", "references"], ..EXACT },
        write: |session, options, out| as_json(out, |out| chat::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "events", about: "Normalised events, JSON Lines",
            ending: "jsonl", options: &["superseded", "live", "timestamps", "assistant-text"], joins_sessions: true, ..EXACT },
        write: |session, options, out| as_json(out, |out| events::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "usage", about: "One row per model request",
            ending: "jsonl", options: &["superseded", "live", "csv"], includes_subagents: true, joins_sessions: true, ..EXACT },
        write: |session, options, mut out| usage::write(session, options, &mut out),
    },
    FormatRow {
        format: Format { name: "share-md", about: "What `/chat share file.md` writes",
            ending: "md", ..EXACT },
        write: |session, options, mut out| share::write_markdown(session, options, &mut out),
    },
    FormatRow {
        format: Format { name: "share-json", about: "What `/chat share file.json` writes", ..EXACT },
        write: |session, options, mut out| share::write_json(session, options, &mut out),
    },
    FormatRow {
        format: Format { name: "native", about: "A journal that Gemini CLI can resume",
            ending: "jsonl", ..EXACT },
        write: |session, options, mut out| native::write(session, options, &mut out),
    },
    FormatRow {
        format: Format { name: "atif", about: "Agent trajectories for Harbor",
            ending: "atif.json", includes_subagents: true, ..FOR_OTHERS },
        write: |session, options, out| as_json(out, |out| atif::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "otel", about: "Traces in OTLP/JSON, without text unless --content",
            ending: "otlp.jsonl", includes_subagents: true, joins_sessions: true, ..EXACT },
        write: |session, options, out| as_json(out, |out| otel::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "messages", about: "Chat messages with tool calls, in OpenAI's format",
            ending: "messages.jsonl", options: &["superseded", "live", "thoughts", "arguments"], includes_subagents: true, joins_sessions: true, ..FOR_OTHERS },
        write: |session, options, out| as_json(out, |out| messages::write(session, options, out)),
    },
    FormatRow {
        format: Format { name: "sts", about: "Session traces for the Hugging Face Hub",
            ending: "jsonl", ..FOR_OTHERS },
        write: |session, options, out| as_json(out, |out| sts::write(session, options, out)),
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
    pub fn new(name: &str, mut options: FormatOptions) -> Option<Self> {
        let row = TABLE.iter().find(|row| row.format.name == name)?;
        options.view.selection = options.selection.unwrap_or_default();
        Some(Self { row, options })
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
        let options = &self.options;
        match self.row.format.name {
            "events" => Box::new(Timeline::new(self, |it: &_| {
                events::timed_lines(it, options)
            })),
            "usage" => Box::new(Timeline::new(self, |it: &_| {
                usage::timed_lines(it, options)
            })),
            _ => Box::new(self),
        }
    }

    fn index_file(&self) -> Option<&'static str> {
        (self.row.format.name == "html").then_some("index.html")
    }

    fn write_index(&self, entries: &[IndexEntry<'_>], out: &mut dyn Write) -> Result {
        let title = self.options.index_title.as_deref();
        let title = title.unwrap_or("Gemini CLI sessions");
        html::write_index(title, entries, &self.options.view.zone, out)
    }
}

/// Sessions follow each other; only CSV has a header before the first one.
impl SessionWriter for &BuiltIn {
    fn begin(&mut self, mut out: &mut dyn Write) -> Result {
        if self.is_csv() {
            usage::write_header(&mut out)?;
        }
        Ok(())
    }

    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result {
        (self.row.write)(session, &self.options, out)
    }
}
