//! The configuration: defaults, then the system's file, then the person's, then the environment,
//! then options; resolved once into one struct, along with where every value came from.

mod file;
mod key;
mod settings;

pub(crate) use file::{ConfigLayer, load};
pub(crate) use key::{ARCHIVE_PATH, ConfigKey, HOMES, KEYS, SCAN_DIRS, nearest_key};
pub(crate) use settings::{SettingSource, Settings};
