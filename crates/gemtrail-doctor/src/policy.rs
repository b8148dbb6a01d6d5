//! The effective retention policy.

use std::path::Path;

use gemtrail_core::model::Diagnostic;
use jiff::SignedDuration;

use super::report::{Layer, Policy};
use super::settings::{SettingsFile, SystemSettings, Value};

/// The default since 0.33.0. Before, nothing was deleted unless the settings said so.
const DEFAULT_MAX_AGE: &str = "30d";
const DEFAULT_MIN_RETENTION: &str = "1d";

impl Policy {
    /// The policy of a home (a `.gemini` directory), whatever single projects say.
    pub fn in_force(home: &Path, system: &SystemSettings) -> Self {
        let user = Some(home.join("settings.json"));
        let layers = [
            (Layer::SystemDefaults, system.defaults.clone()),
            (Layer::User, user),
            (Layer::System, system.overrides.clone()),
        ];
        let mut findings = Vec::new();
        let files = layers
            .into_iter()
            .filter_map(|(layer, path)| SettingsFile::read(layer, &path?, &mut findings));
        let files: Vec<SettingsFile> = files.collect();
        Self::of(&files.iter().collect::<Vec<_>>(), &mut findings)
    }

    /// What holds, in a sentence. It quotes settings, which may hold anything. `path` is the path of
    /// [`source_file`](Self::source_file) as it is to be shown.
    pub fn sentence(&self, path: Option<&str>) -> String {
        let who = match (self.source, path) {
            (Layer::Default, _) => "the default since 0.33".to_owned(),
            (_, Some(path)) => format!("set in {path}"),
            (_, None) => "as set".to_owned(),
        };
        if let Some(invalid) = &self.invalid {
            return format!("Gemini CLI deletes nothing, because {invalid} ({who}).");
        }
        if !self.enabled {
            return format!("Gemini CLI deletes nothing ({who}).");
        }
        let age = self.max_age.as_deref().map(in_words);
        let age = age.map(|age| format!("{age} after their last update"));
        let count = self.max_count;
        let count = count.map(|count| format!("beyond the newest {count} per project"));
        let limits: Vec<String> = age.into_iter().chain(count).collect();
        let limits = limits.join(", and those ");
        format!("Gemini CLI deletes sessions {limits} ({who}).")
    }

    /// The policy of these files; later ones win, key by key.
    pub(super) fn of(files: &[&SettingsFile], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let find = |key: &str| {
            let mut said = files.iter().rev();
            said.find_map(|file| Some((*file, &file.retention.get(key)?.0)))
        };
        let top = files.iter().rev().find(|file| !file.retention.is_empty());
        let max_age = match find("maxAge") {
            Some((_, Value::Text(text))) => Some(text.clone()).filter(|text| !text.is_empty()),
            Some((_, value)) if value.is_truthy() => Some("?".to_owned()),
            Some(_) => None,
            None => Some(DEFAULT_MAX_AGE.to_owned()),
        };
        let count = find("maxCount").map(|(_, value)| value);
        let mut policy = Self {
            enabled: find("enabled").is_none_or(|(_, value)| value.is_truthy()),
            max_count: count.and_then(whole),
            max_age,
            source: top.map_or(Layer::Default, |file| file.layer),
            source_file: top.map(|file| file.path.to_string_lossy().into_owned()),
            invalid: None,
        };
        if policy.enabled {
            let min = find("minRetention").map(|(_, value)| value);
            if let Err((key, what)) = policy.check(min, count) {
                if let Some((file, _)) = find(key) {
                    let what = format!("{what}; until you correct it, Gemini CLI deletes nothing");
                    diagnostics.push(file.complain(key, &what));
                }
                policy.enabled = false;
                policy.invalid = Some(what);
            }
        }
        policy
    }

    /// Gemini CLI's checks: a setting that fails one turns the clean-up off.
    fn check(
        &self,
        min: Option<&Value>,
        count: Option<&Value>,
    ) -> Result<(), (&'static str, String)> {
        if let Some(text) = &self.max_age {
            let Some(age) = period(text) else {
                let what = format!("`maxAge` is {text:?}, not a number with h, d, w or m");
                return Err(("maxAge", what));
            };
            let min = match min {
                Some(Value::Text(text)) => period(text),
                _ => None,
            };
            let default = || period(DEFAULT_MIN_RETENTION);
            if min.or_else(default).is_some_and(|min| age < min) {
                let what = format!("`maxAge` {text:?} is less than `minRetention`");
                return Err(("maxAge", what));
            }
        }
        match (count, self.max_count) {
            (Some(_), None) => Err(("maxCount", "`maxCount` is no number above 0".to_owned())),
            (None, _) if self.max_age.is_none() => Err((
                "maxAge",
                "neither `maxAge` nor `maxCount` is set".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The time that a session is kept after its last update.
    pub(super) fn age(&self) -> Option<SignedDuration> {
        self.max_age.as_deref().and_then(period)
    }

    /// True if both have the same effect, whatever layer they come from.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.enabled, &self.max_age, self.max_count)
            == (other.enabled, &other.max_age, other.max_count)
    }

    /// True if any settings file asked for it.
    pub(super) fn is_explicit(&self) -> bool {
        self.source != Layer::Default
    }
}

/// `30d` as `30 days`.
fn in_words(age: &str) -> String {
    let units = [('h', "hour"), ('d', "day"), ('w', "week"), ('m', "month")];
    let words = units.iter().find_map(|(unit, noun)| {
        let number: u64 = age.strip_suffix(*unit)?.parse().ok()?;
        let ending = if number == 1 { "" } else { "s" };
        Some(format!("{number} {noun}{ending}"))
    });
    words.unwrap_or_else(|| age.to_owned())
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be at least one; more than can be counted means no limit"
        )]
        Value::Number(number) if *number >= 1.0 => Some(number.ceil() as u64),
        _ => None,
    }
}

