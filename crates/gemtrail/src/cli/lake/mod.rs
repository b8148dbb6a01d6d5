//! `lake`: Parquet files for the query engines of a team.

mod documents;

use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use gemtrail_core::prices::Prices;
use gemtrail_export::redact::Redactor;
use gemtrail_lake::{
    Identity, IdentitySource, LakeError, LakeOptions, Level, Precision, PseudonymKey,
};

use super::args::LakeArgs;
use super::context::Context;
use crate::cli::filter::{Edge, time};
use crate::environment;
use crate::error::CliError;
use crate::text::{bytes, plural};
use crate::ui::Output;

pub(crate) use documents::{LakeCheckDocument, LakeDocument, LakeMergeDocument, LakeRowDocument};

pub(super) fn run(args: &LakeArgs, context: &Context<'_>) -> Result<(), CliError> {
    if let Some([from, to]) = args.merge.as_deref() {
        return merge(from, to, context);
    }
    let Some(dir) = args.dir.as_deref() else {
        return Err(CliError::usage("the directory of the lake is missing"));
    };
    let identity = identity(context)?;
    if args.check {
        return check(dir, &identity, context);
    }
    let redactor = context.redactor()?;
    let options = options(args, &identity, &redactor, context)?;
    let trail = context.open()?;
    let library = trail.view();
    if args.explain {
        return documents::print_rows(&gemtrail_lake::explain(&library, &options), context);
    }
    tell_of_key(context);
    let _lock = lock(context)?;
    let (ui, read) = (context.ui, Cell::new(0_usize));
    let progress = || {
        read.set(read.get() + 1);
        ui.progress(read.get(), read.get(), "sessions");
    };
    let written = gemtrail_lake::write(&library, dir, &options, &progress);
    ui.progress_done();
    let written = written.map_err(failure)?;
    context.tell_what_is_missing(&library);
    for (reference, error) in &written.unread {
        ui.note(&format!("warning: session {reference} is missing: {error}"));
    }
    let document = LakeDocument::new(written, &identity, options.level);
    ui.answer_unless_quiet(&document, |out| {
        let changes = &document.changes;
        let (removed, unchanged) = (changes.removed, changes.unchanged);
        let (rows, size) = (plural(changes.rows, "row"), bytes(changes.bytes));
        let (files, level) = (plural(changes.written, "file"), options.level);
        writeln!(
            out,
            "{files} written, {removed} removed, {unchanged} unchanged; {rows}, {size} at level {level}"
        )
    })
}

fn failure(error: LakeError) -> CliError {
    CliError::cannot("lake", error)
}

fn check(dir: &Path, identity: &Identity, context: &Context<'_>) -> Result<(), CliError> {
    let checked = gemtrail_lake::check(dir, &identity.origin).map_err(failure)?;
    let document = LakeCheckDocument::new(checked, identity);
    context
        .ui
        .answer(&document, |out| print_check(out, &document))?;
    let checked = &document.checked;
    if !checked.is_there {
        let origin = &identity.origin;
        let what = format!("{} has no files of this machine ({origin})", dir.display());
        return Err(CliError::nothing("nothing-found", what));
    }
    if checked.is_good() {
        return Ok(());
    }
    let what = "the files are not those that were written";
    Err(CliError::check_failed(what).hint("`gemtrail lake DIR` writes them again"))
}

fn print_check(out: &mut Output, document: &LakeCheckDocument) -> std::io::Result<()> {
    let checked = &document.checked;
    let lists = [
        ("missing", &checked.missing),
        ("changed", &checked.changed),
        ("unnamed", &checked.unnamed),
    ];
    for (what, files) in lists {
        for file in files {
            writeln!(out, "{what}  {file}")?;
        }
    }
    if document.ok {
        let files = plural(checked.files, "file");
        writeln!(out, "{files} at level {}, all as written", checked.level)?;
    }
    Ok(())
}

fn merge(from: &Path, to: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let merged = gemtrail_lake::merge(from, to, context.environment.now).map_err(failure)?;
    let document = LakeMergeDocument::new(merged);
    context.ui.answer_unless_quiet(&document, |out| {
        let (files, rows) = (plural(merged.files, "file"), plural(merged.rows, "row"));
        let (written, removed, unchanged) = (merged.written, merged.removed, merged.unchanged);
        writeln!(
            out,
            "{files} folded; {written} written, {removed} removed, {unchanged} unchanged; {rows}"
        )
    })
}

fn data_dir<'a>(context: &'a Context<'_>) -> Result<&'a Path, CliError> {
    context.environment.data_dir.as_deref().ok_or_else(|| {
        let what = "no data directory is known to keep the identity of this machine in";
        CliError::cannot("lake", what).hint("GEMTRAIL_DATA_DIR names one")
    })
}

/// Keeps other runs of this machine out until it is dropped: they write the same files.
fn lock(context: &Context<'_>) -> Result<File, CliError> {
    let path = data_dir(context)?.join("lake.lock");
    let failed = |error| CliError::cannot("lake", format!("{}: {error}", path.display()));
    let file = File::create(&path).map_err(failed)?;
    if file.try_lock().is_err() {
        let what = "another gemtrail is writing a lake; waiting for it";
        context.ui.note(what);
        file.lock().map_err(failed)?;
    }
    Ok(file)
}

/// The identity of this machine in lakes.
fn identity(context: &Context<'_>) -> Result<Identity, CliError> {
    let data_dir = data_dir(context)?;
    let random = environment::random_seed().map_err(|error| CliError::cannot("lake", error))?;
    let opened = Identity::open(data_dir, &machine(context), &random).map_err(failure)?;
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
fn tell_of_key(context: &Context<'_>) {
    if context.settings.lake.key.is_none() {
        context.ui.note(
            "no lake.key is configured: names are pseudonyms of this machine alone, and do not match those of others",
        );
    }
}

/// The options of a run.
fn options<'a>(
    args: &LakeArgs,
    identity: &Identity,
    redactor: &'a Redactor,
    context: &Context<'_>,
) -> Result<LakeOptions<'a>, CliError> {
    let (settings, environment) = (context.settings, context.environment);
    let lake = &settings.lake;
    Ok(LakeOptions {
        origin: identity.origin.clone(),
        machine: Some(machine(context)),
        host: environment.host.clone(),
        user: environment.user.clone(),
        level: level(args, context),
        key: PseudonymKey::new(lake.key.as_deref().unwrap_or(&identity.key)),
        precision: match lake.time.as_str() {
            "day" => Precision::Day,
            _ => Precision::Exact,
        },
        tools: lake.tools.iter().cloned().collect(),
        exclude: [lake.exclude.as_slice(), &settings.archive.exclude].concat(),
        prices: Prices::built_in(),
        redactor,
        rules: format!("{:?}", settings.own_rules()),
        since: time(args.since.as_deref(), Edge::Start, context.ui)?,
        tables: args.table.clone(),
    })
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
