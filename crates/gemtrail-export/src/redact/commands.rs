//! Secrets on command lines: the values of options that take one.

use std::ops::Range;

use super::judge::Judge;

/// Longer command lines are not read to their end.
const LONGEST_LINE: usize = 600;

/// The options of a program whose values hold a secret.
///
/// An option's value follows as a word of its own, after `=`, or directly after an option of one
/// letter. After an option that ends in `*` it only follows directly: `-psecret`, `/p:secret`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandOptions {
    pub(super) names: &'static str,
    /// The characters of which one stands between a login and the secret; if empty, the whole value
    /// is the secret.
    pub(super) after_login: &'static str,
}

impl CommandOptions {
    /// Reports the secrets on the command line that begins with the program at `at`.
    pub(super) fn find(self, text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
        let before = at.checked_sub(1).map(|before| text.as_bytes()[before]);
        if before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
            return;
        }
        let mut words = CommandWords {
            text,
            at,
            end: text.len().min(at + LONGEST_LINE),
        }
        .peekable();
        let program = words.next();
        let name = |word: &CommandWord| text[word.range.clone()].to_owned();
        let program = program.as_ref().map(name);
        while let Some(word) = words.next() {
            if Some(name(&word)) == program {
                // Another call, which is looked at by itself.
                return;
            }
            let mut options = self.names.split(' ');
            let value = options.find_map(|option| Value::of(option, &text[word.range.clone()]));
            let next = words.peek();
            let range = match value {
                Some(Value::From(offset)) => Some(word.range.start + offset..word.range.end),
                Some(Value::Next) => next.map(|next| next.range.clone()),
                Some(Value::Adjacent) => {
                    next.filter(|it| it.is_adjacent).map(|it| it.range.clone())
                }
                None => continue,
            };
            if let Some(secret) = range.and_then(|range| self.secret(text, range)) {
                tell(secret);
            }
        }
    }

    fn secret(self, text: &str, mut value: Range<usize>) -> Option<Range<usize>> {
        if !self.after_login.is_empty() {
            let login = text[value.clone()].find(|c| self.after_login.contains(c))?;
            value.start += login + 1;
            if login == 0 || text[value.clone()].starts_with('/') {
                return None;
            }
        }
        if text[value.clone()].starts_with('-') {
            return None;
        }
        let secret = text[value.clone()].trim_end_matches([',', ')', ']']);
        value.end = value.start + secret.len();
        // `-p3306:3306` is a port.
        let is_port = secret.len() < 12
            && secret.bytes().all(|b| b.is_ascii_digit() || b == b':')
            && secret.contains(':');
        let is_secret = secret.len() >= 4 && !is_port && Judge::NamedValue.accepts("", secret);
        is_secret.then_some(value)
    }
}

/// Where the value of an option is.
enum Value {
    /// In the same word, from this offset.
    From(usize),
    /// In the next word.
    Next,
    /// In the next word, if no blank is before it.
    Adjacent,
}

impl Value {
    /// `None` if the word is something else than the option.
    fn of(option: &str, word: &str) -> Option<Self> {
        let name = option.trim_end_matches('*');
        let is_direct = name != option;
        match word.strip_prefix(name)? {
            "" if is_direct => Some(Self::Adjacent),
            "" | "=" => Some(Self::Next),
            rest if rest.starts_with('=') => Some(Self::From(name.len() + 1)),
            _ if is_direct || name.len() == 2 => Some(Self::From(name.len())),
            _ => None,
        }
    }
}

/// The words of a command line, without quotes around them.
struct CommandWords<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

/// A word, and whether it continues the previous one in quotes.
struct CommandWord {
    range: Range<usize>,
    is_adjacent: bool,
}

impl Iterator for CommandWords<'_> {
    type Item = CommandWord;

    fn next(&mut self) -> Option<CommandWord> {
        let bytes = self.text.as_bytes();
        let (mut is_adjacent, mut is_quoted) = (true, false);
        while self.at < self.end {
            match bytes[self.at] {
                b'\\' if bytes.get(self.at + 1) == Some(&b'\n') => {
                    is_adjacent = false;
                    self.at += 1;
                }
                b' ' | b'\t' | b',' => is_adjacent = false,
                b'"' | b'\'' | b'`' => is_quoted = true,
                b'\\' => {}
                _ => break,
            }
            self.at += 1;
        }
        let start = self.at;
        let is_end = |b: &u8| match b {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' => true,
            b'|' | b';' => !is_quoted,
            _ => false,
        };
        let rest = &bytes[start..self.end.max(start)];
        // `DOMAIN\name` is one word.
        let is_inside = |at: usize| {
            let next = rest.get(at + 1);
            rest[at] == b'\\'
                && next.is_some_and(|b| b.is_ascii_alphanumeric() && !b"nrtu".contains(b))
        };
        let ends = (0..rest.len()).find(|at| is_end(&rest[*at]) && !is_inside(*at));
        let length = ends.unwrap_or(rest.len());
        let operators: &[u8] = if is_quoted { b"" } else { b"<>&" };
        if length == 0 || operators.contains(&bytes[start]) {
            return None;
        }
        self.at = start + length;
        let range = start..self.at;
        self.text.get(range.clone())?;
        Some(CommandWord { range, is_adjacent })
    }
}
