#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod antigravity;
mod checkup;
mod commands;
mod count;
mod counts;
mod fate;
mod findings;
mod journal;
mod lost;
mod outputs;
mod policy;
mod report;
mod risk;
mod settings;
mod unknown;

use std::cmp::Reverse;
use std::io;
use std::path::Path;

use gemtrail_core::Detail;
use gemtrail_core::model::{Diagnostic, Format};
use gemtrail_core::prices::Prices;
use gemtrail_core::time;
use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::{FileKind, Found, FoundFile, discover};
use gemtrail_home::load::{Depth, load_from};
use gemtrail_home::paths::text_of;
use gemtrail_home::project::Hints;
use gemtrail_home::versions::load_all;
use gemtrail_store::archive::{Archive, ArchiveError, Machine, WatchLock};
use gemtrail_store::{Home, Library};
use jiff::Timestamp;
use rayon::prelude::*;

use checkup::Checkup;
pub use count::{RiskCount, RiskOptions, risk_count};
use fate::ListedFile;
use journal::JournalFacts;
pub use report::{
    AntigravityReport, ArchiveReport, AtRisk, Bytes, Cause, DOCTOR_SCHEMA, DoomedJournal,
    Exception, HomeReport, Layer, LostSession, OtherStore, Policy, PriceReport, Report, Retention,
    Risk, Survivor, SurvivorKind, UnknownReport,
};
use settings::HomeSettings;
pub use settings::SystemSettings;

/// Sessions that will be deleted within this many days are reported.
pub const DAYS_AHEAD: i64 = 7;

/// The doctor's parameters.
#[derive(Clone, Debug)]
pub struct DoctorOptions {
    /// The current time.
    pub now: Timestamp,
    /// The settings files of the machine.
    pub system: SystemSettings,
    /// The damage of the archive.
    pub archive: Vec<Diagnostic>,
}

/// The damage of the archive at a path.
pub fn damage_of_archive(path: &Path) -> io::Result<Vec<Diagnostic>> {
    Ok(Archive::open(path)?.damaged()?)
}

/// Examines everything that was found on disk.
pub fn examine(library: &Library, options: &DoctorOptions) -> Report {
    let mut diagnostics = library.diagnostics().to_vec();
    diagnostics.extend(options.archive.iter().cloned());
    let settings = HomeSettings::read(library.homes(), &options.system, &mut diagnostics);
    let with_files = |found: &Found| HomeReport {
        antigravity: antigravity::find(found, &mut diagnostics),
        other_stores: findings::other_stores(&found.home.root, &mut diagnostics),
        ..counts::files(found)
    };
    let mut homes: Vec<HomeReport> = library.homes().iter().map(with_files).collect();
    let checkups: Vec<Checkup> = library
        .projects()
        .par_iter()
        .map(|entry| Checkup::of(entry, library, &settings, options.now))
        .collect();
    let mut retention = settings::retention(&settings);
    let (mut lost, mut newest) = (Vec::new(), Vec::new());
    for (project, checkup) in checkups.into_iter().enumerate() {
        newest.extend(checkup.newest.into_iter().map(|it| (project, it)));
        for (home, counts) in checkup.counts {
            homes[home].add(counts);
        }
        diagnostics.extend(checkup.diagnostics);
        retention.exceptions.extend(checkup.exceptions);
        retention.at_risk.extend(checkup.at_risk);
        lost.extend(checkup.lost);
    }
    let moment = |text: &Option<String>| text.as_deref().and_then(time::parse);
    retention.at_risk.sort_by_cached_key(|it| {
        let (after, updated) = (moment(&it.deleted_after), moment(&it.updated));
        let is_asked_for = !it.risk.is_danger();
        (after, is_asked_for, Reverse(updated), it.session.clone())
    });
    lost.sort_by_cached_key(|it: &LostSession| (Reverse(moment(&it.last)), it.session.clone()));
    diagnostics.sort_by(|a, b| (&a.journal, a.line, a.code).cmp(&(&b.journal, b.line, b.code)));
    diagnostics.dedup();
    let mut report = Report {
        schema: DOCTOR_SCHEMA.to_owned(),
        ok: true,
        homes,
        diagnostics,
        retention,
        lost,
        unknown: unknown::find(library, newest),
        prices: PriceReport::of(Prices::built_in(), options.now),
        archive: None,
    };
    report.judge();
    report
}

