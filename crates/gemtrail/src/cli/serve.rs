//! `serve`: the web viewer on loopback.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use gemtrail_export::file::{self, Access};
use gemtrail_store::Trail;
use gemtrail_web::{Keys, Options, Paging, Server, Stop, launch_address};
use jiff::civil::Weekday;
use schemars::JsonSchema;
use serde::Serialize;

use super::args::ServeArgs;
use super::context::Context;
use super::records::VacFormat;
use crate::environment;
use crate::error::CliError;
use crate::ui::Ui;

/// The file that keeps the key of the cookie, with mode 0600.
const KEY_FILE: &str = "serve.key";

/// The default port: a fixed one keeps bookmarks right.
const USUAL_PORT: u16 = 7747;

pub(super) fn run(args: &ServeArgs, context: &Context<'_>) -> Result<(), CliError> {
    // Takes in what is new, as every command does that reads. From then on nothing is written.
    drop(context.open()?);
    let (both, disk) = context.to_serve();
    let (trail, _) = Trail::open(both)?;
    let options = Options {
        clock: environment::now,
        zone: context.ui.zone.clone(),
        week_start: Weekday::Monday,
        user_home: context.environment.user_home.clone(),
        redactor: context.redactor()?,
        more_formats: vec![Box::new(VacFormat::plain())],
        disk,
        machine: context.machine(),
        system: context.environment.system_settings.clone(),
        paging: Paging::default(),
    };
    let server = bind(args.port)?;
    let keys = keys(context.environment.data_dir.as_deref())?;
    let stop = Stop::default();
    let on_signal = stop.clone();
    ctrlc::set_handler(move || on_signal.stop()).map_err(|error| {
        CliError::cannot("no-signals", format!("cannot wait for Ctrl-C: {error}"))
    })?;
    let url = launch_address(&server, &keys);
    gemtrail_web::serve(server, trail, options, &keys, &stop, || {
        announce(&url, context.ui)?;
        if !args.no_open && context.environment.has_display {
            open(&url, context.ui);
        }
        Ok(())
    })
}

fn bind(port: Option<u16>) -> Result<Server, CliError> {
    let bound = match port {
        Some(port) => Server::bind(port),
        None => Server::bind(USUAL_PORT).or_else(|_| Server::bind(0)),
    };
    bound.map_err(|error| {
        let port = port.unwrap_or_default();
        let what = format!("cannot listen on port {port} of 127.0.0.1: {error}");
        CliError::cannot("no-port", what).hint("--port 0 uses any free port")
    })
}

fn keys(data_dir: Option<&Path>) -> Result<Keys, CliError> {
    let kept = data_dir.map(|dir| dir.join(KEY_FILE));
    let session = if let Some(key) = kept.as_deref().and_then(kept_key) {
        key
    } else {
        let key = *environment::random_seed()?;
        // Without the file, open pages are of no use after a restart, and all else is.
        let _ = data_dir.map(file::make_directory);
        let _ = kept.map(|path| file::write_bytes(&path, true, Access::Private, &key));
        key
    };
    Ok(Keys {
        launch: *environment::random_seed()?,
        session,
    })
}

/// The key that an earlier run kept, so that open pages stay usable. One that others could read is no secret.
fn kept_key(path: &Path) -> Option<[u8; 32]> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let facts = std::fs::symlink_metadata(path).ok()?;
        let of_others = facts.mode() & 0o077;
        (facts.is_file() && of_others == 0).then_some(())?;
    }
    std::fs::read(path).ok()?.try_into().ok()
}

/// Says where it is, at once: programs wait for this line.
fn announce(url: &str, ui: &Ui) -> Result<(), CliError> {
    let schema = "gemtrail.serve/1";
    ui.answer(&ServeDocument { schema, url }, |out| writeln!(out, "{url}"))?;
    ui.note("This address works once; pages that are open stay usable after a restart. Press Ctrl-C to stop the viewer.");
    Ok(())
}

/// Opens the browser of the desktop. Who has none can still follow the address.
fn open(url: &str, ui: &Ui) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        ui.detail(&format!("no browser was opened: {program}: {error}"));
    }
}

/// The address of the viewer: schema `gemtrail.serve/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ServeDocument<'a> {
    /// Always `gemtrail.serve/1`.
    schema: &'static str,
    /// The address, with a token that works once.
    url: &'a str,
}
