//! Everything that the program takes from its surroundings, in one place.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the place that reads the environment and the clock"
)]

use std::env;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use etcetera::BaseStrategy;
use gemtrail_doctor::SystemSettings;
use jiff::{Timestamp, tz::TimeZone};
use zeroize::Zeroizing;

/// A configuration file, whether it is there or not.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    /// Somebody named it, so its absence is a mistake.
    pub(crate) must_exist: bool,
}

/// The surroundings at the start of the program.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) user_home: Option<PathBuf>,
    /// `GEMINI_CLI_HOME`, as Gemini CLI understands it.
    pub(crate) cli_home: Option<PathBuf>,
    /// `GEMINI_SESSIONS_DIR`.
    pub(crate) sessions_dir: Option<PathBuf>,
    /// `GEMTRAIL_PAGER`.
    pub(crate) own_pager: Option<String>,
    /// `PAGER`.
    pub(crate) pager: Option<String>,
    /// `VISUAL`, else `EDITOR`.
    pub(crate) editor: Option<String>,
    /// The directory for temporary files, where sandboxes have their homes, too.
    pub(crate) temp_dir: PathBuf,
    /// The variables that decide where a copied text goes.
    #[cfg(feature = "tui")]
    pub(crate) clipboard: gemtrail_tui::ClipboardSituation,
    /// The settings files of Gemini CLI that belong to the machine.
    pub(crate) system_settings: SystemSettings,
    pub(crate) current_dir: Option<PathBuf>,
    /// The system's first, then the person's.
    pub(crate) config_files: Vec<ConfigFile>,
    /// The directory in which programs keep their configuration.
    pub(crate) config_base: Option<PathBuf>,
    /// The directory in which programs keep their data.
    pub(crate) data_base: Option<PathBuf>,
    /// This program.
    pub(crate) program: Option<PathBuf>,
    /// `GEMTRAIL_DATA_DIR`, else the platform's place for data.
    pub(crate) data_dir: Option<PathBuf>,
    /// The platform's place for what can be made again.
    pub(crate) cache_dir: Option<PathBuf>,
    /// `BROWSER`.
    pub(crate) browser: Option<String>,
    /// `GEMTRAIL_ARCHIVE`.
    pub(crate) archive: Option<PathBuf>,
    /// `GEMTRAIL_GEMINI`: the program that is Gemini CLI.
    pub(crate) gemini: Option<PathBuf>,
    /// `GEMTRAIL_AGY`: the program that is Antigravity's for the terminal.
    pub(crate) agy: Option<PathBuf>,
    /// `PATH`: where the system looks for programs; empty if that is not known.
    pub(crate) search_path: Vec<PathBuf>,
    /// The name of the machine.
    pub(crate) host: Option<String>,
    /// The system's id of the machine, if it has one; no two have the same.
    #[cfg_attr(
        not(feature = "lake"),
        expect(dead_code, reason = "only lakes need it")
    )]
    pub(crate) machine_id: Option<String>,
    /// The name of the account.
    pub(crate) user: Option<String>,
    /// True if a browser could show something.
    #[cfg_attr(
        not(feature = "web"),
        expect(dead_code, reason = "only the web viewer opens one")
    )]
    pub(crate) has_display: bool,
    /// `NO_COLOR`, or a terminal that knows no colours.
    pub(crate) no_color: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) columns: Option<usize>,
    /// The number of lines of the terminal, if its cursor can be moved.
    pub(crate) lines: Option<usize>,
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
}

