//! The form of times and places.

use gemtrail_core::model::Project;
use gemtrail_core::time;
use gemtrail_export::text::Clean;
use jiff::tz::TimeZone;

use crate::quote;

/// Day and time in a zone: `2026-11-15 14:32`.
pub(super) fn moment(written: Option<&str>, zone: &TimeZone) -> String {
    shown(written, zone, "%Y-%m-%d %H:%M")
}

/// The time of day in a zone.
pub(super) fn clock(written: Option<&str>, zone: &TimeZone) -> String {
    shown(written, zone, "%H:%M")
}

fn shown(written: Option<&str>, zone: &TimeZone, form: &str) -> String {
    let time = written.and_then(time::parse);
    let shown = time.map(|time| time.to_zoned(zone.clone()).strftime(form).to_string());
    shown.unwrap_or_else(|| "–".to_owned())
}

/// The project's name as a line of an answer has it.
pub(super) fn quoted_project(project: &Project) -> String {
    quote::name(&project.name())
}

/// The project's name on one line.
pub(super) fn project(project: &Project) -> String {
    Clean::line(project.name()).as_str().to_owned()
}
