//! Paths as people type and read them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// A path as text. Bytes that are no text are written as `\\xE9`, so that two paths which differ only in
/// such bytes stay two.
pub fn text_of(path: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, str> {
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

/// Replaces a leading `~`; `None` if the home directory is not known.
pub fn expand_tilde(text: &str, user_home: Option<&Path>) -> Option<PathBuf> {
    match text.strip_prefix('~') {
        Some("") => user_home.map(Path::to_owned),
        Some(rest) if rest.starts_with(['/', '\\']) => user_home.map(|home| home.join(&rest[1..])),
        _ => Some(PathBuf::from(text)),
    }
}

/// The path with `~` for the user's home directory.
pub fn shown(path: &str, user_home: Option<&Path>) -> String {
    let rest = user_home
        .and_then(Path::to_str)
        .filter(|home| home.len() > 1)
        .and_then(|home| path.strip_prefix(home.trim_end_matches(['/', '\\'])));
    match rest {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with(['/', '\\']) => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// True if two paths lead to the same file or directory.
pub fn lead_to_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other || real(one).is_some_and(|it| real(other) == Some(it))
}

/// True if the text is a path and not a name.
pub fn looks_like_path(text: &str) -> bool {
    matches!(text, "." | ".." | "~") || text.contains(['/', '\\'])
}

/// The root paths that Gemini CLI may have seen for what the user typed: the path as written, and
/// with its links resolved. A path of another system stays as it is.
pub fn roots(text: &str, current_dir: Option<&Path>, user_home: Option<&Path>) -> Vec<String> {
    if gemtrail_core::is_absolute_path(text) && !Path::new(text).is_absolute() {
        return vec![text.to_owned()];
    }
    let Some(path) = expand_tilde(text, user_home) else {
        return Vec::new();
    };
    let path = match current_dir {
        Some(current) => current.join(path),
        None => path,
    };
    let lexical = without_dots(&path);
    let mut roots: Vec<String> = lexical.to_str().map(str::to_owned).into_iter().collect();
    if let Ok(real) = path.canonicalize()
        && let Some(real) = real.to_str()
    {
        // Canonical paths on Windows have this prefix; no program sees its directory like that.
        let real = real.strip_prefix("\\\\?\\").unwrap_or(real);
        if !roots.iter().any(|root| root == real) {
            roots.push(real.to_owned());
        }
    }
    roots
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            _ => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_directory_is_a_tilde() {
        let home = Some(Path::new("/home/al"));
        assert_eq!(shown("/home/al", home), "~");
        assert_eq!(shown("/home/al/x", home), "~/x");
        assert_eq!(shown("/home/alice", home), "/home/alice");
        assert_eq!(shown("/home/al", Some(Path::new("/"))), "/home/al");
        assert_eq!(expand_tilde("~/x", home).unwrap(), Path::new("/home/al/x"));
        assert_eq!(expand_tilde("~x", home).unwrap(), Path::new("~x"));
        assert_eq!(expand_tilde("~/x", None), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_was_typed_becomes_a_root() {
        let current = Some(Path::new("/none/here"));
        let home = Some(Path::new("/none/al"));
        assert_eq!(roots("../x/./y/", current, home), ["/none/x/y"]);
        assert_eq!(roots("~/x", current, home), ["/none/al/x"]);
        assert_eq!(roots("C:\\a\\b", current, home), ["C:\\a\\b"]);
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        let link = real.with_file_name("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let expected = [link.to_str().unwrap(), real.to_str().unwrap()];
        assert_eq!(roots(expected[0], current, home), expected);
    }

    #[test]
    fn names_and_paths_differ() {
        assert!(looks_like_path(".") && looks_like_path("a/b") && looks_like_path("C:\\x"));
        assert!(!looks_like_path("my-app") && !looks_like_path("v1.2"));
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_told_apart() {
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(text_of("caf\u{e9}"), "caf\u{e9}");
        assert_eq!(text_of(OsStr::from_bytes(b"caf\xe9/a")), "caf\\xE9/a");
        assert_eq!(text_of(OsStr::from_bytes(b"caf\xe8/a")), "caf\\xE8/a");
    }
}
