//! The short names that Gemini CLI gives to project directories since 0.29.

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

/// True if a directory name is a valid slug.
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

/// A way in which a root path fits a directory name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The directory would get this name.
    Exact,
    /// The directory would get this name if the plain one were taken.
    Numbered,
}

/// The way in which the directory name fits the root path, if it does.
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
