//! Root paths that a person taught or that earlier runs learned, kept in one small file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use crate::error::CliError;

/// The file's name in the data directory.
const FILE: &str = "paths.toml";

/// The paths and where they are kept.
#[derive(Debug, Default)]
pub(crate) struct Taught {
    /// Nowhere, if this machine has no place for data.
    file: Option<PathBuf>,
    paths: Vec<String>,
}

impl Taught {
    /// Reads what was taught. A missing file teaches nothing.
    pub(crate) fn read(data_dir: Option<&Path>) -> Result<Self, CliError> {
        let Some(file) = data_dir.map(|dir| dir.join(FILE)) else {
            return Ok(Self::default());
        };
        let bad = |what: &str| {
            let what = format!("failed to read the taught paths {}: {what}", file.display());
            CliError::cannot("bad-paths", what)
                .hint("correct the file or remove it; gemtrail projects add teaches paths anew")
        };
        let paths = match std::fs::read_to_string(&file) {
            Ok(text) => parse(&text).map_err(|what| bad(&what))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(bad(&error.to_string())),
        };
        Ok(Self {
            file: Some(file),
            paths,
        })
    }

    pub(crate) fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Adds paths and writes the file if any is new.
    pub(crate) fn remember(&mut self, paths: &[String]) -> Result<(), CliError> {
        let before = self.paths.len();
        for path in paths {
            if !self.paths.contains(path) && !path.contains(char::is_control) {
                self.paths.push(path.clone());
            }
        }
        if self.paths.len() == before {
            return Ok(());
        }
        let Some(file) = &self.file else {
            let error = CliError::cannot("no-data-dir", "there is no place to remember paths");
            return Err(error.hint("set GEMTRAIL_DATA_DIR to a directory"));
        };
        self.paths.sort_unstable();
        write(file, &self.paths).map_err(|error| {
            let what = format!("failed to write {}: {error}", file.display());
            CliError::cannot("unwritable", what)
        })
    }
}

fn parse(text: &str) -> Result<Vec<String>, String> {
    let document = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    let Some(paths) = document.get_ref().get("paths") else {
        return Ok(Vec::new());
    };
    let paths = paths.get_ref().as_array().ok_or("`paths` is no list")?;
    let text =
        |item: &toml::Spanned<toml::de::DeValue<'_>>| item.get_ref().as_str().map(str::to_owned);
    Ok(paths.iter().filter_map(text).collect())
}

/// Writes to a temporary name first, so that a reader never sees half of it.
fn write(file: &Path, paths: &[String]) -> io::Result<()> {
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let temporary = file.with_extension(format!("toml.{}.tmp", std::process::id()));
    let written = (|| {
        let mut out = std::fs::File::create(&temporary)?;
        writeln!(out, "# Project roots that were taught or learned.")?;
        writeln!(out, "paths = [")?;
        for path in paths {
            // Without control characters a JSON string is a TOML string.
            writeln!(out, "    {},", serde_json::Value::from(path.as_str()))?;
        }
        writeln!(out, "]")?;
        out.sync_all()?;
        std::fs::rename(&temporary, file)
    })();
    if written.is_err() {
        // The error that matters is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_across_runs() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("deep/data");
        let mut taught = Taught::read(Some(&data)).unwrap();
        assert!(taught.paths().is_empty());
        let paths = ["/b \"q\"", "C:\\a", "/odd\u{7f}", "/日本"].map(str::to_owned);
        taught.remember(&paths).unwrap();
        taught.remember(&paths).unwrap();
        let again = Taught::read(Some(&data)).unwrap();
        assert_eq!(again.paths(), ["/b \"q\"", "/日本", "C:\\a"]);
        assert_eq!(std::fs::read_dir(&data).unwrap().count(), 1);
    }

    #[test]
    fn a_broken_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "paths = [").unwrap();
        let error = Taught::read(Some(dir.path())).unwrap_err();
        assert_eq!(error.code, "bad-paths");
        assert!(Taught::default().remember(&["/a".to_owned()]).is_err());
        assert!(Taught::default().remember(&[]).is_ok());
    }
}
