use super::*;

fn words(content: &str) -> Words {
    let node = Node::parse(content).expect("test content is JSON");
    of_user(None, &content::parts(node), None)
}

fn hint(text: &str) -> AuthorHint {
    words(&serde_json::to_string(text).unwrap()).hint
}

#[test]
fn typed_words_are_plain() {
    let words = words(r#"[{"text":" hello "},{"text":"world"}]"#);
    assert_eq!(
        (words.hint, words.text.as_str()),
        (AuthorHint::Plain, "hello world")
    );
}

const SHELL: &str = "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na\n```";
const EDITOR: &str = "Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{}\n```";
const LOOP: &str = "System: Potential loop detected. Details: x. Please take a step back and confirm you're making forward progress. If not, take a step back, analyze your previous actions and rethink how you're approaching the problem. Avoid repeating the same tool calls or responses without new results.";
const LAST_CHANCE: &str = "You have stopped calling tools without finishing. You have one final chance to complete the task with a short grace period. You MUST call `complete_task` immediately with your best answer and explain that your investigation was interrupted. Do not call any other tools.";

#[test]
fn the_wording_of_the_client_is_known() {
    let context = "<session_context>\nThis is\n</session_context>";
    let preamble = "This is the Gemini CLI. We are setting up the context for our chat.\nToday's date is x.\nMy operating system is: linux\n";
    let directories = "- **Workspace Directories:**\n  - /a\n- **Directory Structure:**\n\n/a/";
    for text in [context, preamble, EDITOR, LOOP, directories] {
        assert_eq!(hint(text), AuthorHint::Context, "{text}");
    }
    assert_eq!(hint("<hook_context>x</hook_context>"), AuthorHint::Hook);
    assert_eq!(hint(SHELL), AuthorHint::Shell);
    assert_eq!(hint(LAST_CHANCE), AuthorHint::ToAgent);
    let asked = "Your task is to do a deep investigation of the codebase to find all relevant files, code locations, architectural mental map and insights to solve  for the following user objective:\n<objective>\nx\n</objective>";
    assert_eq!(hint(asked), AuthorHint::ToAgent);
    // The messages around these decide.
    assert_eq!(hint("<state_snapshot>\n…"), AuthorHint::Summary);
    assert_eq!(hint("System: Please continue."), AuthorHint::Resend);
    assert_eq!(hint("Please continue."), AuthorHint::Continue);
    assert_eq!(
        hint("First, reason in your scratchpad. Then, generate the <state_snapshot>."),
        AuthorHint::SnapshotRequest
    );
    assert_eq!(
        hint("[Function Response: read_file]"),
        AuthorHint::FlattenedAnswer
    );
}

#[test]
fn what_quotes_or_resembles_the_client_was_typed() {
    let shell = format!("{SHELL}\nWhat now?");
    let editor = format!("Why does it say this?\n{EDITOR}");
    let agent = format!("{LAST_CHANCE} Who said that?");
    for text in [
        "<session_context>",
        "<session_context> cut off",
        "<session_context>\nmine\n</session_context>\nexplain",
        "This is the Gemini CLI. We are setting up the context for our chat. What does that mean?",
        "Here is the user's editor context as a JSON object: where does this come from?",
        "What is a <state_snapshot> tag?",
        "System: Please continue. And hurry.",
        "System: Potential loop detected. Really?",
        "- **Workspace Directories:**\n  - /a",
        "I ran the following shell command: ls\nand it failed",
        "explain <hook_context>x</hook_context> to me",
        "explain <hook_context>x</hook_context>",
        "<hook_context>mine</hook_context> explain",
        "<hook_context><b></hook_context>\n\nexplain",
        "what is <system_note>this</system_note>?",
        "explain\n<system_note>\nmine\n</system_note>",
        "what is [Function Response: a]?",
        "You have exceeded the time limit. Stop.",
        &shell,
        &editor,
        &agent,
    ] {
        for content in [
            serde_json::json!(text),
            serde_json::json!([{ "text": text }]),
        ] {
            let words = words(&content.to_string());
            assert_eq!((words.hint, words.text.as_str()), (AuthorHint::Plain, text));
        }
    }
}

#[test]
fn the_client_goes_on_by_itself_under_the_display_of_the_prompt() {
    let of = |display: &str| {
        let content = Node::parse(
            r#"[{"text":"Please continue."},{"text":"<hook_context>h</hook_context>"}]"#,
        );
        let parts = content::parts(content.expect("JSON"));
        let words = of_user(None, &parts, Node::parse(display));
        (words.hint, words.text)
    };
    assert_eq!(of(r#""count the files""#).0, AuthorHint::Context);
    let typed = (AuthorHint::Continue, "Please continue.".to_owned());
    assert_eq!(of(r#"[{"text":"Please continue."}]"#), typed);
}

#[test]
fn a_hook_that_is_displayed_with_the_prompt_is_not_typed() {
    let text = "<hook_context>from a &lt;hook&gt;</hook_context>\n\nhello hooks";
    let content =
        serde_json::json!([{ "text": text }, { "text": "<hook_context>more</hook_context>" }]);
    let display = serde_json::json!([{ "text": text }]).to_string();
    let content = content.to_string();
    let parts = content::parts(Node::parse(&content).expect("JSON"));
    for display in [None, Node::parse(&display)] {
        let words = of_user(None, &parts, display);
        assert_eq!(
            (words.hint, &*words.text),
            (AuthorHint::Plain, "hello hooks")
        );
    }
}

#[test]
fn a_prompt_survives_what_was_put_around_it() {
    assert_eq!(
        words(r#""<hook_context>h</hook_context>\n\nreal prompt""#).text,
        "real prompt"
    );
    assert_eq!(
        words(r#"[{"text":"real"},{"text":"<hook_context>h</hook_context>"}]"#).text,
        "real"
    );
    assert_eq!(
        words(r#"[{"text":"<session_context>c</session_context>"},{"text":"real"}]"#).text,
        "real"
    );
    assert_eq!(
        words(r#"[{"text":"real"},{"text":"\n<system_note>\nnote\n</system_note>\n"}]"#).text,
        "real"
    );
}

#[test]
fn a_hook_behind_a_flattened_prompt_is_not_typed() {
    for (content, prompt) in [
        ("go<hook_context>h</hook_context>", "go"),
        ("  go  <hook_context>h</hook_context>", "go"),
        (
            "<hook_context>s</hook_context>\n\ngo <hook_context>h</hook_context>",
            "go",
        ),
        (
            "[Function Response: glob]<hook_context>h</hook_context>",
            "[Function Response: glob]",
        ),
    ] {
        assert_eq!(words(&serde_json::json!(content).to_string()).text, prompt);
    }
}

#[test]
fn references_of_the_part_era() {
    let words = words(
        r#"[{"text":"Explain @a.txt and @b.png"},{"text":"\n--- Content from referenced files ---"},
           {"text":"\nContent from @a.txt:\n"},{"text":"has\n--- End of content ---\ninside"},
           {"inlineData":{"mimeType":"image/png","data":""}},{"text":"\n--- End of content ---"}]"#,
    );
    assert_eq!(words.text, "Explain @a.txt and @b.png");
    let found: Vec<_> = words
        .references
        .iter()
        .map(|r| (r.path.as_deref(), r.text.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (Some("a.txt"), "has\n--- End of content ---\ninside"),
            (Some("b.png"), "")
        ]
    );
    assert_eq!(words.references[1].mime.as_deref(), Some("image/png"));
}

#[test]
fn references_of_the_string_era() {
    let words = words(
        r#""Explain @a and @b.\n--- Content from referenced files ---\nContent from @a:\nfirst\n--- End of content ---\nmore\nContent from @b:\nsecond\n--- End of content ---""#,
    );
    assert_eq!(words.text, "Explain @a and @b.");
    let found: Vec<_> = words
        .references
        .iter()
        .map(|r| (r.path.as_deref(), r.text.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (Some("a"), "first\n--- End of content ---\nmore"),
            (Some("b"), "second")
        ]
    );
}

#[test]
fn references_in_text_with_line_ends_of_windows() {
    let words = words(
        r#""Explain @a and @b.\r\n--- Content from referenced files ---\r\nContent from @a:\r\nfirst\r\nline\r\nContent from @b:\r\nsecond\r\n--- End of content ---""#,
    );
    assert_eq!(words.text, "Explain @a and @b.");
    let found: Vec<_> = words
        .references
        .iter()
        .map(|r| (r.path.as_deref(), r.text.as_str()))
        .collect();
    assert_eq!(found, [(Some("a"), "first\r\nline"), (Some("b"), "second")]);
}

#[test]
fn references_with_line_ends_of_windows_need_no_end() {
    let words = words(
        r#""crlf @w.md\r\n--- Content from referenced files ---\r\nContent from @w.md:\r\nwin\r\n""#,
    );
    assert_eq!(words.text, "crlf @w.md");
    assert_eq!(words.references[0].path.as_deref(), Some("w.md"));
    assert_eq!(words.references[0].text.trim_end(), "win");
}

#[test]
fn an_image_of_the_string_era_gets_its_name_from_the_prompt() {
    let words = words(
        r#""Describe @logo.png please.\n--- Content from referenced files ---<image/png>\n--- End of content ---""#,
    );
    assert_eq!(words.text, "Describe @logo.png please.");
    assert_eq!(words.references[0].path.as_deref(), Some("logo.png"));
    assert_eq!(words.references[0].mime.as_deref(), Some("image/png"));
}

#[test]
fn a_typed_header_does_not_cut_the_prompt() {
    let typed = "why does it say\n--- Content from referenced files ---\nin my prompt?";
    for content in [
        serde_json::json!(typed),
        serde_json::json!([{ "text": typed }]),
        serde_json::json!([{ "text": typed }, { "text": "<hook_context>h</hook_context>" }]),
        serde_json::json!([{"text": typed}, {"text": "\n--- Content from referenced files ---"},
            {"text": "\nContent from @a:\n"}, {"text": "A"}, {"text": "\n--- End of content ---"}]),
        serde_json::json!(format!(
            "{typed}\n--- Content from referenced files ---\nContent from @a:\nA\n--- End of content ---"
        )),
    ] {
        let words = words(&content.to_string());
        assert_eq!(words.text, typed);
        for reference in words.references {
            assert_eq!(
                (reference.path.as_deref(), &*reference.text),
                (Some("a"), "A")
            );
        }
    }
    let alone = "--- Content from referenced files ---";
    assert_eq!(
        words(&serde_json::json!([{ "text": alone }]).to_string()).text,
        alone
    );
}

#[test]
fn since_the_part_era_a_quoted_block_is_typed() {
    let typed = "look at @a\n--- Content from referenced files ---\nContent from @a:\nA\n--- End of content ---\nas I said";
    let words = words(
        &serde_json::json!([{"text": typed}, {"text": "\n--- Content from referenced files ---"},
        {"text": "\nContent from @a:\n"}, {"text": "A"}, {"text": "\n--- End of content ---"}])
        .to_string(),
    );
    assert_eq!((&*words.text, words.references.len()), (typed, 1));
}

#[test]
fn writing_about_the_marker_is_not_attaching() {
    let words = words(r#""why does it print --- Content from referenced files --- here?""#);
    assert_eq!(
        words.text,
        "why does it print --- Content from referenced files --- here?"
    );
    assert!(words.references.is_empty());
}
