//! Directories that another project took over. Gemini CLI names them after the last component of
//! the root path; when directory and registry are gone, another project may get the name. What the
//! archive has from the former project stays attributed to it: it moves to where old releases would
//! have put it, a directory named by the hash of the root path.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gemtrail_core::project_hash;

use super::versions::{Version, kept};
use crate::db::ids::FileRowId;
use crate::db::pool::Pool;
use crate::discover::{FileKind, Found, FoundFile, ProjectDir};
use crate::peek::peek_file;

/// The project that owned a directory until its marker changed.
struct Former {
    hash: String,
    marker: FoundFile,
    /// When the marker was first seen with another path.
    until: i64,
}

/// Moves the files of former projects out of directories that other projects own now. The versions
/// are those of markers and logs.
pub(crate) fn split(
    pool: &Arc<Pool>,
    found: &mut Found,
    versions: &HashMap<FileRowId, Vec<Version>>,
) {
    let mut apart: Vec<ProjectDir> = Vec::new();
    for dir in &mut found.projects {
        for former in formers(pool, dir, versions) {
            apart.extend(former.take(pool, dir, versions));
        }
    }
    for dir in apart {
        match found.projects.iter_mut().find(|it| it.name == dir.name) {
            Some(known) => known.files.extend(dir.files),
            None => found.projects.push(dir),
        }
    }
}

fn formers(
    pool: &Arc<Pool>,
    dir: &ProjectDir,
    versions: &HashMap<FileRowId, Vec<Version>>,
) -> Vec<Former> {
    let marker = dir.markers.first();
    let known = marker.and_then(|it| Some((it, it.versions.archived?.file)));
    let Some((marker, of_marker)) = known.and_then(|(it, row)| Some((it, versions.get(&row)?)))
    else {
        return Vec::new();
    };
    let (Ok(now), Some(archived)) = (marker.read_small(), marker.versions.archived) else {
        return Vec::new();
    };
    let mut formers: Vec<Former> = Vec::new();
    for (at, next) in of_marker.iter().enumerate().skip(1) {
        let mut then = marker.clone();
        then.versions = match kept(pool, archived.file, &of_marker[at - 1..at]) {
            Some(versions) => versions,
            None => continue,
        };
        let Ok(text) = then.read_small() else {
            continue;
        };
        let root = String::from_utf8_lossy(&text).trim().to_owned();
        if !root.is_empty() && text.trim_ascii() != now.trim_ascii() {
            formers.push(Former {
                hash: project_hash(&root),
                marker: then,
                until: next.seen,
            });
        }
    }
    formers
}

/// Whether only its versions show who owned a file when: a log names sessions, but not their
/// project.
pub(crate) fn can_be_divided(kind: &FileKind) -> bool {
    matches!(
        kind,
        FileKind::Marker
            | FileKind::PromptLog
            | FileKind::PromptLogBackup
            | FileKind::Checkpoint { .. }
            | FileKind::RestorePoint
            | FileKind::ShellHistory
            | FileKind::ToolOutput { session: None }
            | FileKind::Plan { session: None }
    )
}

impl Former {
    /// Takes what belongs to this project, if it has a journal there.
    fn take(
        self,
        pool: &Arc<Pool>,
        dir: &mut ProjectDir,
        versions: &HashMap<FileRowId, Vec<Version>>,
    ) -> Option<ProjectDir> {
        let mut ids: HashSet<String> = HashSet::new();
        for file in dir.files.iter().filter(|it| it.kind == FileKind::Journal) {
            let header = peek_file(file).unwrap_or_default();
            if header.project_hash.as_ref() == Some(&self.hash) {
                ids.extend(header.session_id);
            }
        }
        if ids.is_empty() {
            return None;
        }
        let mut files = Vec::new();
        for file in std::mem::take(&mut dir.files) {
            let (former, now) = self.divide(pool, file, &ids, versions);
            files.extend(former);
            dir.files.extend(now);
        }
        Some(ProjectDir {
            name: self.hash,
            path: dir.path.clone(),
            files,
            markers: vec![self.marker],
        })
    }

    /// Splits a file between the former and the current project.
    fn divide(
        &self,
        pool: &Arc<Pool>,
        file: FoundFile,
        ids: &HashSet<String>,
        versions: &HashMap<FileRowId, Vec<Version>>,
    ) -> (Option<FoundFile>, Option<FoundFile>) {
        let is_former = match &file.kind {
            FileKind::Journal => {
                let header = peek_file(&file).unwrap_or_default();
                header.project_hash.as_ref() == Some(&self.hash)
            }
            FileKind::Subagent { parent } => ids.contains(parent),
            FileKind::ToolOutput { session } | FileKind::Plan { session } => session
                .as_ref()
                .is_some_and(|session| ids.contains(session)),
            kind if can_be_divided(kind) => return self.divide_by_time(pool, file, versions),
            _ => false,
        };
        if is_former {
            (Some(file), None)
        } else {
            (None, Some(file))
        }
    }

    /// Splits it by the times of its versions.
    fn divide_by_time(
        &self,
        pool: &Arc<Pool>,
        file: FoundFile,
        versions: &HashMap<FileRowId, Vec<Version>>,
    ) -> (Option<FoundFile>, Option<FoundFile>) {
        let row = file.versions.archived.map(|archived| archived.file);
        let Some((row, all)) = row.and_then(|row| Some((row, versions.get(&row)?))) else {
            return (None, Some(file));
        };
        let (then, now) = all.split_at(all.partition_point(|version| version.seen < self.until));
        let with = |versions: &[Version]| {
            let versions = kept(pool, row, versions)?;
            Some(FoundFile {
                versions,
                ..file.clone()
            })
        };
        (with(then), with(now))
    }
}
