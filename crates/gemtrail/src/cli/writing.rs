//! Sessions that go to files: their names, and the parts of those that are split.

use std::collections::HashSet;
use std::io::Write;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gemtrail_core::model::Session;

use super::args::{FormatArgs, OutputFormat};
use super::privacy::{Cleared, Rules};
use super::target;
use crate::error::CliError;
use crate::ui::Ui;

/// Whether a path means a directory: it is one, or it ends like one.
pub(super) fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR])
}

/// The names of sessions' files in a directory, each its own.
#[derive(Default)]
pub(super) struct FileNames {
    /// Names that several sessions of the export have.
    shared: HashSet<String>,
    used: Mutex<HashSet<String>>,
}

impl FileNames {
    /// For an export of sessions with these names of first files.
    pub(super) fn of<'s>(stems: impl Iterator<Item = &'s str>) -> Self {
        let mut seen = HashSet::new();
        let is_known = |stem: &String| !seen.insert(stem.clone());
        Self {
            shared: stems.map(key).filter(is_known).collect(),
            used: Mutex::default(),
        }
    }

    /// The name of a session's file. Copies of a session in other projects or on other machines have
    /// its file name; then the reference tells them apart.
    pub(super) fn name(
        &self,
        session: &Session,
        format: OutputFormat,
        options: &FormatArgs,
    ) -> String {
        let stem = session.stems.first();
        let stem = stem.map_or_else(|| session.id.as_str(), String::as_str);
        let key = key(stem);
        let is_shared = self.shared.contains(&key);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = !used.insert(key);
        let (name, ending) = (target::safe_name(stem), format.ending(options));
        if is_shared || is_taken {
            format!("{name}.{}.{ending}", session.reference)
        } else {
            format!("{name}.{ending}")
        }
    }
}

/// What file systems that ignore case compare.
fn key(stem: &str) -> String {
    target::safe_name(stem).to_lowercase()
}

/// Writes the parts of a document, all or none, and gives their number.
pub(super) fn write_parts(
    parts: &[Vec<u8>],
    path: &Path,
    force: bool,
    ui: &Ui,
) -> Result<usize, CliError> {
    let paths: Vec<PathBuf> = (1..=parts.len())
        .map(|number| part_path(path, number))
        .collect();
    for path in &paths {
        target::refuse_existing(path, force)?;
    }
    for (part, path) in parts.iter().zip(&paths) {
        target::write(path, force, |out| {
            out.write_all(part)?;
            Ok(out.flush()?)
        })?;
    }
    let next = part_path(path, parts.len() + 1);
    if next.exists() {
        // It would be taken for a part of what was just written.
        let what = "does not belong to this export";
        ui.note(&format!("warning: {} {what}", next.display()));
    }
    Ok(parts.len())
}

/// Writes a session to a file, or to several, and gives their number.
pub(super) fn write_session(
    cleared: &mut Cleared,
    path: &Path,
    force: bool,
    rules: &Rules<'_>,
    ui: &Ui,
) -> Result<usize, CliError> {
    if let Some(lines) = rules.split() {
        return write_parts(&rules.parts(cleared, lines)?, path, force, ui);
    }
    target::write(path, force, |out| rules.write(cleared, out))?;
    Ok(1)
}

/// `notes.md` has the parts `notes.part-1.md`, `notes.part-2.md` and so on.
fn part_path(path: &Path, number: usize) -> PathBuf {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let (stem, ending) = (text(path.file_stem()), text(path.extension()));
    let ending = ending.unwrap_or_else(|| "md".to_owned());
    path.with_file_name(format!(
        "{}.part-{number}.{ending}",
        stem.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_before_the_ending() {
        let of = |path: &str| part_path(Path::new(path), 2);
        assert_eq!(of("a/notes.md"), Path::new("a/notes.part-2.md"));
        assert_eq!(of("notes"), Path::new("notes.part-2.md"));
        assert_eq!(of("a.b/v1.2.txt"), Path::new("a.b/v1.2.part-2.txt"));
    }
}
