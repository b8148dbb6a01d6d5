//! What the configuration says about lakes.
//!
//! The administrator of a machine sets bounds in the system's file; users may only be stricter.

use std::path::PathBuf;

use super::file::{Layer, Placed};
use super::settings::{Setting, Source};

/// The levels, from the least on.
pub(super) const LEVELS: [&str; 3] = ["metrics", "redacted", "full"];
/// How exact times are, from the most exact on.
pub(super) const TIMES: [&str; 2] = ["exact", "day"];

/// What one file says.
#[derive(Clone, Debug, Default)]
pub(super) struct LakeLayer {
    pub(super) level: Option<Placed<&'static str>>,
    pub(super) level_max: Option<Placed<&'static str>>,
    pub(super) key: Option<Placed<String>>,
    pub(super) time: Option<Placed<&'static str>>,
    pub(super) tools: Option<Placed<Vec<String>>>,
    pub(super) exclude: Option<Placed<Vec<PathBuf>>>,
}

/// What is in force.
#[derive(Clone, Debug)]
pub(crate) struct LakeSettings {
    pub(crate) level: Setting<&'static str>,
    pub(crate) level_max: Setting<&'static str>,
    pub(crate) key: Setting<Option<String>>,
    pub(crate) time: Setting<&'static str>,
    pub(crate) tools: Setting<Vec<String>>,
    pub(crate) exclude: Setting<Vec<PathBuf>>,
}

impl LakeSettings {
    pub(super) fn new(layers: &[Layer]) -> Self {
        let rank = |level: &&str| LEVELS.iter().position(|it| it == level);
        let maxima = all(layers, |lake| lake.level_max.as_ref());
        let level_max = maxima.into_iter().min_by_key(|it| rank(&it.value));
        let times = all(layers, |lake| lake.time.as_ref()).into_iter();
        let time = times.max_by_key(|it| TIMES.iter().position(|time| *time == it.value));
        // One key for all, or the files of a team do not match.
        let key = all(layers, |lake| lake.key.as_ref()).into_iter().next();
        Self {
            level: or(all(layers, |lake| lake.level.as_ref()).pop(), LEVELS[0]),
            level_max: or(level_max, LEVELS[2]),
            key: or(key.map(|it| Setting::new(Some(it.value), it.source)), None),
            time: or(time, TIMES[0]),
            tools: joined(all(layers, |lake| lake.tools.as_ref())),
            exclude: joined(all(layers, |lake| lake.exclude.as_ref())),
        }
    }
}

/// The values of all files that have one, the system's first.
fn all<T: Clone>(
    layers: &[Layer],
    of: impl Fn(&LakeLayer) -> Option<&Placed<T>>,
) -> Vec<Setting<T>> {
    let setting = |layer: &Layer| {
        let placed = of(&layer.lake)?;
        let source = Source::File {
            path: layer.path.clone(),
            line: placed.line,
        };
        Some(Setting::new(placed.value.clone(), source))
    };
    layers.iter().filter_map(setting).collect()
}

fn or<T>(setting: Option<Setting<T>>, usual: T) -> Setting<T> {
    setting.unwrap_or_else(|| Setting::new(usual, Source::Default))
}

/// What any of the files lists.
fn joined<T>(lists: Vec<Setting<Vec<T>>>) -> Setting<Vec<T>> {
    let source = lists.last().map(|list| list.source.clone());
    let values = lists.into_iter().flat_map(|list| list.value).collect();
    Setting::new(values, source.unwrap_or(Source::Default))
}
