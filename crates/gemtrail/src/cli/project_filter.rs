//! `--project NAME`: which projects a person means.

use gemtrail_core::model::Project;
use gemtrail_store::ProjectPattern;

use crate::environment::Environment;
use crate::paths;

/// A project by name, part of a name or path, path, or start of a hash.
#[derive(Debug)]
pub(super) struct ProjectFilter(ProjectPattern);

impl ProjectFilter {
    pub(super) fn new(name: &str, environment: &Environment) -> Self {
        Self(ProjectPattern::new(name, &roots(name, environment)))
    }

    pub(super) fn takes(&self, project: &Project) -> bool {
        self.0.takes(project)
    }
}

/// The absolute paths that a name stands for, if it is a path.
pub(super) fn roots(name: &str, environment: &Environment) -> Vec<String> {
    if !paths::looks_like_path(name) {
        return Vec::new();
    }
    let (current, home) = (&environment.current_dir, &environment.user_home);
    paths::roots(name, current.as_deref(), home.as_deref())
}

#[cfg(test)]
mod tests {
    use gemtrail_store::project_hash;

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
