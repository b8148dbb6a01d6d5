//! Addresses of pages.

use std::fmt::Display;
use std::fmt::Write as _;

use gemtrail_core::model::SessionRef;

/// The page of a session.
pub(crate) fn session(reference: SessionRef) -> String {
    format!("/sessions/{reference}")
}

/// The page of a session that the message with this index is on, if it has several.
pub(crate) fn page(reference: SessionRef, index: Option<usize>) -> String {
    session(reference) + &from(index)
}

/// The query that selects such a page, to be appended to an address.
pub(crate) fn from(index: Option<usize>) -> String {
    index.map_or_else(String::new, |index| format!("?from={index}"))
}

/// The messages of a session, one by one.
pub(crate) fn messages(reference: SessionRef) -> String {
    format!("/sessions/{reference}/messages")
}

/// A path with a query; parameters without a value are left out.
pub(crate) fn with(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    for (at, (name, value)) in given.enumerate() {
        let mark = if at == 0 { '?' } else { '&' };
        // Writing to a string cannot fail.
        let _ = write!(address, "{mark}{name}={}", encoded(value));
    }
    address
}

/// The address of a page on which these words are marked.
pub(crate) fn marking(address: &str, words: &str) -> String {
    if words.is_empty() {
        return address.to_owned();
    }
    let (page, anchor) = match address.split_once('#') {
        Some((page, anchor)) => (page, format!("#{anchor}")),
        None => (address, String::new()),
    };
    let mark = if page.contains('?') { '&' } else { '?' };
    format!("{page}{mark}find={}{anchor}", encoded(words))
}

/// A text as part of an address.
pub(crate) fn encoded(text: &(impl Display + ?Sized)) -> String {
    let mut out = String::new();
    for byte in text.to_string().bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_to_mark_stand_before_the_anchor() {
        assert_eq!(marking("/s/a#m-1", "a b"), "/s/a?find=a%20b#m-1");
        assert_eq!(marking("/s/a?from=3", "#"), "/s/a?from=3&find=%23");
        assert_eq!(marking("/s/a:1.2", ""), "/s/a:1.2");
    }

    #[test]
    fn values_stay_values() {
        let odd = "a&b=c #\"<>é/../%";
        let address = with("/search", &[("q", odd), ("role", ""), ("page", "2")]);
        assert_eq!(
            address,
            "/search?q=a%26b%3Dc%20%23%22%3C%3E%C3%A9%2F..%2F%25&page=2"
        );
    }
}
