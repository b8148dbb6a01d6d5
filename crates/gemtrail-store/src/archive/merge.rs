//! Archive and disk together.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;

use super::changes::{Whereabouts, files_of, path_below};
use crate::discover::{FileKind, Found, FoundFile};
use crate::source::{Kept, Stat};

/// Whether files of homes that nobody looked at now are still there, as far as this machine can
/// tell.
pub(super) fn look_elsewhere(archived: &mut [Found], disk: &[Found], whereabouts: &Whereabouts) {
    let is_here = |found: &Found| disk.iter().any(|it| whereabouts.are_of(found, it));
    for found in archived.iter_mut().filter(|found| !is_here(found)) {
        // Another machine may have another file in the same place, unless its disk is mounted here.
        let is_ours = found.host == whereabouts.host;
        for project in &mut found.projects {
            for file in &mut project.files {
                let now = std::fs::metadata(&file.path).map(|now| Stat::of(&now));
                file.on_disk = now.is_ok_and(|now| is_ours || now == file.stat);
            }
        }
    }
}

/// Adds what the disk has beyond the archive.
pub(super) fn merge(archived: &mut Vec<Found>, disk: Vec<Found>, whereabouts: &Whereabouts) {
    for mut now in disk {
        now.host.clone_from(&whereabouts.host);
        let mut then = archived.iter_mut();
        let Some(then) = then.find(|then| whereabouts.are_of(then, &now)) else {
            now.user.clone_from(&whereabouts.user);
            archived.push(now);
            continue;
        };
        now.user = whereabouts.user.clone().or(then.user.take());
        let mut kept: HashMap<String, FoundFile> = files_of(then)
            .map(|(_, file)| (path_below(then, file), file.clone()))
            .collect();
        let mut take = |file: &mut FoundFile, below: String| {
            if let Some(old) = kept.remove(&below) {
                add_versions(file, old);
            }
        };
        let root = now.home.root.clone();
        let below = |path: &Path| {
            let below = path.strip_prefix(&root).unwrap_or(path);
            below.to_string_lossy().into_owned()
        };
        for file in now.registry.iter_mut().chain(&mut now.trusted_folders) {
            let below = below(&file.path);
            take(file, below);
        }
        for project in &mut now.projects {
            for file in project.files.iter_mut().chain(&mut project.markers) {
                let below = below(&file.path);
                take(file, below);
            }
        }
        add_gone(&mut now, then, &kept);
        *then = now;
    }
}

/// What the archive has of a file that is on disk.
fn add_versions(file: &mut FoundFile, old: FoundFile) {
    file.versions.archived = old.versions.archived;
    file.versions.earlier = old.versions.earlier;
    if file.stat == old.stat {
        file.versions.latest = old.versions.latest;
    } else if let Some(latest) = old.versions.latest
        && !begins_with(file, latest.as_ref()).unwrap_or(false)
    {
        file.versions.earlier.push(latest);
    }
}

/// Whether a file on disk begins with what is kept of it.
fn begins_with(file: &FoundFile, kept: &dyn Kept) -> io::Result<bool> {
    if file.bytes < kept.bytes() {
        return Ok(false);
    }
    let (mut now, mut then) = (file.open()?, kept.open()?);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        then.by_ref().take(64 << 10).read_to_end(&mut b)?;
        if b.is_empty() {
            return Ok(true);
        }
        now.by_ref().take(b.len() as u64).read_to_end(&mut a)?;
        if a != b {
            return Ok(false);
        }
    }
}

/// Files that only the archive has.
fn add_gone(now: &mut Found, then: &Found, kept: &HashMap<String, FoundFile>) {
    for (dir, file) in files_of(then) {
        if !kept.contains_key(&path_below(then, file)) {
            continue;
        }
        let mut file = file.clone();
        file.on_disk = false;
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
                path: now.home.sessions.join(dir),
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
