//! `[signals]`: from where on something counts as friction.

use gemtrail_export::signals::Thresholds;
use serde_json::Value;
use toml::de::DeValue;

/// What a threshold takes, by its name.
pub(super) fn wanted(name: &str) -> &'static str {
    if is_similarity(name) {
        "a number from 0 to 1"
    } else {
        "a whole number from 1"
    }
}

/// The value of a threshold as data.
pub(super) fn read(name: &str, value: &DeValue<'_>) -> Option<Value> {
    if is_similarity(name) {
        let number = super::number(value).filter(|number| (0.0..=1.0).contains(number));
        return number.map(Value::from);
    }
    let number = value.as_integer()?;
    let count = u32::from_str_radix(number.as_str(), number.radix()).ok()?;
    (count > 0).then(|| count.into())
}

/// The thresholds with these values in place of the usual ones.
pub(super) fn thresholds<'a>(values: impl Iterator<Item = (&'a str, &'a Value)>) -> Thresholds {
    let mut all = usual();
    for (name, value) in values {
        all[member(name)] = value.clone();
    }
    // Every value was read for what it is.
    serde_json::from_value(all).unwrap_or_default()
}

/// The usual value of a threshold.
pub(super) fn usual_value(name: &str) -> Value {
    usual()[member(name)].clone()
}

fn usual() -> Value {
    serde_json::to_value(Thresholds::default()).unwrap_or_default()
}

/// The name without its table.
fn member(name: &str) -> &str {
    name.trim_start_matches("signals.")
}

fn is_similarity(name: &str) -> bool {
    name.ends_with("_similarity")
}

#[cfg(test)]
mod tests {
    use super::super::Key;
    use super::*;

    #[test]
    fn every_threshold_is_a_key() {
        let known: Vec<&str> = Key::ALL
            .into_iter()
            .map(Key::name)
            .filter_map(|name| name.strip_prefix("signals."))
            .collect();
        let usual = usual();
        let members: Vec<&String> = usual.as_object().unwrap().keys().collect();
        let mut sorted = known.clone();
        sorted.sort_unstable();
        let mut wanted = members.clone();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted);
    }

    #[test]
    fn what_is_set_changes_and_the_rest_stays() {
        let values = [
            ("signals.retry_similarity", 0.9.into()),
            ("signals.stall_seconds", 5.into()),
        ];
        let set = thresholds(values.iter().map(|(name, value)| (*name, value)));
        let usual = Thresholds::default();
        assert_eq!(
            set,
            Thresholds {
                retry_similarity: 0.9,
                stall_seconds: 5,
                ..usual
            }
        );
    }
}
