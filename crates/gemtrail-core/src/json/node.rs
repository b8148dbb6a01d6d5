//! Walking through raw JSON text without building a tree.

use std::borrow::Cow;

use super::scan::{Cursor, Fault, ScanResult, Shape};
use super::text;

/// The raw text of one valid JSON value.
///
/// Every access scans the value and allocates nothing; for a handful of accesses this is far
/// cheaper than building a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a>(&'a str);

impl<'a> Node<'a> {
    /// Wraps text that is known to be one JSON value.
    pub(crate) fn new(text: &'a str) -> Self {
        Self(text.trim_ascii())
    }

    /// Wraps text if it is one JSON value.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut cursor = Cursor::new(text);
        cursor.skip_value().ok()?;
        cursor.at_end().then(|| Self::new(text))
    }

    /// The text of the value.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// The kind of value.
    pub fn shape(self) -> Shape {
        Cursor::deep(self.0).peek().unwrap_or(Shape::Null)
    }

    /// True if it is `null`.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The characters of a string.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        (self.shape() == Shape::String).then(|| text::decode(self.0))
    }

    /// The last lines of a string: as many as fit into `bytes`, and whether these are all of them.
    pub(crate) fn last_lines(self, bytes: usize) -> Option<(Cow<'a, str>, bool)> {
        (self.shape() == Shape::String).then(|| text::decode_end(self.0, bytes))
    }

    /// A boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// A non-negative integer; `1e3` and `2.0` are integers.
    pub fn as_u64(self) -> Option<u64> {
        if let Ok(number) = self.0.parse() {
            return Some(number);
        }
        if self.shape() != Shape::Number {
            return None;
        }
        let number: f64 = self.0.parse().ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be an integer that a double represents exactly"
        )]
        (number >= 0.0 && number.fract() == 0.0 && number <= 9_007_199_254_740_992.0)
            .then_some(number as u64)
    }

    /// The members of an object, in source order; empty for anything else.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Node<'a>)> {
        let mut cursor = Cursor::deep(self.0);
        let (mut is_open, mut first) = (cursor.enter_object().is_ok(), true);
        std::iter::from_fn(move || {
            let key = is_open.then(|| cursor.next_key(&mut first).ok()).flatten();
            let member = key
                .flatten()
                .and_then(|key| Some((text::decode(key), Node(cursor.raw().ok()?))));
            is_open = member.is_some();
            member
        })
    }

    /// The elements of an array; empty for anything else.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> {
        let mut cursor = Cursor::deep(self.0);
        let (mut is_open, mut first) = (cursor.enter_array().is_ok(), true);
        std::iter::from_fn(move || {
            is_open = is_open && cursor.next_item(&mut first) == Ok(true);
            let item = is_open.then(|| cursor.raw().ok()).flatten();
            is_open = item.is_some();
            item.map(Node)
        })
    }

    /// True if it is an array that is not empty.
    pub(crate) fn has_items(self) -> bool {
        let mut cursor = Cursor::deep(self.0);
        cursor.enter_array().is_ok() && cursor.next_item(&mut true) == Ok(true)
    }

    /// The member with that name; the last one if it occurs twice.
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        let [found] = self.get_all([name]);
        found
    }

    /// Several members in one scan.
    pub fn get_all<const N: usize>(self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        Cursor::deep(self.0).members(names).unwrap_or([None; N])
    }
}

impl<'a> Cursor<'a> {
    /// Skips the next value, whose shape [`Cursor::peek`] just returned, and returns it.
    #[inline]
    pub(crate) fn node_of(&mut self, shape: Shape) -> ScanResult<Node<'a>> {
        self.raw_of(shape).map(Node)
    }

    /// Several members of the object under the cursor, which is skipped. If a name occurs twice,
    /// the last one counts.
    pub(crate) fn members<const N: usize>(
        &mut self,
        names: [&str; N],
    ) -> ScanResult<[Option<Node<'a>>; N]> {
        let mut found = [None; N];
        self.each_member(|cursor, key| {
            let value = Node::new(cursor.raw()?);
            let key = text::decode(key);
            if let Some(at) = names.iter().position(|name| *name == key) {
                found[at] = Some(value);
            }
            Ok::<(), Fault>(())
        })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_objects_and_arrays() {
        let node = Node::parse(r#" {"a":[1,"two",{"b":null}], "c": true, "a":[]} "#).unwrap();
        assert_eq!(node.get("c").and_then(Node::as_bool), Some(true));
        assert_eq!(
            node.get("a").map(Node::text),
            Some("[]"),
            "the last one counts"
        );
        let keys: Vec<_> = node
            .members()
            .map(|(k, v)| (k.into_owned(), v.text()))
            .collect();
        assert_eq!(keys[0], ("a".to_owned(), r#"[1,"two",{"b":null}]"#));
        let first = Node::new(keys[0].1);
        let items: Vec<_> = first.items().map(Node::shape).collect();
        assert_eq!(items, [Shape::Number, Shape::String, Shape::Object]);
        assert_eq!(first.members().count(), 0);
    }

    #[test]
    fn whole_numbers_in_any_spelling() {
        let number = |text| Node::parse(text).unwrap().as_u64();
        assert_eq!(number("12"), Some(12));
        assert_eq!(number("1e3"), Some(1000));
        assert_eq!(number("2.0"), Some(2));
        assert_eq!(number("-1"), None);
        assert_eq!(number("1.5"), None);
        assert_eq!(number("1e400"), None);
        assert_eq!(number("\"3\""), None);
    }
}
