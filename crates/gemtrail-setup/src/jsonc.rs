//! Sets one key of a JSON file with comments, and leaves every other byte as it is.

use std::ops::Range;

/// A piece of text to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextEdit {
    pub(crate) at: usize,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// The edit that gives the value at a path of keys; none if it has that value already.
pub(crate) fn set(text: &str, keys: &[&str], value: &str) -> Result<Option<TextEdit>, String> {
    let mut scanner = Scanner::new(text);
    let mut object = scanner.value()?;
    scanner.skip();
    if scanner.at < text.len() {
        return Err("something follows the settings".to_owned());
    }
    for (depth, key) in keys.iter().enumerate() {
        let Some(members) = members(text, &object)? else {
            return Err(format!(
                "{key:?} cannot be set: its parent is not an object"
            ));
        };
        let is_empty = members.is_empty();
        let mut called = members.into_iter().filter(|(name, ..)| name == key);
        // Of two members with one name, the last one counts.
        let Some((_, _, found)) = called.next_back() else {
            let place = (&object, is_empty);
            return Ok(Some(insert(text, place, &keys[depth..], value)));
        };
        object = found;
    }
    let old = &text[object.clone()];
    Ok((old != value).then(|| TextEdit {
        at: object.start,
        old: old.to_owned(),
        new: value.to_owned(),
    }))
}

/// The text without the member at a path of keys; none if it is not there.
pub(crate) fn unset(text: &str, keys: &[&str]) -> Result<Option<String>, String> {
    let mut object = Scanner::new(text).value()?;
    let Some((last, path)) = keys.split_last() else {
        return Ok(None);
    };
    for key in path {
        let Some((_, _, found)) = member(text, &object, key)? else {
            return Ok(None);
        };
        object = found;
    }
    let Some((_, name, value)) = member(text, &object, last)? else {
        return Ok(None);
    };
    let all = members(text, &object)?.unwrap_or_default();
    let at = all
        .iter()
        .position(|(_, other, _)| *other == name)
        .unwrap_or(0);
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    let gone = match (before, all.get(at + 1)) {
        // With the comma and the white space that separate it from the next one, or the one before.
        (_, Some((_, next, _))) => name.start..next.start,
        (Some((_, _, previous)), None) => previous.end..value.end,
        (None, None) => name.start..value.end,
    };
    let mut text = text.to_owned();
    text.replace_range(gone, "");
    Ok(Some(text))
}

/// True if the value at a path of keys is an object without members.
pub(crate) fn is_empty(text: &str, keys: &[&str]) -> Result<bool, String> {
    let mut object = Scanner::new(text).value()?;
    for key in keys {
        let Some((_, _, found)) = member(text, &object, key)? else {
            return Ok(false);
        };
        object = found;
    }
    Ok(members(text, &object)?.is_some_and(|members| members.is_empty()))
}

fn member(text: &str, object: &Range<usize>, key: &str) -> Result<Option<Member>, String> {
    let members = members(text, object)?.unwrap_or_default();
    Ok(members.into_iter().rfind(|(name, ..)| name == key))
}

/// A new member at the start of an object, in the object's own style.
fn insert(
    text: &str,
    (object, is_empty): (&Range<usize>, bool),
    keys: &[&str],
    value: &str,
) -> TextEdit {
    let inside = &text[object.start + 1..object.end - 1];
    let blank = inside.len() - inside.trim_start().len();
    // The white space before the first member is what stands before each.
    let before = &inside[..blank];
    let before = if blank == inside.len() { "" } else { before };
    let comma = if is_empty { "" } else { "," };
    let mut member = value.to_owned();
    for key in keys.iter().rev() {
        let inner = format!("\"{key}\": {member}");
        member = if *key == keys[0] {
            inner
        } else {
            format!("{{ {inner} }}")
        };
    }
    TextEdit {
        at: object.start + 1,
        old: String::new(),
        new: format!("{before}{member}{comma}"),
    }
}

/// A member of an object: its name, where that stands, and where its value stands.
type Member = (String, Range<usize>, Range<usize>);

