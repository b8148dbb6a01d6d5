//! Which projects a name means.

use gemtrail_core::model::Project;

use gemtrail_core::{project_hash, spellings};

/// A project by its path, by a part of its name or the start of its hash or, if no project is called
/// that, by a part of its path.
#[derive(Clone, Debug)]
pub struct ProjectPattern {
    /// In lower case; `None` if only a path can be meant.
    part: Option<String>,
    /// True if a part of a path is enough.
    takes_paths: bool,
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
            takes_paths: true,
            roots: roots
                .iter()
                .flat_map(|root| spellings(root))
                .map(with_hash)
                .collect(),
        }
    }

    /// The pattern among these projects: as soon as one of them is called that, a part of another's
    /// path is no longer meant.
    #[must_use]
    pub fn among<'p>(&self, mut projects: impl Iterator<Item = &'p Project>) -> Self {
        Self {
            takes_paths: !projects.any(|it| self.is_root_of(it) || self.is_part_of_name(it)),
            ..self.clone()
        }
    }

    /// Whether a project matches.
    pub fn takes(&self, project: &Project) -> bool {
        self.is_root_of(project)
            || self.is_part_of_name(project)
            || self.takes_paths && self.is_part_of_path(project)
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
    pub fn root_with_hash(&self, hash: &str) -> Option<&str> {
        let root = self.roots.iter().find(|(_, known)| known == hash);
        root.map(|(root, _)| root.as_str())
    }

    fn is_root_of(&self, project: &Project) -> bool {
        self.roots.iter().any(|(root, hash)| {
            project.path.as_ref() == Some(root) || project.hash.as_ref() == Some(hash)
        })
    }

    fn is_part_of_name(&self, project: &Project) -> bool {
        let Some(part) = &self.part else {
            return false;
        };
        let contains = |text: &str| text.to_lowercase().contains(part);
        let hash = project.hash.as_deref();
        contains(&project.name())
            || project.dir.as_deref().is_some_and(contains)
            || hash.is_some_and(|hash| hash.starts_with(part))
    }

    fn is_part_of_path(&self, project: &Project) -> bool {
        let contains = |path: &str| {
            let part = self.part.as_ref();
            part.is_some_and(|part| path.to_lowercase().contains(part))
        };
        project.path.as_deref().is_some_and(contains)
    }
}
