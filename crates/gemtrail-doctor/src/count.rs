//! How many sessions Gemini CLI will delete soon that no archive has: the same few words wherever
//! gemtrail opens.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use gemtrail_core::model::CleanUpFacts;
use gemtrail_home::discover::Found;
use gemtrail_store::Library;
use gemtrail_store::archive::{Archive, ArchiveError, Machine};
use jiff::Timestamp;

use super::fate::ListedFile;
use super::report::{HomeReport, Report};
use super::risk;
use super::settings::{HomeSettings, SystemSettings};

/// The parameters of [`risk_count`].
#[derive(Clone, Debug, Default)]
pub struct RiskOptions {
    /// The current time.
    pub now: Timestamp,
    /// The settings files of the machine.
    pub system: SystemSettings,
    /// An archive that the library was not opened with, and this machine: what it has is not at risk.
    pub archive: Option<(PathBuf, Machine)>,
}

/// The number of sessions at risk: Gemini CLI will delete them soon, and no archive has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RiskCount {
    /// The sessions in the plain list.
    pub sessions: usize,
    /// Those that will be deleted at the next start of Gemini CLI.
    pub next_start: usize,
    /// Those that will be deleted later, within [`DAYS_AHEAD`](super::DAYS_AHEAD) days.
    pub within_week: usize,
}

impl RiskCount {
    /// True if any session is at risk.
    pub fn is_at_risk(&self) -> bool {
        self.next_start + self.within_week > 0
    }

    /// The number in a sentence; `None` if no session is at risk.
    pub fn sentence(&self) -> Option<String> {
        let (count, when) = match (self.next_start, self.within_week) {
            (0, 0) => return None,
            (0, later) => (later, format!("within {} days", super::DAYS_AHEAD)),
            (now, _) => (now, "the next time gemini starts".to_owned()),
        };
        let who = match self.sessions {
            1 => "Your only session".to_owned(),
            all if all <= count => format!("All {count} of your sessions"),
            all => format!("{count} of your {all} sessions"),
        };
        Some(format!("{who} will be deleted {when}."))
    }
}

impl Report {
    /// The same number as [`risk_count`] gives.
    pub fn risk_count(&self) -> RiskCount {
        let (mut next_start, mut within_week) = (0, 0);
        for risk in self.unarchived() {
            match risk.deleted_after {
                None => next_start += 1,
                Some(_) => within_week += 1,
            }
        }
        let sessions = |home: &HomeReport| {
            let others = home
                .antigravity
                .iter()
                .map(|it| it.conversations + it.sealed);
            home.sessions + home.logged_only + others.sum::<u64>()
        };
        RiskCount {
            sessions: usize::try_from(self.homes.iter().map(sessions).sum::<u64>())
                .unwrap_or(usize::MAX),
            next_start,
            within_week,
        }
    }
}

/// A session that will be deleted.
struct Doomed {
    at_next_start: bool,
    paths: Vec<String>,
}

/// Counts the sessions that Gemini CLI will delete soon and that no archive has. Reads no session
/// file that a list does not read: an archive in use has every session that is not excluded, and
/// without one a list has read all of them.
pub fn risk_count(library: &Library, options: &RiskOptions) -> RiskCount {
    let mut doomed = doomed(library, options);
    if let Some((path, machine)) = &options.archive
        && !doomed.is_empty()
        && let Ok(lacking) = lacking(path, library.homes(), machine)
    {
        doomed.retain(|it| {
            it.paths
                .iter()
                .any(|path| lacking.contains(Path::new(path)))
        });
    }
    if doomed.is_empty() {
        return RiskCount::default();
    }
    let next_start = doomed.iter().filter(|it| it.at_next_start).count();
    RiskCount {
        sessions: library.listed_count(),
        next_start,
        within_week: doomed.len() - next_start,
    }
}

fn doomed(library: &Library, options: &RiskOptions) -> Vec<Doomed> {
    let mut by_project: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (project, row) in library.unarchived() {
        by_project.entry(project).or_default().push(row);
    }
    if by_project.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let settings = HomeSettings::read(library.homes(), &options.system, &mut findings);
    let mut doomed = Vec::new();
    for (project, rows) in by_project {
        let root = library.projects()[project].project().path.as_deref();
        let files = rows.iter().flat_map(|row| {
            let file = |(path, facts): &'_ (String, CleanUpFacts)| (path.clone(), *facts);
            row.files
                .iter()
                .map(file)
                .map(|(path, facts)| (path, row.session.as_str(), facts))
        });
        let files: Vec<(String, &str, CleanUpFacts)> = files.collect();
        for home in &settings {
            let here = files.iter().filter(|(path, ..)| home.has(Path::new(path)));
            let here = here.map(|(path, session, facts)| ListedFile {
                path: Path::new(path),
                session,
                facts: *facts,
            });
            let policy = home.policy_of(root, &mut findings);
            for files in risk::cleaned(here, &policy) {
                for journals in risk::doomed(&files, &policy, options.now).values() {
                    let soonest = journals.iter().map(|(_, fate)| fate.after).min().flatten();
                    doomed.push(Doomed {
                        at_next_start: soonest.is_none(),
                        paths: journals
                            .iter()
                            .map(|(at, _)| files[*at].path.to_string_lossy().into_owned())
                            .collect(),
                    });
                }
            }
        }
    }
    doomed
}
/// The files on disk that an archive lacks or has in an earlier state.
fn lacking(
    path: &Path,
    homes: &[Found],
    machine: &Machine,
) -> Result<HashSet<PathBuf>, ArchiveError> {
    let archive = Archive::open(path)?;
    let mut homes = homes.to_vec();
    archive.adopt(&mut homes, machine)?;
    Ok(archive.lacking(&homes, machine)?.paths)
}
