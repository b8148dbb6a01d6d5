//! `open`: a session as a page in a browser.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

use gemtrail_core::model::{Place, Session, State};
use gemtrail_export::exporter::{Exporter, Privacy, Secrets};
use gemtrail_export::file::{self, Access};
use gemtrail_export::present::Presentation;
use gemtrail_store::ReadDetail;

use super::args::{FormatArgs, OpenArgs, ViewArgs};
use super::context::Context;
use super::{chosen_format, formats, session};
use crate::environment::Environment;
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
        Some(anchor) => address(&page, &anchor).into(),
        None => page.clone().into_os_string(),
    };
    if args.print {
        let mut out = ui.out();
        writeln!(out, "{}", address.display())?;
        return out.finish();
    }
    open_browser(&address, context.environment).map_err(|error| {
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
    let secrets = if no_redact {
        Secrets::Keep
    } else {
        Secrets::Replace
    };
    let privacy = Privacy {
        secrets,
        paths: None,
        outline: false,
    };
    let mut exporter = Exporter::new(&*format, privacy, context.redactor()?);
    Ok(exporter.to_bytes(session)?)
}

/// The directory of pages, which only its owner can read, without those of yesterday.
fn pages(context: &Context<'_>) -> Result<PathBuf, CliError> {
    let cache = context.environment.cache_dir.as_ref().ok_or_else(|| {
        CliError::cannot("no-place", "this platform has no cache directory")
            .hint("`gemtrail export SESSION -o FILE.html` writes the page anywhere")
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

/// The time in which a program that cannot start fails.
const PATIENCE: Duration = Duration::from_secs(2);

/// The address of a place in a file: browsers know nothing but addresses that have places.
pub(super) fn address(page: &Path, anchor: &str) -> String {
    let path = page
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/");
    let mut address = "file://".to_owned();
    if !path.starts_with('/') {
        address.push('/');
    }
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte);
        if is_plain {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    format!("{address}#{anchor}")
}

/// Opens a file or its address in the browser that the person chose, or in that of the system.
pub(super) fn open_browser(page: &OsStr, environment: &Environment) -> io::Result<()> {
    if let Some(browser) = &environment.browser {
        let mut words = browser.split_whitespace();
        let program = words.next().unwrap_or_default();
        return start(Command::new(program).args(words).arg(page));
    }
    if cfg!(windows) {
        let nothing = OsStr::new("");
        start(
            Command::new("cmd")
                .args(["/C", "start"])
                .args([nothing, page]),
        )
    } else if cfg!(target_os = "macos") {
        start(Command::new("open").arg(page))
    } else {
        start(Command::new("xdg-open").arg(page))
    }
}

/// Starts a program and lets it go on, unless it fails soon.
fn start(command: &mut Command) -> io::Result<()> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn()?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(io::Error::other(status.to_string())),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    Ok(())
}
