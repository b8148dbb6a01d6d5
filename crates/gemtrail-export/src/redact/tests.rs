//! Redaction of texts and sessions.

use proptest::prelude::*;

use gemtrail_core::model::{Reference, Role, Session, Thought};
use gemtrail_testkit::secrets::{Dice, planted};

use super::{Paths, Redactor, Replacement, hide_paths, outline, redact_session};
use crate::test_support::{answered, assistant, calling, human, notice, raw, session};

fn redactor() -> Redactor {
    Redactor::new(Vec::new()).expect("the tables are right")
}

fn secret(seed: u64, description: &str) -> String {
    Dice::new(seed).fill(description)
}

fn as_json(session: &Session) -> String {
    serde_json::to_string(session).expect("a session has a JSON form")
}

#[test]
fn the_same_secret_gets_the_same_placeholder() {
    let (one, two) = (secret(1, "ghp_{a36}"), secret(2, "ghp_{a36}"));
    let mut redactor = redactor();
    let text = format!("{one} {two} {one}");
    assert_eq!(
        redactor.text(&text),
        "[redacted:github-token:1] [redacted:github-token:2] [redacted:github-token:1]"
    );
    assert_eq!(redactor.text(&two), "[redacted:github-token:2]");
    assert_eq!(redactor.secrets_by_rule(), [("github-token", 2)]);
}

