//! A session as a file, in every format. Secrets are replaced unless they are asked for.

use gemtrail_core::model::SessionRef;
use gemtrail_export::exporter::{
    BuiltIn, Exporter, Format, FormatOptions, Privacy, Secrets, SessionFormat, safe_name,
};
use gemtrail_export::present;
use gemtrail_store::ReadDetail;
use serde::Deserialize;

use super::problem::Problem;
use crate::viewer::Viewer;

/// The wish to keep secrets or to replace them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct DownloadWanted {
    secrets: Option<String>,
}

/// A file to save.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Every format that a session can be saved in.
pub(super) fn formats(viewer: &Viewer) -> Vec<&Format> {
    let mut formats: Vec<&Format> = Format::built_in().collect();
    let more = viewer.options.more_formats.iter();
    formats.extend(more.map(|it| it.format()));
    formats
}

pub(crate) fn file(
    viewer: &Viewer,
    reference: SessionRef,
    format: &str,
    wanted: &DownloadWanted,
) -> Result<File, Problem> {
    let options = FormatOptions {
        view: present::Options {
            zone: viewer.options.zone.clone(),
            ..present::Options::default()
        },
        ..FormatOptions::default()
    };
    let built_in = BuiltIn::new(format, options);
    let format: &dyn SessionFormat = if let Some(format) = &built_in {
        format
    } else {
        let mut more = viewer.options.more_formats.iter();
        let found = more.find(|it| it.format().name == format);
        &**found.ok_or(Problem::NoPage)?
    };
    let secrets = match wanted.secrets.as_deref() {
        Some("keep") => Secrets::Keep,
        _ => Secrets::Replace,
    };
    let detail = if format.format().has_digests {
        ReadDetail::Document
    } else {
        ReadDetail::Words
    };
    let row = viewer.row(reference).ok_or(Problem::NoSession)?;
    let session = viewer.read(reference, detail)?;
    let redactor = viewer.options.redactor.fresh();
    let bytes = Exporter::new(format, Privacy::new(secrets), redactor).to_bytes(session);
    let stem = row.stems.first().map_or(reference.as_str(), String::as_str);
    let stem: String = safe_name(stem).chars().filter(char::is_ascii).collect();
    Ok(File {
        name: format!("{stem}.{}", format.ending()),
        kind: kind(format.ending()),
        bytes: bytes.map_err(|error| Problem::Broken(error.to_string()))?,
    })
}

/// The type of a file; nothing that a browser would run, since files are saved.
fn kind(ending: &str) -> &'static str {
    match ending.rsplit('.').next().unwrap_or(ending) {
        "json" => "application/json",
        "jsonl" => "application/jsonl; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        _ => "application/octet-stream",
    }
}
