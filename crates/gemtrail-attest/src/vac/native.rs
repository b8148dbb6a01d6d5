//! Members of the source that the record schema has no name for.

use super::options::Profile;
use crate::validate::Map;
use crate::value::{Object, Value, object};

/// The vendor that extensions name.
const VENDOR: &str = "gemini-cli";

/// Native members on their way into an object of the record.
#[derive(Debug, Default)]
pub(super) struct Native(Object);

impl Native {
    /// Adds a member; absent ones leave no trace.
    pub(super) fn add(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.entry(name.to_owned()).or_insert(value.into());
        }
    }

    /// Puts them where the profile wants them. In an open map a native member must not pass for one
    /// that the schema names, so those go one level down.
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

/// What a system event tells, in the form of the profile.
pub(super) fn event_data(data: Object, profile: Profile) -> Value {
    match profile {
        Profile::V3 => data.into(),
        Profile::V2 | Profile::Dual => extension(data).into(),
    }
}

fn extension(data: Object) -> Object {
    object([("vendor", VENDOR.into()), ("data", data.into())])
}