impl Report {
    /// Adds what the archive at a path has of all this.
    pub fn add_archive(
        &mut self,
        path: &Path,
        disk: &Library,
        machine: &Machine,
    ) -> Result<(), ArchiveError> {
        let archive = Archive::open(path)?;
        let mut found: Vec<Found> = disk.homes().to_vec();
        archive.adopt(&mut found, machine)?;
        let lacking = archive.lacking(&found, machine)?;
        let extent = archive.extent()?;
        if !self.lost.is_empty() {
            let sessions = archive.sessions_with_journals()?;
            for lost in &mut self.lost {
                let id = lost.session.as_ref();
                lost.archived = Some(id.is_some_and(|id| sessions.contains(id.as_str())));
            }
        }
        for risk in &mut self.retention.at_risk {
            let mut journals = risk.journals.iter();
            risk.archived = Some(journals.all(|it| !lacking.paths.contains(Path::new(&it.path))));
        }
        let last_sync = extent.last_sync;
        self.archive = Some(ArchiveReport {
            path: text_of(path).into_owned(),
            bytes: extent.bytes,
            sessions: extent.sessions.saturating_sub(extent.subagents),
            subagents: extent.subagents,
            last_sync: last_sync
                .and_then(|it| Timestamp::from_millisecond(it).ok())
                .map(when),
            watched: WatchLock::is_held(path),
            files_behind: lacking.to_take.len() as u64,
            bytes_behind: lacking.bytes,
        });
        self.judge();
        Ok(())
    }
}

/// A session's standing with Gemini CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is not listed.
    Missing,
    /// It is listed, but the next start deletes it.
    Endangered(Risk),
    /// It is listed.
    Listed,
}

/// A session's standing in the project directory of a home with this name.
pub fn standing(home: &Home, dir: &str, session: &str, options: &DoctorOptions) -> Standing {
    let mut found = discover(home);
    found.projects.retain(|project| project.name == dir);
    let catalog = Catalog::of(vec![found], &Hints::default());
    let Some(entry) = catalog.projects().first() else {
        return Standing::Missing;
    };
    let is_main = |(_, file): &&(usize, FoundFile)| file.kind == FileKind::Journal;
    let files: Vec<&(usize, FoundFile)> = entry.files().iter().filter(is_main).collect();
    let (loaded, _) = load_all(&files, Depth::Counts);
    let facts: Vec<JournalFacts> = loaded.iter().map(JournalFacts::of).collect();
    let facts: Vec<ListedFile<'_>> = facts.iter().map(JournalFacts::listed).collect();
    let mut findings = Vec::new();
    let settings = HomeSettings::read(catalog.homes(), &options.system, &mut findings);
    let root = entry.project().path.as_deref();
    let policy = settings[0].policy_of(root, &mut findings);
    let fates = fate::fates(&facts, &policy, options.now);
    // Of several files with one id Gemini CLI takes the most recently updated one.
    let listed = facts
        .iter()
        .zip(fates)
        .filter(|(it, _)| it.session == session && it.facts.rejection.is_none())
        .max_by_key(|(it, _)| it.facts.updated);
    match listed {
        None => Standing::Missing,
        Some((_, Some(fate))) if policy.enabled && fate.after.is_none() => {
            Standing::Endangered(fate.risk)
        }
        Some(_) => Standing::Listed,
    }
}

/// True if Gemini CLI would list a session file with these bytes. It deletes files it does not list.
pub fn is_listable(journal: &[u8]) -> io::Result<bool> {
    let journal = load_from(journal, "journal.jsonl", Detail::Counts)?;
    Ok(journal.log.format() == Format::Jsonl && journal.log.rejection().is_none())
}

/// A time in Gemini CLI's format.
fn when(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
