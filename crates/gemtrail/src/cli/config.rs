//! `config`: every setting, its value, and where the value came from; where files are.

use std::io::Write;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::args::{ConfigArgs, ConfigCommand, ConfigPath};
use super::context::Context;
use crate::config::{ConfigKey, KEYS, SCAN_DIRS, SettingSource};
use crate::error::CliError;
use crate::style::DIM;
use crate::text::{Clean, width};
use crate::ui::Output;

/// The configuration in force: `config show --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConfigDocument {
    /// Always `gemtrail.config/1`.
    schema: &'static str,
    /// The configuration files, in increasing order of precedence.
    files: Vec<ConfigFileDocument>,
    /// Every key.
    settings: Vec<SettingDocument>,
}

/// A configuration file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FileDocument")]
struct ConfigFileDocument {
    /// Its path, whether or not it exists.
    path: String,
    /// True if it is there.
    exists: bool,
    /// Keys in it that gemtrail does not know.
    unknown: Vec<String>,
}

/// A key and its value.
#[derive(Debug, Serialize, JsonSchema)]
struct SettingDocument {
    /// The key as written in a file, with a dot between table and key.
    key: &'static str,
    /// The value in force.
    value: Value,
    /// The place it came from: `default`, `file`, `environment` or `option`.
    source: &'static str,
    /// The file, the variable or the option.
    name: Option<String>,
    /// The line in the file.
    line: Option<usize>,
}

/// A place that gemtrail uses: `config path --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PathDocument {
    /// Always `gemtrail.path/1`.
    schema: &'static str,
    /// The path.
    path: String,
    /// True if it exists.
    exists: bool,
}

pub(super) fn run(args: &ConfigArgs, context: &Context<'_>) -> Result<(), CliError> {
    match &args.command {
        ConfigCommand::Show => show(context),
        ConfigCommand::Path(args) => path(args.what, context),
        ConfigCommand::Edit => edit(context),
    }
}

/// Prints one of the places that gemtrail uses, for scripts.
fn path(what: ConfigPath, context: &Context<'_>) -> Result<(), CliError> {
    let environment = context.environment;
    let path = match what {
        ConfigPath::Config => environment.config_files.last().map(|file| &file.path),
        ConfigPath::Archive => context.settings.archive.path.as_ref(),
        ConfigPath::Data => environment.data_dir.as_ref(),
        ConfigPath::Cache => environment.cache_dir.as_ref(),
    };
    let path = path.ok_or_else(no_place)?;
    let document = PathDocument {
        schema: "gemtrail.path/1",
        path: path.to_string_lossy().into_owned(),
        exists: path.exists(),
    };
    context.ui.answer(&document, |out| {
        writeln!(out, "{}", Clean::line(&document.path))
    })
}

/// The content of a new configuration file.
const TEMPLATE: &str = "\
# The configuration of gemtrail; `gemtrail config show` lists every key and its value,
# https://github.com/gemtrail/gemtrail/blob/main/docs/configuration.md explains them.

# pager = \"less\"
# utc = false

# [archive]
# exclude = [\"~/src/secret\"]
";

/// Lets the person edit the configuration file, and says what is wrong with it afterwards.
fn edit(context: &Context<'_>) -> Result<(), CliError> {
    let environment = context.environment;
    let file = environment.config_files.last().ok_or_else(no_place)?;
    let path = &file.path;
    if !path.exists() {
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        std::fs::write(path, TEMPLATE)?;
    }
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = environment.editor.as_deref().unwrap_or(usual);
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(usual);
    let status = std::process::Command::new(program)
        .args(words)
        .arg(path)
        .status();
    let failed = |why: String| {
        let what = format!("the editor {program} failed: {why}");
        CliError::cannot("no-editor", what).hint(format!(
            "set EDITOR to another one, or edit {}",
            path.display()
        ))
    };
    let status = status.map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        return Err(failed(status.to_string()));
    }
    crate::config::load(environment).map(|_| ())
}

fn no_place() -> CliError {
    CliError::cannot("no-place", "this platform has no such place")
}
fn show(context: &Context<'_>) -> Result<(), CliError> {
    // Here a rule that cannot work is worth knowing of, and not only when it is needed.
    context.redactor()?;
    let document = document(context);
    context
        .ui
        .answer(&document, |out| print(out, &document, context))
}

