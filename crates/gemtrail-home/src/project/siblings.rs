//! Guesses from what is known: people keep their projects next to each other.

use std::collections::BTreeSet;
use std::path::Path;

use super::prove::Prover;
use super::slug::{is_slug, without_number};

/// Limit on the directories that are treated as parents of projects.
const MOST_PARENTS: usize = 32;
/// Limit on the names tried in each of them.
const MOST_NAMES: usize = 512;
/// Limit on the entries read from one directory.
const MOST_ENTRIES: usize = 4096;
/// Path components deeper than this are seldom a project's name.
const DEEPEST_NAME: usize = 6;

/// The parent directories of these projects.
pub(super) fn parents<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let parent = |path: &str| {
        let at = path.trim_end_matches(['/', '\\']).rfind(['/', '\\'])?;
        // Entries at the root of a file system are rarely siblings of projects.
        (at > 0).then(|| path[..=at].to_owned())
    };
    let all: BTreeSet<String> = paths.filter_map(parent).collect();
    all.into_iter().take(MOST_PARENTS).collect()
}

/// Possible names of a project: its directory's name and components of paths it mentions.
pub(super) fn names<'a>(dir: Option<&str>, paths: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    if let Some(slug) = dir.filter(|dir| is_slug(dir)) {
        names.push(slug.as_bytes().to_vec());
        names.extend(without_number(slug).map(|stem| stem.as_bytes().to_vec()));
    }
    let is_separator = |byte: &&u8| matches!(byte, b'/' | b'\\');
    let mentioned: BTreeSet<(usize, &[u8])> = paths
        .filter_map(|path| {
            let depth = path.iter().filter(is_separator).count();
            let name = path.rsplit(|byte| is_separator(&byte)).next()?;
            (depth <= DEEPEST_NAME && !name.is_empty()).then_some((depth, name))
        })
        .collect();
    let mut seen = BTreeSet::new();
    for (_, name) in mentioned {
        if names.len() >= MOST_NAMES {
            break;
        }
        if seen.insert(name) {
            names.push(name.to_vec());
        }
    }
    names
}

/// Tries these names in the known parents.
pub(super) fn offer_names(prover: &mut Prover<'_>, parents: &BTreeSet<String>, names: &[Vec<u8>]) {
    for parent in parents {
        for name in names {
            prover.offer(&[parent.as_bytes(), name].concat());
        }
    }
}

/// Tries the actual entries of the known parents, where these exist on this machine.
pub(super) fn offer_neighbours(prover: &mut Prover<'_>, parents: &BTreeSet<String>) {
    for parent in parents {
        let Ok(listing) = std::fs::read_dir(Path::new(parent)) else {
            continue;
        };
        for entry in listing.flatten().take(MOST_ENTRIES) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir())
                && let Some(name) = entry.file_name().to_str()
            {
                prover.offer(&[parent.as_bytes(), name.as_bytes()].concat());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Wanted;
    use gemtrail_core::project_hash;

    #[test]
    fn parents_keep_their_separator() {
        let known = ["/srv/a", "/srv/b/", "C:\\x\\y", "/top", "odd"];
        let parents = parents(known.into_iter());
        assert_eq!(
            parents.into_iter().collect::<Vec<_>>(),
            ["/srv/", "C:\\x\\"]
        );
    }

    #[test]
    fn the_slug_comes_first_then_shallow_names() {
        let paths: [&[u8]; 4] = [b"/x/y/deep", b"/mnt/app", b"/q/app", b"/1/2/3/4/5/6/7"];
        let names = names(Some("my-app-2"), paths.into_iter());
        let expected: [&[u8]; 4] = [b"my-app-2", b"my-app", b"app", b"deep"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_neighbour_on_disk_is_found() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("unnamed anywhere");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(base.path().join("file"), "").unwrap();
        let root = root.to_str().unwrap();
        let known = base.path().join("known");
        let hash = project_hash(root);
        let wanted = Wanted::new([(0, hash.as_str())]);
        let mut prover = Prover::new(&wanted, 1 << 20);
        offer_neighbours(&mut prover, &parents([known.to_str().unwrap()].into_iter()));
        assert_eq!(prover.proofs()[0].path, root);
    }
}
