//! Which project a conversation belongs to.

use std::collections::HashMap;

use gemtrail_antigravity::nest;
use gemtrail_core::model::{Origin, Project, Session};

use super::read::read_all;
use crate::antigravity::is_conversation_dir;
use crate::discover::{FileKind, Found, FoundFile, ProjectDir};
use crate::load::Depth;

/// The projects of conversations, by their ids: each is its own workspace's, a subagent that of its
/// parent.
pub(crate) fn projects(found: &[Found]) -> HashMap<String, Project> {
    let dirs = found.iter().flat_map(|found| &found.projects);
    of_dirs(dirs.filter(|dir| is_conversation_dir(&dir.name)))
}

fn of_dirs<'a>(dirs: impl Iterator<Item = &'a ProjectDir>) -> HashMap<String, Project> {
    let files = dirs.flat_map(|dir| &dir.files);
    let files: Vec<(usize, FoundFile)> = files.map(|file| (0, file.clone())).collect();
    let files: Vec<&(usize, FoundFile)> = files.iter().collect();
    let keep = |session: &mut Session| *session = session.head();
    let (conversations, _) = read_all(&files, Depth::Counts, |_| Origin::default(), keep);
    let mut projects = HashMap::new();
    let mut rest: Vec<(Session, Option<Project>)> = nest(conversations)
        .into_iter()
        .map(|session| (session, None))
        .collect();
    while let Some((mut session, of_parent)) = rest.pop() {
        let project = of_parent.unwrap_or_else(|| session.project.clone());
        let subagents = std::mem::take(&mut session.subagents);
        rest.extend(subagents.into_iter().map(|it| (it, Some(project.clone()))));
        projects.insert(session.id.to_string(), project);
    }
    projects
}

/// True if a conversation in one of these directories says that it belongs to another path.
pub fn has_moved<'a>(path: &str, dirs: impl Iterator<Item = &'a ProjectDir>) -> bool {
    let mut projects = of_dirs(dirs).into_values().filter_map(|it| it.path);
    projects.any(|it| it != path)
}

/// The id of the conversation that a directory is of.
pub(crate) fn id_of(dir: &ProjectDir) -> Option<&str> {
    dir.files.iter().find_map(|file| match &file.kind {
        FileKind::Conversation { id, .. } | FileKind::ConversationFile { id, .. } => {
            Some(id.as_str())
        }
        _ => None,
    })
}
