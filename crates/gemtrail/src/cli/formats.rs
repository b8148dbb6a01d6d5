//! The formats that can be written: those of the export crate, and the verifiable record in two forms.

use std::cmp::Reverse;
use std::path::Path;

use gemtrail_export::exporter::{Audience, Format};

/// The verifiable record. Its crate and that of the other formats do not know each other.
pub(super) static VAC: Format = Format {
    name: "vac",
    about: "The verifiable agent record",
    ending: "vac.json",
    audience: Audience::Programs,
    redacts_files: false,
    options: &[
        "superseded",
        "live",
        "profile",
        "encoding",
        "created",
        "session-format",
    ],
    includes_subagents: false,
    has_digests: false,
    joins_sessions: false,
};

/// The verifiable record in a container for conversations.
pub(super) static VCON: Format = Format {
    name: "vcon",
    about: "A vCon with the verifiable agent record in it",
    ending: "vcon.json",
    audience: Audience::Programs,
    redacts_files: false,
    options: &["superseded", "live", "profile", "created", "session-format"],
    includes_subagents: true,
    has_digests: false,
    joins_sessions: false,
};

/// All formats.
pub(super) fn all() -> impl Iterator<Item = &'static Format> {
    Format::built_in().chain([&VAC, &VCON])
}

/// True if a format has the prompts that only the log has. Others would be empty documents.
pub(super) fn has_logged(format: &Format) -> bool {
    ["md", "html", "txt", "json", "jsonl"].contains(&format.name)
}

/// The format of that name.
pub(super) fn named(name: &str) -> Option<&'static Format> {
    all().find(|format| format.name == name)
}

/// Other endings of the same formats.
const OTHER_ENDINGS: [(&str, &str); 4] = [
    ("markdown", "md"),
    ("htm", "html"),
    ("csv", "usage"),
    ("vac.cbor", "vac"),
];

/// The format of files with that ending, if a file of that name has one.
pub(super) fn of_file(path: &Path) -> Option<&'static Format> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let ends = |ending: &str| {
        name.strip_suffix(ending)
            .is_some_and(|it| it.ends_with('.'))
    };
    if let Some((_, format)) = OTHER_ENDINGS.iter().find(|(ending, _)| ends(ending)) {
        return named(format);
    }
    // The longest ending tells most; of several formats the one that is called like it.
    let mut formats: Vec<&Format> = all().filter(|format| ends(format.ending)).collect();
    formats.sort_by_key(|format| {
        let is_other = format.name != format.ending;
        (Reverse(format.ending.len()), is_other)
    });
    formats.into_iter().next()
}

/// Every ending that says what to write.
pub(super) fn endings() -> Vec<String> {
    let mut endings: Vec<String> = Vec::new();
    for ending in all().map(|format| format.ending).chain(["csv"]) {
        let ending = format!(".{ending}");
        if !endings.contains(&ending) {
            endings.push(ending);
        }
    }
    endings
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_formats_have_one_name() {
        let names: HashSet<&str> = all().map(|format| format.name).collect();
        assert_eq!(names.len(), all().count());
        assert_eq!(named("vac"), Some(&VAC));
    }

    #[test]
    fn the_ending_of_a_file_tells_the_format() {
        let of = |name: &str| of_file(Path::new(name)).map(|format| format.name);
        for (name, format) in [
            ("a.md", "md"),
            ("A.HTML", "html"),
            ("dir.x/a.json", "json"),
            ("a.vac.json", "vac"),
            ("a.vcon.json", "vcon"),
            ("a.jsonl", "jsonl"),
            ("a.txt", "txt"),
            ("a.csv", "usage"),
            ("a.markdown", "md"),
        ] {
            assert_eq!(of(name), Some(format), "{name}");
        }
        for name in ["a.docx", "md", "a", ".md.d", "x/"] {
            assert_eq!(of(name), None, "{name}");
        }
        assert!(endings().contains(&".html".to_owned()));
    }
}
