//! `schema`: the JSON Schema of every document that gemtrail prints, and the CDDL of records.

use std::io::Write;

use gemtrail_attest::Verdict;
use gemtrail_attest::validate::Schema as RecordSchema;
use gemtrail_core::model::{ProjectRow, Session, SessionRow};
use gemtrail_core::stats::StatsDocument;
use gemtrail_doctor::Report;
use gemtrail_query::Hit;
use gemtrail_store::archive::{ImportReport, TidiedFile, TidyReport};
use gemtrail_store::{ArchiveCheck, ArchiveInfo, Forgotten, SyncReport};
use schemars::{Schema, schema_for};

use super::archive::BackupDocument;
use super::args::SchemaArgs;
use super::config::{ConfigDocument, PathDocument};
use super::keys::NewKeys;
use super::projects::AddedPath;
use super::restore::Restored;
use super::setup::RemovedDocument;
use super::sign::Signed;
use super::stats::PricesDocument;
use super::verify::Validation;
use crate::error::{CliError, ErrorDocument};
use crate::ui::{NoteDocument, Ui};

/// Every schema, by the name in `gemtrail.<name>/1`.
pub(crate) fn schemas() -> Vec<(&'static str, Schema)> {
    let mut schemas = vec![
        ("session", schema_for!(Session)),
        ("list", schema_for!(SessionRow)),
        ("search", schema_for!(Hit)),
        ("stats", schema_for!(StatsDocument)),
        ("prices", schema_for!(PricesDocument<'_>)),
        ("projects", schema_for!(ProjectRow)),
        ("projects-add", schema_for!(AddedPath)),
        ("config", schema_for!(ConfigDocument)),
        ("path", schema_for!(PathDocument)),
        ("doctor", schema_for!(Report)),
        ("sync", schema_for!(SyncReport)),
        ("archive", schema_for!(ArchiveInfo)),
        ("archive-check", schema_for!(ArchiveCheck)),
        ("forget", schema_for!(Forgotten)),
        ("backup", schema_for!(BackupDocument)),
        #[cfg(feature = "lake")]
        ("lake", schema_for!(super::lake::LakeDocument)),
        #[cfg(feature = "lake")]
        ("lake-check", schema_for!(super::lake::LakeCheckDocument)),
        #[cfg(feature = "lake")]
        ("lake-merge", schema_for!(super::lake::LakeMergeDocument)),
        #[cfg(feature = "lake")]
        ("lake-row", schema_for!(super::lake::LakeRowDocument)),
        ("origin", schema_for!(super::origin::OriginDocument)),
        ("file", schema_for!(super::origin::files::FileEditDocument)),
        ("import", schema_for!(ImportReport)),
        ("mark", schema_for!(super::mark::MarkDocument)),
        ("tidy", schema_for!(TidyReport)),
        ("tidied", schema_for!(TidiedFile)),
        ("restore", schema_for!(Restored)),
        ("keygen", schema_for!(NewKeys)),
        ("signature", schema_for!(Signed)),
        ("verdict", schema_for!(Verdict)),
        ("validation", schema_for!(Validation)),
        ("setup", schema_for!(gemtrail_setup::SetupPlan)),
        ("setup-removed", schema_for!(RemovedDocument)),
        ("error", schema_for!(ErrorDocument)),
        ("note", schema_for!(NoteDocument)),
    ];
    #[cfg(feature = "web")]
    schemas.push(("serve", schema_for!(super::serve::ServeDocument<'_>)));
    let exports = gemtrail_export::schema::NAMES.into_iter();
    schemas.extend(exports.filter_map(|name| Some((name, gemtrail_export::schema::schema(name)?))));
    schemas
}

/// The schema of a record, which is CDDL as in its draft.
fn record_schema(name: &str) -> Option<&'static str> {
    match name {
        "vac" | "vac-v3" => Some(RecordSchema::V3.cddl()),
        "vac-v2" => Some(RecordSchema::V2.cddl()),
        _ => None,
    }
}

pub(super) fn run(args: &SchemaArgs, ui: &Ui) -> Result<(), CliError> {
    let schemas = schemas();
    let names: Vec<&str> = schemas.iter().map(|(name, _)| *name).collect();
    let mut out = ui.out();
    let Some(wanted) = &args.name else {
        names.iter().try_for_each(|name| writeln!(out, "{name}"))?;
        return out.finish();
    };
    let wanted = wanted.trim_start_matches("gemtrail.");
    let wanted = wanted.split('/').next().unwrap_or_default();
    if let Some(cddl) = record_schema(wanted) {
        out.write_all(cddl.as_bytes())?;
    } else if let Some((_, schema)) = schemas.iter().find(|(name, _)| *name == wanted) {
        serde_json::to_writer_pretty(&mut out, schema)?;
        writeln!(out)?;
    } else {
        let error = CliError::cannot("unknown-schema", format!("unknown schema {wanted:?}"));
        let names = names.join(", ");
        return Err(error.hint(format!("the schemas are: {names}, and in CDDL vac, vac-v2")));
    }
    out.finish()
}
