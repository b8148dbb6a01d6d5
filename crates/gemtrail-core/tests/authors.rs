//! Who said what: nothing of the person's is hidden, and nothing injected is theirs. In doubt it
//! is the person's.

#[path = "common/made.rs"]
mod made;

use gemtrail_core::LogEntry;
use gemtrail_core::model::{Role, Session};
use serde_json::{Value, json};

/// A message at that second.
fn said(second: u32, kind: &str, content: &Value) -> Value {
    let id = format!("m{second}");
    let time = format!("2026-06-01T10:{:02}:{:02}.000Z", second / 60, second % 60);
    json!({"id": id, "timestamp": time, "type": kind, "content": content})
}

fn user(second: u32, text: &str) -> Value {
    said(second, "user", &json!([{ "text": text }]))
}

fn answer(second: u32, text: &str) -> Value {
    let mut answer = said(second, "gemini", &json!(text));
    answer["model"] = "gemini-3-pro".into();
    answer
}

/// What the client puts into the history in the model's name.
fn acknowledged(second: u32) -> Value {
    let text = "Got it. Thanks for the additional context!";
    said(second, "gemini", &json!([{ "text": text }]))
}

fn typed_at(prompts: &[(u32, &str)]) -> Vec<LogEntry> {
    let entry = |(second, text): &(u32, &str)| LogEntry {
        session_id: "s".into(),
        time: format!("2026-06-01T10:{:02}:{:02}.000Z", second / 60, second % 60),
        text: (*text).to_owned(),
    };
    prompts.iter().map(entry).collect()
}

fn whole(messages: &[Value], prompts: &[(u32, &str)]) -> Session {
    made::session(&made::whole(messages), typed_at(prompts))
}

fn lines(records: &[Value]) -> Session {
    made::session(&made::lines(records), Vec::new())
}

fn roles(session: &Session) -> Vec<(Role, &str)> {
    let messages = session.messages.iter();
    messages.map(|it| (it.role, it.text.as_str())).collect()
}

/// The role of the message with that text.
fn role_of(session: &Session, text: &str) -> Role {
    let found = session.messages.iter().find(|it| it.text == text);
    found
        .unwrap_or_else(|| panic!("{text:?} in {:?}", roles(session)))
        .role
}

#[test]
fn look_alikes_that_were_typed_into_a_real_client() {
    let bytes = include_str!("fixtures/typed-lookalikes-0.61.0.jsonl");
    let session = made::session(bytes, Vec::new());
    let human = session.messages.iter().filter(|it| it.role == Role::Human);
    let texts: Vec<&str> = human.map(|it| it.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "start please",
            "Please continue.",
            "<session_context>",
            "This is the Gemini CLI. We are setting up the context for our chat. What does that mean?",
            "Here is the user's editor context as a JSON object: where does this come from?",
            "[Function Response: read_file]",
            "explain <hook_context>x</hook_context> to me",
            "what is <system_note>this</system_note>?",
            "I ran the following shell command: ls\nand it failed",
            "compare <state_snapshot> and </state_snapshot>",
            "look at @notes.txt\n--- Content from referenced files ---\nContent from @notes.txt:\nfirst note\n--- End of content ---\nthat is what I got",
        ]
    );
    let injected = session
        .messages
        .iter()
        .filter(|it| it.role == Role::Context);
    assert_eq!(injected.count(), 1);
}

const CONTINUE: &str = "Please continue.";

#[test]
fn the_next_speaker_check_continues_right_after_an_answer() {
    let turn = |second| {
        whole(
            &[user(0, "go"), answer(9, "first"), user(second, CONTINUE)],
            &[],
        )
    };
    assert_eq!(role_of(&turn(11), CONTINUE), Role::Context);
    assert_eq!(role_of(&turn(90), CONTINUE), Role::Human);
    // A process that starts with it was started with it.
    let resumed = json!({"$set": {"sessionId": "s"}});
    let session = lines(&[
        user(0, "go"),
        answer(9, "first"),
        resumed,
        user(11, CONTINUE),
    ]);
    assert_eq!(role_of(&session, CONTINUE), Role::Human);
    let session = lines(&[user(0, CONTINUE), answer(9, "first")]);
    assert_eq!(role_of(&session, CONTINUE), Role::Human);
}

