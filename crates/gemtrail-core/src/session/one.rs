//! One message of a session, without the others.

use crate::json::Cursor;
use crate::model::Message;
use crate::replay::{Detail, Replay};
use crate::wire::record;

use super::{SourceJournal, Sources};

/// Reads one message from its records: the bytes its [trace](Message::trace) names, in that order.
///
/// The result is the message of the first record, as in its session: id, time, type, text,
/// references, model, thoughts, tool calls, tokens, contents and unknown fields are the same. What
/// depends on the other messages may differ: role, state and why it was superseded, journal, copies
/// and, if it has copies, revisions; and it has no trace. `None` if the bytes are not records of
/// messages.
///
/// ```
/// use gemtrail_core::{Detail, SourceJournal, Sources, read, read_message};
///
/// let bytes = br#"{"sessionId":"s1","projectHash":"h"}
/// {"id":"m1","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"read_file"}]}
/// {"id":"m1","type":"gemini","content":"It is empty."}
/// "#;
/// let log = read(bytes, Detail::Full);
/// let journal = SourceJournal { path: "session.jsonl".into(), bytes: bytes.len() as u64, sha256: None, log, earlier: false };
/// let session = Sources::single(journal).assemble();
///
/// let message = &session.messages[0];
/// let records: Vec<&[u8]> = message.trace.spans().iter().filter_map(|span| span.of(bytes)).collect();
/// assert_eq!(records.len(), 2);
/// let again = read_message(&records).expect("the records of a message");
/// assert_eq!(again.text, "It is empty.");
/// assert_eq!(again.tool_calls, message.tool_calls);
/// ```
pub fn read_message(records: &[impl AsRef<[u8]>]) -> Option<Message> {
    let mut replay = Replay::new(Detail::Full);
    for record in records {
        let text = std::str::from_utf8(record.as_ref()).ok()?;
        let mut cursor = Cursor::new(text);
        let message = record::message(&mut cursor).ok()?.ok()?;
        if message.id.is_none() || !cursor.at_end() {
            return None;
        }
        replay.message(&message, 1);
    }
    let log = replay.finish();
    let id = log.timeline().next()?.to_owned();
    let journal = SourceJournal {
        path: String::new(),
        bytes: 0,
        sha256: None,
        earlier: false,
        log,
    };
    let session = Sources::single(journal).assemble();
    let mut message = session.messages.into_iter().next()?;
    message.journal = None;
    // Its answers are folded into it and hidden; any other message here is the wrong one.
    (message.id.as_str() == id).then_some(message)
}
