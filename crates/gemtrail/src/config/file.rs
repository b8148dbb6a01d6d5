//! One configuration file: TOML in, checked values with their lines out.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{ConfigKey, KEYS, RULE_FIELDS, Takes};
use crate::environment::{ConfigFile, Environment};
use crate::error::CliError;

/// A key that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownKey {
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// A value of a key, as data, and the line it stands on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlacedValue {
    pub(super) key: &'static str,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// The content of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigLayer {
    pub(crate) path: PathBuf,
    pub(crate) unknown: Vec<UnknownKey>,
    pub(super) values: Vec<PlacedValue>,
}

/// Reads the files that are there, the system's first. A file that somebody named must be there.
pub(crate) fn load(environment: &Environment) -> Result<Vec<ConfigLayer>, CliError> {
    let mut layers = Vec::new();
    for file in &environment.config_files {
        let ConfigFile { path, must_exist } = file;
        match read_file(path) {
            Ok(text) => layers.push(ConfigLayer::parse(
                path,
                &text,
                environment.user_home.as_deref(),
            )?),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => {}
            Err(error) => {
                let what = format!(
                    "failed to read the configuration {}: {error}",
                    path.display()
                );
                return Err(CliError::cannot("bad-config", what));
            }
        }
    }
    Ok(layers)
}

/// Reads a regular file: a pipe would make every command wait.
fn read_file(path: &Path) -> io::Result<String> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read_to_string(path)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

impl ConfigLayer {
    pub(super) fn parse(
        path: &Path,
        text: &str,
        user_home: Option<&Path>,
    ) -> Result<Self, CliError> {
        let mut parser = ConfigParser {
            text,
            user_home,
            layer: Self {
                path: path.to_owned(),
                ..Self::default()
            },
        };
        let document = DeTable::parse(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            parser.bad(start, error.message())
        })?;
        parser.table("", document.get_ref())?;
        Ok(parser.layer)
    }
}

struct ConfigParser<'a> {
    text: &'a str,
    user_home: Option<&'a Path>,
    layer: ConfigLayer,
}

impl ConfigParser<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or(self.text);
        1 + before.matches('\n').count()
    }

    fn bad(&self, offset: usize, what: &str) -> CliError {
        let (path, line) = (self.layer.path.display(), self.line(offset));
        let what = format!("the configuration {path} has an error in line {line}: {what}");
        CliError::cannot("bad-config", what)
            .hint("`gemtrail config show` lists the keys and their values")
    }

    fn table(&mut self, prefix: &str, table: &DeTable<'_>) -> Result<(), CliError> {
        for (name, value) in table {
            let full = format!("{prefix}{}", name.get_ref());
            let key = KEYS.iter().find(|key| key.name == full);
            match (key, value.get_ref()) {
                (Some(key), _) => {
                    let placed = PlacedValue {
                        key: key.name,
                        value: self.read(key, value)?,
                        line: self.line_of(key, value),
                    };
                    self.layer.values.push(placed);
                }
                (None, DeValue::Table(inner)) if is_table(&full) => {
                    self.table(&format!("{full}."), inner)?;
                }
                (None, _) => self.unknown(full, name.span().start),
            }
        }
        Ok(())
    }

    fn unknown(&mut self, name: String, offset: usize) {
        let line = self.line(offset);
        self.layer.unknown.push(UnknownKey { name, line });
    }

    fn read(&mut self, key: &ConfigKey, value: &Spanned<DeValue<'_>>) -> Result<Value, CliError> {
        let wrong = |parser: &Self, start| {
            parser.bad(start, &format!("`{}` takes {}", key.name, key.wanted))
        };
        let start = value.span().start;
        if !matches!(key.takes, Takes::Rules) {
            let read = key.takes.read(value.get_ref(), self.user_home);
            return read.ok_or_else(|| wrong(self, start));
        }
        let Some(rules) = value.get_ref().as_array() else {
            return Err(wrong(self, start));
        };
        let rule = |rule: &Spanned<DeValue<'_>>| match rule.get_ref() {
            DeValue::Table(table) => self.rule(table, rule.span().start),
            _ => Err(wrong(self, rule.span().start)),
        };
        rules.iter().map(rule).collect()
    }

    /// A rule with the place where it stands.
    fn rule(&mut self, table: &DeTable<'_>, start: usize) -> Result<Value, CliError> {
        let mut rule = Map::new();
        rule.insert("keywords".to_owned(), Value::Array(Vec::new()));
        rule.insert("entropy".to_owned(), Value::Null);
        for (name, value) in table {
            let full = format!("redaction.rules.{}", name.get_ref());
            match RULE_FIELDS.iter().find(|field| field.name == full) {
                Some(field) => {
                    let value = self.read(field, value)?;
                    rule.insert(name.get_ref().to_string(), value);
                }
                None => self.unknown(full, name.span().start),
            }
        }
        for needed in ["id", "regex"] {
            if !rule.contains_key(needed) {
                return Err(self.bad(start, &format!("a redaction rule needs `{needed}`")));
            }
        }
        rule.insert("file".to_owned(), self.layer.path.to_string_lossy().into());
        rule.insert("line".to_owned(), self.line(start).into());
        Ok(rule.into())
    }

    /// The line of a value; of rules, that of the last one.
    fn line_of(&self, key: &ConfigKey, value: &Spanned<DeValue<'_>>) -> usize {
        let rules = value.get_ref().as_array();
        let last = rules.filter(|_| matches!(key.takes, Takes::Rules));
        let last = last.and_then(|rules| rules.iter().next_back());
        self.line(last.unwrap_or(value).span().start)
    }
}

