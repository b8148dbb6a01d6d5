//! Logs made of real records in any order: no panic, and lists agree with transcripts.
#![no_main]

use arbitrary::Arbitrary;
use gemtrail_core::model::Session;
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Record {
    Header { session: u8 },
    User { id: u8, text: Text },
    Gemini { id: u8, text: Text, tokens: Option<u16>, calls: Vec<(u8, Status)> },
    Answer { id: u8, call: u8 },
    Notice { id: u8 },
    Rewind { id: u8 },
    Resume { session: u8 },
    Checkpoint { messages: Vec<(u8, Text)> },
    Garbage(Vec<u8>),
}

#[derive(Arbitrary, Debug)]
enum Text {
    Hello,
    Context,
    Summary,
    Continue,
    Words(u8),
}

#[derive(Arbitrary, Debug)]
enum Status {
    Success,
    Error,
    Cancelled,
}

impl Text {
    fn json(&self) -> String {
        match self {
            Self::Hello => "hello".to_owned(),
            Self::Context => "<session_context>c</session_context>".to_owned(),
            Self::Summary => "<state_snapshot>s</state_snapshot>".to_owned(),
            Self::Continue => "Please continue.".to_owned(),
            Self::Words(number) => format!("words {}", number % 4),
        }
    }
}

fn line(record: &Record) -> Vec<u8> {
    let text = match record {
        Record::Header { session } => format!(r#"{{"sessionId":"s{session}","projectHash":"h","startTime":"2026-01-01T00:00:00.000Z"}}"#),
        Record::User { id, text } => format!(r#"{{"id":"m{id}","type":"user","content":[{{"text":"{}"}}]}}"#, text.json()),
        Record::Gemini { id, text, tokens, calls } => {
            let tokens = tokens.map_or("null".to_owned(), |total| format!(r#"{{"input":1,"output":1,"total":{total}}}"#));
            let calls: Vec<String> = calls
                .iter()
                .map(|(id, status)| format!(r#"{{"id":"c{id}","name":"read_file","status":"{}"}}"#, format!("{status:?}").to_lowercase()))
                .collect();
            format!(r#"{{"id":"m{id}","type":"gemini","content":"{}","tokens":{tokens},"toolCalls":[{}]}}"#, text.json(), calls.join(","))
        }
        Record::Answer { id, call } => format!(
            r#"{{"id":"m{id}","type":"user","content":[{{"functionResponse":{{"id":"c{call}","name":"read_file","response":{{"output":"o"}}}}}}]}}"#
        ),
        Record::Notice { id } => format!(r#"{{"id":"m{id}","type":"info","content":""}}"#),
        Record::Rewind { id } => format!(r#"{{"$rewindTo":"m{id}"}}"#),
        Record::Resume { session } => format!(r#"{{"$set":{{"sessionId":"s{session}"}}}}"#),
        Record::Checkpoint { messages } => {
            let messages: Vec<String> = messages
                .iter()
                .map(|(id, text)| format!(r#"{{"id":"m{id}","type":"user","content":[{{"text":"{}"}}]}}"#, text.json()))
                .collect();
            format!(r#"{{"$set":{{"messages":[{}]}}}}"#, messages.join(","))
        }
        Record::Garbage(bytes) => return bytes.clone(),
    };
    text.into_bytes()
}

fn session(bytes: &[u8], detail: Detail) -> Session {
    let log = read(bytes, detail);
    let journal = SourceJournal { path: "fuzz.jsonl".into(), bytes: bytes.len() as u64, sha256: None, log, earlier: false };
    Sources::single(journal).assemble()
}

fuzz_target!(|records: Vec<Record>| {
    let bytes = records.iter().map(line).collect::<Vec<_>>().join(&b'\n');
    let (full, counts) = (session(&bytes, Detail::Full), session(&bytes, Detail::Counts));
    assert_eq!(full.counts, counts.counts);
    assert_eq!(full.tokens, counts.tokens);
    assert_eq!(full.title, counts.title);
    let states = |session: &Session| -> Vec<_> { session.messages.iter().map(|m| (m.id.clone(), m.role, m.state)).collect() };
    assert_eq!(states(&full), states(&counts));
    // Reading what was written gives the same session.
    let document = serde_json::to_vec(&full).expect("a session serialises");
    assert_eq!(session(&document, Detail::Full), full);
});
