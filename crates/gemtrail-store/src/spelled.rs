//! How a path is written as text.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// A path as text. Bytes that are no text are written as `\\xE9`, so that two paths which differ only in
/// such bytes stay two.
pub(crate) fn text_of(path: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, str> {
    let path = path.as_ref();
    if let Some(text) = path.to_str() {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in path.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    Cow::Owned(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_told_apart() {
        assert_eq!(text_of("caf\u{e9}"), "caf\u{e9}");
        assert_eq!(text_of(OsStr::from_bytes(b"caf\xe9/a")), "caf\\xE9/a");
        assert_eq!(text_of(OsStr::from_bytes(b"caf\xe8/a")), "caf\\xE8/a");
    }
}
