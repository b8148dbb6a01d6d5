//! `open`: a session as a page in a browser.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gemtrail_export::exporter::{Exporter, Privacy, Secrets};
use gemtrail_export::file::{self, Access};
use gemtrail_store::ReadDetail;

use super::args::{FormatArgs, OpenArgs};
use super::context::Context;
use super::{browser, chosen_format, formats, session};
use crate::error::CliError;

/// How long a page stays.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn run(args: &OpenArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let trail = context.open()?;
    let library = trail.view();
    let named = session::resolve(&library, &args.session)?;
    let session = library.read_named(&named, ReadDetail::Words)?;
    context.tell_what_is_missing(&library);
    let name = format!("{}.html", session.reference);
    let dir = pages(context)?;
    let page = dir.join(name);
    let bytes = page_of(args, session, context)?;
    file::write_bytes(&page, true, Access::Private, &bytes)?;
    if args.print {
        let mut out = ui.out();
        writeln!(out, "{}", page.display())?;
        return out.finish();
    }
    browser::open(&page, context.environment).map_err(|error| {
        let what = format!("no browser could be started: {error}");
        let page = page.display();
        CliError::cannot("no-browser", what).hint(format!("the page is {page}"))
    })
}

fn page_of(
    args: &OpenArgs,
    session: gemtrail_core::model::Session,
    context: &Context<'_>,
) -> Result<Vec<u8>, CliError> {
    let options = FormatArgs::none().map_err(|error| CliError::usage(error.to_string()))?;
    let options = FormatArgs {
        view: args.view.clone(),
        ..options
    };
    let html = formats::named("html").ok_or_else(|| CliError::usage("nothing writes pages"))?;
    let format = chosen_format::chosen(html, &options, None, context.ui)?;
    let privacy = Privacy {
        secrets: if args.no_redact {
            Secrets::Keep
        } else {
            Secrets::Replace
        },
        paths: None,
        outline: false,
    };
    let mut exporter = Exporter::new(&*format, privacy, context.redactor()?);
    Ok(exporter.to_bytes(session)?)
}

/// The directory of pages, which only its owner can read, without those of yesterday.
fn pages(context: &Context<'_>) -> Result<PathBuf, CliError> {
    let cache = context.environment.cache_dir.as_ref().ok_or_else(|| {
        CliError::cannot("no-place", "this platform has no place for pages")
            .hint("`gemtrail export SESSION -o FILE.html` writes one anywhere")
    })?;
    let dir = cache.join("pages");
    let failed = |error: std::io::Error| {
        let what = format!("failed to make {}: {error}", dir.display());
        CliError::cannot("cannot-write", what)
    };
    make_private(&dir).map_err(failed)?;
    let now = SystemTime::from(context.environment.now);
    for entry in fs::read_dir(&dir).map_err(failed)?.flatten() {
        let path = entry.path();
        let modified = entry.metadata().and_then(|it| it.modified());
        let age = modified.ok().and_then(|it| now.duration_since(it).ok());
        let is_page = path.extension().is_some_and(|ending| ending == "html");
        if is_page && age.is_some_and(|age| age > DAY) {
            // The next run tries again.
            let _ = fs::remove_file(path);
        }
    }
    Ok(dir)
}

#[cfg(unix)]
fn make_private(dir: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(dir: &Path) -> std::io::Result<()> {
    fs::create_dir_all(dir)
}
