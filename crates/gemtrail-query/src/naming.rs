//! Queries that are the name of a session rather than words in it.

use gemtrail_core::model::SessionRef;

use crate::address::Address;

/// The shortest start of an id that names a session.
const SHORTEST_START: usize = 4;

/// The text between two quotes, if that is all of the query.
pub fn quoted(typed: &str) -> Option<&str> {
    let inside = ["\"\"", "“”"].iter().find_map(|quotes| {
        let mut quotes = quotes.chars();
        let rest = typed.strip_prefix(quotes.next()?)?;
        rest.strip_suffix(quotes.next()?)
    });
    inside.filter(|text| !text.trim().is_empty() && !text.contains(['"', '“', '”']))
}

/// True for a whole title, in any case and with any white space.
pub fn is_title(title: Option<&str>, typed: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split_whitespace();
        words.map(str::to_lowercase).collect()
    };
    title.is_some_and(|title| words(title) == words(typed))
}

/// True for what may be the start of an id, a file's name, or an address. Ordinary words are not looked
/// up.
pub fn may_be_name(typed: &str) -> bool {
    let name = Address::parse(typed).name;
    let is_id = |c: char| c.is_ascii_hexdigit() || c == '-';
    let is_file = || {
        let ending = [".json", ".jsonl"].iter().any(|it| name.ends_with(it));
        name.starts_with("session-") || ending && !name.contains(['/', '\\'])
    };
    !typed.contains(char::is_whitespace)
        && name.len() >= SHORTEST_START
        && (name.starts_with(|c: char| c.is_ascii_hexdigit()) && name.chars().all(is_id)
            || name.parse::<SessionRef>().is_ok()
            || is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_all_between_two_quotes() {
        assert_eq!(quoted("\"Fix the cart\""), Some("Fix the cart"));
        assert_eq!(quoted("“Fix the cart”"), Some("Fix the cart"));
        assert_eq!(quoted("\"cart\""), Some("cart"));
        for words in ["Fix the cart", "\"a b\" \"c d\"", "\"", "\"\""] {
            assert_eq!(quoted(words), None, "{words}");
        }
        assert!(is_title(Some("Fix  the Cart"), "fix the cart "));
        assert!(!is_title(Some("Fix the cart now"), "fix the cart"));
    }

    #[test]
    fn names_are_told_from_words() {
        for name in [
            "2f1e",
            "2f1e0a52",
            "2f1e0a52-7b97-4d6f",
            "2f1e0a52:17.5",
            "session-2026-06-01T10-00-2f1e0a52",
            "session-2026-06-01T10-00-2f1e0a52.jsonl",
        ] {
            assert!(may_be_name(name), "{name}");
        }
        for words in [
            "",
            "2f1",
            "search",
            "cart total",
            "role:human",
            "-force",
            "2f1e 0a52",
        ] {
            assert!(!may_be_name(words), "{words}");
        }
    }
}
