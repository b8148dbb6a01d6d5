//! One configuration file: TOML in, typed values with their lines out.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::lake::{LEVELS, LakeLayer, TIMES};
use super::rules::{FIELDS, PlacedRule, RuleFields};
use super::{Key, thresholds};
use crate::environment::{ConfigFile, Environment};
use crate::error::CliError;
use crate::global_args::ColorWhen;
use gemtrail_store::paths;

/// A value and the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed<T> {
    pub(super) value: T,
    pub(super) line: usize,
}

/// A key that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownKey {
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// What one file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    pub(crate) path: PathBuf,
    pub(crate) unknown: Vec<UnknownKey>,
    pub(super) homes: Option<Placed<Vec<PathBuf>>>,
    pub(super) color: Option<Placed<ColorWhen>>,
    pub(super) pager: Option<Placed<String>>,
    pub(super) utc: Option<Placed<bool>>,
    pub(super) scan_dirs: Option<Placed<Vec<PathBuf>>>,
    pub(super) scan_depth: Option<Placed<usize>>,
    pub(super) archive_path: Option<Placed<PathBuf>>,
    pub(super) archive_exclude: Option<Placed<Vec<PathBuf>>>,
    pub(super) archive_keep_days: Option<Placed<u32>>,
    pub(super) redaction_rules: Vec<PlacedRule>,
    pub(super) lake: LakeLayer,
    /// Thresholds of `signals` by their names.
    pub(super) thresholds: Vec<(&'static str, Placed<Value>)>,
}

