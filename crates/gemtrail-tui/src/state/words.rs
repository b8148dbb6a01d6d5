//! The words of what was typed that are marked where they are found.

use gemtrail_query::FIELDS;

/// The words that a query looks for. Fields (`since:"last week"`) say where and when to look, and
/// what is excluded is in no hit: neither is a word to mark.
pub(super) fn of_query(query: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        // Two dashes start the name of an option, which is looked for.
        let is_out = rest.starts_with('-') && !rest.starts_with("--");
        let item = rest.strip_prefix('-').filter(|_| is_out).unwrap_or(rest);
        let value = field_value(item);
        let (text, after) = value_at(value.unwrap_or(item));
        if value.is_none() && !is_out && text != "OR" && text != "AND" {
            // A letter alone is everywhere.
            let is_telling = |word: &String| word.chars().count() > 1 || !word.is_ascii();
            words.extend(plain(text).into_iter().filter(is_telling));
        }
        rest = after.trim_start();
    }
    words
}

/// A query without its fields, and true if it has any: titles cannot answer them.
pub(super) fn without_fields(query: &str) -> (String, bool) {
    let (mut words, mut has_fields) = (String::new(), false);
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        let item = rest.strip_prefix('-').unwrap_or(rest);
        let value = field_value(item);
        let after = value_at(value.unwrap_or(item)).1;
        has_fields |= value.is_some();
        if value.is_none() {
            words.push_str(&rest[..rest.len() - after.len()]);
            words.push(' ');
        }
        rest = after.trim_start();
    }
    (words, has_fields)
}

/// The words of a text that is looked for as it is.
pub(super) fn plain(text: &str) -> Vec<String> {
    let words = text.split_whitespace();
    let words = words.map(|word| {
        word.trim_matches(['"', '“', '”', '*', '(', ')'])
            .to_lowercase()
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// The text behind the name of a field, if the text starts with one.
fn field_value(text: &str) -> Option<&str> {
    let (name, value) = text.split_once(':')?;
    // `file://` starts a URL, `model::x` a name.
    let is_field = FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field))
        && !value.starts_with("//")
        && !value.starts_with(':');
    is_field.then_some(value)
}

/// The word or the quoted words at the start of a text, and what comes after them. While it is being
/// typed, a quote is open to the end.
fn value_at(text: &str) -> (&str, &str) {
    let close = match text.chars().next() {
        Some('"') => '"',
        Some('“') => '”',
        _ => return text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    };
    let inside = text.char_indices().skip(1);
    let mut ends = inside.filter(|(_, c)| *c == close);
    let end = ends.next().map_or(text.len(), |(at, c)| at + c.len_utf8());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_no_words() {
        assert_eq!(
            of_query("timeout since:\"last week\" Retry"),
            ["timeout", "retry"]
        );
        assert_eq!(of_query("since:“last week” retry"), ["retry"]);
        // As it is being typed.
        assert_eq!(of_query("timeout since:\"last we"), ["timeout"]);
        assert_eq!(of_query("SINCE:7d -project:acme a 支"), ["支"]);
        assert!(of_query("since:").is_empty());
        let rest = |query| without_fields(query).0;
        assert_eq!(rest("timeout since:\"last week\" -x"), "timeout -x ");
        assert!(without_fields("timeout since:7d").1 && without_fields("-role:human").1);
        assert!(!without_fields("\"since:7d\" timeout").1 && !without_fields("file://x").1);
    }

    #[test]
    fn what_is_looked_for_is_marked() {
        assert_eq!(
            of_query("\"parse error\" OR conn*"),
            ["parse", "error", "conn"]
        );
        assert_eq!(of_query("-not --dry-run and"), ["--dry-run", "and"]);
        assert_eq!(
            of_query("-\"not this\" file://x std::fs error:"),
            ["file://x", "std::fs", "error:"]
        );
        assert!(of_query("  ").is_empty());
    }

    #[test]
    fn in_a_session_everything_is_looked_for() {
        assert_eq!(
            plain("error: \"No such\" -x since:7d"),
            ["error:", "no", "such", "-x", "since:7d"]
        );
    }
}
