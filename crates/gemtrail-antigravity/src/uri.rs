//! Paths in `file:` URIs.

/// The path that a `file:` URI names; `None` for any other text.
pub(crate) fn path_of(uri: &str) -> Option<String> {
    let path = decoded(uri.strip_prefix("file://")?)?;
    // `/c:/work` is a path of Windows.
    let has_drive =
        matches!(path.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    let path = if has_drive { &path[1..] } else { &path[..] };
    (!path.is_empty()).then(|| path.to_owned())
}

/// A text with `%20` and the like replaced; `None` if the result is no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        match (*first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).ok()?);
                rest = &after[2..];
            }
            (byte, ..) => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn paths_of_both_kinds_of_systems() {
        let of = |uri| path_of(uri);
        assert_eq!(
            of("file:///home/dev/a%20b").as_deref(),
            Some("/home/dev/a b")
        );
        assert_eq!(of("file:///c%3A/work").as_deref(), Some("c:/work"));
        assert_eq!(of("file:///100%").as_deref(), Some("/100%"));
        assert_eq!(of("file:///%ff"), None);
        assert_eq!(of("https://example.com"), None);
        assert_eq!(of("file://"), None);
    }
}
