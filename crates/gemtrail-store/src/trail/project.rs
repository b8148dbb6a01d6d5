//! Projects that the user names and that are not known yet.

use std::path::PathBuf;

use gemtrail_query::ProjectPattern;

use super::{Notice, Trail, TrailError};
use gemtrail_home::scan::scan;

use crate::{Library, ProjectEntry, Scanned};

/// The places to look for the root paths of projects.
pub struct ScanOptions<'a> {
    /// The directories to scan.
    pub roots: &'a [PathBuf],
    /// The depth below each.
    pub depth: usize,
    /// Called before every directory, since this crate has no clock.
    pub go_on: &'a mut dyn FnMut() -> bool,
}

impl Trail {
    /// Scans directories for missing root paths, and remembers those it finds. The view then knows
    /// them.
    pub fn scan(&self, options: ScanOptions<'_>) -> Result<(Scanned, Vec<Notice>), TrailError> {
        let view = self.view();
        let scanned = scan(view.projects(), options.roots, options.depth, options.go_on);
        let notices = self.learn(&scanned.hits)?;
        Ok((scanned, notices))
    }

    /// Makes sure that a project can be found by the name that the user gave. If none has exactly
    /// that name, the wanted one may be among those without a known root path, so directories are
    /// scanned. A path that is a project's root is remembered.
    pub fn look_for_project(
        &self,
        pattern: &ProjectPattern,
        options: ScanOptions<'_>,
    ) -> Result<(Scanned, Vec<Notice>), TrailError> {
        let view = self.view();
        let roots = roots_among(&view, pattern);
        if !roots.is_empty() {
            let notices = self.learn(&roots)?;
            return Ok((Scanned::default(), notices));
        }
        let mut projects = view.projects().iter();
        if projects.any(|entry| pattern.is_exactly(entry.project())) {
            return Ok((Scanned::default(), Vec::new()));
        }
        self.scan(options)
    }

    /// Tries paths that the user says are roots of projects. Proven ones are remembered, and the
    /// view knows them.
    pub fn teach(&self, paths: &[String]) -> Result<Vec<Notice>, TrailError> {
        let mut hints = self.hints();
        hints.taught.extend(paths.iter().cloned());
        let mut notices = Vec::new();
        let library = self.read_with(&hints, None, &mut notices)?;
        let before = self.view();
        let is_new = |path: &&String| !roots(&before).any(|root| root == *path);
        let proven: Vec<String> = roots(&library).filter(is_new).cloned().collect();
        self.remember(&proven, &mut notices);
        self.show(library, &mut notices);
        Ok(notices)
    }

    /// Remembers root paths and looks again with them.
    fn learn(&self, paths: &[String]) -> Result<Vec<Notice>, TrailError> {
        let mut notices = Vec::new();
        if paths.is_empty() {
            return Ok(notices);
        }
        self.remember(paths, &mut notices);
        let library = self.read_with(&self.hints(), None, &mut notices)?;
        self.show(library, &mut notices);
        Ok(notices)
    }
}

/// The root paths that a library knows.
fn roots(library: &Library) -> impl Iterator<Item = &String> {
    let projects = library.projects().iter();
    projects.filter_map(|entry| entry.project().path.as_ref())
}

/// The paths of a pattern that are proven roots of projects without one.
fn roots_among(library: &Library, pattern: &ProjectPattern) -> Vec<String> {
    let projects = library.projects().iter().map(ProjectEntry::project);
    let unknown = projects.filter(|project| project.path.is_none());
    let hashes = unknown.filter_map(|project| project.hash.as_deref());
    let roots = hashes.filter_map(|hash| pattern.root_with_hash(hash));
    roots.map(str::to_owned).collect()
}
