//! Steps and what they mean, with conversations made by hand.

mod common;

use common::made::{
    ID, MadeStep, answer, create, database, database_with, insert, insert_bytes, proto, step, typed,
};
use common::{Home, conversation_of, read_home, session_of};
use gemtrail_antigravity::{Conversation, ConversationRows, nest};
use gemtrail_core::json::Raw;
use gemtrail_core::model::{
    Aside, CallStatus, Code, Format, Journal, Kind, Message, Origin, PathSource, Role, Session,
    SessionId, SessionSource, Stop, Tokens,
};

fn codes(session: &Session) -> Vec<Code> {
    session.diagnostics.iter().map(|it| it.code).collect()
}

fn outline(session: &Session) -> Vec<(Role, &str)> {
    let messages = session.messages.iter();
    messages.map(|it| (it.role, it.text.as_str())).collect()
}

fn usage(step: MadeStep, counters: &[(u64, u64)], details: Option<u64>) -> MadeStep {
    let mut usage = proto();
    for (field, count) in counters {
        usage = usage.number(*field, *count);
    }
    if let Some(details) = details {
        usage = usage.record(14, &proto().number(1, 1).number(2, details));
    }
    step.metadata(9, &usage)
}

#[test]
fn a_conversation_has_words_calls_and_answers() {
    let command = proto()
        .text(2, "/work/app")
        .text(23, "exit 3")
        .number(6, 3)
        .record(21, &proto().text(1, "no\r\n"));
    let session = session_of(&database(&[
        typed("  run it\n"),
        answer(
            "Running.",
            &[("c1", "run_command", r#"{"CommandLine":"exit 3"}"#)],
        ),
        step(21, 28, &command).of_call("c1"),
        answer("It failed.", &[]),
    ]));
    assert_eq!(session.id.as_str(), ID);
    assert_eq!(session.source, SessionSource::Antigravity);
    assert_eq!(codes(&session), []);
    let said = [
        (Role::Human, "run it"),
        (Role::Assistant, "Running."),
        (Role::Assistant, "It failed."),
    ];
    assert_eq!(outline(&session), said);
    let content = session.messages[0].content.as_ref().map(Raw::text);
    assert_eq!(content, Some(r#"[{"text":"  run it\n"}]"#));
    let time = session.messages[0].time.as_deref();
    assert_eq!(time, Some("2026-11-18T06:41:30.968Z"));
    let call = &session.messages[1].tool_calls[0];
    assert_eq!(call.status, Some(CallStatus::Success));
    assert_eq!(
        (call.exit_code, call.output.as_deref()),
        (Some(3), Some("no\r\n"))
    );
    assert_eq!(
        (call.canonical.as_str(), call.category.as_str()),
        ("shell_exec", "execute")
    );
    assert_eq!(session.counts.tool_failures, 1);
    assert_eq!(session.title.as_deref(), Some("run it"));
    assert_eq!(session.project.path.as_deref(), Some("/work/app"));
    assert_eq!(session.project.path_source, PathSource::Directories);
}

#[test]
fn a_stored_workspace_is_the_project() {
    let metadata = proto()
        .text(7, "file:///work/my%20app")
        .text(7, "file:///work/other");
    let session = session_of(&database_with(&[typed("hi")], |connection| {
        let query = "INSERT INTO trajectory_metadata_blob VALUES ('main', ?1)";
        connection.execute(query, [&metadata.0]).expect("a row");
    }));
    assert_eq!(session.project.path.as_deref(), Some("/work/my app"));
    assert_eq!(session.project.path_source, PathSource::Workspace);
    let hash = session.project.hash.as_deref();
    assert_eq!(hash.map(|hash| &hash[..8]), Some("3612d0c8"));
    assert_eq!(session.directories, ["/work/other"]);
}

/// The rule for counters: a prompt includes the cache, whatever the engine wrote.
#[test]
fn prompts_include_the_cache_or_say_how_much_is_uncertain() {
    let of = |counters: &[(u64, u64)], details| -> (Option<Tokens>, Vec<Code>) {
        let session = session_of(&database(&[usage(answer("x", &[]), counters, details)]));
        (session.messages[0].tokens, codes(&session))
    };
    let tokens = |input, cached, uncertain| {
        Some(Tokens {
            input,
            output: 20,
            cached,
            thoughts: 5,
            tool: 0,
            total: input + 25,
            uncertain,
        })
    };
    let rest = [(3, 25), (9, 5), (10, 20)];
    let with = |input, cached| [&[(2, input), (5, cached)][..], &rest].concat();
    assert_eq!(
        of(&with(234, 1000), Some(1234)),
        (tokens(1234, 1000, 0), vec![])
    );
    assert_eq!(
        of(&with(500, 500), Some(1000)),
        (tokens(1000, 500, 0), vec![])
    );
    assert_eq!(of(&with(234, 1000), None), (tokens(1234, 1000, 0), vec![]));
    assert_eq!(
        of(&with(1234, 1000), None),
        (tokens(1234, 1000, 1000), vec![])
    );
    assert_eq!(of(&with(1234, 0), None), (tokens(1234, 0, 0), vec![]));
    assert_eq!(of(&[], None), (None, vec![]));
    assert_eq!(of(&with(234, 1000), Some(9)).1, [Code::OddTokens]);
    assert_eq!(of(&[(2, 1), (3, 9), (10, 2)], None).1, [Code::OddTokens]);
    let (huge, _) = of(&[(2, u64::MAX), (3, u64::MAX), (5, 7)], None);
    assert_eq!(huge.map(|it| it.total), Some(u64::MAX));
}

#[test]
fn what_a_fork_copied_counts_elsewhere() {
    let counters = [(2, 10), (3, 5), (10, 5)];
    let steps = [
        typed("old").from("the-original"),
        usage(answer("older", &[]), &counters, None).from("the-original"),
        typed("new").from(ID),
        usage(answer("newer", &[]), &counters, None).from(ID),
    ];
    let session = session_of(&database(&steps));
    let copied: Vec<Option<&str>> = session
        .messages
        .iter()
        .map(|it| it.copied_from.as_ref().map(|from| from.session.as_str()))
        .collect();
    let from = Some("the-original");
    assert_eq!(copied, [from, from, None, None]);
    assert_eq!(session.messages[1].tokens, None);
    assert_eq!(session.tokens.total, 15);
    let json = serde_json::to_string(&session).expect("JSON");
    assert!(json.contains(r#""copied_from":{"session":"the-original"}"#));
    assert!(json.contains(r#""source":"antigravity""#));
}

#[test]
fn the_ends_of_calls() {
    let calls = ["a", "b", "c", "d", "e", "f"].map(|id| (id, "run_command", "{}"));
    let error = proto()
        .text(1, "no")
        .text(2, "denied: no")
        .text(3, "denied: no\ntrace");
    let output = proto().record(21, &proto().text(1, "so far"));
    let session = session_of(&database(&[
        answer("", &calls),
        step(21, 28, &output).of_call("a").status(6),
        step(21, 28, &output).of_call("b").status(2),
        step(21, 28, &proto())
            .of_call("c")
            .status(7)
            .with(31, &error),
        step(17, 24, &proto().record(3, &error)).of_call("d"),
        step(21, 28, &proto().number(14, 1)).of_call("e"),
    ]));
    let calls = &session.messages[0].tool_calls;
    let ends: Vec<_> = calls.iter().map(|it| it.status.clone()).collect();
    let (cancelled, failed) = (Some(CallStatus::Cancelled), Some(CallStatus::Error));
    let expected = [
        cancelled,
        None,
        failed.clone(),
        failed.clone(),
        failed,
        None,
    ];
    assert_eq!(ends, expected);
    assert_eq!(calls[0].output.as_deref(), Some("so far"));
    assert_eq!(
        (calls[1].output.as_deref(), &calls[1].result),
        (Some("so far"), &None)
    );
    assert_eq!(calls[3].error.as_deref(), Some("denied: no"));
    assert!(calls[3].extra.get("full_error").is_some());
    assert!(
        calls
            .iter()
            .all(|it| it.error.is_some() == (it.status == Some(CallStatus::Error)))
    );
    assert_eq!(codes(&session), [Code::UnfinishedStep]);
    assert_eq!(
        (session.counts.messages, session.counts.tool_errors),
        (1, 3)
    );
}

#[test]
fn edits_have_the_text_before_and_after() {
    let line = |text: &str, kind| proto().text(1, text).number(2, kind);
    let mut lines = proto();
    for (text, kind) in [("a", 2), ("b", 1), ("c", 3), ("", 3)] {
        lines = lines.record(3, &line(text, kind));
    }
    let place = "file:///work/app/x.py";
    let edit = proto()
        .record(2, &proto().number(2, 3).record(3, &lines))
        .text(8, place);
    let action = proto().record(2, &proto().record(1, &edit));
    let created = proto().record(2, &proto().text(1, "new\n"));
    let lines = proto().record(3, &line("new", 1)).record(3, &line("", 1));
    let edit = proto()
        .record(2, &proto().record(3, &lines))
        .text(8, place)
        .number(11, 1);
    let create = proto()
        .record(1, &created)
        .record(2, &proto().record(1, &edit));
    let calls = [
        ("c1", "replace_file_content", "{}"),
        ("c2", "write_to_file", "{}"),
    ];
    let session = session_of(&database(&[
        answer("", &calls),
        step(5, 10, &action).of_call("c1"),
        step(5, 10, &create).of_call("c2"),
    ]));
    let shown = |at: usize, name: &str| {
        let display = session.messages[0].tool_calls[at].display.as_ref()?;
        Some(display.node().get(name)?.as_str()?.into_owned())
    };
    assert_eq!(shown(0, "originalContent").as_deref(), Some("a\nc\n"));
    assert_eq!(shown(0, "newContent").as_deref(), Some("b\nc\n"));
    assert_eq!(shown(0, "filePath").as_deref(), Some("/work/app/x.py"));
    let diff = "--- x.py\n+++ x.py\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n";
    assert_eq!(shown(0, "fileDiff").as_deref(), Some(diff));
    assert_eq!(shown(1, "originalContent").as_deref(), Some(""));
    assert_eq!(shown(1, "newContent").as_deref(), Some("new\n"));
    let diff = "--- x.py\n+++ x.py\n@@ -0,0 +1,1 @@\n+new\n";
    assert_eq!(shown(1, "fileDiff").as_deref(), Some(diff));
}

#[test]
fn a_cut_off_answer_says_so_and_a_refused_one_is_none() {
    let said = |reason| step(15, 20, &proto().text(1, "Once").number(12, reason));
    let void = |reason| step(15, 20, &proto().number(12, reason));
    let end = proto().number(1, 2).number(3, 2);
    let steps = [typed("a"), said(16), said(0), void(18), void(16), said(2)];
    let session = session_of(&database_with(&steps, |connection| {
        let query = "INSERT INTO executor_metadata VALUES (0, ?1)";
        connection.execute(query, [&end.0]).expect("a row");
    }));
    let reasons: Vec<Option<Stop>> = session.messages.iter().map(|it| it.stop).collect();
    let cut = Some(Stop::Cancelled);
    assert_eq!(reasons, [None, cut, cut, None]);
}

#[test]
fn notices_checkpoints_questions_and_errors() {
    let sent = proto()
        .text(3, "automated_trigger")
        .text(4, "The build finished.");
    let notice = proto().text(1, "[Message] …").record(4, &sent);
    let options = [("1", "Red"), ("2", "Blue")].map(|(id, text)| proto().text(1, id).text(2, text));
    let question = proto()
        .text(1, "Which?")
        .record(2, &options[0])
        .record(2, &options[1])
        .text(4, "2")
        .text(5, "a dark one");
    let checkpoint = proto().text(5, "So far.").number(12, 4).text(10, "Colours");
    let session = session_of(&database(&[
        typed("ask"),
        step(101, 114, &notice),
        answer("", &[("q", "ask_question", "{}")]),
        step(138, 154, &proto().record(1, &question)).of_call("q"),
        usage(step(23, 30, &checkpoint), &[(2, 7), (3, 1), (10, 1)], None),
        step(17, 24, &proto().record(3, &proto().text(2, "Error 503"))),
    ]));
    let said = [
        (Role::Human, "ask"),
        (Role::Context, "The build finished."),
        (Role::Assistant, ""),
        (Role::Summary, "So far."),
        (Role::Error, "Error 503"),
    ];
    assert_eq!(outline(&session), said);
    let output = session.messages[2].tool_calls[0].output.as_deref();
    assert_eq!(output, Some("Blue, a dark one"));
    assert_eq!(session.title.as_deref(), Some("Colours"));
    assert_eq!(session.tokens.total, 8);
    assert!(session.messages.iter().all(Message::is_current));
}

#[test]
fn pictures_are_in_the_content() {
    let media = proto().text(1, "image/png").bytes(2, &[0xff, 0, 1]);
    let input = proto().text(2, "What is it?").record(9, &media);
    let session = session_of(&database(&[step(14, 19, &input)]));
    let content = session.messages[0].content.as_ref().map(Raw::text);
    let expected =
        r#"[{"text":"What is it?"},{"inlineData":{"mimeType":"image/png","data":"/wAB"}}]"#;
    assert_eq!(content, Some(expected));
}

#[test]
fn unknown_and_damaged_steps_keep_their_bytes() {
    let unknown = step(999, 500, &proto().text(1, "new")).of_call("c1");
    let image = database_with(
        &[answer("", &[("c1", "new_tool", "{}")]), unknown],
        |connection| {
            insert_bytes(connection, 2, 14, 3, b"\x08\x0e\x9a\x01\x7fcut");
            insert(connection, 5, &typed("later"));
            insert_bytes(connection, 6, 15, 3, &proto().number(1, 14).number(4, 3).0);
        },
    );
    let session = session_of(&image);
    let roles: Vec<Role> = session.messages.iter().map(|it| it.role).collect();
    let expected = [
        Role::Assistant,
        Role::Unknown,
        Role::Unknown,
        Role::Human,
        Role::Human,
    ];
    assert_eq!(roles, expected);
    let call = &session.messages[0].tool_calls[0];
    assert_eq!(call.status, Some(CallStatus::Success));
    let payload = session.messages[2].extra.get("payload").map(Raw::text);
    assert_eq!(payload, Some("\"CA6aAX9jdXQ=\""));
    assert!(session.messages[1].extra.get("payload").is_some());
    let expected = [
        Code::UnknownType,
        Code::DamagedStep,
        Code::MissingSteps,
        Code::StepMismatch,
    ];
    assert_eq!(codes(&session), expected);
}

#[test]
fn prompts_and_configuration_stay_where_they_are() {
    let chat = proto().text(1, "SECRET PROMPT").text(19, "some-model");
    let request = proto()
        .record(1, &chat)
        .bytes(2, &[0])
        .text(9, "SECRET PROMPT");
    let session = session_of(&database_with(&[answer("x", &[])], |connection| {
        let query = "INSERT INTO gen_metadata VALUES (0, ?1, 1)";
        connection.execute(query, [&request.0]).expect("a row");
    }));
    assert_eq!(session.models, ["some-model"]);
    let json = serde_json::to_string(&session).expect("JSON");
    assert!(!json.contains("SECRET"));
}

#[test]
fn another_schema_is_read_with_a_finding() {
    let image = database_with(&[typed("hi")], |connection| {
        let change = "ALTER TABLE steps ADD COLUMN more integer";
        connection.execute_batch(change).expect("a change");
    });
    let session = session_of(&image);
    assert_eq!(codes(&session), [Code::UnknownSchema]);
    assert_eq!(outline(&session), [(Role::Human, "hi")]);
}

#[test]
fn subagents_are_nested_and_nobody_typed_in_them() {
    let home = Home::empty();
    let app = home.dot_gemini().join("antigravity");
    let started = proto().record(10, &proto().text(1, "child"));
    let connection = create(&app.join(format!("conversations/{ID}.db")));
    let calls = [("s", "invoke_subagent", "{}")];
    for (index, step) in (0..).zip([
        typed("delegate"),
        answer("", &calls),
        step(127, 143, &started).of_call("s"),
    ]) {
        insert(&connection, index, &step);
    }
    drop(connection);
    let logs = app.join("brain/child/.system_generated/logs");
    std::fs::create_dir_all(&logs).expect("a directory");
    let lines = concat!(
        r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-11-18T06:41:43Z","content":"<USER_REQUEST>\ncount\n</USER_REQUEST>"}"#,
        "\nnot JSON\n",
        r#"{"step_index":2,"source":"MODEL","type":"RUN_COMMAND","status":"DONE","exit_code":1,"created_at":"2026-11-18T06:41:44Z","content":"no"}"#,
        "\n",
        r#"{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-11-18T06:41:43Z","input_tokens":5,"cache_read_tokens":0,"output_tokens":2,"content":"One.","new":1,"tool_calls":[{"name":"run_command","args":{"CommandLine":"false","Cwd":"/work"}}]}"#,
    );
    std::fs::write(logs.join("transcript_full.jsonl"), lines).expect("a file");
    let sealed = app.join("conversations/old.pb");
    std::fs::write(sealed, [0xff; 9]).expect("a file");
    let before = home.fingerprint();
    let sessions = read_home(&home.dot_gemini());
    assert!(before == home.fingerprint());
    let [main, sealed] = sessions.as_slice() else {
        panic!("{sessions:?}")
    };
    assert_eq!((sealed.kind, sealed.id.as_str()), (Kind::Sealed, "old"));
    assert_eq!(sealed.journals[0].bytes, 9);
    assert_eq!(
        main.messages[1].tool_calls[0].agent.as_deref(),
        Some("child")
    );
    let [child] = main.subagents.as_slice() else {
        panic!("{main:?}")
    };
    assert_eq!(
        (child.kind, child.title.as_deref()),
        (Kind::Subagent, Some("count"))
    );
    assert_eq!(child.parent.as_ref().map(SessionId::as_str), Some(ID));
    assert_eq!(
        outline(child),
        [(Role::Agent, "count"), (Role::Assistant, "One.")]
    );
    let call = &child.messages[1].tool_calls[0];
    assert_eq!(
        (call.exit_code, call.output.as_deref()),
        (Some(1), Some("no"))
    );
    assert_eq!(child.tokens.total, 7);
    assert!(child.messages[1].extra.get("new").is_some());
    assert_eq!(codes(child), [Code::BadJson]);
}

#[test]
fn conversations_that_claim_each_other_stay_apart() {
    let rows = |id: &str, agent: &str| {
        let started = proto().record(10, &proto().text(1, agent));
        let image = database(&[
            answer("", &[("s", "invoke_subagent", "{}")]),
            step(127, 143, &started).of_call("s"),
        ]);
        let mut rows = ConversationRows::from_database(&image).expect("rows");
        rows.id = Some(id.to_owned());
        conversation_of(&rows)
    };
    let claims = [
        ("a", "b"),
        ("b", "a"),
        ("c", "c"),
        ("d", "e"),
        ("e", "f"),
        ("f", "x"),
    ];
    let sessions = nest(claims.map(|(id, agent)| rows(id, agent)).to_vec());
    let ids: Vec<&str> = sessions.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    let below: Vec<usize> = sessions.iter().map(|it| it.subagents.len()).collect();
    assert_eq!(below, [0, 0, 0, 1]);
    let last = &sessions[3].subagents[0].subagents[0];
    assert_eq!((last.id.as_str(), last.kind), ("f", Kind::Subagent));
    let one = rows("a", "b");
    let chain = (0..200).map(|at| {
        let mut it = one.clone();
        it.session.id = SessionId::new(format!("n{at}"));
        it.agents = vec![SessionId::new(format!("n{}", at + 1))];
        it
    });
    let sessions = nest(chain.collect());
    assert_eq!(sessions.len(), 200 - 32);
    let agent = &sessions[0].subagents[0].subagents[0];
    let parent = &sessions[0].subagents[0];
    assert_eq!(agent.parent_ref, Some(parent.reference));
    let twice = nest(vec![one.clone(), one]);
    assert_eq!(twice.len(), 2);
}

#[test]
fn compressed_conversations_are_read() {
    let steps = [typed("hi"), answer("Hello.", &[])];
    let image = database(&steps);
    let rows = ConversationRows::from_database(&image).expect("rows");
    let mut trajectory = proto().text(1, "t").text(6, ID);
    for step in &rows.steps {
        trajectory = trajectory.bytes(2, &step.payload);
    }
    let packed = zstd::encode_all(trajectory.0.as_slice(), 1).expect("bytes");
    let unpacked = ConversationRows::from_trajectory(&packed).expect("rows");
    let (old, new) = (conversation_of(&unpacked), conversation_of(&rows));
    assert_eq!(old.session.messages, new.session.messages);
    assert_eq!(old.session.id, new.session.id);
    assert!(ConversationRows::from_trajectory(b"no").is_err());
    let journal = Journal {
        path: "antigravity/implicit/x.pb".to_owned(),
        format: Format::Sealed,
        bytes: 1,
        sha256: None,
        clean_up: Aside(None),
    };
    let sealed = Conversation::sealed(journal, Origin::default());
    assert_eq!(sealed.session.stems, ["x"]);
}