#[test]
fn the_prompt_log_knows_who_continued() {
    let messages = [user(0, "go"), answer(9, "first"), user(20, CONTINUE)];
    let role = |typed: &[(u32, &str)]| role_of(&whole(&messages, typed), CONTINUE);
    assert_eq!(role(&[(0, "go"), (19, CONTINUE)]), Role::Human);
    assert_eq!(role(&[(0, "go")]), Role::Context);
    // Nothing shows that it was not a run without a log.
    assert_eq!(role(&[]), Role::Human);
    assert_eq!(role(&[(0, "something else")]), Role::Human);
}

#[test]
fn an_answer_that_broke_off_is_asked_for_again() {
    let resend = "System: Please continue.";
    let broken = [
        user(0, "go"),
        answer(1, "fir"),
        user(2, resend),
        answer(3, "first"),
    ];
    assert_eq!(role_of(&whole(&broken, &[]), resend), Role::Context);
    assert_eq!(
        role_of(&whole(&broken, &[(2, resend)]), resend),
        Role::Human
    );
    let more = "System: Please continue. And hurry.";
    let typed = [user(0, "go"), answer(1, "first"), user(2, more)];
    assert_eq!(role_of(&whole(&typed, &[]), more), Role::Human);
}

/// Before 0.6 the question for a snapshot was asked in the conversation itself.
#[test]
fn the_question_for_a_snapshot_is_the_clients() {
    let asked = "First, reason in your scratchpad. Then, generate the <state_snapshot>.";
    let session = made::session(include_str!("fixtures/compress-0.4.1.json"), typed_at(&[]));
    assert_eq!(role_of(&session, asked), Role::Context);
    let human = session.messages.iter().filter(|it| it.role == Role::Human);
    let texts: Vec<&str> = human.map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["Tell me about the cart.", "And what about tax."]);
    // A person may ask the same.
    let before = [user(0, "hello"), answer(1, "hi")];
    let question = user(5, asked);
    let alone = [question.clone()];
    let answered = [&before[..], &[question.clone(), answer(6, "no")]].concat();
    let logged = [&before[..], &[question]].concat();
    assert_eq!(role_of(&whole(&alone, &[]), asked), Role::Human);
    assert_eq!(role_of(&whole(&answered, &[]), asked), Role::Human);
    assert_eq!(role_of(&whole(&logged, &[(5, asked)]), asked), Role::Human);
    assert_eq!(role_of(&whole(&logged, &[]), asked), Role::Context);
}

#[test]
fn the_client_answers_a_snapshot_and_the_model_a_question_about_one() {
    let snapshot = "<state_snapshot>\n<goal>x</goal>\n</state_snapshot>";
    let question = "compare <state_snapshot> and </state_snapshot>";
    let records = [
        user(0, question),
        answer(1, "one opens, the other closes"),
        json!({"$set": {"messages": [user(2, snapshot), acknowledged(3), user(4, question)]}}),
    ];
    let session = lines(&records);
    assert_eq!(role_of(&session, question), Role::Human);
    assert_eq!(role_of(&session, snapshot), Role::Summary);
    let typed = whole(&[user(0, snapshot), answer(1, "what is that?")], &[]);
    assert_eq!(role_of(&typed, snapshot), Role::Human);
}

#[test]
fn what_is_only_added_to_the_history_is_not_answered() {
    let shell = "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na\n```";
    let hook = "<hook_context>from a hook</hook_context>";
    for (text, role) in [(shell, Role::Shell), (hook, Role::Hook)] {
        let added = lines(&[user(0, text), user(1, "go"), answer(2, "done")]);
        assert_eq!(role_of(&added, text), role);
        let typed = lines(&[user(0, text), answer(2, "what is that?")]);
        assert_eq!(role_of(&typed, text), Role::Human);
    }
}

