//! The configuration: defaults, then the system's file, then the person's, then the environment,
//! then options; resolved once into one struct in which every value knows where it came from.

mod file;
mod key;
mod lake;
mod rules;
mod settings;
mod thresholds;

use toml::de::DeValue;

pub(crate) use file::{Layer, load};
pub(crate) use key::Key;
pub(crate) use rules::{PlacedRule, refused};
pub(crate) use settings::{Settings, Source};

/// A number, with or without a fraction.
fn number(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Float(number) => number.as_str(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
        _ => return None,
    };
    text.parse().ok()
}
