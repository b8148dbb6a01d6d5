//! `jsonl`: the session document as lines, so that a huge session need not be one huge value.
//!
//! The first line is the document without its messages, followed by one line per message; the last
//! line repeats the totals, which shows that nothing is missing. [`read`] turns the lines back into
//! the same session.

use std::io::Write;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::error::Category;

use gemtrail_core::model::{Counts, Message, SESSION_SCHEMA, Session, Tokens};

use crate::json::SessionDocument;
use crate::options::FormatOptions;
use crate::{ExportError, Result, Selection, selected};

/// The schema name of the first line.
pub const HEADER_SCHEMA: &str = "gemtrail.session-header/1";
/// The schema name of a message's line.
pub const MESSAGE_SCHEMA: &str = "gemtrail.message/1";
/// The schema name of the last line.
pub const FOOTER_SCHEMA: &str = "gemtrail.session-footer/1";

/// One message with the name of its schema.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageLine<'a> {
    /// Always `gemtrail.message/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = MESSAGE_SCHEMA)))]
    pub schema: &'static str,
    /// The message.
    #[serde(flatten)]
    pub message: &'a Message,
}

/// The last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Footer {
    /// Always `gemtrail.session-footer/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FOOTER_SCHEMA)))]
    pub schema: &'static str,
    /// The number of message lines before this one.
    pub lines: u64,
    /// The session's counts.
    pub counts: Counts,
    /// The sum over all requests, subagents excluded.
    pub tokens: Tokens,
}

/// Writes header, messages and footer.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_line(&SessionDocument::new(session, HEADER_SCHEMA, None), out)?;
    let mut lines = 0;
    for message in selected(session, options.selection.unwrap_or(Selection::All)) {
        let line = MessageLine {
            schema: MESSAGE_SCHEMA,
            message,
        };
        write_line(&line, out)?;
        lines += 1;
    }
    let footer = Footer {
        schema: FOOTER_SCHEMA,
        lines,
        counts: session.counts,
        tokens: session.tokens,
    };
    write_line(&footer, out)
}

/// Writes one value and the newline that ends its line.
pub(crate) fn write_line(value: &impl Serialize, out: &mut impl Write) -> Result {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// The member that says what kind of line it is.
#[derive(Deserialize)]
struct Probe {
    schema: String,
    lines: Option<u64>,
}

impl Probe {
    /// True if a footer's count matches the number of messages read.
    fn counts(&self, session: &Session) -> bool {
        self.lines == Some(session.messages.len() as u64)
    }
}

/// Reads back what [`write()`] wrote for one session.
pub fn read(text: &str) -> Result<Session> {
    let mut sessions = read_all(text)?;
    match (sessions.pop(), sessions.is_empty()) {
        (Some(session), true) => Ok(session),
        (None, _) => Err(unexpected(1, "the header is missing")),
        (Some(_), false) => Err(unexpected(1, "there is more than one session")),
    }
}

/// Reads back what [`write()`] wrote for any number of sessions, one after the other.
///
/// This format is gemtrail's own, so anything unexpected is an error: a missing footer or message
/// means that the file was truncated.
pub fn read_all(text: &str) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    let mut open: Option<Session> = None;
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        last = index + 1;
        let unexpected = |reason: &str| unexpected(last, reason);
        let probe: Probe = parse(line, last)?;
        match (probe.schema.as_str(), open.take()) {
            (HEADER_SCHEMA, None) => open = Some(read_header(line, last)?),
            (MESSAGE_SCHEMA, Some(mut session)) => {
                session.messages.push(parse(line, last)?);
                open = Some(session);
            }
            (FOOTER_SCHEMA, Some(session)) if probe.counts(&session) => sessions.push(session),
            (FOOTER_SCHEMA, Some(_)) => {
                return Err(unexpected(
                    "the footer counts other messages than there are",
                ));
            }
            (_, None) => return Err(unexpected("no header stands before it")),
            (_, Some(_)) => return Err(unexpected("neither a message nor the footer")),
        }
    }
    match open {
        None => Ok(sessions),
        Some(_) => Err(unexpected(last, "the footer is missing after it")),
    }
}

fn read_header(line: &str, number: usize) -> Result<Session> {
    // A header is a document without `messages`; adding an empty list makes it a document again.
    let rest = line
        .trim_start()
        .strip_prefix('{')
        .ok_or_else(|| unexpected(number, "the header is not an object"))?;
    let mut session: Session = parse(&format!("{{\"messages\":[],{rest}"), number)?;
    SESSION_SCHEMA.clone_into(&mut session.schema);
    Ok(session)
}

fn parse<T: DeserializeOwned>(line: &str, number: usize) -> Result<T> {
    serde_json::from_str(line).map_err(|error| match error.classify() {
        Category::Data => unexpected(number, "a value is not what gemtrail writes there"),
        Category::Io | Category::Syntax | Category::Eof => unexpected(number, "not JSON"),
    })
}

fn unexpected(line: usize, reason: &str) -> ExportError {
    ExportError::ReadBack {
        line,
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{answered, assistant, calling, human, rewound, session, written};

    fn sample() -> Session {
        session([
            human("one"),
            rewound(human("two")),
            calling(
                assistant("three"),
                [answered("read_file", r#"{"file_path":"a"}"#, "x")],
            ),
        ])
    }

    #[test]
    fn lines_read_back_to_the_same_session() {
        let session = sample();
        let text = written(|out| write(&session, &FormatOptions::default(), out));
        assert_eq!(read(&text).expect("own lines"), session);
    }

    #[test]
    fn every_line_names_its_schema() {
        let session = sample();
        let text = written(|out| write(&session, &FormatOptions::default(), out));
        let schemas: Vec<_> = text
            .lines()
            .map(|line| serde_json::from_str::<Probe>(line).expect("JSON").schema)
            .collect();
        assert_eq!(
            schemas,
            [
                HEADER_SCHEMA,
                MESSAGE_SCHEMA,
                MESSAGE_SCHEMA,
                MESSAGE_SCHEMA,
                FOOTER_SCHEMA
            ]
        );
        let footer = text.lines().last().expect("a footer");
        assert!(
            footer.contains(r#""lines":3,"counts":{"messages":3"#),
            "{footer}"
        );
    }

    #[test]
    fn raw_values_keep_their_spelling() {
        let session = session([calling(
            assistant(""),
            [answered("x", r#"{"b":1.50,"a":"\ud83d"}"#, "")],
        )]);
        let text = written(|out| write(&session, &FormatOptions::default(), out));
        assert!(text.contains(r#"{"b":1.50,"a":"\ud83d"}"#));
        assert_eq!(read(&text).expect("own lines"), session);
    }

    #[test]
    fn several_sessions_follow_each_other() {
        let text = written(|out| write(&sample(), &FormatOptions::default(), out)).repeat(2);
        assert_eq!(read_all(&text).expect("own lines"), [sample(), sample()]);
        assert!(read(&text).is_err(), "one was asked for");
    }

    #[test]
    fn a_cut_file_is_refused() {
        let text = written(|out| write(&sample(), &FormatOptions::default(), out));
        let lines: Vec<_> = text.lines().collect();
        for kept in [&lines[..4], &lines[1..], &[lines[0], lines[4]], &[]] {
            assert!(read(&kept.join("\n")).is_err());
        }
    }
}
