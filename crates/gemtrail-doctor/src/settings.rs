//! Gemini CLI's settings files, as far as they concern session retention.
//!
//! A later layer wins, key by key: built-in defaults, system defaults, the user's file, the
//! project's, the system's overrides. The files are JSON with comments.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gemtrail_core::json::{Node, Shape, fault_line};
use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_home::discover::Found;
use gemtrail_home::paths::lead_to_same;
use gemtrail_home::source::read_small;

use super::report::{Exception, Layer, Policy, Retention};

/// The machine-wide settings files. The caller knows where they are.
#[derive(Clone, Debug, Default)]
pub struct SystemSettings {
    /// `system-defaults.json`.
    pub defaults: Option<PathBuf>,
    /// The system's `settings.json`.
    pub overrides: Option<PathBuf>,
}

/// A value of a setting, as JavaScript sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Text(String),
    Number(f64),
    Null,
    /// An object or array.
    Compound,
}

impl Value {
    fn of(node: Node<'_>) -> Self {
        match node.shape() {
            Shape::String => Self::Text(node.as_str().unwrap_or_default().into_owned()),
            Shape::Number => node.text().parse().map_or(Self::Null, Self::Number),
            Shape::Object | Shape::Array => Self::Compound,
            _ => node.as_bool().map_or(Self::Null, Self::Bool),
        }
    }

    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Self::Bool(value) => *value,
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0,
            Self::Null => false,
            Self::Compound => true,
        }
    }
}

/// One settings file that says something about retention.
#[derive(Clone, Debug)]
pub(super) struct SettingsFile {
    pub(super) layer: Layer,
    pub(super) path: PathBuf,
    /// The members of `general.sessionRetention`, with their lines.
    pub(super) retention: HashMap<String, (Value, u64)>,
}

impl SettingsFile {
    /// Reads a file; `None` if it is missing, unreadable, or silent about retention.
    pub(super) fn read(
        layer: Layer,
        path: &Path,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let text = match read_small(path) {
            Ok(bytes) => without_comments(&String::from_utf8_lossy(&bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                let what = format!("the settings cannot be read: {error}");
                diagnostics.push(bad(path, what, None));
                return None;
            }
        };
        let Some(settings) = Node::parse(&text).filter(|node| node.shape() == Shape::Object) else {
            let what = "the settings are no JSON object; Gemini CLI refuses to start";
            diagnostics.push(bad(path, what, Some(fault_line(&text).unwrap_or(1))));
            return None;
        };
        let section = settings.get("general")?.get("sessionRetention")?;
        let members = section.members().map(|(key, node)| {
            let value = (Value::of(node), line_of_key(&text, &key));
            (key.into_owned(), value)
        });
        Some(Self {
            layer,
            path: path.to_owned(),
            retention: members.collect(),
        })
    }

    /// A diagnostic about one of its members.
    pub(super) fn complain(&self, key: &str, what: &str) -> Diagnostic {
        let line = self.retention.get(key).map(|(_, line)| *line);
        bad(&self.path, what, line)
    }
}

fn bad(path: &Path, what: impl Into<String>, line: Option<u64>) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::BadSettings, what).in_journal(path.to_string_lossy());
    match line {
        Some(line) => diagnostic.at_line(line),
        None => diagnostic,
    }
}

/// The line of a key below `sessionRetention`.
fn line_of_key(text: &str, key: &str) -> u64 {
    let section = text.find("\"sessionRetention\"").unwrap_or(0);
    let key = text[section..]
        .find(&format!("\"{key}\""))
        .map_or(section, |at| section + at);
    text[..key].matches('\n').count() as u64 + 1
}

/// The settings of one home, without those of projects.
pub(super) struct HomeSettings<'a> {
    root: &'a Path,
    below_project: Vec<SettingsFile>,
    above_project: Option<SettingsFile>,
    pub(super) policy: Policy,
}

impl<'a> HomeSettings<'a> {
    /// Reads the settings of homes.
    pub(super) fn read(
        homes: &'a [Found],
        system: &SystemSettings,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Self> {
        let mut of_system = |layer, path: &Option<PathBuf>| {
            SettingsFile::read(layer, path.as_deref()?, diagnostics)
        };
        let defaults = of_system(Layer::SystemDefaults, &system.defaults);
        let overrides = of_system(Layer::System, &system.overrides);
        let mut of_home = |found: &'a Found| {
            let root = found.home.root.as_path();
            let user = SettingsFile::read(Layer::User, &root.join("settings.json"), diagnostics);
            let below_project: Vec<SettingsFile> = defaults.iter().cloned().chain(user).collect();
            let files: Vec<&SettingsFile> = below_project.iter().chain(&overrides).collect();
            Self {
                root,
                policy: Policy::of(&files, diagnostics),
                above_project: overrides.clone(),
                below_project,
            }
        };
        homes.iter().map(&mut of_home).collect()
    }

