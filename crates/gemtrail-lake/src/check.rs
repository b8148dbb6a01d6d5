//! Compares a lake with what an origin put into it.

use std::path::Path;

use crate::error::LakeError;
use crate::manifest::Manifest;
use crate::options::Level;
use crate::origin::OriginId;
use crate::place;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// True if the origin has anything in the lake.
    pub is_there: bool,
    /// The level of its files.
    pub level: Level,
    /// The number of checked files.
    pub files: u64,
    /// Files that are gone.
    pub missing: Vec<String>,
    /// Files with other bytes.
    pub changed: Vec<String>,
    /// Files of the origin that its manifest does not name.
    pub unnamed: Vec<String>,
}

impl Checked {
    /// True if everything is as it was written.
    pub fn is_good(&self) -> bool {
        self.missing.is_empty() && self.changed.is_empty() && self.unnamed.is_empty()
    }
}

/// Compares the files of an origin with its manifest.
pub fn check(lake: &Path, origin: &OriginId) -> Result<Checked, LakeError> {
    let mut checked = Checked {
        unnamed: place::files_of(lake, origin)?,
        ..Checked::default()
    };
    let Some(manifest) = Manifest::read(lake, origin)? else {
        return Ok(checked);
    };
    (checked.is_there, checked.level) = (true, manifest.level);
    for (file, entry) in manifest.files.iter().filter(|(_, it)| it.rows > 0) {
        checked.files += 1;
        checked.unnamed.retain(|it| it != file);
        match place::digest_of(&lake.join(file))? {
            None => checked.missing.push(file.clone()),
            Some(digest) if digest != entry.sha256 => checked.changed.push(file.clone()),
            Some(_) => {}
        }
    }
    Ok(checked)
}
