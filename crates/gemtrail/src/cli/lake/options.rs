//! Options of a lake, from arguments, configuration and machine.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use gemtrail_core::prices::Prices;
use gemtrail_core::time::Timestamp;
use gemtrail_export::redact::Redactor;
use gemtrail_lake::{Identity, IdentitySource, Key, LakeOptions, Level, Precision, Table};

use crate::cli::args::LakeArgs;
use crate::cli::context::Context;
use crate::cli::filter::{Edge, parse_time};
use crate::environment;
use crate::error::CliError;

fn data_dir<'a>(context: &'a Context<'_>) -> Result<&'a Path, CliError> {
    context.environment.data_dir.as_deref().ok_or_else(|| {
        let what = "no data directory is known to keep the identity of this machine in";
        CliError::cannot("lake", what).hint("GEMTRAIL_DATA_DIR names one")
    })
}

/// Keeps other runs of this machine out until it is dropped: they write the same files.
pub(super) fn lock(context: &Context<'_>) -> Result<File, CliError> {
    let path = data_dir(context)?.join("lake.lock");
    let failed = |error| CliError::cannot("lake", format!("{}: {error}", path.display()));
    let file = File::create(&path).map_err(failed)?;
    if file.try_lock().is_err() {
        context
            .ui
            .note("another gemtrail is writing a lake; waiting for it");
        file.lock().map_err(failed)?;
    }
    Ok(file)
}

/// The identity of this machine in lakes.
pub(super) fn identity(context: &Context<'_>) -> Result<Identity, CliError> {
    let data_dir = data_dir(context)?;
    let random = environment::random_seed().map_err(|error| CliError::cannot("lake", error))?;
    let opened = Identity::open(data_dir, &machine(context), &random).map_err(super::failure)?;
    let (identity, source) = opened;
    if source == IdentitySource::OfAnotherMachine {
        context.ui.note(&format!(
            "warning: this is another machine than before, so it is {} in lakes from now on",
            identity.origin
        ));
    }
    Ok(identity)
}

fn machine(context: &Context<'_>) -> String {
    let environment = context.environment;
    let id = environment
        .machine_id
        .as_ref()
        .or(environment.host.as_ref());
    id.map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// Says that pseudonyms are good for one machine only.
pub(super) fn tell_of_key(context: &Context<'_>) {
    if context.settings.lake.key.is_none() {
        context.ui.note(
            "no lake.key is configured: names are pseudonyms of this machine alone, and do not match those of others",
        );
    }
}

/// The options that do not depend on the identity of the machine.
pub(super) struct Prepared<'a> {
    context: &'a Context<'a>,
    redactor: Redactor,
    level: Level,
    since: Option<Timestamp>,
    tables: Vec<Table>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(args: &LakeArgs, context: &'a Context<'a>) -> Result<Self, CliError> {
        Ok(Self {
            context,
            redactor: context.redactor()?,
            level: level(args, context),
            since: match &args.since {
                Some(text) => Some(parse_time(
                    text,
                    Edge::Start,
                    context.ui.now,
                    &context.ui.zone,
                )?),
                None => None,
            },
            tables: args.table.clone(),
        })
    }

    pub(super) fn options(&self, identity: &Identity) -> LakeOptions<'_> {
        let (settings, environment) = (self.context.settings, self.context.environment);
        let lake = &settings.lake;
        let excluded = lake.exclude.iter();
        let excluded = excluded.chain(&settings.archive.exclude);
        LakeOptions {
            origin: identity.origin.clone(),
            machine: Some(machine(self.context)),
            host: environment.host.clone(),
            user: environment.user.clone(),
            level: self.level,
            key: Key::new(lake.key.as_deref().unwrap_or(&identity.key)),
            precision: match lake.time.as_str() {
                "day" => Precision::Day,
                _ => Precision::Exact,
            },
            tools: lake.tools.iter().cloned().collect::<BTreeSet<_>>(),
            exclude: excluded
                .map(|path| path.to_string_lossy().into_owned())
                .collect(),
            prices: Prices::built_in(),
            redactor: &self.redactor,
            rules: format!("{:?}", settings.own_rules()),
            since: self.since,
            tables: self.tables.clone(),
        }
    }
}

/// The level that was asked for, as far as the configuration allows it.
fn level(args: &LakeArgs, context: &Context<'_>) -> Level {
    let lake = &context.settings.lake;
    let asked = args.level;
    let asked = asked.unwrap_or_else(|| lake.level.parse().unwrap_or_default());
    let most = lake.level_max.parse().unwrap_or_default();
    if asked > most {
        let note = format!("the configuration allows no more than the level {most}");
        context.ui.note(&note);
    }
    asked.min(most)
}
