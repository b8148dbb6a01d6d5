//! The names of projects, where several have one name.

use std::collections::{HashMap, HashSet};

use crate::model::Project;

/// Unambiguous names of projects: `nova-kit`, but `work/nova-kit` and
/// `other/nova-kit` where there are two.
#[derive(Clone, Debug, Default)]
pub struct ProjectNames(HashMap<ProjectKey, String>);

/// The identity of a project.
type ProjectKey = (Option<String>, Option<String>, Option<String>);

impl ProjectNames {
    /// The names of these projects.
    pub fn of<'a>(projects: impl IntoIterator<Item = &'a Project>) -> Self {
        let mut by_name: HashMap<String, HashMap<ProjectKey, &Project>> = HashMap::new();
        for project in projects {
            let same = by_name.entry(project.name()).or_default();
            same.insert(key(project), project);
        }
        let mut names = HashMap::new();
        for (name, projects) in by_name {
            if projects.len() < 2 {
                continue;
            }
            let longer: HashSet<String> = projects.values().map(|it| with_parent(it)).collect();
            let is_told = longer.len() == projects.len();
            for (key, project) in projects {
                let told = if is_told {
                    with_parent(project)
                } else {
                    whole(project).unwrap_or_else(|| name.clone())
                };
                names.insert(key, told);
            }
        }
        Self(names)
    }

    /// The name of one of them.
    pub fn name(&self, project: &Project) -> String {
        if self.0.is_empty() {
            return project.name();
        }
        let told = self.0.get(&key(project)).cloned();
        told.unwrap_or_else(|| project.name())
    }
}

fn key(project: &Project) -> ProjectKey {
    // A path says it all: the same one may be known by its hash, too, or not.
    match &project.path {
        Some(path) => (Some(path.clone()), None, None),
        None => (None, project.hash.clone(), project.dir.clone()),
    }
}

/// The name with the directory that it is in.
fn with_parent(project: &Project) -> String {
    let name = project.name();
    let Some(path) = &project.path else {
        let hash = project.hash.as_deref().or(project.dir.as_deref());
        let hash: String = hash.unwrap_or_default().chars().take(6).collect();
        return format!("{name}~{hash}");
    };
    let mut parts = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']);
    match (parts.next(), parts.next()) {
        (Some(_), Some(parent)) if !parent.is_empty() => format!("{parent}/{name}"),
        _ => path.clone(),
    }
}

/// All that is known of it.
fn whole(project: &Project) -> Option<String> {
    let known = [&project.path, &project.hash, &project.dir];
    known.into_iter().flatten().next().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Project {
        Project {
            path: Some(path.to_owned()),
            ..Project::default()
        }
    }

    fn hashed(dir: &str, hash: &str) -> Project {
        Project {
            dir: Some(dir.to_owned()),
            hash: Some(hash.repeat(16)),
            ..Project::default()
        }
    }

    fn names(projects: &[Project]) -> Vec<String> {
        let names = ProjectNames::of(projects);
        projects.iter().map(|it| names.name(it)).collect()
    }

    #[test]
    fn projects_with_one_name_are_told_apart() {
        let projects = [at("/src/nova-kit"), at("/other/nova-kit/"), at("/src/api")];
        assert_eq!(names(&projects), ["src/nova-kit", "other/nova-kit", "api"]);
        let projects = [at("/a/src/x"), at("/b/src/x"), at("/b/src/y")];
        assert_eq!(names(&projects), ["/a/src/x", "/b/src/x", "y"]);
        let projects = [hashed("x", "0123"), at("/src/x")];
        assert_eq!(names(&projects), ["x~012301", "src/x"]);
        // One project seen twice is one.
        assert_eq!(names(&[at("/src/x"), at("/src/x")]), ["x", "x"]);
    }
}