/// True if keys stand below this name.
fn is_table(name: &str) -> bool {
    let mut tables = KEYS.iter().filter_map(|key| key.name.split_once('.'));
    tables.any(|(table, _)| table == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ConfigLayer, CliError> {
        ConfigLayer::parse(
            Path::new("/etc/config.toml"),
            text,
            Some(Path::new("/home/al")),
        )
    }

    fn values(layer: &ConfigLayer) -> Vec<(&str, String, usize)> {
        let values = layer.values.iter();
        values
            .map(|placed| (placed.key, placed.value.to_string(), placed.line))
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn every_key_with_its_line() {
        let layer = parse(
            "homes = [\"~/.gemini\", \"/mnt/x\"]\n\ncolor = \"never\"\npager = \"less -R\"\nutc = true\n[scan]\ndirs = [\"~\"]\ndepth = 0x3\n",
        )
        .unwrap();
        let expected = [
            ("color", "\"never\"", 3),
            ("homes", "[\"/home/al/.gemini\",\"/mnt/x\"]", 1),
            ("pager", "\"less -R\"", 4),
            ("scan.depth", "3", 8),
            ("scan.dirs", "[\"/home/al\"]", 7),
            ("utc", "true", 5),
        ]
        .map(|(key, value, line)| (key, value.to_owned(), line));
        let mut values = values(&layer);
        values.sort_unstable();
        assert_eq!(values, expected);
        assert!(layer.unknown.is_empty());
    }

    #[test]
    fn rules_and_thresholds_with_their_lines() {
        let layer = parse(
            "[signals]\nstall_seconds = 5\nretry_similarity = 1\n\n[[redaction.rules]]\nid = 'badge'\nregex = '\\d'\nregx = 1\n\n[[redaction.rules]]\nid = 'b'\nregex = 'x'\nkeywords = ['k']\nentropy = 3\n",
        )
        .unwrap();
        let all = values(&layer);
        for (key, value, line) in [
            ("signals.retry_similarity", "1.0", 3),
            ("signals.stall_seconds", "5", 2),
        ] {
            assert!(all.contains(&(key, value.to_owned(), line)), "{key}");
        }
        let mut placed = layer.values.iter();
        let rules = placed.find(|placed| placed.key == "redaction.rules");
        let rules = rules.expect("the rules");
        assert_eq!(rules.line, 10);
        assert_eq!(
            (&rules.value[0]["line"], &rules.value[1]["line"]),
            (&5.into(), &10.into())
        );
        assert_eq!(rules.value[1]["entropy"], 3.0);
        assert_eq!(layer.unknown[0].name, "redaction.rules.regx");
        assert_eq!(layer.unknown[0].line, 8);
    }

    #[test]
    fn unknown_keys_are_kept_with_their_line() {
        let layer =
            parse("utc = true\ncolour = 1\n[scan]\ndepht = 4\n[tui]\ntheme = 'x'\n").unwrap();
        let unknown: Vec<_> = layer
            .unknown
            .iter()
            .map(|key| (key.name.as_str(), key.line))
            .collect();
        assert_eq!(unknown, [("colour", 2), ("scan.depht", 4), ("tui", 5)]);
    }

    #[test]
    fn errors_name_the_line_and_what_is_wanted() {
        let message = |text: &str| parse(text).unwrap_err().error.to_string();
        assert!(message("utc = true\ncolor = \"blue\"").contains("line 2: `color` takes \"auto\""));
        assert!(message("homes = [\"relative\"]").contains("line 1: `homes` takes a list"));
        assert!(
            message("[scan]\ndepth = 99").contains("line 2: `scan.depth` takes a whole number")
        );
        assert!(
            message("[signals]\nretry_uses = 0").contains("line 2: `signals.retry_uses` takes")
        );
        assert!(message("[signals]\nretry_similarity = 2").contains("takes a number from 0 to 1"));
        assert!(
            message("[redaction]\nrules = 3").contains("line 2: `redaction.rules` takes tables")
        );
        let rule = |text: &str| message(&format!("[[redaction.rules]]\n{text}"));
        assert!(rule("id = 'a'").contains("line 1: a redaction rule needs `regex`"));
        assert!(
            rule("id = 'a'\nkeywords = ['']").contains("line 3: `redaction.rules.keywords` takes")
        );
        assert!(rule("entropy = 'high'").contains("line 2: `redaction.rules.entropy` takes"));
        assert!(message("a = 1\n\nb = = 2").contains("line 3: "));
        assert!(message("scan = 4\nscan.dirs = 1").contains("line "));
    }
}