/// The members of an object; none if it is something else.
fn members(text: &str, value: &Range<usize>) -> Result<Option<Vec<Member>>, String> {
    if !text[value.clone()].starts_with('{') {
        return Ok(None);
    }
    let mut scanner = Scanner {
        text,
        at: value.start + 1,
    };
    let mut members = Vec::new();
    loop {
        scanner.skip();
        if scanner.take('}') {
            return Ok(Some(members));
        }
        let place = scanner.string()?;
        let name = &text[place.clone()];
        let name: String = serde_json::from_str(name).map_err(|error| error.to_string())?;
        scanner.skip();
        if !scanner.take(':') {
            return Err(scanner.wrong("a colon"));
        }
        members.push((name, place, scanner.value()?));
        scanner.skip();
        if !scanner.take(',') {
            scanner.skip();
            if !scanner.take('}') {
                return Err(scanner.wrong("a comma"));
            }
            return Ok(Some(members));
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        // Some editors begin a file with a byte order mark.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn wrong(&self, wanted: &str) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1;
        format!("{wanted} is missing in line {line}")
    }

    fn take(&mut self, c: char) -> bool {
        let is_next = self.rest().starts_with(c);
        self.at += usize::from(is_next);
        is_next
    }

    /// Passes over white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment = match &rest[blank..] {
                it if it.starts_with("//") => it.find('\n').unwrap_or(it.len()),
                it if it.starts_with("/*") => it.find("*/").map_or(it.len(), |at| at + 2),
                _ => 0,
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn string(&mut self) -> Result<Range<usize>, String> {
        let start = self.at;
        let mut escaped = false;
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'"' if at == 0 => {}
                _ if at == 0 => break,
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at = start + at + 1;
                    return Ok(start..self.at);
                }
                _ => {}
            }
        }
        Err(self.wrong("a string"))
    }

    /// The place of the next value.
    fn value(&mut self) -> Result<Range<usize>, String> {
        self.skip();
        let start = self.at;
        match self.rest().chars().next() {
            Some('"') => return self.string(),
            Some('{' | '[') => {}
            Some(_) => {
                let word = self
                    .rest()
                    .find([',', '}', ']', '/', ' ', '\t', '\r', '\n']);
                self.at += word.unwrap_or(self.rest().len());
                if self.at == start {
                    return Err(self.wrong("a value"));
                }
                return Ok(start..self.at);
            }
            None => return Err(self.wrong("a value")),
        }
        let mut depth = 0_usize;
        loop {
            self.skip();
            match self.rest().chars().next() {
                Some('"') => {
                    self.string()?;
                    continue;
                }
                Some('{' | '[') => depth += 1,
                Some('}' | ']') => depth -= 1,
                Some(_) => {}
                None => return Err(self.wrong("a bracket")),
            }
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
            if depth == 0 {
                return Ok(start..self.at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 3] = ["general", "sessionRetention", "enabled"];

    fn with(text: &str) -> String {
        let mut edited = text.to_owned();
        if let Some(edit) = set(text, &KEYS, "false").unwrap() {
            edited.replace_range(edit.at..edit.at + edit.old.len(), &edit.new);
        }
        assert_eq!(set(&edited, &KEYS, "false"), Ok(None), "{edited}");
        edited
    }

    #[test]
    fn only_the_key_changes() {
        assert_eq!(
            with("{}"),
            r#"{"general": { "sessionRetention": { "enabled": false } }}"#
        );
        assert_eq!(
            with("{ // none yet\n}"),
            "{ \"general\": { \"sessionRetention\": { \"enabled\": false } } // none yet\n}"
        );
        assert_eq!(
            with("{\n  // mine\n  \"ui\": {} }\n"),
            "{\n  \"general\": { \"sessionRetention\": { \"enabled\": false } },\n  // mine\n  \"ui\": {} }\n"
        );
        assert_eq!(
            with("{\"general\": {\"vimMode\": true /* yes */}}"),
            "{\"general\": {\"sessionRetention\": { \"enabled\": false },\"vimMode\": true /* yes */}}"
        );
        assert_eq!(
            with(
                "{\"general\":{\"sessionRetention\":{\n\t\"maxAge\":\"7d\", // week\n\t\"enabled\":true}}}"
            ),
            "{\"general\":{\"sessionRetention\":{\n\t\"maxAge\":\"7d\", // week\n\t\"enabled\":false}}}"
        );
        assert_eq!(
            with("{ \"a\": \"{\\\"general\\\": 1}\" }"),
            "{ \"general\": { \"sessionRetention\": { \"enabled\": false } }, \"a\": \"{\\\"general\\\": 1}\" }"
        );
    }

    #[test]
    fn a_member_goes_with_its_comma() {
        let without = |text: &str| unset(text, &["a", "b"]).unwrap();
        assert_eq!(
            without("{\"a\": {\"b\": 1}}").as_deref(),
            Some("{\"a\": {}}")
        );
        assert_eq!(
            without("{\"a\": {\"b\": 1,\n \"c\": 2}}").as_deref(),
            Some("{\"a\": {\"c\": 2}}")
        );
        assert_eq!(
            without("{\"a\": {\"c\": 2, \"b\": 1 }}").as_deref(),
            Some("{\"a\": {\"c\": 2 }}")
        );
        assert_eq!(without("{\"a\": {\"c\": 2}}"), None);
        assert_eq!(is_empty("{\"a\": { /* none */ }}", &["a"]), Ok(true));
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        for text in [
            "",
            "[]",
            "{\"general\": 3}",
            "{\"a\" 1}",
            "{\"a\": 1",
            "{} {}",
        ] {
            assert!(set(text, &KEYS, "false").is_err(), "{text}");
        }
    }
}