    /// The home.
    pub(super) fn path(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// True if a file is in it.
    pub(super) fn has(&self, file: &Path) -> bool {
        file.starts_with(self.root)
    }

    /// The policy in force for a project: that of the home, unless the project has settings of its own.
    pub(super) fn policy_of(
        &self,
        project: Option<&str>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Policy {
        let file = project.and_then(|root| {
            let path = Path::new(root).join(".gemini").join("settings.json");
            if !path.exists() {
                return None;
            }
            // In the user's home directory both are the same file.
            let is_of_home = lead_to_same(&path, &self.root.join("settings.json"));
            if is_of_home || is_distrusted(self.root, root) {
                return None;
            }
            SettingsFile::read(Layer::Project, &path, diagnostics)
        });
        let Some(file) = file else {
            return self.policy.clone();
        };
        let below = self.below_project.iter();
        let files: Vec<&SettingsFile> = below.chain([&file]).chain(&self.above_project).collect();
        Policy::of(&files, diagnostics)
    }
}

/// The retention of the first home, with exceptions for the homes that differ.
pub(super) fn retention(homes: &[HomeSettings<'_>]) -> Retention {
    let first = homes.first().map(|home| home.policy.clone());
    let policy = first.unwrap_or_else(|| Policy::of(&[], &mut Vec::new()));
    let differing = homes.iter().filter(|home| !home.policy.is_same(&policy));
    let exception = |home: &HomeSettings<'_>| Exception {
        home: home.path(),
        project: None,
        policy: home.policy.clone(),
    };
    Retention {
        exceptions: differing.map(exception).collect(),
        policy,
        at_risk: Vec::new(),
    }
}

/// True if the home marks this folder as untrusted: then Gemini CLI ignores the settings in it.
fn is_distrusted(home: &Path, root: &str) -> bool {
    let Ok(bytes) = read_small(&home.join("trustedFolders.json")) else {
        return false;
    };
    let text = without_comments(&String::from_utf8_lossy(&bytes));
    let verdict = Node::parse(&text).and_then(|folders| folders.get(root)?.as_str());
    verdict.is_some_and(|verdict| verdict == "DO_NOT_TRUST")
}

/// Replaces comments by spaces; line numbers do not change.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let end = if from.starts_with('"') {
            string_end(from)
        } else if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with("/*") {
            from.find("*/").map_or(from.len(), |at| at + 2)
        } else {
            1
        };
        let (token, after) = from.split_at(end);
        if token.starts_with("//") || token.starts_with("/*") {
            out.extend(token.chars().map(|c| if c == '\n' { c } else { ' ' }));
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The end of the string literal that starts the text.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_lines_stay() {
        let text =
            "{ // all \"of\" it\n  \"a\": \"http://x\", /* two\n lines */ \"b\": \"\\\"//\" }";
        let plain = without_comments(text);
        assert_eq!(plain.matches('\n').count(), 2);
        let node = Node::parse(&plain).unwrap();
        assert_eq!(node.get("a").unwrap().as_str().unwrap(), "http://x");
        assert_eq!(node.get("b").unwrap().as_str().unwrap(), "\"//");
        assert_eq!(without_comments("{} // end"), "{}       ");
        assert_eq!(without_comments("/* open"), "       ");
    }

    #[test]
    fn reads_the_section_with_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let text = "{\n // mine\n \"general\": {\"sessionRetention\": {\n  \"maxAge\": \"7d\",\n  \"enabled\": true }}}";
        std::fs::write(&path, text).unwrap();
        let mut diagnostics = Vec::new();
        let file = SettingsFile::read(Layer::User, &path, &mut diagnostics).unwrap();
        assert_eq!(file.retention["maxAge"], (Value::Text("7d".into()), 4));
        assert_eq!(file.retention["enabled"], (Value::Bool(true), 5));
        std::fs::write(&path, "{\n \"general\": {},\n}").unwrap();
        assert!(SettingsFile::read(Layer::User, &path, &mut diagnostics).is_none());
        assert_eq!(diagnostics[0].line, Some(3), "a trailing comma is an error");
    }
}
