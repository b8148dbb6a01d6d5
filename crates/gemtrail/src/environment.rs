//! Everything that the program takes from its surroundings, in one place.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the place that reads the environment and the clock"
)]

use std::env;
use std::io::IsTerminal;
use std::path::PathBuf;

use gemtrail_store::doctor::SystemSettings;
use jiff::{Timestamp, tz::TimeZone};
use zeroize::Zeroizing;

/// The surroundings at the start of the program.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) user_home: Option<PathBuf>,
    /// `GEMINI_CLI_HOME`, as Gemini CLI understands it.
    pub(crate) cli_home: Option<PathBuf>,
    /// `GEMINI_SESSIONS_DIR`.
    pub(crate) sessions_dir: Option<PathBuf>,
    /// `GEMTRAIL_PAGER`, else `PAGER`.
    pub(crate) pager: Option<String>,
    /// The settings files of Gemini CLI that belong to the machine.
    pub(crate) system_settings: SystemSettings,
    pub(crate) no_color: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) columns: Option<usize>,
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
}

impl Environment {
    pub(crate) fn read() -> Self {
        // An empty variable counts as unset, as it does in Gemini CLI.
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let path = |name: &str| set(name).map(PathBuf::from);
        let text = |name: &str| set(name).and_then(|value| value.into_string().ok());
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            user_home: env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            cli_home: path("GEMINI_CLI_HOME"),
            sessions_dir: path("GEMINI_SESSIONS_DIR"),
            pager: text("GEMTRAIL_PAGER").or_else(|| text("PAGER")),
            system_settings: system_settings(
                path("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
                path("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
            ),
            no_color: set("NO_COLOR").is_some(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            columns: text("COLUMNS")
                .and_then(|columns| columns.parse().ok())
                .or(terminal),
            now: Timestamp::now(),
            zone: TimeZone::system(),
        }
    }
}

/// Where Gemini CLI looks for the settings of the machine: the defaults lie beside the overrides.
fn system_settings(overrides: Option<PathBuf>, defaults: Option<PathBuf>) -> SystemSettings {
    let overrides = overrides.unwrap_or_else(|| {
        PathBuf::from(if cfg!(target_os = "macos") {
            "/Library/Application Support/GeminiCli/settings.json"
        } else if cfg!(windows) {
            r"C:\ProgramData\gemini-cli\settings.json"
        } else {
            "/etc/gemini-cli/settings.json"
        })
    });
    SystemSettings {
        defaults: defaults.or_else(|| Some(overrides.with_file_name("system-defaults.json"))),
        overrides: Some(overrides),
    }
}

/// Bytes that nobody can guess, from the operating system.
pub(crate) fn random_seed() -> std::io::Result<Zeroizing<[u8; 32]>> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut_slice())?;
    Ok(seed)
}
