//! What slash commands in a prompt log reveal about a session.

/// Built-in commands that never reach the model: a session with nothing else had no conversation.
/// Other commands may be custom ones, which become prompts.
const SILENT: [&str; 40] = [
    "?",
    "/about",
    "/agents",
    "/auth",
    "/bug",
    "/chat",
    "/clear",
    "/commands",
    "/copy",
    "/dir",
    "/directory",
    "/docs",
    "/editor",
    "/exit",
    "/extensions",
    "/footer",
    "/help",
    "/hooks",
    "/ide",
    "/logout",
    "/mcp",
    "/memory",
    "/model",
    "/new",
    "/permissions",
    "/policies",
    "/privacy",
    "/quit",
    "/resume",
    "/rewind",
    "/settings",
    "/shells",
    "/shortcuts",
    "/skills",
    "/stats",
    "/terminal-setup",
    "/theme",
    "/tools",
    "/upgrade",
    "/vim",
];

fn name(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// True if a line is a command that the model never saw.
pub(super) fn is_silent(text: &str) -> bool {
    let name = name(text);
    name.is_empty() || SILENT.contains(&name)
}

/// True if the command deletes the session it was typed in.
pub(super) fn deletes_session(text: &str) -> bool {
    matches!(name(text), "/quit" | "/exit")
        && text.split_whitespace().any(|word| word == "--delete")
}

/// The tag under which `/chat save` or `/resume save` saved the conversation.
pub(super) fn saved_tag(text: &str) -> Option<&str> {
    let text = text.trim();
    let (name, rest) = text.split_once(char::is_whitespace)?;
    let (action, tag) = rest.trim_start().split_once(char::is_whitespace)?;
    (matches!(name, "/chat" | "/resume") && action == "save").then(|| tag.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands_are_prompts() {
        assert!(is_silent(" /quit --delete"));
        assert!(is_silent("?"));
        assert!(!is_silent("/review src"));
        assert!(!is_silent("/init"));
        assert!(!is_silent("what is this?"));
    }

    #[test]
    fn tags_and_deletions() {
        assert_eq!(saved_tag("/chat save demo tag"), Some("demo tag"));
        assert_eq!(saved_tag("/resume save x"), Some("x"));
        assert_eq!(saved_tag("/chat list"), None);
        assert_eq!(saved_tag("save x y"), None);
        assert!(deletes_session("/exit --delete"));
        assert!(!deletes_session("/exit"));
    }
}
