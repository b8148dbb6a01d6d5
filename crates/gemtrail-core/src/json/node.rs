//! Walking through raw JSON text without building a tree.

use std::borrow::Cow;

use super::scan::{Cursor, Scan, Shape};
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

    /// What kind of value it is.
    pub fn shape(self) -> Shape {
        Cursor::trusted(self.0).peek().unwrap_or(Shape::Null)
    }

    /// Whether it is `null`.
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
    pub fn members(self) -> Members<'a> {
        let mut cursor = Cursor::trusted(self.0);
        let open = self.shape() == Shape::Object && cursor.enter_object().is_ok();
        Members {
            cursor,
            first: true,
            open,
        }
    }

    /// The elements of an array; empty for anything else.
    pub fn items(self) -> Items<'a> {
        let mut cursor = Cursor::trusted(self.0);
        let open = self.shape() == Shape::Array && cursor.enter_array().is_ok();
        Items {
            cursor,
            first: true,
            open,
        }
    }

    /// Whether it is an array that is not empty.
    pub(crate) fn has_items(self) -> bool {
        let mut cursor = Cursor::trusted(self.0);
        cursor.enter_array().is_ok() && cursor.next_item(&mut true) == Ok(true)
    }

    /// The member with that name; the last one if it occurs twice.
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        let [found] = self.get_all([name]);
        found
    }

    /// Several members in one scan.
    pub fn get_all<const N: usize>(self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        let mut found = [None; N];
        for (key, node) in self.members() {
            if let Some(at) = names.iter().position(|name| *name == key) {
                found[at] = Some(node);
            }
        }
        found
    }
}

impl<'a> Cursor<'a> {
    /// Skips the next value, whose shape [`Cursor::peek`] just returned, and returns it.
    #[inline]
    pub(crate) fn node_of(&mut self, shape: Shape) -> Scan<Node<'a>> {
        self.raw_of(shape).map(Node)
    }

    /// Several members of the object under the cursor, which is skipped. If a name occurs twice, the
    /// last one counts.
    pub(crate) fn members<const N: usize>(
        &mut self,
        names: [&str; N],
    ) -> Scan<[Option<Node<'a>>; N]> {
        let mut found = [None; N];
        self.enter_object()?;
        let mut first = true;
        while let Some(key) = self.next_key(&mut first)? {
            let value = Node::new(self.raw()?);
            let key = text::decode(key);
            if let Some(at) = names.iter().position(|name| *name == key) {
                found[at] = Some(value);
            }
        }
        Ok(found)
    }
}

/// Iterates over the members of an object.
#[derive(Debug)]
pub struct Members<'a> {
    cursor: Cursor<'a>,
    first: bool,
    open: bool,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.open {
            return None;
        }
        let member = self.cursor.next_key(&mut self.first).ok().flatten();
        let item = member.and_then(|key| Some((text::decode(key), Node(self.cursor.raw().ok()?))));
        self.open = item.is_some();
        item
    }
}

/// Iterates over the elements of an array.
#[derive(Debug)]
pub struct Items<'a> {
    cursor: Cursor<'a>,
    first: bool,
    open: bool,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.open {
            return None;
        }
        self.open = self.cursor.next_item(&mut self.first).unwrap_or(false);
        let item = if self.open {
            self.cursor.raw().ok().map(Node)
        } else {
            None
        };
        self.open = item.is_some();
        item
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