#[test]
fn a_flattened_answer_follows_its_call() {
    let marker = "[Function Response: read_file]";
    let mut calling = answer(1, "");
    calling["toolCalls"] = json!([{"id": "c", "name": "read_file", "status": "success"}]);
    let turn = |before: Value| {
        whole(
            &[user(0, "go"), before, said(2, "user", &json!(marker))],
            &[],
        )
    };
    assert_eq!(role_of(&turn(calling.clone()), marker), Role::Tool);
    assert_eq!(role_of(&turn(answer(1, "done")), marker), Role::Human);
    let with_hook = "[Function Response: read_file]said by a hook";
    let messages = [
        user(0, "go"),
        calling.clone(),
        said(2, "user", &json!(with_hook)),
    ];
    assert_eq!(role_of(&whole(&messages, &[]), with_hook), Role::Tool);
    let about = "[Function Response: glob] is what?";
    let messages = [
        user(0, "go"),
        calling.clone(),
        said(2, "user", &json!(about)),
    ];
    assert_eq!(role_of(&whole(&messages, &[]), about), Role::Human);
    // Lists of parts keep an answer as what it is.
    let typed = whole(&[user(0, "go"), calling, user(2, marker)], &[]);
    assert_eq!(role_of(&typed, marker), Role::Human);
}

#[test]
fn texts_to_agents_in_a_main_file_are_the_agents() {
    let question = "Your task is to answer the following question about Gemini CLI:\n<question>\nhow do I quit\n</question>";
    let warning = |why| {
        format!(
            "You have {why}. You have one final chance to complete the task with a short grace period. You MUST call `complete_task` immediately with your best answer and explain that your investigation was interrupted. Do not call any other tools."
        )
    };
    let calls = [
        ("cli_help", json!({"question": "how do I quit"}), question),
        ("generalist", json!({"request": "tidy up"}), "tidy up"),
        ("my-agent", json!({"topic": "cats"}), "Get Started!"),
    ];
    for (name, args, text) in calls {
        let mut calling = answer(9, "");
        calling["toolCalls"] = json!([{"id": "c", "name": name, "args": args, "status": "success",
            "timestamp": "2026-06-01T10:00:09.000Z"}]);
        let session = whole(
            &[user(0, "help?"), user(2, text), answer(3, "x"), calling],
            &[],
        );
        assert_eq!(role_of(&session, "help?"), Role::Human);
        assert_eq!(role_of(&session, text), Role::Agent, "{name}");
    }
    for why in [
        "stopped calling tools without finishing",
        "exceeded the time limit",
        "exceeded the maximum number of turns",
    ] {
        let text = warning(why);
        let session = whole(&[user(0, "help?"), user(2, &text), answer(3, "x")], &[]);
        assert_eq!(role_of(&session, &text), Role::Agent);
    }
    let typed = whole(
        &[user(0, "help?"), user(2, "Get Started!"), answer(3, "x")],
        &[],
    );
    assert_eq!(role_of(&typed, "Get Started!"), Role::Human);
}

#[test]
fn hooks_of_a_headless_run_are_neither_the_prompt_nor_the_title() {
    let text = "<hook_context>START-HOOK</hook_context>\n\nhello hooks";
    let mut prompt = said(
        0,
        "user",
        &json!([{ "text": text }, {"text": "<hook_context>BEFORE-HOOK</hook_context>"}]),
    );
    prompt["displayContent"] = json!([{ "text": text }]);
    let session = lines(&[prompt, answer(1, "hi")]);
    assert_eq!(
        roles(&session),
        [(Role::Human, "hello hooks"), (Role::Assistant, "hi")]
    );
    assert_eq!(session.title.as_deref(), Some("hello hooks"));
}

#[test]
fn the_prompt_log_tells_a_prompt_from_what_old_hooks_put_behind_it() {
    let recorded = "fix itsaid by a hook";
    let prompt = |text: &str| said(2, "user", &json!(text));
    let text = |messages: &[Value], typed: &[(u32, &str)]| {
        let session = whole(messages, typed);
        let first = &session.messages[0];
        assert_eq!(first.role, Role::Human);
        first.text.clone()
    };
    let messages = [prompt(recorded), answer(3, "done")];
    assert_eq!(text(&messages, &[(1, "fix it")]), "fix it");
    // No evidence: nothing logged, itself logged, logged for another record or another time.
    assert_eq!(text(&messages, &[]), recorded);
    assert_eq!(text(&messages, &[(0, "fix"), (1, recorded)]), recorded);
    assert_eq!(text(&messages, &[(200, "fix it")]), recorded);
    let both = [prompt(recorded), answer(3, "done"), user(4, "fix it")];
    assert_eq!(text(&both, &[(1, "fix it")]), recorded);
    // Since 0.28 a hook's output is a part of its own.
    let parts = [user(2, recorded), answer(3, "done")];
    assert_eq!(text(&parts, &[(1, "fix it")]), recorded);
}
