//! The doctor: what was found where, what is wrong with it, what Gemini CLI will delete soon, and
//! what it has lost already.
//!
//! Everything is read once, project by project, at the detail a list needs. Nothing is written, and
//! neither the clock nor the environment is read: both are parameters.

mod antigravity;
mod archive;
mod checkup;
mod copies;
mod drift;
mod facts;
mod fate;
mod long_drift;
mod lost;
mod other_stores;
mod outputs;
mod policy;
mod report;
mod risk;
mod settings;
mod small_files;
mod standing;
mod survey;

use std::path::Path;

use gemtrail_core::model::Diagnostic;
use gemtrail_core::prices::Prices;
use gemtrail_core::time;
use jiff::Timestamp;
use rayon::prelude::*;

use crate::discover::Found;
use crate::index::rows::ListRow;
use crate::library::Library;
pub use archive::ArchiveReport;
use checkup::Checkup;
pub use report::{
    AntigravityReport, AtRisk, Bytes, Cause, DOCTOR_SCHEMA, DoomedJournal, Exception, HomeReport,
    LostSession, OtherStore, Policy, PriceReport, Report, Retention, Risk, Survivor, SurvivorKind,
    UnknownReport,
};
use settings::SettingsFile;
pub use settings::{Layer, SystemSettings};
pub use standing::{Standing, is_listable, standing};

/// Sessions that will be deleted within this many days are reported.
pub const DAYS_AHEAD: i64 = 7;

/// The doctor's parameters.
#[derive(Clone, Debug)]
pub struct DoctorOptions {
    /// The current time.
    pub now: Timestamp,
    /// The settings files of the machine.
    pub system: SystemSettings,
    /// What is wrong with the archive.
    pub archive: Vec<Diagnostic>,
}

/// What is damaged in the archive at a path.
pub fn damage_of_archive(path: &Path) -> std::io::Result<Vec<Diagnostic>> {
    Ok(crate::archive::Archive::open(path)?.damaged()?)
}

impl Library {
    /// Examines everything that was found on disk.
    pub fn examine(&self, options: &DoctorOptions) -> Report {
        let mut diagnostics = self.diagnostics().to_vec();
        diagnostics.extend(options.archive.iter().cloned());
        let mut homes: Vec<HomeReport> = self.homes().iter().map(survey::files).collect();
        for (found, report) in self.homes().iter().zip(&mut homes) {
            report.antigravity = antigravity::find(found, &mut diagnostics);
            report.other_stores = other_stores::find(&found.home.root, &mut diagnostics);
        }
        let examination = Examination::new(self.homes(), options, &mut diagnostics);
        let checkups: Vec<Checkup> = self
            .projects()
            .par_iter()
            .map(|entry| Checkup::of(entry, self, &examination))
            .collect();
        let mut retention = examination.retention();
        let mut lost = Vec::new();
        let mut newest: Vec<(usize, ListRow)> = Vec::new();
        for (project, checkup) in checkups.into_iter().enumerate() {
            newest.extend(checkup.newest.into_iter().map(|row| (project, row)));
            checkup.numbers.add_to(&mut homes);
            diagnostics.extend(checkup.diagnostics);
            retention.exceptions.extend(checkup.exceptions);
            retention.at_risk.extend(checkup.at_risk);
            lost.extend(checkup.lost);
        }
        let in_order = |risk: &AtRisk| {
            let after = risk.deleted_after.as_deref().and_then(time::parse);
            let updated = risk.updated.as_deref().and_then(time::parse);
            let newest_first = std::cmp::Reverse(updated);
            (
                after,
                !risk.risk.is_danger(),
                newest_first,
                risk.session.clone(),
            )
        };
        retention.at_risk.sort_by_cached_key(in_order);
        lost.sort_by_cached_key(|session: &LostSession| {
            let latest = session.last.as_deref().and_then(time::parse);
            (std::cmp::Reverse(latest), session.session.clone())
        });
        diagnostics.sort_by(|a, b| (&a.journal, a.line, a.code).cmp(&(&b.journal, b.line, b.code)));
        diagnostics.dedup();
        Report {
            schema: DOCTOR_SCHEMA.to_owned(),
            ok: diagnostics.is_empty() && lost.is_empty(),
            homes,
            diagnostics,
            retention,
            lost,
            unknown: drift::find(self, newest),
            prices: PriceReport::of(Prices::built_in(), options.now),
            archive: None,
        }
    }
}

/// What all projects share: homes, their settings and the current time.
struct Examination<'a> {
    options: &'a DoctorOptions,
    homes: Vec<HomeSettings<'a>>,
}

/// The settings of one home, without those of projects.
struct HomeSettings<'a> {
    root: &'a Path,
    below_project: Vec<SettingsFile>,
    above_project: Option<SettingsFile>,
    policy: Policy,
}

impl<'a> Examination<'a> {
    fn new(
        homes: &'a [Found],
        options: &'a DoctorOptions,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut system = |layer, path: &Option<std::path::PathBuf>| {
            let path = path.as_deref()?;
            SettingsFile::read(layer, path, diagnostics)
        };
        let defaults = system(Layer::SystemDefaults, &options.system.defaults);
        let overrides = system(Layer::System, &options.system.overrides);
        let mut of_home = |found: &'a Found| {
            let root = found.home.root.as_path();
            let user = SettingsFile::read(Layer::User, &root.join("settings.json"), diagnostics);
            let below_project: Vec<SettingsFile> = defaults.iter().cloned().chain(user).collect();
            let files: Vec<&SettingsFile> = below_project.iter().chain(&overrides).collect();
            HomeSettings {
                root,
                policy: Policy::of(&files, diagnostics),
                above_project: overrides.clone(),
                below_project,
            }
        };
        Self {
            options,
            homes: homes.iter().map(&mut of_home).collect(),
        }
    }

    fn now(&self) -> Timestamp {
        self.options.now
    }

    fn home_root(&self, home: usize) -> &Path {
        self.homes[home].root
    }

    fn home_path(&self, home: usize) -> String {
        self.homes[home].root.to_string_lossy().into_owned()
    }

    fn policy(&self, home: usize) -> &Policy {
        &self.homes[home].policy
    }

    /// All settings files of a home, with the project's in its place.
    fn layers_with<'f>(&'f self, home: usize, project: &'f SettingsFile) -> Vec<&'f SettingsFile> {
        let home = &self.homes[home];
        let below = home.below_project.iter();
        below.chain([project]).chain(&home.above_project).collect()
    }

    /// The retention of the first home, with exceptions for the homes that differ.
    fn retention(&self) -> Retention {
        let first = self.homes.first().map(|home| home.policy.clone());
        let policy = first.unwrap_or_else(|| Policy::of(&[], &mut Vec::new()));
        let differs = |home: &&HomeSettings<'_>| !home.policy.is_same(&policy);
        let exceptions = self.homes.iter().filter(differs).map(|home| Exception {
            home: home.root.to_string_lossy().into_owned(),
            project: None,
            policy: home.policy.clone(),
        });
        Retention {
            exceptions: exceptions.collect(),
            policy,
            at_risk: Vec::new(),
        }
    }
}

/// A time in Gemini CLI's format.
fn when(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