/// Reads `30d`: a whole number and hours, days, weeks or months of 30 days.
fn period(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().last()?;
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 7 * 24,
        'm' => 30 * 24,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Overflow means forever.
    let number: i64 = digits.parse().unwrap_or(i64::MAX);
    let seconds = number.saturating_mul(hours).saturating_mul(3600);
    (number > 0).then(|| SignedDuration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(layer: Layer, json: &str) -> SettingsFile {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let text = format!("{{\"general\":{{\"sessionRetention\":{json}}}}}");
        std::fs::write(&path, text).unwrap();
        SettingsFile::read(layer, &path, &mut Vec::new()).unwrap()
    }

    fn of(files: &[SettingsFile]) -> (Policy, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let policy = Policy::of(&files.iter().collect::<Vec<_>>(), &mut diagnostics);
        (policy, diagnostics)
    }

    #[test]
    fn thirty_days_unless_settings_say_otherwise() {
        let (policy, _) = of(&[]);
        assert!(policy.enabled);
        assert_eq!(policy.max_age.as_deref(), Some("30d"));
        assert_eq!(policy.source, Layer::Default);
        assert_eq!(policy.age(), Some(SignedDuration::from_hours(720)));
    }

    #[test]
    fn later_layers_win_key_by_key() {
        let user = settings(Layer::User, r#"{"maxAge":"2w","maxCount":5}"#);
        let project = settings(Layer::Project, r#"{"enabled":false}"#);
        let (policy, _) = of(&[user.clone(), project]);
        assert!(!policy.enabled);
        assert_eq!(policy.max_age.as_deref(), Some("2w"));
        assert_eq!(policy.source, Layer::Project);
        let system = settings(Layer::System, r#"{"enabled":true,"maxAge":"90d"}"#);
        let (policy, _) = of(&[user, system]);
        assert!(policy.enabled);
        assert_eq!(
            (policy.max_age.as_deref(), policy.max_count),
            (Some("90d"), Some(5))
        );
    }

    #[test]
    fn a_wrong_value_turns_the_clean_up_off() {
        for (json, key) in [
            (r#"{"maxAge":"30 days"}"#, "maxAge"),
            (r#"{"maxAge":"0d"}"#, "maxAge"),
            (r#"{"maxAge":30}"#, "maxAge"),
            (r#"{"maxAge":"2h"}"#, "minRetention"),
            (r#"{"maxCount":0}"#, "maxCount"),
            (r#"{"maxAge":""}"#, "maxAge"),
        ] {
            let (policy, diagnostics) = of(&[settings(Layer::User, json)]);
            assert!(!policy.enabled, "{json}");
            assert!(
                policy.invalid.is_some_and(|what| what.contains(key)),
                "{json}"
            );
            assert_eq!(diagnostics.len(), 1, "{json}");
        }
        let (policy, diagnostics) =
            of(&[settings(Layer::User, r#"{"enabled":false,"maxAge":"x"}"#)]);
        assert!(!policy.enabled && policy.invalid.is_none() && diagnostics.is_empty());
    }

    #[test]
    fn a_policy_in_a_sentence() {
        let sentence = |json| of(&[settings(Layer::User, json)]).0.sentence(Some("~/it"));
        assert_eq!(
            of(&[]).0.sentence(None),
            "Gemini CLI deletes sessions 30 days after their last update (the default since 0.33)."
        );
        assert_eq!(
            sentence(r#"{"maxAge":"1w","maxCount":5}"#),
            "Gemini CLI deletes sessions 1 week after their last update, and those beyond the newest 5 \
             per project (set in ~/it)."
        );
        assert_eq!(
            sentence(r#"{"enabled":false}"#),
            "Gemini CLI deletes nothing (set in ~/it)."
        );
        assert!(sentence(r#"{"maxAge":"3é"}"#).starts_with("Gemini CLI deletes nothing, because "));
    }

    #[test]
    fn a_period_that_nobody_can_wait_for_is_for_ever() {
        assert!(period("99999999999999999999d").is_some());
        assert_eq!(period("1h"), Some(SignedDuration::from_hours(1)));
        assert_eq!(period("d"), None);
        assert_eq!(period("-1d"), None);
    }
}
