//! `lake`: Parquet files for the query engines of a team.

mod documents;
mod explain;
mod options;

use std::cell::Cell;
use std::io::Write;
use std::path::Path;

use gemtrail_lake::{Checked, Identity, LakeError, Written};

use super::args::LakeArgs;
use super::context::Context;
use crate::error::CliError;
use crate::text::{bytes, plural};
use crate::ui::Ui;

pub(crate) use documents::{LakeCheckDocument, LakeDocument, LakeMergeDocument, LakeRowDocument};
use options::Prepared;

pub(super) fn run(args: &LakeArgs, context: &Context<'_>) -> Result<(), CliError> {
    if let Some([from, to]) = args.merge.as_deref() {
        return merge(from, to, context);
    }
    let Some(dir) = args.dir.as_deref() else {
        return Err(CliError::usage("the directory of the lake is missing"));
    };
    let identity = options::identity(context)?;
    if args.check {
        return check(dir, &identity, context);
    }
    let prepared = Prepared::new(args, context)?;
    let options = prepared.options(&identity);
    let trail = context.open()?;
    let library = trail.view();
    if args.explain {
        return explain::print(&gemtrail_lake::explain(&library, &options), context);
    }
    options::tell_of_key(context);
    let _lock = options::lock(context)?;
    let (ui, read) = (context.ui, Cell::new(0));
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
    tell(&written, &identity, options.level, context)
}

fn failure(error: LakeError) -> CliError {
    CliError::cannot("lake", error)
}

fn tell(
    written: &Written,
    identity: &Identity,
    level: gemtrail_lake::Level,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let ui = context.ui;
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &LakeDocument::new(written, identity, level))?;
    } else if !ui.is_quiet() {
        let Written {
            written: changed,
            removed,
            unchanged,
            rows,
            bytes: size,
            ..
        } = *written;
        let rows = plural(rows, "row");
        writeln!(
            out,
            "{} written, {removed} removed, {unchanged} unchanged; {rows}, {} at level {level}",
            plural(changed, "file"),
            bytes(size),
        )?;
    }
    out.finish()
}

fn check(dir: &Path, identity: &Identity, context: &Context<'_>) -> Result<(), CliError> {
    let checked = gemtrail_lake::check(dir, &identity.origin).map_err(failure)?;
    let ui = context.ui;
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &LakeCheckDocument::new(&checked, identity))?;
    } else {
        print_check(&mut out, &checked)?;
    }
    out.finish()?;
    if !checked.is_there {
        let origin = &identity.origin;
        let what = format!("{} has no files of this machine ({origin})", dir.display());
        return Err(CliError::nothing("nothing-found", what));
    }
    if checked.is_good() {
        return Ok(());
    }
    Err(
        CliError::check_failed("the files are not those that were written")
            .hint("`gemtrail lake DIR` writes them again"),
    )
}

fn print_check(out: &mut impl Write, checked: &Checked) -> Result<(), CliError> {
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
    if checked.is_there && checked.is_good() {
        let files = plural(checked.files, "file");
        writeln!(out, "{files} at level {}, all as written", checked.level)?;
    }
    Ok(())
}

fn merge(from: &Path, to: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let merged = gemtrail_lake::merge(from, to, context.environment.now).map_err(failure)?;
    let ui = context.ui;
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &LakeMergeDocument::new(&merged))?;
    } else if !ui.is_quiet() {
        writeln!(
            out,
            "{} folded; {} written, {} removed, {} unchanged; {}",
            plural(merged.files, "file"),
            merged.written,
            merged.removed,
            merged.unchanged,
            plural(merged.rows, "row"),
        )?;
    }
    out.finish()
}
