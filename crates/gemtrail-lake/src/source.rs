//! What a lake is made of, before anything is read.

use std::collections::BTreeMap;

use gemtrail_core::model::{Origin, Project, SessionRef, SessionRow};
use gemtrail_core::time;
use gemtrail_store::{Library, SessionFilter};
use sha2::{Digest, Sha256};

use crate::cell::Row;
use crate::options::{LakeOptions, Precision};
use crate::pseudonym::hex;
use crate::rows::{Names, ProjectFacts};
use crate::table::LAKE_SCHEMA;

/// A session that goes into a lake.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) reference: SessionRef,
    id: String,
    project: Project,
    origin: Origin,
    started: Option<String>,
    updated: Option<String>,
    month: String,
    /// Stands for all that was recorded of it.
    digest: [u8; 32],
}

/// The sessions of a month, in the order of their rows.
pub(crate) type Months = BTreeMap<String, Vec<Source>>;

/// All sessions that go into a lake, by month.
pub(crate) fn months(library: &Library, options: &LakeOptions<'_>) -> Months {
    let mut months = Months::new();
    for row in library.rows(&SessionFilter::everything()) {
        if !options.excludes(row.project.path.as_deref()) {
            let source = Source::of(row);
            months.entry(source.month.clone()).or_default().push(source);
        }
    }
    for sources in months.values_mut() {
        sources.sort_by(|a, b| (&a.id, a.reference).cmp(&(&b.id, b.reference)));
    }
    months
}

impl Source {
    fn of(mut row: SessionRow) -> Self {
        // Whether it is still on disk is nothing that was recorded.
        (row.on_disk, row.archived) = (false, false);
        let bytes = serde_json::to_vec(&row).unwrap_or_default();
        Self {
            reference: row.reference,
            id: row.id.as_str().to_owned(),
            month: month_of(row.started.as_deref().or(row.updated.as_deref())),
            project: row.project,
            origin: row.origin,
            started: row.started,
            updated: row.updated,
            digest: Sha256::digest(bytes).into(),
        }
    }
}

/// The month of a time in UTC. What has no time, or an impossible one, is in the first there is.
pub(crate) fn month_of(time: Option<&str>) -> String {
    let time = time.and_then(time::parse).unwrap_or_default();
    let text = time.to_string();
    match text.get(..7) {
        Some(month) if !text.starts_with('-') => month.to_owned(),
        _ => "1970-01".to_owned(),
    }
}

/// Stands for everything besides sessions that a file depends on.
pub(crate) fn terms(options: &LakeOptions<'_>) -> Sha256 {
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    };
    add(&LAKE_SCHEMA.to_string());
    add(env!("CARGO_PKG_VERSION"));
    add(options.level.as_str());
    add(match options.precision {
        Precision::Exact => "exact",
        Precision::Day => "day",
    });
    add(&options.key.pseudonym("key", ""));
    add(options.host.as_deref().unwrap_or_default());
    add(options.user.as_deref().unwrap_or_default());
    add(options.prices.as_of());
    add(&options.rules);
    options.tools.iter().for_each(|tool| add(tool));
    digest
}

/// Stands for everything that the files of a month depend on.
pub(crate) fn digest_of(sources: &[Source], terms: &Sha256) -> String {
    let mut digest = terms.clone();
    for source in sources {
        digest.update(source.reference.as_str());
        digest.update(source.digest);
    }
    hex(&digest.finalize(), 64)
}

/// The rows of the projects.
pub(crate) fn project_rows(months: &Months, options: &LakeOptions<'_>) -> Vec<Row> {
    let names = Names::new(options);
    let mut projects: BTreeMap<String, (Row, Source, u64)> = BTreeMap::new();
    for source in months.values().flatten() {
        let crate::Cell::Text(key) = names.project_key(&source.project) else {
            continue;
        };
        let origin = &source.origin;
        let head = names.head(origin.host.as_deref(), origin.user.as_deref());
        let known = projects
            .entry(key)
            .or_insert_with(|| (head, source.clone(), 0));
        known.1.span(source);
        known.2 += 1;
    }
    let rows = projects.into_values().map(|(head, source, sessions)| {
        let facts = ProjectFacts {
            project: &source.project,
            sessions,
            first: source.started.as_deref(),
            last: source.updated.as_deref(),
        };
        names.project(head, &facts)
    });
    rows.collect()
}

impl Source {
    /// Takes in the time of another session of the project.
    fn span(&mut self, other: &Self) {
        let earlier = |a: &str, b: &str| time::is_before(a, b);
        if let Some(started) = &other.started
            && self
                .started
                .as_ref()
                .is_none_or(|own| earlier(started, own))
        {
            self.started = Some(started.clone());
        }
        if let Some(updated) = &other.updated
            && self
                .updated
                .as_ref()
                .is_none_or(|own| earlier(own, updated))
        {
            self.updated = Some(updated.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::month_of;

    #[test]
    fn every_time_has_a_month() {
        assert_eq!(month_of(Some("2026-06-30T23:59:59.999Z")), "2026-06");
        assert_eq!(month_of(Some("2026-07-01T01:00:00+02:00")), "2026-06");
        assert_eq!(month_of(Some("2099-01-01T00:00:00Z")), "2099-01");
        for odd in [None, Some("yesterday"), Some("-000044-03-15T12:00:00Z")] {
            assert_eq!(month_of(odd), "1970-01", "{odd:?}");
        }
    }
}
