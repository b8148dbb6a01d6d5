//! What every command works with.

use std::time::Duration;

use gemtrail_export::redact::Redactor;
use gemtrail_store::{Effort, Hints, Library, Scanned};

use super::archive;
use crate::config::{Key, Layer, Settings, refused};
use crate::environment::{self, Environment};
use crate::error::CliError;
use crate::paths;
use crate::taught::Taught;
use crate::ui::Ui;

/// How long a scan of the development directories may take.
const SCAN_TIME: Duration = Duration::from_secs(2);

/// The surroundings of one run.
pub(crate) struct Context<'a> {
    pub(crate) environment: &'a Environment,
    /// The configuration files that were read.
    pub(crate) layers: &'a [Layer],
    pub(crate) settings: &'a Settings,
    pub(crate) ui: &'a Ui,
    /// Whether reading commands may write to the archive.
    pub(crate) may_sync: bool,
    /// Whether the command will list sessions.
    pub(crate) lists: bool,
}

impl Context<'_> {
    /// Opens the homes that were asked for.
    pub(super) fn open(&self) -> Result<Library, CliError> {
        self.open_with(Effort::Usual, &[])
    }

    /// The same, from the archive whatever homes were asked for.
    pub(super) fn open_archive(&self) -> Result<Library, CliError> {
        let hints = self.hints(&self.taught(), Effort::Usual, &[]);
        archive::open_always(self, &hints)
    }

    /// The same, from the disk alone.
    pub(super) fn open_disk(&self) -> Result<Library, CliError> {
        let hints = self.hints(&self.taught(), Effort::Usual, &[]);
        let places = self.settings.places(self.environment);
        Ok(Library::open_with(&places, &hints)?)
    }

    /// The same with these root paths besides those that were taught. What is learned on the way
    /// is remembered if that is possible.
    pub(super) fn open_with(
        &self,
        effort: Effort,
        more_paths: &[String],
    ) -> Result<Library, CliError> {
        let mut taught = self.taught();
        let hints = self.hints(&taught, effort, more_paths);
        let library = match archive::open(self, &hints)? {
            Some(library) => library,
            None => Library::open_with(&self.settings.places(self.environment), &hints)?,
        };
        // Nobody asked for this, so nobody is bothered when it fails.
        let remembered = match &mut taught {
            Ok(taught) => taught.remember(library.learned()),
            Err(error) => {
                self.ui.note(&format!("warning: {:#}", error.error));
                Ok(())
            }
        };
        if let Err(error) = remembered {
            self.ui.detail(&format!("{:#}", error.error));
        }
        Ok(library)
    }

    /// What helps to find root paths.
    pub(super) fn hints(
        &self,
        taught: &Result<Taught, CliError>,
        effort: Effort,
        more_paths: &[String],
    ) -> Hints {
        Hints {
            current_dir: self.environment.current_dir.clone(),
            taught: match taught {
                Ok(taught) => [taught.paths(), more_paths].concat(),
                Err(_) => more_paths.to_vec(),
            },
            effort,
        }
    }

    /// What was taught so far.
    pub(super) fn taught(&self) -> Result<Taught, CliError> {
        Taught::read(self.environment.data_dir.as_deref())
    }

    /// Looks through the development directories for root paths that are missing, and remembers
    /// what it finds.
    pub(super) fn scan(&self, library: &Library) -> Scanned {
        let scanned = library.scan(
            &self.settings.scan_dirs(self.environment),
            self.settings.scan_depth.value,
            environment::for_at_most(SCAN_TIME),
        );
        let remembered = self
            .taught()
            .and_then(|mut taught| taught.remember(&scanned.hits));
        if let Err(error) = remembered {
            self.ui.note(&format!("warning: {:#}", error.error));
        }
        scanned
    }

    /// The directories that a scan looks through, for messages.
    pub(super) fn scan_places(&self) -> String {
        let places: Vec<String> = self
            .settings
            .scan_dirs(self.environment)
            .iter()
            .map(|dir| self.shown(&dir.to_string_lossy()))
            .collect();
        places.join(", ")
    }

    /// A redactor with the user's rules, if these hold what they promise.
    pub(super) fn redactor(&self) -> Result<Redactor, CliError> {
        let own_rules = self.settings.own_rules();
        Redactor::new(own_rules).map_err(|error| refused(&error, &self.settings.redaction_rules))
    }

    /// A path for people.
    pub(super) fn shown(&self, path: &str) -> String {
        paths::shown(path, self.environment.user_home.as_deref())
    }

    /// Tells about keys of the configuration that mean nothing.
    pub(super) fn warn_of_unknown_keys(&self) {
        for layer in self.layers {
            for unknown in &layer.unknown {
                let meant = match Key::nearest(&unknown.name) {
                    Some(key) => format!("; did you mean `{key}`?"),
                    None => String::new(),
                };
                self.ui.note(&format!(
                    "warning: unknown key `{}` in {}, line {}{meant}",
                    unknown.name,
                    layer.path.display(),
                    unknown.line
                ));
            }
        }
    }
}
