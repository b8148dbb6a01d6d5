//! The spellings under which one directory may have been hashed, and the short names (slugs) that Gemini CLI gives to
//! project directories since 0.29.
//!
//! On Windows the drive letter's case is whatever the shell reported, and the sandbox there
//! sees `C:\a\b` as `/c/a/b`. Everywhere else a path has one spelling.

use crate::paths::windows_drive;

/// Calls back with each spelling of an absolute path, the given one first.
pub(super) fn each(path: &[u8], mut spelling: impl FnMut(&[u8])) {
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
    each(path.as_bytes(), |spelling| {
        all.extend(std::str::from_utf8(spelling).map(str::to_owned));
    });
    all
}

/// The drive letter of `C:\a`, `C:/a` or `/c/a`, and what follows it.
fn drive(path: &[u8]) -> Option<(u8, &[u8])> {
    windows_drive(path).or(match path {
        [b'/', letter, b'/', rest @ ..] if letter.is_ascii_alphabetic() => Some((*letter, rest)),
        _ => None,
    })
}

/// The name that Gemini CLI would give to the directory of this root path, before it makes the
/// name unique.
pub fn slug_of(path: &str) -> String {
    let base = path
        .trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default();
    let mut slug = String::with_capacity(base.len());
    for c in base.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.strip_prefix('-').unwrap_or(&slug);
    let slug = slug.strip_suffix('-').unwrap_or(slug);
    if slug.is_empty() { "project" } else { slug }.to_owned()
}

/// Whether a directory name is a valid slug.
pub(super) fn is_slug(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// The name without the number that made it unique: `my-app-1` is the second `my-app`, or the
/// first `my-app-1`.
pub(super) fn without_number(name: &str) -> Option<&str> {
    let (stem, number) = name.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && !stem.is_empty()).then_some(stem)
}

/// How well a root path fits a directory name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The directory would get this name.
    Exact,
    /// The directory would get this name if the plain one were taken.
    Numbered,
}

/// How the directory name fits the root path, if it does.
pub(super) fn fit(name: &str, path: &str) -> Option<Fit> {
    let slug = slug_of(path);
    if name == slug {
        Some(Fit::Exact)
    } else if without_number(name) == Some(slug.as_str()) {
        Some(Fit::Numbered)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::is_absolute_path;

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

    #[test]
    fn slugs_as_gemini_cli_makes_them() {
        assert_eq!(slug_of("/home/alice/my-app"), "my-app");
        assert_eq!(slug_of("/srv/demo/Nova Kit_2.0 été"), "nova-kit-2-0-t");
        assert_eq!(slug_of("/srv/demo/gap-0.56.0/"), "gap-0-56-0");
        assert_eq!(slug_of("C:\\Users\\Alice\\My App"), "my-app");
        assert_eq!(slug_of("/home/a/日本"), "project");
        assert_eq!(slug_of("/"), "project");
    }

    #[test]
    fn a_number_may_belong_to_the_name_or_not() {
        assert_eq!(fit("my-app-1", "/a/my-app-1"), Some(Fit::Exact));
        assert_eq!(fit("my-app-1", "/a/my-app"), Some(Fit::Numbered));
        assert_eq!(fit("my-app-x", "/a/my-app"), None);
        assert_eq!(without_number("-1"), None);
    }
}
