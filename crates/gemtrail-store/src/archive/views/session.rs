//! What the views store about a session.

use std::sync::mpsc::Receiver;

use gemtrail_core::model::{Message, Session, SessionRow};
use gemtrail_core::stats::SessionFacts;
use gemtrail_core::{Fingerprint, LogEntry, time};

use super::checkup::{self, Conditions};
use super::head::Head;
use super::key::{Key, key_of};
use super::unit::{KnownUnit, UnitFacts, UnitView};
use super::work::Files;
use super::{facts, rows, shown};
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{FileRowId, SessionRowId, VersionRowId};
use crate::archive::index::SessionTerms;
use crate::library::{ListRow, fingerprint_of};
use crate::said::Said;
use crate::search::{Outputs, for_each_unit};

/// A session without its messages.
pub(super) struct Outline {
    pub(super) key: Key,
    pub(super) row: SessionRow,
    pub(super) facts: SessionFacts,
    /// Changes whenever anything about the session does.
    pub(super) fingerprint: i64,
    /// Its files.
    pub(super) paths: Vec<String>,
    /// The files' rows, with the versions that were read.
    pub(super) files: Vec<(FileRowId, VersionRowId)>,
    pub(super) bytes: u64,
    /// The fingerprints of the prompts that only the log has.
    pub(super) logged: Vec<u8>,
    /// The fingerprint of all its prompts in the log.
    pub(super) prompts: i64,
    /// Fingerprints of what the user said, packed.
    pub(super) said: Vec<u8>,
    /// What the views know about it.
    pub(super) known: Option<KnownSession>,
}

/// A session that has views already.
pub(super) struct KnownSession {
    pub(super) id: SessionRowId,
    /// By number.
    pub(super) units: Vec<KnownUnit>,
}

impl Outline {
    /// The units that the views have of it, by number.
    pub(super) fn known_units(&self) -> &[KnownUnit] {
        self.known.as_ref().map_or(&[], |known| &known.units)
    }

    fn of(session: &Session, files: &Files<'_>, prompts: i64) -> Self {
        let paths: Vec<String> = session
            .journals
            .iter()
            .map(|journal| journal.path.clone())
            .collect();
        let archived = |path: &String| {
            let archived = files.get(path.as_str())?.1.versions.archived?;
            Some((archived.file, archived.version))
        };
        let rows: Vec<(FileRowId, VersionRowId)> = paths.iter().filter_map(archived).collect();
        let mut row = SessionRow::from_session(session.clone());
        // What depends on the time of reading is filled in later.
        row.on_disk = false;
        row.archived = true;
        let logged = session.logged.iter();
        let logged: Vec<u8> = logged
            .flat_map(|logged| fingerprint_of(logged).to_le_bytes())
            .collect();
        let versions = rows
            .iter()
            .flat_map(|(file, version)| [file.0.to_le_bytes(), version.0.to_le_bytes()]);
        let fingerprint = Fingerprint::of_parts([
            &serde_json::to_vec(&row).unwrap_or_default(),
            &versions.flatten().collect(),
            &logged,
            &prompts.to_le_bytes().to_vec(),
        ]);
        Self {
            key: key_of(session),
            fingerprint: fingerprint.short().cast_signed(),
            bytes: session.journals.iter().map(|journal| journal.bytes).sum(),
            files: rows,
            paths,
            logged,
            prompts,
            said: Vec::new(),
            known: None,
            facts: SessionFacts::of(session),
            row,
        }
    }
}

/// Changes whenever one of these prompts does; 0 for none.
pub(super) fn fingerprint_of_prompts(prompts: Option<&Vec<LogEntry>>) -> i64 {
    let Some(prompts) = prompts else { return 0 };
    let texts = prompts
        .iter()
        .flat_map(|prompt| [prompt.time.as_str(), prompt.text.as_str()]);
    Fingerprint::of_parts(texts).short().cast_signed()
}

/// Outlines a session with these prompts, and its subagents.
pub(super) fn outlines_of(session: &Session, files: &Files<'_>, prompts: i64) -> Vec<Outline> {
    let mut own = Outline::of(session, files, prompts);
    own.said = Said::pack(session);
    let mut outlines = vec![own];
    add_subagents(session, files, &mut outlines);
    outlines
}

