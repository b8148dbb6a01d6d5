//! Opens a page in a browser.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::environment::Environment;

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
pub(super) fn open(page: &OsStr, environment: &Environment) -> io::Result<()> {
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
