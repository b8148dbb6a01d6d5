//! Viewers for tests that look inside.

use std::path::Path;
use std::sync::Arc;

use gemtrail_doctor::SystemSettings;
use gemtrail_export::redact::Redactor;
use gemtrail_store::{ArchiveOptions, Machine, Places, Trail, TrailOptions};
use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

use crate::read::Paging;
use crate::viewer::{Options, Viewer};

/// Whose files the homes of tests are.
pub(crate) fn machine() -> Machine {
    Machine {
        host: Some("desk".to_owned()),
        user: Some("alice".to_owned()),
    }
}

/// A viewer of a home and perhaps an archive.
pub(crate) fn viewer(home: &Path, archive: Option<&Path>, clock: fn() -> Timestamp) -> Arc<Viewer> {
    let disk = TrailOptions {
        places: Places {
            homes: vec![home.to_owned()],
            ..Places::default()
        },
        read_only: true,
        ..TrailOptions::default()
    };
    let archive = archive.map(|path| ArchiveOptions {
        path: path.to_owned(),
        machine: machine(),
        ..ArchiveOptions::default()
    });
    let both = TrailOptions {
        archive,
        ..disk.clone()
    };
    let (trail, _) = Trail::open(both).expect("a home");
    let options = Options {
        clock,
        zone: TimeZone::UTC,
        week_start: Weekday::Monday,
        user_home: None,
        redactor: Redactor::new(Vec::new()).expect("rules"),
        more_formats: Vec::new(),
        disk,
        machine: machine(),
        system: SystemSettings::default(),
        paging: Paging::default(),
    };
    Arc::new(Viewer::new(trail, options))
}