#[test]
fn text_without_secrets_is_not_copied() {
    let mut redactor = redactor();
    let text = "const token = await getToken(); // 50 tokens, key: value, https://a/b:c@d";
    assert!(matches!(redactor.text(text), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn structure_stays_and_every_field_is_redacted() {
    let token = secret(7, "ghp_{a36}");
    let mut prompt = human(&format!("use {token}"));
    prompt.references.push(Reference {
        path: Some("a.txt".to_owned()),
        text: token.clone(),
        mime: None,
    });
    let mut answer = calling(
        assistant(&token),
        [answered(
            "write_file",
            &format!(r#"{{"file_path":"a","{token}":["{token}",1.50]}}"#),
            &token,
        )],
    );
    answer.thoughts.push(Thought {
        subject: token.clone(),
        text: token.clone(),
        time: None,
        extra: serde_json::from_str(&format!(r#"{{"x":"{token}"}}"#)).expect("JSON"),
    });
    answer.tool_calls[0].display = Some(raw(&format!(r#"{{"fileDiff":"+{token}"}}"#)));
    let mut session = session([prompt, answer, notice(Role::Error, &token)]);
    session.summary = Some(token.clone());
    session.logged.push(gemtrail_core::model::Logged {
        time: None,
        text: token.clone(),
    });
    let mut redactor = redactor();
    let redacted = redact_session(&session, &mut redactor);
    let json = as_json(&redacted);
    assert!(!json.contains(&token), "{json}");
    assert_eq!(redactor.secrets(), 1);
    assert_eq!(
        json.replace("[redacted:github-token:1]", &token),
        as_json(&session)
    );
    let text: Vec<&Replacement> = redactor
        .report()
        .lines()
        .iter()
        .filter(|line| line.field == "text")
        .collect();
    assert_eq!(text.len(), 3);
    assert_eq!((text[0].count, text[0].rule.as_str()), (1, "github-token"));
}

#[test]
fn a_members_name_tells_that_its_value_is_a_secret() {
    let password = secret(9, "{p16}");
    let session = session([calling(
        assistant("Done."),
        [answered(
            "mcp_db_connect",
            &format!(r#"{{"user":"shop","password":"{password}"}}"#),
            "ok",
        )],
    )]);
    let redacted = redact_session(&session, &mut redactor());
    let args = redacted.messages[0].tool_calls[0]
        .args
        .as_ref()
        .expect("arguments");
    assert_eq!(
        args.text(),
        r#"{"user":"shop","password":"[redacted:secret:1]"}"#
    );
}

#[test]
fn a_secret_is_one_everywhere_once_it_is_known() {
    let password = secret(11, "{a14}");
    let session = session([
        human(&format!("Is x{password}y the same?")),
        human(&format!("DB_PASSWORD={password}")),
    ]);
    let redacted = redact_session(&session, &mut redactor());
    assert_eq!(
        redacted.messages[0].text,
        "Is x[redacted:secret:1]y the same?"
    );
}

#[test]
fn a_title_that_ends_inside_a_secret_gives_nothing_away() {
    let token = secret(13, "ghp_{a36}");
    let mut session = session([human(&format!("{} {token}", "word ".repeat(37)))]);
    session.title = gemtrail_core::title_of(&session);
    let cut = &token[..10];
    assert!(
        session
            .title
            .as_deref()
            .is_some_and(|title| title.contains(cut))
    );
    let redacted = redact_session(&session, &mut redactor());
    assert!(!as_json(&redacted).contains(cut));
}

#[test]
fn the_last_look_finds_what_was_left() {
    let mut redactor = redactor();
    let (token, password) = (secret(15, "ghp_{a36}"), secret(15, "{a12}\\x{a6}"));
    let clean = redact_session(
        &session([human(&format!("password=\"{password}\""))]),
        &mut redactor,
    );
    assert!(redactor.check(as_json(&clean).as_bytes()).is_ok());
    let left = redactor
        .check(format!("… {token} …").as_bytes())
        .expect_err("a token");
    assert_eq!(left.rules, ["github-token"]);
    assert!(!left.to_string().contains(&token));
    let quoted = serde_json::to_string(&format!("see {password}")).expect("text");
    assert!(redactor.check(quoted.as_bytes()).is_err());
}

#[test]
fn nothing_that_is_printed_for_debugging_holds_a_secret() {
    let token = secret(17, "ghp_{a36}");
    let mut redactor = redactor();
    redact_session(&session([human(&token)]), &mut redactor);
    assert!(!format!("{redactor:?}").contains(&token));
}

#[test]
fn an_outline_has_no_words() {
    let session = session([
        human("Buy fresh figs"),
        calling(
            assistant("Bought figs."),
            [answered(
                "run_shell_command",
                r#"{"command":"buy figs","n":2}"#,
                "figs",
            )],
        ),
    ]);
    let outlined = outline(&session);
    let json = as_json(&outlined);
    assert!(!json.to_lowercase().contains("figs"), "{json}");
    assert!(json.contains("[14 characters]"));
    assert!(
        json.contains(r#""args":{"command":"[8 characters]","n":2}"#),
        "{json}"
    );
    assert_eq!(outlined.messages[1].tool_calls[0].name, "run_shell_command");
    assert_eq!(outlined.counts, session.counts);
    assert_eq!(outline(&outlined), outlined);
}

#[test]
fn paths_are_hidden_only_when_asked_for() {
    let mut session = session([human("cat /home/alice/notes: alice's notes")]);
    session.project.path = Some("/home/alice/shop".to_owned());
    let kept = redact_session(&session, &mut redactor());
    assert_eq!(kept, session);
    let hidden = hide_paths(&session, &Paths::new());
    assert_eq!(hidden.messages[0].text, "cat ~/notes: [user]'s notes");
    assert_eq!(hidden.project.path.as_deref(), Some("~/shop"));
}

fn pieces() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = planted().into_iter().map(|one| one.text).collect();
    prop_oneof![
        3 => proptest::sample::select(secrets),
        2 => "[ -~]{0,12}",
        1 => "(password|token|secret)[:=]\"?[a-z0-9]{6,12}\"?",
        1 => "\\PC{0,4}",
        1 => Just("[redacted:jwt:1]".to_owned()),
        1 => Just("\\u0067hp_".to_owned()),
    ]
}

proptest! {
    #[test]
    fn redaction_is_idempotent(parts in proptest::collection::vec(pieces(), 0..6)) {
        let text = parts.concat();
        let mut redactor = redactor();
        let once = redactor.text(&text).into_owned();
        prop_assert_eq!(redactor.text(&once).into_owned(), once.clone());
        let fresh = self::redactor().text(&once).into_owned();
        prop_assert_eq!(fresh, once);
    }
}