fn add_subagents(session: &Session, files: &Files<'_>, outlines: &mut Vec<Outline>) {
    for subagent in &session.subagents {
        outlines.push(Outline::of(subagent, files, 0));
        add_subagents(subagent, files, outlines);
    }
}

/// What the views keep of a session in packed form.
pub(super) struct Packed {
    /// What a list shows.
    pub(super) shown: Vec<u8>,
    /// The line of `list --json`.
    pub(super) line: Vec<u8>,
    /// What statistics need.
    pub(super) facts: Vec<u8>,
}

impl Packed {
    pub(super) fn of(outline: &Outline) -> Result<Self, ArchiveError> {
        Ok(Self {
            shown: shown::encode(&ListRow::from(&outline.row)),
            line: rows::encode(&outline.row)?,
            facts: facts::pack(&outline.facts),
        })
    }
}

/// Everything that is written for a session.
pub(super) struct SessionView<'a> {
    pub(super) outline: &'a Outline,
    pub(super) packed: Packed,
    pub(super) session: Session,
    pub(super) units: Vec<UnitView>,
    /// The words of the units that are new.
    pub(super) words: SessionTerms,
    /// The output files that it names, with the versions that were read.
    pub(super) outputs: Vec<(String, Option<VersionRowId>)>,
    /// What a check-up wants to know of its journal, packed, if that is all of it.
    pub(super) checkup: Option<Vec<u8>>,
    /// If it is long.
    pub(super) head: Option<Head>,
    /// The messages that follow, if not all of them are here.
    pub(super) rest: Option<Receiver<Stretch>>,
}

/// What the writer gets: a session, or why it cannot be written.
pub(super) type Delivery<'a> = Result<SessionView<'a>, ArchiveError>;

/// Some messages of a long session that follow each other.
pub(super) struct Stretch {
    /// The number of the first one.
    pub(super) first: usize,
    pub(super) messages: Vec<Message>,
    pub(super) units: Vec<UnitView>,
    /// The words of the units that are new.
    pub(super) words: SessionTerms,
    /// The output files that they name, with the versions that were read.
    pub(super) outputs: Vec<(String, Option<VersionRowId>)>,
}

/// The views of a session that was read in full, and of its subagents.
pub(super) fn views_of<'a>(
    session: Session,
    outlines: &'a [Outline],
    outputs: &Outputs<'_>,
    conditions: &Conditions,
    views: &mut Vec<SessionView<'a>>,
) -> Result<(), ArchiveError> {
    let mut session = session;
    let checkup = checkup::pack(&session, conditions);
    for subagent in std::mem::take(&mut session.subagents) {
        views_of(subagent, outlines, outputs, conditions, views)?;
    }
    let key = key_of(&session);
    // Both reads agree, or the file changed in between and the next run handles it.
    let Some(outline) = outlines.iter().find(|outline| outline.key == key) else {
        return Ok(());
    };
    let (units, words) = units_of(&session, Numbers::default(), outline.known_units(), outputs);
    views.push(SessionView {
        outline,
        packed: Packed::of(outline)?,
        outputs: outputs.named_by(&session.messages),
        checkup,
        head: Head::of(&session),
        units,
        words,
        session,
        rest: None,
    });
    Ok(())
}

/// How many messages and units come before those of a part of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) messages: usize,
    pub(super) units: usize,
}

/// The units of a session, or of a part of it. With the words of those that the views do not have
/// unchanged.
pub(super) fn units_of(
    session: &Session,
    before: Numbers,
    known: &[KnownUnit],
    outputs: &Outputs<'_>,
) -> (Vec<UnitView>, SessionTerms) {
    let mut units = Vec::new();
    let mut words = SessionTerms::default();
    let updated = session.updated.as_deref().and_then(time::parse);
    for_each_unit(session, outputs, &mut |mut unit| {
        unit.number += before.units;
        unit.index = unit.index.map(|index| index + before.messages);
        let text = unit.text();
        let facts = UnitFacts::of(&unit, &text, updated);
        let same = known.binary_search_by_key(&unit.number, |it| it.number);
        let is_known = same.is_ok_and(|at| known[at].facts == facts);
        units.push(UnitView {
            number: unit.number,
            facts,
            length: (!is_known).then(|| words.add(&text)),
        });
    });
    (units, words)
}
