//! The input of a lake, before anything is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gemtrail_core::model::{SessionId, SessionRef};
use gemtrail_core::time;
use gemtrail_store::{Library, ListRow, StampedRow};
use sha2::{Digest, Sha256};

use crate::identity::hex;
use crate::names::{KnownNames, ProjectFacts};
use crate::options::{LakeOptions, Level, Precision};
use crate::table::{LAKE_SCHEMA, LakeRow};

/// The sessions of a month, in the order of their rows.
pub(crate) type Months = BTreeMap<String, Vec<StampedRow>>;

/// All sessions that go into a lake.
#[derive(Debug)]
pub(crate) struct Contents {
    /// By month.
    pub(crate) months: Months,
    /// Those that depend on each other.
    pub(crate) families: SessionFamilies,
}

impl Contents {
    pub(crate) fn of(library: &Library, options: &LakeOptions<'_>) -> Self {
        let mut sessions = library.stamped_rows();
        sessions.retain(|it| !options.excludes(it.row.project.path.as_deref()));
        let families = SessionFamilies::of(&sessions, options.level);
        let mut months = Months::new();
        for mut stamped in sessions {
            let row = &mut stamped.row;
            let month = month_of(row.started.as_deref().or(row.updated.as_deref()));
            // There may be a hundred thousand sessions, and these are not needed any more.
            (row.title, row.stems) = (None, Vec::new());
            months.entry(month).or_default().push(stamped);
        }
        for sessions in months.values_mut() {
            sessions.sort_by(|a, b| order(&a.row, &families).cmp(&order(&b.row, &families)));
        }
        Self { months, families }
    }

    pub(crate) fn sessions(&self) -> impl Iterator<Item = &StampedRow> {
        self.months.values().flatten()
    }
}

/// The sort key of sessions: families stay together, as they are read together.
fn order<'a>(
    row: &'a ListRow,
    families: &SessionFamilies,
) -> (&'a SessionId, SessionRef, &'a SessionId, SessionRef) {
    let main = families.main_of(row);
    let parent = row.parent.as_ref().filter(|_| main != row.reference);
    (parent.unwrap_or(&row.id), main, &row.id, row.reference)
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

/// The digest of the settings that decide what may be known, besides level and exclusions. Files that
/// were made with other ones must not stay.
pub(crate) fn privacy(options: &LakeOptions<'_>) -> String {
    let mut digest = Sha256::new();
    digest.update(options.key.pseudonym("privacy", ""));
    let settings = (options.precision, &options.rules, &options.tools);
    digest.update(format!("{settings:?}"));
    hex(&digest.finalize(), 64)
}

/// The digest of the references of sessions, without their contents.
pub(crate) fn names_of(sessions: &[&StampedRow], options: &LakeOptions<'_>) -> String {
    let references = sessions.iter().map(|it| it.row.reference);
    let references: BTreeSet<SessionRef> = references.collect();
    let mut digest = Sha256::new();
    // With the key, so that references cannot be guessed and tried.
    digest.update(options.key.pseudonym("sessions", ""));
    for reference in references {
        digest.update(reference.as_str());
    }
    hex(&digest.finalize(), 64)
}

/// Stands for everything that the files of a month depend on.
pub(crate) fn digest_of(
    sessions: &[StampedRow],
    families: &SessionFamilies,
    terms: &Sha256,
) -> String {
    let mut digest = terms.clone();
    for StampedRow {
        row, fingerprint, ..
    } in sessions
    {
        digest.update(row.reference.as_str());
        digest.update(fingerprint.to_le_bytes());
        if let Some(family) = families.digest_of(row) {
            digest.update(family);
        }
        // The views do not know what has been learned of a project since.
        let whose = (&*row.project, &*row.origin);
        digest.update(serde_json::to_vec(&whose).unwrap_or_default());
    }
    hex(&digest.finalize(), 64)
}

/// The rows of the projects.
pub(crate) fn project_rows(contents: &Contents, options: &LakeOptions<'_>) -> Vec<LakeRow> {
    let names = KnownNames::new(options);
    let mut projects: BTreeMap<String, (LakeRow, ProjectFacts<'_>)> = BTreeMap::new();
    for StampedRow { row, .. } in contents.sessions() {
        let crate::Cell::Text(key) = names.project_key(&row.project) else {
            continue;
        };
        let known = projects.entry(key).or_insert_with(|| {
            let facts = ProjectFacts {
                project: &row.project,
                sessions: 0,
                first: None,
                last: None,
            };
            (names.head(&row.origin), facts)
        });
        known.1.add(row);
    }
    let rows = projects.into_values();
    rows.map(|(head, facts)| names.project(head, &facts))
        .collect()
}

impl<'a> ProjectFacts<'a> {
    fn add(&mut self, row: &'a ListRow) {
        self.sessions += 1;
        if let Some(started) = row.started.as_deref()
            && self.first.is_none_or(|own| time::is_before(started, own))
        {
            self.first = Some(started);
        }
        if let Some(updated) = row.updated.as_deref()
            && self.last.is_none_or(|own| time::is_before(own, updated))
        {
            self.last = Some(updated);
        }
    }
}

/// The sessions with subagents, where the rows of one depend on the words of the others: what one of
/// them proves to be a secret is one in all of them, as in an export.
#[derive(Debug, Default)]
pub(crate) struct SessionFamilies {
    /// The digest of everything in a family, by its main session.
    digests: HashMap<SessionRef, [u8; 32]>,
}

impl SessionFamilies {
    /// The families among these sessions. At levels without redaction each session is by itself.
    pub(crate) fn of(sessions: &[StampedRow], level: Level) -> Self {
        if level != Level::Redacted {
            return Self::default();
        }
        let mut families: HashMap<SessionRef, Vec<(SessionRef, u64)>> = HashMap::new();
        for StampedRow {
            row, fingerprint, ..
        } in sessions
        {
            if let Some(main) = row.parent_ref {
                let family = families.entry(main).or_default();
                family.push((row.reference, *fingerprint));
            }
        }
        let mains = sessions.iter().filter(|it| it.row.parent_ref.is_none());
        let digests = mains.filter_map(|main| {
            // A subagent without its main session is on its own.
            let mut family = families.remove(&main.row.reference)?;
            family.push((main.row.reference, main.fingerprint));
            Some((main.row.reference, family_digest(family)))
        });
        Self {
            digests: digests.collect(),
        }
    }

    /// The session that this one has to be read with: the main one of its family, or itself.
    pub(crate) fn main_of(&self, row: &ListRow) -> SessionRef {
        let main = row.parent_ref.filter(|it| self.digests.contains_key(it));
        main.unwrap_or(row.reference)
    }

    /// The digest of everything in a session's family, if it has one.
    pub(crate) fn digest_of(&self, row: &ListRow) -> Option<&[u8; 32]> {
        self.digests.get(&self.main_of(row))
    }

    /// True if two sessions are of the same family.
    pub(crate) fn are_one(&self, one: &StampedRow, other: &StampedRow) -> bool {
        self.main_of(&one.row) == self.main_of(&other.row)
    }
}

fn family_digest(mut family: Vec<(SessionRef, u64)>) -> [u8; 32] {
    family.sort_unstable();
    let mut digest = Sha256::new();
    for (reference, fingerprint) in family {
        digest.update(reference.as_str());
        digest.update(fingerprint.to_le_bytes());
    }
    digest.finalize().into()
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
