//! Directories on other machines: the system reports no changes there.

use std::path::Path;

/// File systems that may be changed from elsewhere.
const REMOTE: &str =
    "9p afs beegfs ceph cifs coda drvfs glusterfs lustre ncpfs nfs nfs4 smb3 smbfs";

/// True if a directory is on a file system whose changes the system does not report. If unknown, it
/// is not.
pub fn is_remote(path: &Path) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let Some(there) = path.ancestors().find_map(|path| path.canonicalize().ok()) else {
        return false;
    };
    std::fs::read_to_string("/proc/self/mounts")
        .is_ok_and(|mounts| file_system(&mounts, &there).is_some_and(sees_less))
}

fn sees_less(file_system: &str) -> bool {
    // FUSE file systems: `fuse.sshfs`, `fuse.rclone` and many more.
    REMOTE.split(' ').any(|it| it == file_system) || file_system.starts_with("fuse.")
}

/// The type of the file system that a path is on; of stacked mounts the last one counts.
fn file_system<'a>(mounts: &'a str, path: &Path) -> Option<&'a str> {
    let mount = |line: &'a str| {
        let mut words = line.split(' ').skip(1);
        Some((unescaped(words.next()?), words.next()?))
    };
    mounts
        .lines()
        .filter_map(mount)
        .filter(|(point, _)| path.starts_with(point))
        .max_by_key(|(point, _)| point.len())
        .map(|(_, kind)| kind)
}

/// Spaces and the like are escaped as three octal digits.
fn unescaped(text: &str) -> String {
    text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
/dev/sda1 / ext4 rw 0 0
proc /proc proc rw 0 0
server:/export /home nfs4 rw 0 0
me@host:/x /home/al/far\\040away fuse.sshfs rw 0 0
/dev/sdb1 /home/al/near ext4 rw 0 0
tmpfs /home/al/near tmpfs rw 0 0
";

    #[test]
    fn the_innermost_mount_counts() {
        let of = |path: &str| file_system(MOUNTS, Path::new(path)).unwrap();
        assert_eq!(of("/etc"), "ext4");
        assert_eq!(of("/homes"), "ext4");
        assert_eq!(of("/home/al/.gemini"), "nfs4");
        assert_eq!(of("/home/al/far away/.gemini"), "fuse.sshfs");
        assert_eq!(of("/home/al/near/x"), "tmpfs");
        assert!(sees_less("nfs4") && sees_less("fuse.sshfs") && !sees_less("fuseblk"));
    }

    #[test]
    fn what_is_not_there_yet_lies_where_its_directory_does() {
        assert!(!is_remote(Path::new("/none/of/this")));
    }
}
