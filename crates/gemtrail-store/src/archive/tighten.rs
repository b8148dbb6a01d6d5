//! Keeps an archive to its owner, at a path that may be that of any file.

use std::path::{Path, PathBuf};

use crate::db::identify::{Owner, owner};
use crate::db::private::{self, LOCK, beside};

/// Takes the rights of everybody else from an archive and what belongs to it. Gives the files that
/// others could use until now; other files are left alone.
pub fn tighten(path: &Path) -> Vec<PathBuf> {
    let is_archive = match owner(path) {
        Some(Owner::Gemtrail) => true,
        // What a new archive is may still be in its log.
        Some(Owner::Unmarked) => beside(path, LOCK).exists(),
        Some(Owner::Other) | None => false,
    };
    if is_archive {
        private::tighten(path)
    } else {
        Vec::new()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn mode(path: &Path) -> u32 {
        let metadata = fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    }

    #[test]
    fn a_file_that_is_no_archive_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let other = rusqlite::Connection::open(dir.path().join("other.db")).unwrap();
        other
            .execute_batch("PRAGMA application_id = 7; CREATE TABLE t(a)")
            .unwrap();
        fs::write(dir.path().join("notes.txt"), "not an archive").unwrap();
        fs::write(dir.path().join("empty.txt"), "").unwrap();
        for name in ["other.db", "notes.txt", "empty.txt"] {
            let file = dir.path().join(name);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            assert_eq!(tighten(&file), Vec::<PathBuf>::new(), "{name}");
            assert_eq!(mode(&file), 0o644, "{name}");
        }
    }

    #[test]
    fn an_archive_is_tightened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        drop(crate::archive::ArchiveWriter::open(&path).unwrap());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(tighten(&path), std::slice::from_ref(&path));
        assert_eq!(mode(&path), 0o600);
    }
}
