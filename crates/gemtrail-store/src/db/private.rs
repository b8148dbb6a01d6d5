//! The files of an archive are for their owner alone, whatever the umask, a link or an earlier mode
//! says.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The directory that is gemtrail's own by its name. Others may be anything, also `/tmp`.
const OWN_DIRECTORY: &str = "gemtrail";

/// The endings of files beside an archive.
const BESIDE: [&str; 4] = ["-wal", "-shm", LOCK, ".watch.lock"];
pub(crate) const LOCK: &str = ".lock";

/// The path of a file beside an archive.
pub(crate) fn beside(archive: &Path, ending: &str) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Makes a directory and those above it; new ones are the owner's alone.
pub(crate) fn make_directory(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Opens a file for writing and makes it if it is not there, also at the end of a link.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Takes the rights of everybody else from an archive and what belongs to it. Gives the files that
/// others could use until now; what is not there or not ours is left alone.
pub(crate) fn tighten(archive: &Path) -> Vec<PathBuf> {
    let index = super::index_file::path_of(archive);
    let of_index = ["", "-wal", "-shm"].map(|ending| beside(&index, ending));
    let beside = BESIDE.iter().map(|ending| beside(archive, ending));
    let beside = beside.chain(of_index);
    let directory = archive.parent().filter(|dir| dir.ends_with(OWN_DIRECTORY));
    let files = std::iter::once(archive.to_owned()).chain(beside);
    files
        .chain(directory.map(Path::to_owned))
        .filter(|path| restrict(path).unwrap_or_default())
        .collect()
}

/// True if others had rights, and lost them.
#[cfg(unix)]
fn restrict(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = fs::metadata(path)?.permissions();
    let private = permissions.mode() & !0o077;
    if permissions.mode() == private {
        return Ok(false);
    }
    permissions.set_mode(private);
    fs::set_permissions(path, permissions)?;
    Ok(true)
}

/// Other systems give files the rights of their directory, which is the user's own.
#[cfg(not(unix))]
fn restrict(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(path: &Path) -> u32 {
        let metadata = fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    }

    fn open_to_all(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }

    #[test]
    fn a_file_at_the_end_of_a_link_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("new.db"), dir.path().join("a.db"));
        symlink(&target, &link).unwrap();
        open_file(&link).unwrap();
        assert_eq!(mode(&target), 0o600);
    }

    #[test]
    fn new_directories_are_private_and_old_ones_stay() {
        let dir = tempfile::tempdir().unwrap();
        open_to_all(dir.path(), 0o755);
        let inner = dir.path().join("data/gemtrail");
        make_directory(&inner).unwrap();
        assert_eq!([mode(dir.path()), mode(&inner)], [0o755, 0o700]);
        assert_eq!(mode(&dir.path().join("data")), 0o700);
    }

    #[test]
    fn an_archive_that_others_could_read_is_tightened() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("gemtrail");
        make_directory(&own).unwrap();
        let archive = own.join("archive.db");
        let lock = own.join("archive.db.lock");
        for file in [&archive, &lock] {
            open_file(file).unwrap();
            open_to_all(file, 0o666);
        }
        open_to_all(&own, 0o777);
        assert_eq!(
            tighten(&archive),
            [archive.clone(), lock.clone(), own.clone()]
        );
        assert_eq!(
            [mode(&archive), mode(&lock), mode(&own)],
            [0o600, 0o600, 0o700]
        );
        assert_eq!(tighten(&archive), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_directory_that_is_not_gemtrails_own_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        open_to_all(dir.path(), 0o755);
        let archive = dir.path().join("a.db");
        open_file(&archive).unwrap();
        assert_eq!(tighten(&archive), Vec::<PathBuf>::new());
        assert_eq!(mode(dir.path()), 0o755);
    }
}
