//! Files of a home, under the names that the archive uses.

use crate::discover::{Found, FoundFile};

/// All files of a home with their project directories.
pub(crate) fn files_of(found: &Found) -> impl Iterator<Item = (Option<&str>, &FoundFile)> {
    let of_home = found.registry.iter().chain(&found.trusted_folders);
    let of_projects = found.projects.iter().flat_map(|project| {
        let name = Some(project.name.as_str());
        let files = project.files.iter().chain(&project.markers);
        files.map(move |file| (name, file))
    });
    of_home.map(|file| (None, file)).chain(of_projects)
}

/// The path of a file below its home.
pub(crate) fn path_below(found: &Found, file: &FoundFile) -> String {
    let root = &found.home.root;
    let below = file.path.strip_prefix(root).unwrap_or(&file.path);
    below.to_string_lossy().into_owned()
}
