//! Redaction of texts and sessions.

use proptest::prelude::*;

use gemtrail_core::model::{Reference, Role, Session, Thought, ThoughtSource};
use gemtrail_testkit::secrets::{Dice, planted, planted_from};

use super::{Paths, Redactor, Replacement, hide_paths, outline, redact_session};
use crate::test_support::{answered, assistant, calling, human, notice, raw, session};

fn redactor() -> Redactor {
    Redactor::new(Vec::new()).expect("the tables are right")
}

fn secret(seed: u64, description: &str) -> String {
    Dice::new(seed).fill(description)
}

/// Passes output that needs no change; otherwise the rules of what cannot be replaced are returned.
fn check(redactor: &Redactor, output: &[u8]) -> Result<(), Vec<String>> {
    match redactor.checker().pass(output) {
        Ok(passed) if *passed == *output => Ok(()),
        Ok(_) => Err(Vec::new()),
        Err(left) => Err(left.rules),
    }
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
        source: ThoughtSource::Thoughts,
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
    session.title = gemtrail_core::internal::title_of(&session);
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
    assert!(check(&redactor, as_json(&clean).as_bytes()).is_ok());
    let output = format!("… {token} …");
    let left = redactor.checker().pass(output.as_bytes()).map(|_| ());
    let left = left.expect_err("a token").to_string();
    assert!(left.contains("github-token") && !left.contains(&token));
    let quoted = serde_json::to_string(&format!("see {password}")).expect("text");
    assert!(check(&redactor, quoted.as_bytes()).is_err());
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

/// What a secret elsewhere would change is never said to be free of known secrets.
#[test]
fn a_text_that_may_hold_a_known_secret_is_told_from_prose() {
    let redactor = redactor();
    let mut known = 0;
    for one in (0..4).flat_map(planted_from) {
        let alone = one.parts.iter().map(|part| format!("and {part} again"));
        for other in alone.chain([format!("and {} again", one.parts.join("\n"))]) {
            let said = session([human(&one.text), human(&other)]);
            let redacted = redact_session(&said, &mut redactor.fresh());
            if redacted.messages[1].text != other && redactor.fresh().text(&other) == other {
                known += 1;
                assert!(redactor.may_hold_known(&other), "{}: {other}", one.name);
            }
        }
    }
    assert!(known > 300, "{known}");
    for prose in [
        "Please fix the failing test in the cart, and explain why it failed on Monday.",
        "What does this do? I'd like the retry to wait 30 seconds, not 5.",
    ] {
        assert!(!redactor.may_hold_known(prose), "{prose}");
    }
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

/// A screen of this many columns as Gemini CLI records it: rows of spans, padded with blanks.
fn screen(text: &str, columns: usize) -> String {
    let rows = text.split('\n').flat_map(|line| {
        let characters: Vec<char> = line.chars().collect();
        let rows = characters.chunks(columns).map(|row| row.iter().collect());
        let rows: Vec<String> = rows.collect();
        if rows.is_empty() {
            vec![String::new()]
        } else {
            rows
        }
    });
    let row = |row: String| {
        // The colour changes in the middle of the row.
        let at = row.char_indices().nth(7).map_or(row.len(), |(at, _)| at);
        let span =
            |text: &str, fg: &str| serde_json::json!({"text": text, "bold": false, "fg": fg});
        let rest = format!(
            "{:columns$}",
            &row[at..],
            columns = columns - row[..at].chars().count()
        );
        serde_json::json!([span(&row[..at], "#ff0000"), span(&rest, "")])
    };
    rows.map(row).collect::<serde_json::Value>().to_string()
}

/// What such a screen shows, with the rows joined.
fn shown(display: &str) -> String {
    let rows: serde_json::Value = serde_json::from_str(display).expect("JSON");
    let spans = rows.as_array().into_iter().flatten();
    let spans = spans.flat_map(|row| row.as_array().into_iter().flatten());
    spans.filter_map(|span| span["text"].as_str()).collect()
}

#[test]
fn a_secret_on_a_screen_is_found_across_colours_and_rows() {
    let mut left = Vec::new();
    for one in planted() {
        let mut call = answered("run_shell_command", r#"{"command":"cat it"}"#, "");
        call.display = Some(raw(&screen(&one.text, 60)));
        let session = session([calling(assistant("Done."), [call])]);
        let redacted = redact_session(&session, &mut redactor());
        let display = redacted.messages[0].tool_calls[0].display.as_ref();
        let shown = shown(display.expect("a display").text());
        if one.left_in(&shown).next().is_some() {
            left.push(one.name);
        }
    }
    assert!(left.len() <= 3, "{left:?}");
}

#[test]
fn a_secret_of_the_output_is_replaced_on_the_screen_as_well() {
    for (description, columns) in [
        ("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIx{w120}.{w342}", 80),
        ("github_pat_{a22}_{a59}", 80),
        ("IQoJb3JpZ2luX2Vj{b320}", 80),
        ("ya29.a0A{w210}", 40),
        (
            "-----BEGIN EC PRIVATE KEY-----\\n{b64}\\n{b64}\\n{b64}\\n-----END EC PRIVATE KEY-----",
            80,
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\n{P9}\n-----END RSA PRIVATE KEY-----",
            80,
        ),
    ] {
        let token = secret(19, description);
        let mut call = answered("run_shell_command", r#"{"command":"cat it"}"#, &token);
        call.display = Some(raw(&screen(&format!("$ cat it\n{token}\n$"), columns)));
        let mut cut = answered("run_shell_command", r#"{"command":"tail it"}"#, "");
        // A screen of four rows shows only the last lines.
        let last: Vec<&str> = token.lines().rev().take(4).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        cut.display = Some(raw(&screen(&last.join("\n"), columns)));
        let session = session([calling(assistant("Done."), [call, cut])]);
        let mut redactor = redactor();
        let redacted = redact_session(&session, &mut redactor);
        // The last lines of a key are found on their own as well.
        let is_one_line = !token.contains('\n');
        assert!(redactor.secrets() == 1 || !is_one_line, "{description}");
        for call in &redacted.messages[0].tool_calls {
            let shown = shown(call.display.as_ref().expect("a display").text());
            assert!(shown.contains("[redacted:"), "{shown}");
            let pieces = token.as_bytes().windows(24);
            let left = pieces
                .map(String::from_utf8_lossy)
                .filter(|piece| !piece.contains("-----") && shown.contains(piece.as_ref()));
            assert_eq!(left.count(), 0, "{description}: {shown}");
        }
    }
}

#[test]
fn colour_codes_hide_no_secret_and_no_name() {
    let mut left = Vec::new();
    for one in planted() {
        let mut coloured = one.text.clone();
        for part in &one.parts {
            let (head, tail) = part.split_at(4);
            coloured =
                coloured.replace(part, &format!("\x1b[01;31m{head}\x1b[m\x1b[K{tail}\x1b[0m"));
        }
        for name in ["PASSWORD", "password", "SECRET", "TOKEN", "api_key"] {
            coloured = coloured.replace(name, &format!("\x1b[1m{name}\x1b[0m"));
        }
        let redacted = redactor().text(&coloured).into_owned();
        let shown = crate::text::Clean::text(redacted).to_string();
        if one.left_in(&shown).next().is_some() {
            left.push(one.name);
        }
    }
    assert!(left.len() <= 3, "{left:?}");
}

#[test]
fn a_coloured_prefix_does_not_keep_a_session_from_leaving() {
    let token = secret(21, "{a36}");
    let mut redactor = redactor();
    let text = format!("\x1b[31mghp_\x1b[0m{token} and ghp_{token}");
    let redacted = redact_session(&session([human(&text)]), &mut redactor);
    assert_eq!(
        redacted.messages[0].text,
        "\x1b[31m[redacted:github-token:1] and [redacted:github-token:1]"
    );
    assert!(check(&redactor, as_json(&redacted).as_bytes()).is_ok());
}

#[test]
fn the_last_look_sees_through_the_syntax_of_a_format() {
    let token = secret(23, "ghp_{a36}");
    let redactor = redactor();
    for output in [
        format!("| Model | {} |", token.replace('_', "\\_")),
        format!("<!DOCTYPE html><p>gh<b>{}</b></p>", &token[2..]).replace("gh<b>", "<b>gh</b>"),
        format!("mcp_{token}"),
        serde_json::to_string(&format!("\x1b[31mghp_\x1b[0m{}", &token[4..])).expect("text"),
    ] {
        let left = redactor.checker();
        let left = left.pass(output.as_bytes());
        assert_eq!(left.expect_err(&output).rules, ["github-token"], "{output}");
    }
}

#[test]
fn names_are_found_in_bold_in_other_languages_and_short() {
    for (at, form) in (300..).zip([
        "**Password:** `{}`",
        "**Password**: {}",
        "Dim password As String = \"{}\"",
        "Kennwort: {}",
        "Lösenord: {}",
        "hasło: {}",
        "pw: {}",
        "the pass is {} now",
    ]) {
        let password = secret(at, "{a12}7");
        let text = redactor().text(&form.replace("{}", &password)).into_owned();
        assert!(!text.contains(&password), "{text}");
    }
    for text in [
        "token: 'Identifier(foo)'",
        "**Tokens:** 1234567",
        "pw: password",
        "the pass is finished",
    ] {
        assert_eq!(redactor().text(text), text);
    }
}

#[test]
fn the_last_look_takes_out_what_only_its_surroundings_give_away() {
    let password = secret(25, "{a16}");
    let checker = redactor().checker();
    let pass = |output: String| {
        let passed = checker.pass(output.as_bytes()).expect("it can be mended");
        passed.into_owned()
    };
    assert_eq!(
        pass(format!("| Model | `DB_PASSWORD={password}` |")),
        b"| Model | `DB_PASSWORD=[redacted:secret:0]` |"
    );
    assert_eq!(
        pass(format!(r#"{{"model":"password: \"{password}\""}}"#)),
        br#"{"model":"password: \"[redacted:secret:0]\""}"#
    );
    let clean = "DB_PASSWORD=[redacted:secret:1]".to_owned();
    assert_eq!(pass(clean.clone()), clean.as_bytes());
}

#[test]
fn what_a_writer_makes_of_a_clean_session_passes_the_last_look_as_it_is() {
    let mut texts: Vec<String> = planted().into_iter().map(|one| one.text).collect();
    texts.extend(gemtrail_testkit::secrets::ordinary());
    let session = session(texts.iter().map(|text| human(text)));
    let mut redactor = redactor();
    let redacted = redact_session(&session, &mut redactor);
    check(&redactor, as_json(&redacted).as_bytes()).expect("nothing is left in JSON");
    let words = texts.iter().map(|text| redactor.text(text).into_owned());
    let words: Vec<String> = words.collect::<Vec<_>>();
    let joined = words.join("\n\n");
    let passed = redactor.checker().pass(joined.as_bytes());
    let passed = passed.expect("nothing is left in text");
    let passed = String::from_utf8_lossy(&passed);
    let lines = joined.lines().zip(passed.lines());
    let mended: Vec<_> = lines.filter(|(before, after)| before != after).collect();
    assert!(mended.is_empty(), "{mended:#?}");
}

/// How long searching a text takes, the best of a few runs.
fn duration(text: &str) -> std::time::Duration {
    let look = || {
        let mut redactor = redactor();
        let start = std::time::Instant::now();
        redactor.text(text);
        start.elapsed()
    };
    (0..2).map(|_| look()).min().expect("two runs")
}

#[test]
fn hostile_text_costs_no_more_than_ten_times_plain_text() {
    const BYTES: usize = 1 << 20;
    let line = "The quick brown fox jumps over the lazy dog, and the password field is empty.\n";
    let plain = duration(&line.repeat(BYTES / line.len()));
    for piece in [
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nabc\n",
        "-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN",
        "kind: Secret\n",
    ] {
        let hostile = duration(&piece.repeat(BYTES / piece.len()));
        assert!(
            hostile < plain * 10,
            "{piece:?}: {hostile:?}, plain text: {plain:?}"
        );
    }
}
