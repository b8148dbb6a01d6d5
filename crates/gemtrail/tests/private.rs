//! What is private stays so, and what belongs to others is not touched, by the built binary.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A home with one session of this id.
struct Place {
    dir: TempDir,
    journal: PathBuf,
}

impl Place {
    fn new(id: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let project = dir.path().join(".gemini/tmp/shop");
        fs::create_dir_all(project.join("chats")).expect("a directory");
        fs::write(project.join(".project_root"), "/srv/shop").expect("it can be written");
        let journal = project.join("chats/session-2026-06-01T10-00-2f1e0a52.jsonl");
        let lines = format!(
            "{{\"sessionId\":\"{id}\",\"projectHash\":\"00\",\"kind\":\"main\",\"startTime\":\"2026-06-01T10:00:00.000Z\",\"lastUpdated\":\"2026-06-01T10:00:00.000Z\"}}\n\
             {{\"id\":\"m1\",\"timestamp\":\"2026-06-01T10:00:01.000Z\",\"type\":\"user\",\"content\":[{{\"text\":\"hello\"}}]}}\n"
        );
        fs::write(&journal, lines).expect("it can be written");
        Self { dir, journal }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs the program with nothing kept from anybody by the umask.
    fn run(&self, archive: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", "umask 000; exec \"$0\" \"$@\""]);
        command.arg(env!("CARGO_BIN_EXE_gemtrail"));
        command.arg("--home").arg(self.path(".gemini"));
        command.arg("--archive").arg(archive).args(arguments);
        for variable in ["GEMINI_CLI_HOME", "GEMINI_SESSIONS_DIR", "GEMTRAIL_ARCHIVE"] {
            command.env_remove(variable);
        }
        command
            .env("HOME", self.dir.path())
            .output()
            .expect("the binary runs")
    }
}

fn mode(path: &Path) -> u32 {
    let metadata = fs::metadata(path).expect("it is there");
    metadata.permissions().mode() & 0o777
}

fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

const ID: &str = "2f1e0a52-0000-4000-8000-000000000090";

#[test]
fn an_archive_its_directory_and_its_locks_are_for_the_owner_only() {
    let place = Place::new(ID);
    let archive = place.path("data/gemtrail/archive.db");
    let output = place.run(&archive, &["sync"]);
    assert!(output.status.success(), "{}", said(&output));
    let dir = place.path("data/gemtrail");
    assert_eq!([mode(&dir), mode(&place.path("data"))], [0o700, 0o700]);
    for entry in fs::read_dir(&dir).expect("the directory") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let backup = place.path("copy.db");
    let target = backup.to_string_lossy().into_owned();
    let output = place.run(&archive, &["archive", "backup", &target]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(mode(&backup), 0o600);
}

#[test]
fn an_archive_at_the_end_of_a_link_is_for_the_owner_only() {
    let place = Place::new(ID);
    let (archive, target) = (place.path("a.db"), place.path("new.db"));
    symlink(&target, &archive).expect("a link");
    let output = place.run(&archive, &["sync"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(mode(&target), 0o600);
}

#[test]
fn an_archive_that_others_could_read_is_tightened_with_a_note() {
    let place = Place::new(ID);
    let archive = place.path("a.db");
    place.run(&archive, &["sync"]);
    fs::set_permissions(&archive, fs::Permissions::from_mode(0o644)).expect("it is ours");
    let output = place.run(&archive, &["list"]);
    assert!(
        said(&output).contains("now only you can"),
        "{}",
        said(&output)
    );
    assert_eq!(mode(&archive), 0o600);
    let output = place.run(&archive, &["list"]);
    assert!(
        !said(&output).contains("now only you can"),
        "{}",
        said(&output)
    );
}

#[test]
fn nothing_replaces_an_archive_or_a_file_of_gemini_cli() {
    let place = Place::new(ID);
    let archive = place.path("a.db");
    place.run(&archive, &["sync"]);
    let settings = place.path(".gemini/settings.json");
    fs::write(&settings, "{}").expect("it can be written");
    for target in [&archive, &settings, &place.journal] {
        let before = fs::read(target).expect("it is there");
        let path = target.to_string_lossy().into_owned();
        for arguments in [
            &["export", "latest", "-o", &path, "--force"][..],
            &[
                "export",
                "latest",
                "--redact-report",
                "-o",
                &path,
                "--force",
            ],
            &["archive", "backup", &path],
        ] {
            let output = place.run(&archive, arguments);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{arguments:?}: {}",
                said(&output)
            );
        }
        assert_eq!(fs::read(target).expect("it is there"), before, "{path}");
    }
}

#[test]
fn restore_prints_no_option_made_of_an_id() {
    let place = Place::new("--yolo");
    let archive = place.path("a.db");
    place.run(&archive, &["sync"]);
    let output = place.run(&archive, &["restore", "latest", "--force"]);
    assert!(!said(&output).contains("--resume"), "{}", said(&output));
}

#[test]
fn arguments_are_printed_without_their_control_characters() {
    let place = Place::new(ID);
    let archive = place.path("a.db");
    let keys = place.path("k\x1b[31m").to_string_lossy().into_owned();
    for arguments in [
        &["\x1b]0;title\x07wrong"][..],
        &["list", "--no-such\x1b[31m"],
        &["list", "--kind", "\x1b[2Jx"],
        &["show", "\x1b[31mnone"],
        &["keygen", "--out", &keys],
    ] {
        let output = place.run(&archive, arguments);
        assert!(
            !said(&output).contains('\x1b'),
            "{arguments:?}: {}",
            said(&output)
        );
        assert!(!said(&output).is_empty(), "{arguments:?}");
    }
}
