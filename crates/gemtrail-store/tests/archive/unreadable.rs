//! Directories that cannot be read now: what the archive has of them is not gone.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use gemtrail_core::model::Code;

use crate::common::{Sandbox, chat};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn synced() -> Sandbox {
    let sandbox = Sandbox::with_session(ID);
    sandbox.sync();
    sandbox
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it can be set");
}

#[test]
fn what_nobody_may_look_at_is_not_gone() {
    let sandbox = synced();
    let chats = sandbox.path(".gemini/tmp/shop/chats");
    // Not listable, and listable but not enterable.
    for mode in [0o000, 0o444] {
        set_mode(&chats, mode);
        if fs::read_dir(&chats)
            .is_ok_and(|mut it| it.any(|it| it.is_ok_and(|it| it.path().exists())))
        {
            set_mode(&chats, 0o755);
            return;
        }
        let report = sandbox.sync();
        let rows = sandbox.rows();
        let shown = sandbox.show(ID);
        set_mode(&chats, 0o755);
        assert_eq!(report.sessions_gone, 0, "{report:?}");
        assert_ne!(report.diagnostics, [], "{mode:o}");
        assert_eq!(rows[0]["on_disk"], true, "as far as anybody knows");
        assert_eq!(shown["counts"]["messages"], 2);
    }
    assert_eq!(sandbox.number("SELECT count(*) FROM file WHERE gone"), 0);
    sandbox.remove(&chat("2f1e0a52.jsonl"));
    assert_eq!(sandbox.sync().sessions_gone, 1, "now it is");
}

#[test]
fn a_directory_that_leads_in_a_circle_hides_nothing() {
    // Root may list every directory, but not even root can follow this.
    let sandbox = synced();
    let chats = sandbox.path(".gemini/tmp/shop/chats");
    let aside = sandbox.path("aside");
    fs::rename(&chats, &aside).expect("it can be moved");
    symlink(&chats, &chats).expect("a link");
    let report = sandbox.sync();
    assert_eq!(report.sessions_gone, 0, "{report:?}");
    let mut findings = report.diagnostics.iter();
    let is_loop = findings.any(|it| {
        let place = it.journal.as_deref().unwrap_or_default();
        it.code == Code::SymlinkLoop && place.ends_with("chats")
    });
    assert!(is_loop, "{report:?}");
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 2);
}
