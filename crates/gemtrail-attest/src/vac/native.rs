//! Members of the source that the record schema has no name for.

use super::options::Profile;
use crate::validate::Map;
use crate::value::{Object, Value, object};

/// The vendor named in extensions.
const VENDOR: &str = "gemini-cli";

/// Native members to be placed into an object of the record.
#[derive(Debug, Default)]
pub(super) struct Native(Object);

impl Native {
    /// Adds a member, unless it is absent.
    pub(super) fn add(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.entry(name.to_owned()).or_insert(value.into());
        }
    }

    /// Puts them where the profile wants them. In an open map a native member must not be mistaken
    /// for one that the schema names, so those are nested one level deeper.
    pub(super) fn place(self, target: &mut Object, profile: Profile, schema: &'static Map) {
        if self.0.is_empty() {
            return;
        }
        match profile {
            Profile::V2 => {}
            Profile::Dual => {
                target.insert("vendor-ext".to_owned(), extension(self.0).into());
            }
            Profile::V3 => {
                let (clashing, plain): (Object, Object) = self
                    .0
                    .into_iter()
                    .partition(|(name, _)| schema.names(name) || name == "native");
                target.extend(plain);
                if !clashing.is_empty() {
                    target.insert("native".to_owned(), clashing.into());
                }
            }
        }
    }
}

/// The data of a system event, in the form of the profile.
pub(super) fn event_data(data: Object, profile: Profile) -> Value {
    match profile {
        Profile::V3 => data.into(),
        Profile::V2 | Profile::Dual => extension(data).into(),
    }
}

fn extension(data: Object) -> Object {
    object([("vendor", VENDOR.into()), ("data", data.into())])
}
