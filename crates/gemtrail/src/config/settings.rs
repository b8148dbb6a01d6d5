//! All layers together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gemtrail_export::redact::{RuleError, UserRule};
use gemtrail_export::signals::Thresholds;
use gemtrail_store::{DEFAULT_SCAN_DEPTH, Places, usual_directories};
use serde::Deserialize;
use serde_json::{Value, json};

use super::file::ConfigLayer;
use super::key::{ARCHIVE_PATH, ConfigKey, HOMES, KEYS, Merge};
use crate::environment::Environment;
use crate::error::CliError;
use crate::global_args::{ColorWhen, GlobalArgs};

/// The place that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingSource {
    Default,
    /// A line of a configuration file.
    File {
        path: PathBuf,
        line: usize,
    },
    Environment(&'static str),
    Option(&'static str),
}

/// The values in force, one member per key of [`KEYS`].
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Settings {
    pub(crate) homes: Vec<PathBuf>,
    pub(crate) color: ColorWhen,
    /// Empty for none.
    pub(crate) pager: String,
    pub(crate) utc: bool,
    pub(crate) scan: ScanSettings,
    pub(crate) archive: ArchiveSettings,
    redaction: RedactionSettings,
    #[cfg(feature = "lake")]
    pub(crate) lake: LakeSettings,
    /// From where on something counts as friction.
    pub(crate) signals: Thresholds,
    /// True if reading commands use the archive at all.
    #[serde(skip)]
    pub(crate) uses_archive: bool,
    /// True if no command may use it; those that are about it refuse then.
    #[serde(skip)]
    pub(crate) is_archive_off: bool,
    /// The same as data, to be shown.
    #[serde(skip)]
    values: Value,
    /// The sources of values that are not the usual ones, by key.
    #[serde(skip)]
    sources: BTreeMap<&'static str, SettingSource>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ScanSettings {
    /// None for the usual ones, which are looked up only when they are needed.
    dirs: Option<Vec<PathBuf>>,
    pub(crate) depth: usize,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ArchiveSettings {
    /// None where the platform has no place for data.
    pub(crate) path: Option<PathBuf>,
    /// Root paths of projects that are not archived.
    pub(crate) exclude: Vec<String>,
    /// 0 for ever.
    pub(crate) keep_days: u32,
}

#[derive(Clone, Debug, Deserialize)]
struct RedactionSettings {
    rules: Vec<PlacedRule>,
}

/// A rule, and where it stands.
#[derive(Clone, Debug, Deserialize)]
struct PlacedRule {
    id: String,
    regex: String,
    keywords: Vec<String>,
    entropy: Option<f64>,
    example: Option<String>,
    counterexample: Option<String>,
    file: PathBuf,
    line: usize,
}

#[cfg(feature = "lake")]
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LakeSettings {
    pub(crate) level: String,
    pub(crate) level_max: String,
    pub(crate) key: Option<String>,
    pub(crate) time: String,
    pub(crate) tools: Vec<String>,
    pub(crate) exclude: Vec<String>,
}

impl Settings {
    /// Resolves every value; the layers come in the order in which they were read.
    pub(crate) fn new(
        args: &GlobalArgs,
        environment: &Environment,
        layers: &[ConfigLayer],
    ) -> Self {
        let homes = homes(args, environment);
        let archive = archive(args, environment);
        let mut values = usual(environment);
        let mut sources = BTreeMap::new();
        for key in &KEYS {
            let outside = match key.name {
                HOMES => homes.as_ref().map(|(homes, source)| {
                    let homes = homes.iter().map(|home| home.to_string_lossy());
                    (homes.collect(), source.clone())
                }),
                ARCHIVE_PATH => archive
                    .as_ref()
                    .map(|(path, source)| (path.to_string_lossy().into(), source.clone())),
                "color" => color(args, environment),
                "pager" => pager(args, environment),
                "utc" => args
                    .utc
                    .then(|| (true.into(), SettingSource::Option("--utc"))),
                _ => None,
            };
            let setting = outside.or_else(|| configured(key, layers));
            // As in git, the program's own variable counts more than the file, and `PAGER` less.
            let pager = environment.pager.clone().filter(|_| key.name == "pager");
            let setting =
                setting.or_else(|| Some((pager?.into(), SettingSource::Environment("PAGER"))));
            if let Some((value, source)) = setting {
                *member(&mut values, key.name) = value;
                sources.insert(key.name, source);
            }
        }
        let typed = Self::deserialize(&values);
        let typed = typed.expect("every value was read as what its key takes");
        let archive_path = match sources.get(ARCHIVE_PATH) {
            Some(_) => typed.archive.path,
            None => usual_archive(environment),
        };
        Self {
            // The environment's paths need not be text, as values are.
            homes: homes.map_or(typed.homes, |(homes, _)| homes),
            archive: ArchiveSettings {
                path: archive.map(|(path, _)| path).or(archive_path),
                ..typed.archive
            },
            uses_archive: !args.no_archive && (args.archive.is_some() || args.home.is_empty()),
            is_archive_off: args.no_archive,
            values,
            sources,
            ..typed
        }
    }

    /// A value as data.
    pub(crate) fn value(&self, key: &ConfigKey) -> Value {
        member(&mut self.values.clone(), key.name).take()
    }

    /// The place that the value of a key came from.
    pub(crate) fn source(&self, key: &str) -> &SettingSource {
        self.sources.get(key).unwrap_or(&SettingSource::Default)
    }

    /// The user's own redaction rules, as the redactor takes them.
    pub(crate) fn own_rules(&self) -> Vec<UserRule> {
        let rule = |placed: PlacedRule| UserRule {
            id: placed.id,
            pattern: placed.regex,
            keywords: placed.keywords,
            entropy: placed.entropy,
            example: placed.example,
            counterexample: placed.counterexample,
        };
        self.redaction.rules.iter().cloned().map(rule).collect()
    }

    /// Says what is wrong with which rule of which file.
    pub(crate) fn refused_rule(&self, error: &RuleError) -> CliError {
        let mut rules = self.redaction.rules.iter();
        let place = match rules.find(|rule| rule.id == error.rule()) {
            Some(PlacedRule { file, line, .. }) => format!("{}, line {line}: ", file.display()),
            None => String::new(),
        };
        // What is wrong with a pattern stands in the cause.
        let cause = std::error::Error::source(error).and_then(std::error::Error::source);
        let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
        CliError::cannot("bad-rule", format!("{place}{error}{cause}"))
            .hint("docs/redaction.md says what a rule of your own has")
    }

    /// The directories that a scan looks through.
    pub(crate) fn scan_dirs(&self, environment: &Environment) -> Vec<PathBuf> {
        self.scan.dirs.clone().unwrap_or_else(|| {
            let home = environment.user_home.as_deref();
            home.map(usual_directories).unwrap_or_default()
        })
    }

    /// The places to look for sessions in.
    pub(crate) fn places(&self, environment: &Environment) -> Places {
        let homes = match self.source(HOMES) {
            SettingSource::Option(_) => self.homes.clone(),
            SettingSource::File { .. } => existing(&self.homes),
            SettingSource::Default | SettingSource::Environment(_) => Vec::new(),
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

/// The values without any configuration.
fn usual(environment: &Environment) -> Value {
    let shown = |path: PathBuf| path.to_string_lossy().into_owned();
    let home = environment.user_home.as_deref();
    json!({
        "homes": home.map(|home| shown(home.join(".gemini"))).into_iter().collect::<Vec<_>>(),
        "color": "auto",
        "pager": "less",
        "utc": false,
        "scan": {"dirs": null, "depth": DEFAULT_SCAN_DEPTH},
        "archive": {
            "path": usual_archive(environment).map(shown),
            "exclude": [],
            "keep_days": 0,
        },
        "redaction": {"rules": []},
        "lake": {
            "level": "metrics",
            "level_max": "full",
            "key": null,
            "time": "exact",
            "tools": [],
            "exclude": [],
        },
        "signals": Thresholds::default(),
    })
}

fn usual_archive(environment: &Environment) -> Option<PathBuf> {
    let data = environment.data_dir.as_deref();
    data.map(|dir| dir.join("archive.db"))
}

/// The value of a key, which stands in a table if its name has a dot.
fn member<'a>(values: &'a mut Value, name: &str) -> &'a mut Value {
    match name.split_once('.') {
        Some((table, name)) => &mut values[table][name],
        None => &mut values[name],
    }
}

/// The value that the files have for a key, and the file it is from.
fn configured(key: &ConfigKey, layers: &[ConfigLayer]) -> Option<(Value, SettingSource)> {
    let placed = layers.iter().filter_map(|layer| {
        let placed = layer.values.iter().find(|placed| placed.key == key.name)?;
        let source = SettingSource::File {
            path: layer.path.clone(),
            line: placed.line,
        };
        Some((placed.value.clone(), source))
    });
    let mut all: Vec<(Value, SettingSource)> = placed.collect();
    match key.merge {
        Merge::Last => all.pop(),
        Merge::First => all.into_iter().next(),
        Merge::Strictest => all
            .into_iter()
            .min_by_key(|(value, _)| key.takes.rank(value)),
        Merge::Joined => {
            let (_, source) = all.last().cloned()?;
            let lists = all.iter().filter_map(|(value, _)| value.as_array());
            Some((lists.flatten().cloned().collect(), source))
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

/// The homes that an option or a variable names.
fn homes(args: &GlobalArgs, environment: &Environment) -> Option<(Vec<PathBuf>, SettingSource)> {
    if !args.home.is_empty() {
        return Some((args.home.clone(), SettingSource::Option("--home")));
    }
    let one = |path: &PathBuf, name| (vec![path.clone()], SettingSource::Environment(name));
    let sessions = environment.sessions_dir.as_ref();
    let base = environment.cli_home.as_ref();
    sessions
        .map(|path| one(path, "GEMINI_SESSIONS_DIR"))
        .or_else(|| base.map(|path| one(path, "GEMINI_CLI_HOME")))
}

/// The archive that an option or a variable names.
fn archive(args: &GlobalArgs, environment: &Environment) -> Option<(PathBuf, SettingSource)> {
    let option = args.archive.clone();
    let variable = environment.archive.clone();
    option
        .map(|path| (path, SettingSource::Option("--archive")))
        .or_else(|| Some((variable?, SettingSource::Environment("GEMTRAIL_ARCHIVE"))))
}

fn color(args: &GlobalArgs, environment: &Environment) -> Option<(Value, SettingSource)> {
    if let Some(color) = args.color {
        return Some((json!(color), SettingSource::Option("--color")));
    }
    let never = environment.no_color;
    never.then(|| ("never".into(), SettingSource::Environment("NO_COLOR")))
}

fn pager(args: &GlobalArgs, environment: &Environment) -> Option<(Value, SettingSource)> {
    if args.no_pager {
        return Some(("".into(), SettingSource::Option("--no-pager")));
    }
    let own = environment.own_pager.clone()?;
    Some((own.into(), SettingSource::Environment("GEMTRAIL_PAGER")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::cli::args::Args;

    fn layer(path: &str, text: &str) -> ConfigLayer {
        ConfigLayer::parse(Path::new(path), text, None).unwrap()
    }

    fn settings(arguments: &[&str], environment: &Environment, layers: &[ConfigLayer]) -> Settings {
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
        let layers = [
            layer("/system", "\nutc = true\npager = 'a'"),
            layer("/user", "\nutc = false\npager = 'b'"),
        ];
        let of = |arguments: &[&str], environment: &Environment| {
            settings(arguments, environment, &layers)
        };
        let user = |line| SettingSource::File {
            path: "/user".into(),
            line,
        };
        let plain = of(&[], &environment);
        assert_eq!((plain.utc, plain.source("utc")), (false, &user(2)));
        assert_eq!((&*plain.pager, plain.source("pager")), ("b", &user(3)));
        environment.pager = Some("more".to_owned());
        assert_eq!(of(&[], &environment).source("pager"), &user(3));
        assert_eq!(settings(&[], &environment, &[]).pager, "more");
        environment.own_pager = Some("most".to_owned());
        let own = SettingSource::Environment("GEMTRAIL_PAGER");
        assert_eq!(of(&[], &environment).source("pager"), &own);
        let told = of(&["--no-pager", "--utc", "--color", "always"], &environment);
        assert_eq!(told.source("pager"), &SettingSource::Option("--no-pager"));
        assert_eq!(told.source("utc"), &SettingSource::Option("--utc"));
        assert_eq!(told.color, ColorWhen::Always);
    }

    #[test]
    fn without_anything_there_are_defaults() {
        let settings = settings(&[], &Environment::empty(), &[]);
        assert_eq!(settings.pager, "less");
        assert_eq!(settings.source("pager"), &SettingSource::Default);
        assert_eq!(settings.scan.depth, 4);
        assert_eq!(settings.signals, Thresholds::default());
        assert!(settings.homes.is_empty());
    }

    #[test]
    fn every_key_has_a_usual_value_and_every_threshold_a_key() {
        let settings = settings(&[], &Environment::empty(), &[]);
        let mut known = serde_json::json!({});
        for key in &KEYS {
            *member(&mut known, key.name) = settings.value(key);
        }
        assert_eq!(known, settings.values);
    }

    #[cfg(feature = "lake")]
    #[test]
    fn users_may_be_stricter_than_the_system_but_not_looser() {
        let layers = [
            layer(
                "/system",
                "lake.level_max = 'redacted'\nlake.time = 'day'\nlake.key = 'a'\nlake.tools = ['x']",
            ),
            layer(
                "/user",
                "lake.level_max = 'full'\nlake.time = 'exact'\nlake.key = 'b'\nlake.tools = ['y']",
            ),
        ];
        let lake = settings(&[], &Environment::empty(), &layers).lake;
        assert_eq!((&*lake.level_max, &*lake.time), ("redacted", "day"));
        assert_eq!(
            (lake.key.as_deref(), lake.tools),
            (Some("a"), vec!["x".to_owned(), "y".to_owned()])
        );
    }

    #[test]
    fn homes_come_from_the_first_place_that_names_any() {
        let mut environment = Environment::empty();
        environment.user_home = Some("/home/al".into());
        let dirs = ["a", "b"].map(|name| std::env::temp_dir().join("none").join(name));
        let layers = [layer("/user", &format!("homes = {dirs:?}"))];
        let of = |environment: &Environment| settings(&[], environment, &layers);
        assert_eq!(of(&environment).places(&environment).homes.len(), 2);
        environment.cli_home = Some("/x".into());
        assert!(of(&environment).places(&environment).homes.is_empty());
        let source = SettingSource::Environment("GEMINI_CLI_HOME");
        assert_eq!(of(&environment).source(HOMES), &source);
    }
}
