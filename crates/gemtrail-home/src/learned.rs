//! Root paths that the user taught or that earlier runs learned, kept in one small file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::partial_file::{self, PartialFile};
use crate::source::read_small;
use toml::de::DeTable;

/// The file's name in the data directory.
const FILE: &str = "paths.toml";

/// A reason why learned paths cannot be read or saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// The file is not in the format that gemtrail writes.
    #[error("failed to read the registered paths {}: {what}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        what: String,
    },
    /// This machine has no data directory.
    #[error("there is no place to store paths")]
    NoPlace,
    /// The file cannot be written.
    #[error("failed to write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// The paths and the file that keeps them.
#[derive(Debug, Default)]
pub struct Learned {
    /// `None` if this machine has no data directory.
    file: Option<PathBuf>,
    paths: Vec<String>,
}

impl Learned {
    /// Reads what was learned so far. A missing file is empty.
    pub fn read(data_dir: Option<&Path>) -> Result<Self, LearnedError> {
        let Some(file) = data_dir.map(|dir| dir.join(FILE)) else {
            return Ok(Self::default());
        };
        let bad = |what: String| LearnedError::Unreadable {
            path: file.clone(),
            what,
        };
        let paths = match read_small(&file)
            .and_then(|it| String::from_utf8(it).map_err(io::Error::other))
        {
            Ok(text) => parse(&text).map_err(bad)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(bad(error.to_string())),
        };
        Ok(Self {
            file: Some(file),
            paths,
        })
    }

    /// The paths.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Adds paths and writes the file if any is new.
    pub fn remember(&mut self, paths: &[String]) -> Result<(), LearnedError> {
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
            return Err(LearnedError::NoPlace);
        };
        self.paths.sort_unstable();
        write(file, &self.paths).map_err(|source| LearnedError::Unwritable {
            path: file.clone(),
            source,
        })
    }
}

fn parse(text: &str) -> Result<Vec<String>, String> {
    let document = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    let Some(paths) = document.get_ref().get("paths") else {
        return Ok(Vec::new());
    };
    let paths = paths.get_ref().as_array().ok_or("`paths` is not a list")?;
    let text =
        |item: &toml::Spanned<toml::de::DeValue<'_>>| item.get_ref().as_str().map(str::to_owned);
    Ok(paths.iter().filter_map(text).collect())
}

/// Writes to a temporary name first, so that readers never see a partial file.
fn write(file: &Path, paths: &[String]) -> io::Result<()> {
    let dir = partial_file::directory(file);
    std::fs::create_dir_all(dir)?;
    partial_file::clean(dir);
    let mut partial = PartialFile::beside(file)?;
    let out = partial.file();
    writeln!(
        out,
        "# Project roots that you registered or gemtrail found."
    )?;
    writeln!(out, "paths = [")?;
    for path in paths {
        // Without control characters a JSON string is a TOML string.
        writeln!(out, "    {},", serde_json::Value::from(path.as_str()))?;
    }
    writeln!(out, "]")?;
    out.sync_all()?;
    partial.put(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_across_runs() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("deep/data");
        let mut learned = Learned::read(Some(&data)).unwrap();
        assert!(learned.paths().is_empty());
        let paths = ["/b \"q\"", "C:\\a", "/odd\u{7f}", "/日本"].map(str::to_owned);
        learned.remember(&paths).unwrap();
        learned.remember(&paths).unwrap();
        let again = Learned::read(Some(&data)).unwrap();
        assert_eq!(again.paths(), ["/b \"q\"", "/日本", "C:\\a"]);
        assert_eq!(std::fs::read_dir(&data).unwrap().count(), 1);
    }

    #[test]
    fn a_broken_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "paths = [").unwrap();
        let error = Learned::read(Some(dir.path())).unwrap_err();
        assert!(matches!(error, LearnedError::Unreadable { .. }));
        assert!(Learned::default().remember(&["/a".to_owned()]).is_err());
        assert!(Learned::default().remember(&[]).is_ok());
    }
}
