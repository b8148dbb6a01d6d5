//! Journals with which gemtrail put a session back into another directory: it is still the session
//! that they came from.

use std::path::PathBuf;

use gemtrail_core::internal::{restored_start, short_id_of};
use gemtrail_core::stem_of;

use super::{FileKind, Found, FoundFile, ProjectDir};
use crate::paths::text_of;

/// Such a journal.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The project directory that it is in.
    pub dir: String,
    /// Its path.
    pub path: PathBuf,
    /// Its name without its ending.
    pub stem: String,
    /// The first characters of the session's id.
    pub start: String,
}

impl Found {
    /// The journals that put back a session of which nothing else is in their directory.
    pub fn returned(&self) -> Vec<Returned> {
        let mut all = Vec::new();
        for project in &self.projects {
            for file in &project.files {
                let stem = stem_of(&text_of(file.path.as_os_str())).to_owned();
                if let Some(start) = restored_start(&stem).map(str::to_owned)
                    && file.kind == FileKind::Journal
                    && !has_session(project, &start)
                {
                    let (dir, path) = (project.name.clone(), file.path.clone());
                    all.push(Returned {
                        dir,
                        path,
                        stem,
                        start,
                    });
                }
            }
        }
        all
    }

    /// Gives such a journal, and what belongs to it, to the project directory that its session came
    /// from.
    pub fn give(&mut self, returned: &Returned, to: &str) {
        let is_meant = |file: &mut FoundFile| match &file.kind {
            FileKind::Journal => file.path == returned.path,
            FileKind::Subagent { parent: id }
            | FileKind::ToolOutput { session: Some(id) }
            | FileKind::Plan { session: Some(id) } => starts_with(id, &returned.start),
            _ => false,
        };
        let from = self.projects.iter_mut().find(|it| it.name == returned.dir);
        let files: Vec<_> = from
            .map(|from| from.files.extract_if(.., is_meant).collect())
            .unwrap_or_default();
        if let Some(project) = self.projects.iter_mut().find(|it| it.name == to) {
            project.files.extend(files);
            return;
        }
        self.projects.push(ProjectDir {
            name: to.to_owned(),
            path: self.home.sessions.join(to),
            files,
            markers: Vec::new(),
        });
        self.projects.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Gives each such journal to the one other directory that has its session.
    pub(super) fn bring_together(&mut self) {
        for returned in self.returned() {
            let has = |it: &&ProjectDir| has_session(it, &returned.start);
            let mut others = self.projects.iter().filter(has).map(|it| it.name.clone());
            if let (Some(to), None) = (others.next(), others.next()) {
                self.give(&returned, &to);
            }
        }
    }
}

/// True if Gemini CLI wrote a journal of a session whose id begins like this.
fn has_session(project: &ProjectDir, start: &str) -> bool {
    project.files.iter().any(|file| {
        let name = text_of(file.path.as_os_str());
        let short = short_id_of(stem_of(&name));
        file.kind == FileKind::Journal && short.is_some_and(|short| starts_with(short, start))
    })
}

fn starts_with(id: &str, start: &str) -> bool {
    let own = id.get(..start.len());
    own.is_some_and(|own| own.eq_ignore_ascii_case(start))
}
