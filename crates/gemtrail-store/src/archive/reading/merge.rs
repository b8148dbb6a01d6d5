//! Merges archive and disk.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Code, Diagnostic};

use crate::archive::raw::former_projects::can_be_divided;
use crate::archive::raw::found::{files_of, path_below, project_dir};
use crate::archive::raw::whereabouts::Whereabouts;
use crate::discover::{FileKind, Found, FoundFile};
use crate::source::{Kept, Stat, why_unreadable};
use crate::spelled::text_of;

/// Checks whether files of homes that were not scanned still exist, as far as this machine can
/// tell.
pub(crate) fn look_elsewhere(archived: &mut [Found], disk: &[Found], whereabouts: &Whereabouts) {
    let is_here = |found: &Found| disk.iter().any(|it| whereabouts.are_of(found, it));
    for found in archived.iter_mut().filter(|found| !is_here(found)) {
        // Another machine may have another file at the same path, unless its disk is mounted here;
        // but the name of a journal identifies its session.
        let is_ours = found.host == whereabouts.host;
        for project in &mut found.projects {
            for file in &mut project.files {
                let is_sure = is_ours || file.kind.is_journal();
                let now = std::fs::metadata(&file.path).map(|now| Stat::of(&now));
                file.on_disk = now.is_ok_and(|now| is_sure || now.is(&file.stat));
            }
        }
    }
}

/// Adds what the disk has beyond the archive.
pub(crate) fn merge(archived: &mut Vec<Found>, disk: Vec<Found>, whereabouts: &Whereabouts) {
    for mut now in disk {
        let Whereabouts { host, user } = whereabouts.of(&now);
        now.host = host;
        let mut then = archived.iter_mut();
        let Some(then) = then.find(|then| whereabouts.are_of(then, &now)) else {
            now.user = user;
            archived.push(now);
            continue;
        };
        now.user = user.or(then.user.take());
        let mut kept: HashMap<Place, FoundFile> = files_of(then)
            .map(|(dir, file)| {
                (
                    place(dir, file, path_below(then, file).to_owned()),
                    file.clone(),
                )
            })
            .collect();
        let mut faults = Vec::new();
        let mut take = |file: &mut FoundFile, place: Place| {
            if let Some(old) = kept.remove(&place) {
                faults.extend(add_versions(file, old));
            }
        };
        let root = now.home.root.clone();
        let below = |path: &Path| {
            let below = path.strip_prefix(&root).unwrap_or(path);
            below.to_owned()
        };
        for file in now.registry.iter_mut().chain(&mut now.trusted_folders) {
            let place = place(None, file, below(&file.path));
            take(file, place);
        }
        for project in &mut now.projects {
            for file in project.files.iter_mut().chain(&mut project.markers) {
                let place = place(Some(&project.name), file, below(&file.path));
                take(file, place);
            }
        }
        add_gone(&mut now, then, &kept);
        now.diagnostics.extend(faults);
        *then = now;
    }
}

/// A path below the home. If two projects have owned a file, each may have a part of it, so the
/// project's directory is part of the key.
type Place = (Option<String>, PathBuf);

fn place(dir: Option<&str>, file: &FoundFile, below: PathBuf) -> Place {
    let dir = dir.filter(|_| can_be_divided(&file.kind));
    (dir.map(str::to_owned), below)
}

/// Adds what the archive has of a file that is on disk. If that one cannot be read now, falls back
/// to the archived version, with a diagnostic.
fn add_versions(file: &mut FoundFile, old: FoundFile) -> Option<Diagnostic> {
    file.versions.archived = old.versions.archived;
    file.versions.earlier = old.versions.earlier;
    file.versions.session = old.versions.session;
    let latest = old.versions.latest?;
    if file.stat.is(&old.stat) {
        file.versions.latest = Some(latest);
    } else if let Some(error) = why_unreadable(&file.path) {
        file.bytes = latest.bytes();
        file.modified = old.modified;
        file.versions.latest = Some(latest);
        let why = format!("the file cannot be read now, this is what the archive has: {error}");
        let finding = Diagnostic::new(Code::Unreadable, why);
        return Some(finding.in_journal(text_of(&file.path)));
    } else if !has_grown(file, latest.as_ref()).unwrap_or(false) {
        file.versions.earlier.push(latest);
    }
    None
}

/// Whether a file on disk begins with its archived content.
fn has_grown(file: &FoundFile, kept: &dyn Kept) -> io::Result<bool> {
    Ok(file.bytes >= kept.bytes() && begins_with(file.open()?, kept.open()?)?)
}

/// Whether `bytes` begins with `start`.
pub(crate) fn begins_with(mut bytes: impl Read, mut start: impl Read) -> io::Result<bool> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        start.by_ref().take(64 << 10).read_to_end(&mut b)?;
        if b.is_empty() {
            return Ok(true);
        }
        bytes.by_ref().take(b.len() as u64).read_to_end(&mut a)?;
        if a != b {
            return Ok(false);
        }
    }
}

/// Adds files that only the archive has.
fn add_gone(now: &mut Found, then: &Found, kept: &HashMap<Place, FoundFile>) {
    for (dir, file) in files_of(then) {
        if !kept.contains_key(&place(dir, file, path_below(then, file).to_owned())) {
            continue;
        }
        let mut file = file.clone();
        // What is in an unreadable directory is unknown.
        file.on_disk = file.on_disk && !now.is_gone(&file.path);
        let Some(dir) = dir else {
            match file.kind {
                FileKind::Registry => now.registry = Some(file),
                _ => now.trusted_folders = Some(file),
            }
            continue;
        };
        let at = now.projects.iter().position(|project| project.name == dir);
        let at = at.unwrap_or_else(|| {
            now.projects.push(crate::discover::ProjectDir {
                name: dir.to_owned(),
                path: project_dir(&now.home.sessions, dir, &file.path),
                files: Vec::new(),
                markers: Vec::new(),
            });
            now.projects.len() - 1
        });
        let project = &mut now.projects[at];
        if file.kind == FileKind::Marker {
            project.markers.push(file);
        } else {
            project.files.push(file);
        }
    }
}
