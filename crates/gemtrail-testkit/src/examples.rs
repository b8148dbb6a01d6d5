//! The sample home of the repository.

use std::path::{Path, PathBuf};

/// Its path, to be passed as `--home`.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::fixtures::{children, directory, name_of};

    /// The bytes of every file below a directory.
    fn contents(directory: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
        for path in children(directory) {
            if path.is_dir() {
                contents(&path, into);
            } else {
                let bytes = fs::read(&path).expect("a readable file");
                into.push((path, bytes));
            }
        }
    }

    #[test]
    fn the_sample_home_is_as_recorded() {
        let (mut samples, mut recorded) = (Vec::new(), Vec::new());
        contents(&home(), &mut samples);
        contents(&directory(), &mut recorded);
        let recorded: BTreeSet<Vec<u8>> = recorded.into_iter().map(|(_, bytes)| bytes).collect();
        assert!(samples.len() > 20, "{} files", samples.len());
        for (path, bytes) in samples {
            let merged_by_hand = name_of(&path) == "projects.json";
            assert!(
                merged_by_hand || recorded.contains(&bytes),
                "{}",
                path.display()
            );
        }
    }
}
