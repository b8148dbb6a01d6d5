//! All layers together.

use std::path::{Path, PathBuf};

use gemtrail_export::redact::UserRule;
use gemtrail_export::signals::Thresholds;
use gemtrail_store::{DEFAULT_SCAN_DEPTH, Places, usual_directories};
use serde_json::Value;

use super::file::{Layer, Placed};
use super::lake::LakeSettings;
use super::rules::PlacedRule;
use super::{Key, thresholds};
use crate::environment::Environment;
use crate::global_args::{ColorWhen, GlobalArgs};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Default,
    /// A line of a configuration file.
    File {
        path: PathBuf,
        line: usize,
    },
    Environment(&'static str),
    Option(&'static str),
}

/// A value that knows where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

impl<T> Setting<T> {
    pub(super) fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

/// What is in force.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) homes: Setting<Vec<PathBuf>>,
    pub(crate) color: Setting<ColorWhen>,
    /// Empty for none.
    pub(crate) pager: Setting<String>,
    pub(crate) utc: Setting<bool>,
    /// None for the usual ones, which are looked up only when they are needed.
    pub(crate) scan_dirs: Setting<Option<Vec<PathBuf>>>,
    pub(crate) scan_depth: Setting<usize>,
    /// None where the platform has no place for data.
    pub(crate) archive: Setting<Option<PathBuf>>,
    /// Whether reading commands use the archive at all.
    pub(crate) uses_archive: bool,
    /// Whether no command may use it; those that are about it refuse then.
    pub(crate) is_archive_off: bool,
    /// Root paths of projects that are not archived.
    pub(crate) archive_exclude: Setting<Vec<PathBuf>>,
    /// 0 for ever.
    pub(crate) archive_keep_days: Setting<u32>,
    /// Those of all files: what the system's file keeps in, nobody lets out by having one rule more.
    pub(crate) redaction_rules: Vec<PlacedRule>,
    pub(crate) lake: LakeSettings,
    thresholds: Vec<(&'static str, Setting<Value>)>,
}

impl Settings {
    /// Resolves every value; the layers come in the order in which they were read.
    pub(crate) fn new(args: &GlobalArgs, environment: &Environment, layers: &[Layer]) -> Self {
        Self {
            homes: homes(args, environment, layers),
            color: color(args, environment, layers),
            pager: pager(args, environment, layers),
            utc: if args.utc {
                Setting::new(true, Source::Option("--utc"))
            } else {
                or_default(last(layers, |layer| layer.utc.as_ref()), || false)
            },
            scan_dirs: match last(layers, |layer| layer.scan_dirs.as_ref()) {
                Some(Setting { value, source }) => Setting::new(Some(value), source),
                None => Setting::new(None, Source::Default),
            },
            scan_depth: or_default(last(layers, |layer| layer.scan_depth.as_ref()), || {
                DEFAULT_SCAN_DEPTH
            }),
            archive: archive(args, environment, layers),
            uses_archive: !args.no_archive && (args.archive.is_some() || args.home.is_empty()),
            is_archive_off: args.no_archive,
            archive_exclude: or_default(
                last(layers, |layer| layer.archive_exclude.as_ref()),
                Vec::new,
            ),
            archive_keep_days: or_default(
                last(layers, |layer| layer.archive_keep_days.as_ref()),
                || 0,
            ),
            redaction_rules: layers
                .iter()
                .flat_map(|layer| layer.redaction_rules.clone())
                .collect(),
            lake: LakeSettings::new(layers),
            thresholds: thresholds(layers),
        }
    }

    /// From where on something counts as friction.
    pub(crate) fn thresholds(&self) -> Thresholds {
        let values = self.thresholds.iter();
        thresholds::thresholds(values.map(|(name, setting)| (*name, &setting.value)))
    }

    /// One threshold, by its name.
    pub(crate) fn threshold(&self, name: &str) -> Setting<Value> {
        let mut set = self.thresholds.iter();
        match set.find(|(set, _)| *set == name) {
            Some((_, setting)) => setting.clone(),
            None => Setting::new(thresholds::usual_value(name), Source::Default),
        }
    }

    /// The rules of the user's own, as the redactor takes them.
    pub(crate) fn own_rules(&self) -> Vec<UserRule> {
        let placed = self.redaction_rules.iter();
        placed.map(|placed| placed.rule.clone()).collect()
    }

    /// The directories that a scan looks through.
    pub(crate) fn scan_dirs(&self, environment: &Environment) -> Vec<PathBuf> {
        self.scan_dirs.value.clone().unwrap_or_else(|| {
            let home = environment.user_home.as_deref();
            home.map(usual_directories).unwrap_or_default()
        })
    }

    /// Where to look for sessions.
    pub(crate) fn places(&self, environment: &Environment) -> Places {
        let homes = match self.homes.source {
            Source::Option(_) => self.homes.value.clone(),
            Source::File { .. } => existing(&self.homes.value),
            Source::Default | Source::Environment(_) => Vec::new(),
        };
        Places {
            homes,
            sessions_dir: environment.sessions_dir.clone(),
            cli_home: environment.cli_home.clone(),
            user_home: environment.user_home.clone(),
            sandboxes: None,
        }
    }
}

/// A configured home may be a disk that is not there today. If none is there, that is an error.
fn existing(homes: &[PathBuf]) -> Vec<PathBuf> {
    let there: Vec<PathBuf> = homes.iter().filter(|home| home.is_dir()).cloned().collect();
    if there.is_empty() {
        homes.to_vec()
    } else {
        there
    }
}

/// The value of the last layer that has one.
fn last<T: Clone>(
    layers: &[Layer],
    of: impl Fn(&Layer) -> Option<&Placed<T>>,
) -> Option<Setting<T>> {
    layers.iter().rev().find_map(|layer| {
        let placed = of(layer)?;
        let source = Source::File {
            path: layer.path.clone(),
            line: placed.line,
        };
        Some(Setting::new(placed.value.clone(), source))
    })
}

/// The thresholds that are set, each by the last layer that sets it.
fn thresholds(layers: &[Layer]) -> Vec<(&'static str, Setting<Value>)> {
    let of = |name: &'static str| {
        let setting = last(layers, |layer| {
            let mut set = layer.thresholds.iter();
            set.find(|(set, _)| *set == name).map(|(_, placed)| placed)
        })?;
        Some((name, setting))
    };
    let keys = Key::ALL.into_iter().map(Key::name);
    keys.filter_map(of).collect()
}

fn or_default<T>(setting: Option<Setting<T>>, default: impl FnOnce() -> T) -> Setting<T> {
    setting.unwrap_or_else(|| Setting::new(default(), Source::Default))
}

fn homes(args: &GlobalArgs, environment: &Environment, layers: &[Layer]) -> Setting<Vec<PathBuf>> {
    if !args.home.is_empty() {
        return Setting::new(args.home.clone(), Source::Option("--home"));
    }
    if let Some(sessions) = &environment.sessions_dir {
        let source = Source::Environment("GEMINI_SESSIONS_DIR");
        return Setting::new(vec![sessions.clone()], source);
    }
    if let Some(base) = &environment.cli_home {
        let source = Source::Environment("GEMINI_CLI_HOME");
        return Setting::new(vec![base.clone()], source);
    }
    or_default(last(layers, |layer| layer.homes.as_ref()), || {
        let home = environment.user_home.iter();
        home.map(|home: &PathBuf| Path::join(home, ".gemini"))
            .collect()
    })
}

fn color(args: &GlobalArgs, environment: &Environment, layers: &[Layer]) -> Setting<ColorWhen> {
    if let Some(color) = args.color {
        return Setting::new(color, Source::Option("--color"));
    }
    if environment.no_color {
        return Setting::new(ColorWhen::Never, Source::Environment("NO_COLOR"));
    }
    or_default(last(layers, |layer| layer.color.as_ref()), || {
        ColorWhen::Auto
    })
}

fn archive(
    args: &GlobalArgs,
    environment: &Environment,
    layers: &[Layer],
) -> Setting<Option<PathBuf>> {
    if let Some(path) = &args.archive {
        return Setting::new(Some(path.clone()), Source::Option("--archive"));
    }
    if let Some(path) = &environment.archive {
        let source = Source::Environment("GEMTRAIL_ARCHIVE");
        return Setting::new(Some(path.clone()), source);
    }
    let configured = last(layers, |layer| layer.archive_path.as_ref());
    if let Some(Setting { value, source }) = configured {
        return Setting::new(Some(value), source);
    }
    let usual = environment.data_dir.as_ref();
    Setting::new(usual.map(|dir| dir.join("archive.db")), Source::Default)
}

/// As in git, the program's own variable counts more than the file, and `PAGER` less.
fn pager(args: &GlobalArgs, environment: &Environment, layers: &[Layer]) -> Setting<String> {
    if args.no_pager {
        return Setting::new(String::new(), Source::Option("--no-pager"));
    }
    let from = |name, value: &Option<String>| {
        let value = value.clone()?;
        Some(Setting::new(value, Source::Environment(name)))
    };
    let setting = from("GEMTRAIL_PAGER", &environment.own_pager)
        .or_else(|| last(layers, |layer| layer.pager.as_ref()))
        .or_else(|| from("PAGER", &environment.pager));
    or_default(setting, || "less".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Args;

    fn layer(path: &str, utc: bool, pager: &str) -> Layer {
        Layer {
            path: path.into(),
            utc: Some(Placed {
                value: utc,
                line: 2,
            }),
            pager: Some(Placed {
                value: pager.to_owned(),
                line: 3,
            }),
            ..Layer::default()
        }
    }

    fn settings(arguments: &[&str], environment: &Environment, layers: &[Layer]) -> Settings {
        let arguments = [&["gemtrail"], arguments].concat();
        Settings::new(
            &Args::try_parse_from(arguments).unwrap().global,
            environment,
            layers,
        )
    }

    #[test]
    fn the_last_layer_wins_then_the_environment_then_the_option() {
        let mut environment = Environment::empty();
        let layers = [layer("/system", true, "a"), layer("/user", false, "b")];
        let of = |arguments: &[&str], environment: &Environment| {
            settings(arguments, environment, &layers)
        };
        let user = |line| Source::File {
            path: "/user".into(),
            line,
        };
        let plain = of(&[], &environment);
        assert_eq!(plain.utc, Setting::new(false, user(2)));
        assert_eq!(plain.pager, Setting::new("b".to_owned(), user(3)));
        environment.pager = Some("more".to_owned());
        assert_eq!(of(&[], &environment).pager.source, user(3));
        environment.own_pager = Some("most".to_owned());
        let own = Source::Environment("GEMTRAIL_PAGER");
        assert_eq!(of(&[], &environment).pager.source, own);
        let told = of(&["--no-pager", "--utc", "--color", "always"], &environment);
        assert_eq!(told.pager.source, Source::Option("--no-pager"));
        assert_eq!(told.utc.source, Source::Option("--utc"));
        assert_eq!(told.color.value, ColorWhen::Always);
    }

    #[test]
    fn without_anything_there_are_defaults() {
        let settings = settings(&[], &Environment::empty(), &[]);
        assert_eq!(
            settings.pager,
            Setting::new("less".to_owned(), Source::Default)
        );
        assert_eq!(settings.scan_depth.value, 4);
        assert!(settings.homes.value.is_empty());
    }

    #[test]
    fn homes_come_from_the_first_place_that_names_any() {
        let mut environment = Environment::empty();
        environment.user_home = Some("/home/al".into());
        let layers = [Layer {
            homes: Some(Placed {
                value: vec!["/mnt/a".into(), "/mnt/b".into()],
                line: 1,
            }),
            ..Layer::default()
        }];
        let of = |environment: &Environment| settings(&[], environment, &layers);
        assert_eq!(of(&environment).places(&environment).homes.len(), 2);
        environment.cli_home = Some("/x".into());
        assert!(of(&environment).places(&environment).homes.is_empty());
        let source = of(&environment).homes.source;
        assert_eq!(source, Source::Environment("GEMINI_CLI_HOME"));
    }
}
