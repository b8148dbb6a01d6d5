//! Which projects a name means.

use gemtrail_core::model::Project;

use crate::load::project_hash;
use crate::project::spellings;

/// A project by name, part of a name or path, path, or hash prefix.
#[derive(Clone, Debug)]
pub struct ProjectPattern {
    /// In lower case; `None` if only a path can be meant.
    part: Option<String>,
    /// Root paths that were named, and their hashes.
    roots: Vec<(String, String)>,
}

impl ProjectPattern {
    /// A pattern for `name`, with the absolute paths it means if it is a path.
    pub fn new(name: &str, roots: &[String]) -> Self {
        let with_hash = |root: String| {
            let hash = project_hash(&root);
            (root, hash)
        };
        Self {
            part: (!matches!(name, "." | ".." | "~")).then(|| name.to_lowercase()),
            roots: roots
                .iter()
                .flat_map(|root| spellings(root))
                .map(with_hash)
                .collect(),
        }
    }

    /// Whether a project matches.
    pub fn takes(&self, project: &Project) -> bool {
        self.is_root_of(project) || self.is_part_of(project)
    }

    /// Whether a project has exactly this name, and does not merely contain it.
    pub fn is_exactly(&self, project: &Project) -> bool {
        let is_name = |part: &String| {
            let is = |text: &str| text.to_lowercase() == *part;
            let names = [&project.path, &project.dir, &project.hash];
            is(&project.name()) || names.into_iter().flatten().any(|name| is(name))
        };
        self.is_root_of(project) || self.part.as_ref().is_some_and(is_name)
    }

    /// The named path with that hash.
    pub(crate) fn root_with_hash(&self, hash: &str) -> Option<&str> {
        let root = self.roots.iter().find(|(_, known)| known == hash);
        root.map(|(root, _)| root.as_str())
    }

    fn is_root_of(&self, project: &Project) -> bool {
        self.roots.iter().any(|(root, hash)| {
            project.path.as_ref() == Some(root) || project.hash.as_ref() == Some(hash)
        })
    }

    fn is_part_of(&self, project: &Project) -> bool {
        let Some(part) = &self.part else {
            return false;
        };
        let contains = |text: &str| text.to_lowercase().contains(part);
        contains(&project.name())
            || project.path.as_deref().is_some_and(contains)
            || project.dir.as_deref().is_some_and(contains)
            || project
                .hash
                .as_deref()
                .is_some_and(|hash| hash.starts_with(part))
    }
}
