//! The absolute paths of projects: how Gemini CLI hashes one, and the spellings that it may have hashed.
//!
//! On Windows the drive letter's case is whatever the shell reported, and the sandbox there
//! sees `C:\a\b` as `/c/a/b`. Everywhere else a path has one spelling.

use sha2::{Digest as _, Sha256};

/// Calls back with each spelling of an absolute path, the given one first.
pub fn each_spelling(path: &[u8], mut spelling: impl FnMut(&[u8])) {
    spelling(path);
    let Some((letter, rest)) = drive(path) else {
        return;
    };
    let joined = |start: &[u8], separator: u8| {
        let mut text = start.to_vec();
        let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
        for part in rest
            .split(is_separator)
            .filter(|component| !component.is_empty())
        {
            text.push(separator);
            text.extend_from_slice(part);
        }
        text
    };
    let variants = [
        joined(&[letter.to_ascii_uppercase(), b':'], b'\\'),
        joined(&[letter.to_ascii_lowercase(), b':'], b'\\'),
        joined(&[b'/', letter.to_ascii_lowercase()], b'/'),
    ];
    for variant in variants.iter().filter(|variant| *variant != path) {
        spelling(variant);
    }
}

/// Every spelling under which Gemini CLI may have hashed this absolute path.
pub fn spellings(path: &str) -> Vec<String> {
    let mut all = Vec::new();
    each_spelling(path.as_bytes(), |spelling| {
        all.extend(std::str::from_utf8(spelling).map(str::to_owned));
    });
    all
}

/// Bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The project hash that Gemini CLI computes.
pub fn project_hash(root: &str) -> String {
    hex(&Sha256::digest(root.as_bytes()))
}

/// True if the text is an absolute path on any system.
pub fn is_absolute_path(path: &str) -> bool {
    path.starts_with('/') || windows_drive(path.as_bytes()).is_some()
}

/// The drive letter of `C:\a`, `C:/a` or `/c/a`, and what follows it.
fn drive(path: &[u8]) -> Option<(u8, &[u8])> {
    windows_drive(path).or(match path {
        [b'/', letter, b'/', rest @ ..] if letter.is_ascii_alphabetic() => Some((*letter, rest)),
        _ => None,
    })
}

fn windows_drive(path: &[u8]) -> Option<(u8, &[u8])> {
    match path {
        [letter, b':', b'\\' | b'/', rest @ ..] if letter.is_ascii_alphabetic() => {
            Some((*letter, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_its_sandbox() {
        assert_eq!(
            spellings("C:\\Users\\My App"),
            ["C:\\Users\\My App", "c:\\Users\\My App", "/c/Users/My App"]
        );
        assert_eq!(
            spellings("/c/Users/My App"),
            ["/c/Users/My App", "C:\\Users\\My App", "c:\\Users\\My App"]
        );
        assert_eq!(
            spellings("d:/x"),
            ["d:/x", "D:\\x", "d:\\x", "/d/x"],
            "as models write it"
        );
    }

    #[test]
    fn elsewhere_a_path_has_one_spelling() {
        assert_eq!(spellings("/srv/app"), ["/srv/app"]);
        assert_eq!(spellings("/c"), ["/c"]);
        assert_eq!(spellings("/"), ["/"]);
    }

    #[test]
    fn absolute_on_any_system() {
        assert!(["/a", "C:\\a", "c:/a"].into_iter().all(is_absolute_path));
        assert!(!["a/b", "C:a", ""].into_iter().any(is_absolute_path));
    }
}
