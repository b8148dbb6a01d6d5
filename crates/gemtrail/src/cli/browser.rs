//! Opens a page in a browser.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::environment::Environment;

/// How long to wait for a program that fails at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens a file in the browser that the person chose, or in that of the system.
pub(super) fn open(page: &Path, environment: &Environment) -> io::Result<()> {
    let page = page.as_os_str();
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