fn print(
    out: &mut Output,
    document: &ConfigDocument,
    context: &Context<'_>,
) -> std::io::Result<()> {
    let shown: Vec<(&str, String, String)> = document
        .settings
        .iter()
        .map(|setting| {
            let value = Clean::line(value_text(&setting.value, context)).into();
            (setting.key, value, source_text(setting, context))
        })
        .collect();
    let keys = shown.iter().map(|(key, ..)| key.len()).max().unwrap_or(0);
    // Values are never cut: a longer one pushes its source to the right.
    let most = (context.ui.columns / 2).saturating_sub(keys).max(24);
    let widths = shown.iter().map(|(_, value, _)| width(value));
    let values = widths.filter(|width| *width <= most).max().unwrap_or(0);
    for (key, value, source) in &shown {
        let gap = " ".repeat(values.saturating_sub(width(value)));
        let source = out.styled(DIM, &Clean::line(source));
        writeln!(out, "{key:<keys$}  {value}{gap}  {source}")?;
    }
    writeln!(out)?;
    for file in &document.files {
        let state = if file.exists {
            "read"
        } else {
            "does not exist"
        };
        let path = Clean::line(context.shown(&file.path));
        writeln!(out, "{}", out.styled(DIM, &format!("{path} ({state})")))?;
    }
    Ok(())
}

fn document(context: &Context<'_>) -> ConfigDocument {
    let environment = context.environment;
    let file = |path: &PathBuf| {
        let layer = context.layers.iter().find(|layer| layer.path == *path);
        let unknown = layer.map(|layer| layer.unknown.iter().map(|key| key.name.clone()));
        ConfigFileDocument {
            path: path.to_string_lossy().into_owned(),
            exists: layer.is_some(),
            unknown: unknown.into_iter().flatten().collect(),
        }
    };
    ConfigDocument {
        schema: "gemtrail.config/1",
        files: environment
            .config_files
            .iter()
            .map(|config| file(&config.path))
            .collect(),
        settings: KEYS.iter().map(|key| setting(key, context)).collect(),
    }
}

fn setting(key: &ConfigKey, context: &Context<'_>) -> SettingDocument {
    let settings = context.settings;
    let value = match settings.value(key) {
        Value::Null if key.name == SCAN_DIRS => {
            let dirs = settings.scan_dirs(context.environment).into_iter();
            dirs.map(|dir| dir.to_string_lossy().into_owned()).collect()
        }
        value if key.is_secret() => value.as_str().map(|_| "set").into(),
        Value::Array(items) => items.into_iter().map(without_examples).collect(),
        value => value,
    };
    let text = |path: &PathBuf| Some(path.to_string_lossy().into_owned());
    let (source, name, line) = match settings.source(key.name) {
        SettingSource::Default => ("default", None, None),
        SettingSource::File { path, line } => ("file", text(path), Some(*line)),
        SettingSource::Environment(name) => ("environment", Some((*name).to_owned()), None),
        SettingSource::Option(name) => ("option", Some((*name).to_owned()), None),
    };
    let (key, value) = (key.name, value);
    SettingDocument {
        key,
        value,
        source,
        name,
        line,
    }
}

/// A rule without its examples, which may be real secrets; any other value as it is.
fn without_examples(mut item: Value) -> Value {
    if let Value::Object(rule) = &mut item {
        rule.remove("example");
        rule.remove("counterexample");
    }
    item
}

fn value_text(value: &Value, context: &Context<'_>) -> String {
    match value {
        Value::String(text) if text.is_empty() => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let path = |item: &Value| item.as_str().map(|path| context.shown(path));
            let rule = |item: &Value| item["id"].as_str().map(str::to_owned);
            let shown = items
                .iter()
                .filter_map(|item| path(item).or_else(|| rule(item)));
            let shown: Vec<String> = shown.collect();
            if shown.is_empty() {
                "–".to_owned()
            } else {
                shown.join(", ")
            }
        }
        other => other.to_string(),
    }
}

fn source_text(setting: &SettingDocument, context: &Context<'_>) -> String {
    match (&setting.name, setting.line) {
        (Some(path), Some(line)) => format!("{}, line {line}", context.shown(path)),
        (Some(name), None) => name.clone(),
        (None, _) => setting.source.to_owned(),
    }
}
