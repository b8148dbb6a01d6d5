//! Files of a home, under the names that the archive uses.

use std::path::{Path, PathBuf};

use crate::discover::{Found, FoundFile};
use crate::spelled::text_of;

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
pub(crate) fn path_below<'a>(found: &Found, file: &'a FoundFile) -> &'a Path {
    let root = &found.home.root;
    file.path.strip_prefix(root).unwrap_or(&file.path)
}

/// The project directory that a file is in. Its name may be no text.
pub(crate) fn project_dir(sessions: &Path, name: &str, file: &Path) -> PathBuf {
    let below = file.strip_prefix(sessions).ok();
    let first = below.and_then(|below| below.components().next());
    let own = first.map(|first| sessions.join(first));
    let own = own.filter(|dir| dir.file_name().is_some_and(|it| text_of(it) == name));
    own.unwrap_or_else(|| sessions.join(name))
}