impl Environment {
    pub(crate) fn read() -> Self {
        // An empty variable counts as unset, as it does in Gemini CLI.
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let path = |name: &str| set(name).map(PathBuf::from);
        let text = |name: &str| set(name).and_then(|value| value.into_string().ok());
        let base = etcetera::choose_base_strategy().ok();
        let named = |name: &str, usual: Option<PathBuf>| {
            let named = path(name).map(|path| ConfigFile {
                path,
                must_exist: true,
            });
            named.or_else(|| {
                Some(ConfigFile {
                    path: usual?,
                    must_exist: false,
                })
            })
        };
        let user_config = base
            .as_ref()
            .map(|base| base.config_dir().join("gemtrail").join("config.toml"));
        let config_files = [
            named("GEMTRAIL_SYSTEM_CONFIG", system_config()),
            named("GEMTRAIL_CONFIG", user_config),
        ];
        let terminal = terminal_size::terminal_size();
        let columns = terminal.map(|(width, _)| usize::from(width.0));
        let lines = terminal.map(|(_, height)| usize::from(height.0));
        Self {
            user_home: env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            cli_home: path("GEMINI_CLI_HOME"),
            sessions_dir: path("GEMINI_SESSIONS_DIR"),
            system_settings: system_settings(
                path("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
                path("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
            ),
            own_pager: text("GEMTRAIL_PAGER"),
            pager: text("PAGER"),
            editor: text("VISUAL").or_else(|| text("EDITOR")),
            temp_dir: env::temp_dir(),
            #[cfg(feature = "tui")]
            clipboard: gemtrail_tui::ClipboardSituation {
                is_remote: ["SSH_TTY", "SSH_CONNECTION"]
                    .into_iter()
                    .any(|it| set(it).is_some()),
                in_tmux: set("TMUX").is_some(),
                has_wayland: set("WAYLAND_DISPLAY").is_some(),
                has_x11: set("DISPLAY").is_some(),
                in_wsl: set("WSL_DISTRO_NAME").is_some(),
                is_mac: cfg!(target_os = "macos"),
            },
            current_dir: env::current_dir().ok(),
            config_files: config_files.into_iter().flatten().collect(),
            cache_dir: base.as_ref().map(|base| base.cache_dir().join("gemtrail")),
            browser: text("BROWSER"),
            config_base: base.as_ref().map(BaseStrategy::config_dir),
            data_base: base.as_ref().map(BaseStrategy::data_dir),
            program: env::current_exe().ok(),
            data_dir: path("GEMTRAIL_DATA_DIR")
                .or_else(|| base.map(|base| base.data_dir().join("gemtrail"))),
            archive: path("GEMTRAIL_ARCHIVE"),
            gemini: path("GEMTRAIL_GEMINI"),
            agy: path("GEMTRAIL_AGY"),
            search_path: set("PATH").map_or_else(Vec::new, |it| env::split_paths(&it).collect()),
            host: gethostname::gethostname().into_string().ok(),
            machine_id: machine_id(),
            user: ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(text),
            has_display: cfg!(any(windows, target_os = "macos"))
                || set("DISPLAY").is_some()
                || set("WAYLAND_DISPLAY").is_some(),
            no_color: set("NO_COLOR").is_some() || text("TERM").as_deref() == Some("dumb"),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            columns: text("COLUMNS")
                .and_then(|columns| columns.parse().ok())
                .or(columns),
            lines: lines.filter(|_| text("TERM").is_some_and(|terminal| terminal != "dumb")),
            now: Timestamp::now(),
            zone: zone(),
        }
    }
}

/// The time zone of the system.
fn zone() -> TimeZone {
    linked_zone().unwrap_or_else(TimeZone::system)
}

/// The zone that the system links to, unless a variable names another one. Who asks for a zone by its
/// name has to list all of them first, some 500 files, which takes longer than all else at the start.
fn linked_zone() -> Option<TimeZone> {
    const LINK: &str = "/etc/localtime";
    if ["TZ", "TZDIR"]
        .into_iter()
        .any(|name| env::var_os(name).is_some())
    {
        return None;
    }
    let target = std::fs::read_link(LINK).ok()?;
    let (_, name) = target.to_str()?.rsplit_once("zoneinfo/")?;
    TimeZone::tzif(name, &std::fs::read(LINK).ok()?).ok()
}

/// The settings that Gemini CLI has for the whole machine: the defaults lie beside the overrides.
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

/// The machine id of systemd and D-Bus. A copy of its disk gets another one at its first start.
fn machine_id() -> Option<String> {
    let places = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
    let mut ids = places
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    ids.find(|id| !id.trim().is_empty())
}

/// The directory in which the administrator of a machine configures programs.
fn system_config() -> Option<PathBuf> {
    if cfg!(windows) {
        let base = env::var_os("ProgramData").map(PathBuf::from);
        base.map(|base| base.join("gemtrail").join("config.toml"))
    } else if cfg!(target_os = "macos") {
        Some("/Library/Application Support/gemtrail/config.toml".into())
    } else {
        Some("/etc/gemtrail/config.toml".into())
    }
}

/// The time, for commands that outlive the moment of their start.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// The arguments of this program.
pub(crate) fn arguments() -> impl Iterator<Item = std::ffi::OsString> {
    env::args_os().skip(1)
}

/// The number of threads that can run at a time.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Says yes for this long.
pub(crate) fn for_at_most(time: Duration) -> impl FnMut() -> bool {
    let start = Instant::now();
    move || start.elapsed() < time
}

#[cfg(test)]
impl Environment {
    /// Surroundings in which nothing is set.
    pub(crate) fn empty() -> Self {
        Self {
            user_home: None,
            cli_home: None,
            sessions_dir: None,
            own_pager: None,
            pager: None,
            editor: None,
            temp_dir: PathBuf::new(),
            #[cfg(feature = "tui")]
            clipboard: gemtrail_tui::ClipboardSituation::default(),
            system_settings: SystemSettings::default(),
            current_dir: None,
            config_files: Vec::new(),
            config_base: None,
            data_base: None,
            program: None,
            data_dir: None,
            cache_dir: None,
            browser: None,
            archive: None,
            gemini: None,
            agy: None,
            search_path: Vec::new(),
            host: None,
            machine_id: None,
            user: None,
            has_display: false,
            no_color: false,
            stdout_is_terminal: false,
            columns: None,
            lines: None,
            now: Timestamp::UNIX_EPOCH,
            zone: TimeZone::UTC,
        }
    }
}
