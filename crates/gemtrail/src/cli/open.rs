//! `open`: a session as a page in a browser.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gemtrail_core::model::{Place, Session, State};
use gemtrail_export::exporter::{Exporter, Privacy, Secrets};
use gemtrail_export::file::{self, Access};
use gemtrail_export::present::Presentation;
use gemtrail_store::ReadDetail;

use super::args::{FormatArgs, OpenArgs, ViewArgs};
use super::context::Context;
use super::{browser, chosen_format, formats, session};
use crate::error::CliError;

/// The time for which a page stays.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn run(args: &OpenArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let trail = context.open()?;
    let library = trail.view();
    let (session, place) = session::read_at(&library, &args.session, ReadDetail::Words)?;
    context.tell_what_is_missing(&library);
    let name = format!("{}.html", session.reference);
    let dir = pages(context)?;
    let page = dir.join(name);
    let mut view = args.view.clone();
    if let Some(item) = place.and_then(|place| session.at(place)) {
        let is_superseded = item.message.state == State::Superseded;
        // What was asked for by its place is on the page.
        view.superseded |= is_superseded && !view.live;
    }
    let anchor = place.and_then(|place| anchor(&session, place, &view, context));
    let bytes = page_of(view, args.no_redact, session, context)?;
    file::write_bytes(&page, true, Access::Private, &bytes)?;
    let address = match anchor {
        Some(anchor) => browser::address(&page, &anchor).into(),
        None => page.clone().into_os_string(),
    };
    if args.print {
        let mut out = ui.out();
        writeln!(out, "{}", address.display())?;
        return out.finish();
    }
    browser::open(&address, context.environment).map_err(|error| {
        let what = format!("no browser could be started: {error}");
        let page = page.display();
        CliError::cannot("no-browser", what).hint(format!("the page is {page}"))
    })
}

/// The anchor of a place on the page. A call is in its message there.
fn anchor(
    session: &Session,
    place: Place,
    view: &ViewArgs,
    context: &Context<'_>,
) -> Option<String> {
    let options = chosen_format::view_options(view, context.ui);
    let message = session.at(place)?.message;
    Presentation::new(session, &options).anchor_at(message.place)
}

fn page_of(
    view: ViewArgs,
    no_redact: bool,
    session: Session,
    context: &Context<'_>,
) -> Result<Vec<u8>, CliError> {
    let options = FormatArgs::none().map_err(|error| CliError::usage(error.to_string()))?;
    let options = FormatArgs { view, ..options };
    let html = formats::named("html").ok_or_else(|| CliError::usage("no format writes pages"))?;
    let format = chosen_format::chosen(html, &options, None, context.ui)?;
    let privacy = Privacy {
        secrets: if no_redact {
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
