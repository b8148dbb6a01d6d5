//! Quotes of shells: words as they are typed, and values as they can be inserted there.

/// A line up to the cursor, as bash reads it.
#[derive(Debug, Default)]
pub(super) struct Typed {
    /// Its words without their quotes, the last one as far as it goes.
    pub(super) words: Vec<String>,
    /// The quote that is open at the end.
    quote: Option<char>,
    /// The part of the last word that bash keeps: it replaces only the rest.
    kept: String,
}

impl Typed {
    /// Reads a line up to the cursor. `breaks` are the characters at which bash cuts words in two.
    pub(super) fn new(line: &str, breaks: &str) -> Self {
        let mut typed = Self::default();
        let (mut word, mut is_word) = (String::new(), false);
        let mut characters = line.chars();
        while let Some(c) = characters.next() {
            match (typed.quote, c) {
                (None | Some('"'), '\\') => {
                    let next = characters.next();
                    // In double quotes most characters keep their backslash.
                    let is_plain = typed.quote.is_some() && !next.is_some_and(is_in_quotes);
                    word.extend(is_plain.then_some(c));
                    word.extend(next);
                }
                (Some(open), c) if c == open => {
                    typed.quote = None;
                    typed.kept.clone_from(&word);
                }
                (Some(_), c) => word.push(c),
                (None, '"' | '\'') => {
                    typed.quote = Some(c);
                    typed.kept.clone_from(&word);
                }
                (None, c) if c.is_whitespace() => {
                    if is_word {
                        typed.words.push(std::mem::take(&mut word));
                    }
                    typed.kept.clear();
                    is_word = false;
                    continue;
                }
                (None, c) => {
                    word.push(c);
                    if breaks.contains(c) {
                        typed.kept.clone_from(&word);
                    }
                }
            }
            is_word = true;
        }
        typed.words.push(word);
        typed
    }

    /// Returns the text for bash to insert, if the value can stand there.
    pub(super) fn insertion(&self, value: &str) -> Option<String> {
        let rest = value.strip_prefix(&self.kept)?;
        let mut text = String::new();
        for c in rest.chars() {
            match self.quote {
                Some('\'') if c == '\'' => text.push_str("'\\'"),
                Some('\'') => {}
                Some(_) => text.extend(is_in_quotes(c).then_some('\\')),
                None => text.extend(is_special(c).then_some('\\')),
            }
            text.push(c);
        }
        Some(text)
    }
}

/// A word as it is typed, without its quotes; one may be open.
pub(super) fn unquoted(word: &str) -> String {
    // No space can end it.
    let (mut text, mut quote) = (String::new(), None);
    let mut characters = word.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => text.extend(characters.next()),
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (_, c) => text.push(c),
        }
    }
    text
}

/// True if a character needs a backslash in double quotes.
fn is_in_quotes(c: char) -> bool {
    matches!(c, '"' | '\\' | '$' | '`')
}

/// True if a shell takes a character for anything else than itself.
fn is_special(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_./:=,@%+".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    /// The words of a line, and what is inserted for a value.
    fn typed(line: &str, value: &str) -> (Vec<String>, Option<String>) {
        let typed = Typed::new(line, BREAKS);
        (typed.words.clone(), typed.insertion(value))
    }

    #[test]
    fn a_quote_that_is_open_stays_open() {
        for (line, word, value, inserted) in [
            ("g -p my", "my", "my app", "my\\ app"),
            ("g -p my\\ a", "my a", "my app", "my\\ app"),
            ("g -p \"my a", "my a", "my app", "my app"),
            ("g -p 'my a", "my a", "my app", "my app"),
            ("g -p 'it", "it", "it's", "it'\\''s"),
            ("g -p \"it", "it", "it's $5", "it's \\$5"),
            ("g -p it", "it", "it's $5", "it\\'s\\ \\$5"),
            ("g -p Nova", "Nova", "Nova été", "Nova\\ été"),
            (
                "g \"project:my a",
                "project:my a",
                "project:my app",
                "project:my app",
            ),
            (
                "g project:\"my a",
                "project:my a",
                "project:my app",
                "my app",
            ),
            ("g project:my", "project:my", "project:my app", "my\\ app"),
            ("g project:", "project:", "project:my app", "my\\ app"),
            ("g --project=m", "--project=m", "--project=my", "my"),
            ("g ", "", "list", "list"),
            ("g 'a b' ", "", "list", "list"),
        ] {
            let (words, insertion) = typed(line, value);
            assert_eq!(words.last().map(String::as_str), Some(word), "{line}");
            assert_eq!(insertion.as_deref(), Some(inserted), "{line}");
        }
        assert_eq!(typed("g  'a b'  c\\ d ", "").0, ["g", "a b", "c d", ""]);
        assert_eq!(typed("g \"a\\b\\\"\" ''", "").0, ["g", "a\\b\"", ""]);
        assert_eq!(typed("g x:", "y").1, None, "bash could not insert it");
    }

    #[test]
    fn quotes_of_one_word() {
        for (word, text) in [
            ("'my a", "my a"),
            ("\"my a", "my a"),
            ("my\\ a", "my a"),
            ("project:\"my a", "project:my a"),
            ("'it'\\''s'", "it's"),
            ("my a", "my a"),
        ] {
            assert_eq!(unquoted(word), text);
        }
    }
}
