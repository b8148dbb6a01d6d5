//! Records that are JSON, but not as Gemini CLI writes them.

use gemtrail_core::model::Code;

use super::{Fault, JOURNAL, JOURNAL_PATH, RECORD, RECORD_PATH, plant_lines};
use crate::home::{HASH, NOW, TURN, journal};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        code: Code::DuplicateKey,
        file: JOURNAL_PATH,
        line: Some(2),
        also: &[],
        plant: |home| {
            plant_lines(
                home,
                &[r#"{"id":"u1","type":"user","content":"a","content":"b"}"#],
            );
        },
    },
    Fault {
        code: Code::UnknownRecord,
        file: JOURNAL_PATH,
        line: Some(4),
        also: &[],
        plant: |home| plant_lines(home, &[TURN[0], TURN[1], r#"{"$branch":"b1"}"#]),
    },
    Fault {
        code: Code::UnknownType,
        file: JOURNAL_PATH,
        line: Some(3),
        also: &[],
        plant: |home| {
            plant_lines(
                home,
                &[TURN[0], r#"{"id":"x","type":"oracle","content":"?"}"#],
            );
        },
    },
    Fault {
        code: Code::UnexpectedType,
        file: JOURNAL_PATH,
        line: Some(3),
        also: &[],
        plant: |home| plant_lines(home, &[TURN[0], r#"{"$set":{"summary":["no","text"]}}"#]),
    },
    Fault {
        code: Code::BadNumber,
        file: JOURNAL_PATH,
        line: Some(3),
        also: &[],
        plant: |home| {
            let answer = r#"{"id":"g1","type":"gemini","content":"hi","tokens":{"input":-1}}"#;
            plant_lines(home, &[TURN[0], answer]);
        },
    },
    Fault {
        code: Code::BadTime,
        file: JOURNAL_PATH,
        line: Some(2),
        also: &[],
        plant: |home| {
            let asked = r#"{"id":"u1","timestamp":"yesterday","type":"user","content":"hi"}"#;
            plant_lines(home, &[asked]);
        },
    },
    Fault {
        code: Code::RepeatedId,
        file: RECORD_PATH,
        line: Some(6),
        also: &[],
        plant: |home| {
            let head = format!("{{\n\"sessionId\":\"aaaaaaaa-0000\",\n\"projectHash\":\"{HASH}\",");
            let prompt = r#"{"id":"same","type":"user","content":"who am I?"}"#;
            let answer = r#"{"id":"same","type":"gemini","content":"You are you."}"#;
            let text = format!("{head}\n\"messages\":[\n{prompt},\n{answer}\n]}}");
            home.chat(RECORD, text);
        },
    },
    Fault {
        code: Code::MissingId,
        file: RECORD_PATH,
        line: Some(5),
        also: &[],
        plant: |home| {
            let head = format!("{{\n\"sessionId\":\"aaaaaaaa-0000\",\n\"projectHash\":\"{HASH}\",");
            let messages = r#"{"type":"user","content":"who am I?"}"#;
            let text = format!("{head}\n\"messages\":[\n{messages}\n]}}");
            home.chat(RECORD, text);
        },
    },
    Fault {
        code: Code::MissingSessionId,
        file: JOURNAL_PATH,
        line: None,
        also: &[Code::EndangeredSession],
        plant: |home| home.chat(JOURNAL, TURN.join("\n") + "\n"),
    },
    Fault {
        code: Code::RewindTargetMissing,
        file: JOURNAL_PATH,
        line: Some(4),
        also: &[Code::EndangeredSession],
        plant: |home| plant_lines(home, &[TURN[0], TURN[1], r#"{"$rewindTo":"nobody"}"#]),
    },
    Fault {
        code: Code::ProjectMismatch,
        file: JOURNAL_PATH,
        line: Some(1),
        also: &[],
        plant: |home| {
            let text = journal("aaaaaaaa-0000", NOW, &TURN);
            home.chat(JOURNAL, text.replace(HASH, &"0".repeat(64)));
        },
    },
    Fault {
        code: Code::BadLogEntry,
        file: "tmp/my-app/logs.json",
        line: Some(2),
        also: &[],
        plant: |home| {
            let entry = r#"{"sessionId":"99999999-0000","type":"user","message":"hello"}"#;
            home.put("tmp/my-app/logs.json", format!("[\n  {entry}\n]"));
        },
    },
    Fault {
        code: Code::MissingToolOutput,
        file: JOURNAL_PATH,
        line: Some(3),
        also: &[],
        plant: |home| {
            let path = "/h/tmp/my-app/tool-outputs/session-aaaaaaaa-0000/run_1.txt";
            let output = format!("Output too large. For full output see: {path}");
            let call = format!(
                r#"{{"id":"g1","type":"gemini","content":"","toolCalls":[{{"id":"c1","name":"run_shell_command","status":"success","result":[{{"functionResponse":{{"id":"c1","name":"run_shell_command","response":{{"output":"{output}"}}}}}}]}}]}}"#
            );
            plant_lines(home, &[TURN[0], &call]);
        },
    },
    Fault {
        code: Code::BadSettings,
        file: "settings.json",
        line: Some(2),
        also: &[],
        plant: |home| {
            let text = "{\"general\": {\"sessionRetention\": {\n  \"maxAge\": \"a month\"}}}";
            home.put("settings.json", text);
        },
    },
];
