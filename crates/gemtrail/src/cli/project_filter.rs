//! `--project NAME`: which projects a person means.

use gemtrail_core::model::Project;
use gemtrail_store::{project_hash, spellings};

use crate::environment::Environment;
use crate::paths;

/// A project by name, part of a name or path, path, or start of a hash.
#[derive(Debug)]
pub(super) struct ProjectFilter {
    /// In lower case; none if only a path can be meant.
    part: Option<String>,
    /// Root paths that were named, and their hashes.
    roots: Vec<(String, String)>,
}

impl ProjectFilter {
    pub(super) fn new(name: &str, environment: &Environment) -> Self {
        let roots = if paths::looks_like_path(name) {
            let (current, home) = (&environment.current_dir, &environment.user_home);
            paths::roots(name, current.as_deref(), home.as_deref())
        } else {
            Vec::new()
        };
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

    pub(super) fn takes(&self, project: &Project) -> bool {
        self.is_root_of(project) || self.is_part_of(project)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(name: &str) -> bool {
        let mut environment = Environment::empty();
        environment.current_dir = Some("/srv/demo".into());
        environment.user_home = Some("/srv".into());
        let project = Project {
            dir: Some("acme-api".to_owned()),
            hash: Some(project_hash("/srv/demo/Acme.API")),
            path: Some("/srv/demo/Acme.API".to_owned()),
            ..Project::default()
        };
        ProjectFilter::new(name, &environment).takes(&project)
    }

    #[cfg(unix)]
    #[test]
    fn names_parts_paths_and_hashes() {
        assert!(takes("acme") && takes("ACME.api") && takes("acme-api"));
        assert!(takes("demo/acme") && takes("/srv/demo/Acme.API") && takes("./Acme.API/"));
        assert!(takes("~/demo/Acme.API") && takes("Acme.API/src/.."));
        let hash = project_hash("/srv/demo/Acme.API");
        assert!(takes(&hash[..6]) && takes(&hash));
        assert!(!takes(".") && !takes("~") && !takes("other") && !takes("/srv/demo/x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_finds_a_project_whose_root_nobody_knows() {
        let project = Project {
            hash: Some(project_hash("/srv/demo/x")),
            ..Project::default()
        };
        let filter = ProjectFilter::new("/srv/demo/x", &Environment::empty());
        assert!(filter.takes(&project));
    }
}