/// Reads the files that are there, the system's first. A file that somebody named must be there.
pub(crate) fn load(environment: &Environment) -> Result<Vec<Layer>, CliError> {
    let mut layers = Vec::new();
    for file in &environment.config_files {
        let ConfigFile { path, must_exist } = file;
        match std::fs::read_to_string(path) {
            Ok(text) => layers.push(Layer::parse(path, &text, environment.user_home.as_deref())?),
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

impl Layer {
    fn parse(path: &Path, text: &str, user_home: Option<&Path>) -> Result<Self, CliError> {
        let mut parser = Parser {
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

struct Parser<'a> {
    text: &'a str,
    user_home: Option<&'a Path>,
    layer: Layer,
}

impl Parser<'_> {
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
            match (Key::parse(&full), value.get_ref()) {
                (Some(key), _) => self.value(key, value)?,
                (None, DeValue::Table(inner)) if is_table(&full) => {
                    self.table(&format!("{full}."), inner)?;
                }
                (None, _) => {
                    let line = self.line(name.span().start);
                    self.layer.unknown.push(UnknownKey { name: full, line });
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<(), CliError> {
        match key {
            Key::Homes => self.layer.homes = Some(self.paths(key, value)?),
            Key::ScanDirs => self.layer.scan_dirs = Some(self.paths(key, value)?),
            Key::Color => {
                let read = |value: &DeValue<'_>| ColorWhen::from_str(value.as_str()?, false).ok();
                let wanted = "\"auto\", \"always\" or \"never\"";
                self.layer.color = Some(self.read(key, value, wanted, read)?);
            }
            Key::Pager => {
                let read = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
                self.layer.pager = Some(self.read(key, value, "a command as text", read)?);
            }
            Key::Utc => {
                let read = |value: &DeValue<'_>| value.as_bool();
                self.layer.utc = Some(self.read(key, value, "true or false", read)?);
            }
            Key::ScanDepth => {
                let read = |value: &DeValue<'_>| {
                    let number = value.as_integer()?;
                    let depth = usize::from_str_radix(number.as_str(), number.radix()).ok()?;
                    (1..=16).contains(&depth).then_some(depth)
                };
                let wanted = "a whole number from 1 to 16";
                self.layer.scan_depth = Some(self.read(key, value, wanted, read)?);
            }
            Key::ArchivePath => {
                let home = self.user_home;
                let read = |value: &DeValue<'_>| {
                    let path = paths::expand_tilde(value.as_str()?, home)?;
                    path.is_absolute().then_some(path)
                };
                let wanted = "a path, absolute or starting with ~/";
                self.layer.archive_path = Some(self.read(key, value, wanted, read)?);
            }
            Key::ArchiveExclude => self.layer.archive_exclude = Some(self.paths(key, value)?),
            Key::ArchiveKeepDays => {
                let read = |value: &DeValue<'_>| {
                    let number = value.as_integer()?;
                    u32::from_str_radix(number.as_str(), number.radix()).ok()
                };
                let wanted = "a number of days, 0 for ever";
                self.layer.archive_keep_days = Some(self.read(key, value, wanted, read)?);
            }
            Key::RedactionRules => self.rules(key, value)?,
            Key::LakeLevel => self.layer.lake.level = Some(self.word(key, value, &LEVELS)?),
            Key::LakeLevelMax => self.layer.lake.level_max = Some(self.word(key, value, &LEVELS)?),
            Key::LakeTime => self.layer.lake.time = Some(self.word(key, value, &TIMES)?),
            Key::LakeExclude => self.layer.lake.exclude = Some(self.paths(key, value)?),
            Key::LakePassphrase => {
                let is_key = |text: &&str| !text.trim().is_empty();
                let read = |value: &DeValue<'_>| value.as_str().filter(is_key).map(str::to_owned);
                self.layer.lake.key = Some(self.read(key, value, "a secret text", read)?);
            }
            Key::LakeTools => {
                let name = |item: &Spanned<DeValue<'_>>| item.get_ref().as_str().map(str::to_owned);
                let read = |value: &DeValue<'_>| value.as_array()?.iter().map(name).collect();
                let wanted = "a list of names of tools";
                self.layer.lake.tools = Some(self.read(key, value, wanted, read)?);
            }
            Key::Threshold(name) => {
                let read = |value: &DeValue<'_>| thresholds::read(name, value);
                let placed = self.read(key, value, thresholds::wanted(name), read)?;
                self.layer.thresholds.push((name, placed));
            }
        }
        Ok(())
    }

    /// One of these words.
    fn word(
        &self,
        key: Key,
        value: &Spanned<DeValue<'_>>,
        words: &[&'static str],
    ) -> Result<Placed<&'static str>, CliError> {
        let read = |value: &DeValue<'_>| {
            let text = value.as_str()?;
            words.iter().find(|word| **word == text).copied()
        };
        let wanted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        self.read(key, value, &wanted.join(" or "), read)
    }

    fn rules(&mut self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<(), CliError> {
        let wanted = "tables, each below a line [[redaction.rules]]";
        let refuse =
            |parser: &Self, start| parser.bad(start, &format!("`{}` takes {wanted}", key.name()));
        let Some(items) = value.get_ref().as_array() else {
            return Err(refuse(self, value.span().start));
        };
        for item in items {
            let start = item.span().start;
            let DeValue::Table(table) = item.get_ref() else {
                return Err(refuse(self, start));
            };
            self.rule(table, start)?;
        }
        Ok(())
    }

    fn rule(&mut self, table: &DeTable<'_>, start: usize) -> Result<(), CliError> {
        let mut fields = RuleFields::default();
        for (name, value) in table {
            let full = format!("{}.{}", Key::RedactionRules.name(), name.get_ref());
            if !FIELDS.contains(&full.as_str()) {
                let line = self.line(name.span().start);
                self.layer.unknown.push(UnknownKey { name: full, line });
            } else if let Err(wanted) = fields.set(&full, value.get_ref()) {
                let what = format!("`{full}` takes {wanted}");
                return Err(self.bad(value.span().start, &what));
            }
        }
        let rule = fields
            .rule()
            .map_err(|missing| self.bad(start, &format!("a redaction rule needs `{missing}`")))?;
        self.layer.redaction_rules.push(PlacedRule {
            rule,
            path: self.layer.path.clone(),
            line: self.line(start),
        });
        Ok(())
    }

    fn paths(
        &self,
        key: Key,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Placed<Vec<PathBuf>>, CliError> {
        let path = |item: &Spanned<DeValue<'_>>| {
            let path = paths::expand_tilde(item.get_ref().as_str()?, self.user_home)?;
            // The directory that a command runs in must not change what it does.
            path.is_absolute().then_some(path)
        };
        let read = |value: &DeValue<'_>| value.as_array()?.iter().map(path).collect();
        let wanted = "a list of directories, each absolute or starting with ~/";
        self.read(key, value, wanted, read)
    }

    fn read<T>(
        &self,
        key: Key,
        value: &Spanned<DeValue<'_>>,
        wanted: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Result<Placed<T>, CliError> {
        let start = value.span().start;
        match read(value.get_ref()) {
            Some(value) => Ok(Placed {
                value,
                line: self.line(start),
            }),
            None => Err(self.bad(start, &format!("`{}` takes {wanted}", key.name()))),
        }
    }
}

/// Whether keys stand below this name.
fn is_table(name: &str) -> bool {
    Key::ALL
        .iter()
        .any(|key| key.name().split_once('.').map(|(table, _)| table) == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Layer, CliError> {
        Layer::parse(
            Path::new("/etc/config.toml"),
            text,
            Some(Path::new("/home/al")),
        )
    }

    #[cfg(unix)]
    #[test]
    fn every_key_with_its_line() {
        let layer = parse(
            "homes = [\"~/.gemini\", \"/mnt/x\"]\n\ncolor = \"never\"\npager = \"less -R\"\nutc = true\n[scan]\ndirs = [\"~\"]\ndepth = 0x3\n",
        )
        .unwrap();
        let homes = layer.homes.unwrap();
        assert_eq!(
            homes.value,
            [Path::new("/home/al/.gemini"), Path::new("/mnt/x")]
        );
        assert_eq!(homes.line, 1);
        let color = layer.color.unwrap();
        assert_eq!((color.value, color.line), (ColorWhen::Never, 3));
        assert_eq!(layer.pager.unwrap().value, "less -R");
        assert!(layer.utc.unwrap().value);
        assert_eq!(layer.scan_dirs.unwrap().value, [Path::new("/home/al")]);
        let depth = layer.scan_depth.unwrap();
        assert_eq!((depth.value, depth.line), (3, 8));
        assert!(layer.unknown.is_empty());
    }

    #[test]
    fn rules_and_thresholds_with_their_lines() {
        let layer = parse(
            "[signals]\nstall_seconds = 5\nretry_similarity = 1\n\n[[redaction.rules]]\nid = 'badge'\nregex = '\\d'\nregx = 1\n\n[[redaction.rules]]\nid = 'b'\nregex = 'x'\nkeywords = ['k']\nentropy = 3\n",
        )
        .unwrap();
        let thresholds: Vec<_> = layer
            .thresholds
            .iter()
            .map(|(name, placed)| (*name, placed.value.to_string(), placed.line))
            .collect();
        assert_eq!(
            thresholds,
            [
                ("signals.retry_similarity", "1.0".to_owned(), 3),
                ("signals.stall_seconds", "5".to_owned(), 2)
            ]
        );
        let rules: Vec<_> = layer
            .redaction_rules
            .iter()
            .map(|placed| placed.line)
            .collect();
        assert_eq!(rules, [5, 10]);
        let second = &layer.redaction_rules[1].rule;
        assert_eq!((second.keywords.len(), second.entropy), (1, Some(3.0)));
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
