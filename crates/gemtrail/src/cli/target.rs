//! Files that are written: first under a temporary name, then put in place.

use std::fs::{self, File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Longest file name, short of the limits of all file systems.
const LONGEST_NAME: usize = 120;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Whoever the system lets read new files.
    Shared,
    /// Only its owner.
    Private,
}

/// Writes a file as a whole or not at all; an existing one is replaced only if `force` is set.
pub(super) fn write(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    write_with(path, force, Access::Shared, fill)
}

/// The same for a file that not everybody may read.
pub(super) fn write_with(
    path: &Path,
    force: bool,
    access: Access,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    refuse_existing(path, force)?;
    let temporary = temporary_name(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    restrict(&mut options, access);
    let opened = options
        .open(&temporary)
        .map_err(|error| failed(&temporary, &error))?;
    let mut out = BufWriter::with_capacity(64 << 10, opened);
    let outcome = fill(&mut out)
        .and_then(|()| fs::rename(&temporary, path).map_err(|error| failed(path, &error)));
    if outcome.is_err() {
        // What is left of a failed write helps nobody.
        let _ = fs::remove_file(&temporary);
    }
    outcome
}

/// The error for a file that exists, unless it may be replaced.
pub(super) fn refuse_existing(path: &Path, force: bool) -> Result<(), CliError> {
    // A dangling link is something that exists, too.
    if !force && path.symlink_metadata().is_ok() {
        let error = CliError::cannot("exists", format!("{} exists already", path.display()));
        return Err(error.hint("--force replaces it"));
    }
    Ok(())
}

/// The mode is set when the file is made, so that it is never open to others, not for a moment.
#[cfg(unix)]
fn restrict(options: &mut OpenOptions, access: Access) {
    use std::os::unix::fs::OpenOptionsExt as _;
    if access == Access::Private {
        options.mode(0o600);
    }
}

/// Other systems give a new file the rights of its directory, which is the user's own.
#[cfg(not(unix))]
fn restrict(_: &mut OpenOptions, _: Access) {}

/// Makes a directory and those above it.
pub(super) fn make_directory(path: &Path) -> Result<(), CliError> {
    fs::create_dir_all(path).map_err(|error| failed(path, &error))
}

/// A name beside the target that no other run of the program uses.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn failed(path: &Path, error: &std::io::Error) -> CliError {
    CliError::cannot(
        "cannot-write",
        format!("failed to write {}: {error}", path.display()),
    )
}

/// A file name that every system takes.
pub(super) fn safe_name(name: &str) -> String {
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let safe: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let safe = safe.trim_matches('.');
    let base = safe.split('.').next().unwrap_or_default().to_lowercase();
    let is_device = RESERVED.contains(&base.trim_end_matches(|c: char| c.is_ascii_digit()));
    if safe.is_empty() || is_device {
        format!("session-{safe}")
    } else {
        safe.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::safe_name;

    #[test]
    fn names_are_safe_on_every_system() {
        assert_eq!(
            safe_name("session-2026-06-01T10-00-2f1e0a52"),
            "session-2026-06-01T10-00-2f1e0a52"
        );
        assert_eq!(safe_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(safe_name("a:b\\c\n\u{1b}[31m"), "a_b_c___31m");
        assert_eq!(safe_name("..."), "session-");
        assert_eq!(safe_name("COM1.json"), "session-COM1.json");
        assert_eq!(safe_name("日本"), "日本");
    }
}
