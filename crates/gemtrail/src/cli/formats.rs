//! The formats that can be written: those of the export crate, and the verifiable record.

use gemtrail_export::Selection;
use gemtrail_export::exporter::{Audience, Format};

/// The verifiable record. Its crate and that of the other formats do not know each other.
pub(super) static VAC: Format = Format {
    name: "vac",
    about: "The verifiable agent record",
    ending: "vac.json",
    audience: Audience::Programs,
    redacts_files: false,
    selection: Selection::Conversation,
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
};

/// All formats.
pub(super) fn all() -> impl Iterator<Item = &'static Format> {
    Format::built_in().chain([&VAC])
}

/// The format of that name.
pub(super) fn named(name: &str) -> Option<&'static Format> {
    all().find(|format| format.name == name)
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
}
