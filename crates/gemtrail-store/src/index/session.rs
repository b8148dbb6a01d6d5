//! What the views store about a session.

use std::sync::mpsc::Receiver;

use gemtrail_core::model::{Logged, Message, Session, SessionRow};
use gemtrail_core::stats::SessionFacts;
use gemtrail_core::{Fingerprint, LogEntry, time};
use gemtrail_home::outputs::Outputs;
use gemtrail_home::said::Said;
use gemtrail_query::{IndexQuery, IndexToken, for_each_unit};

use super::clean_up;
use super::head::Head;
use super::unit::{KnownUnit, UnitFacts, UnitView, Words};
use super::work::{Files, Key, ProjectWork, key_of};
use crate::db::ArchiveError;
use crate::db::ids::{FileRowId, SessionRowId, VersionRowId};

/// The line of a row whose prompts are longer is not kept.
const LONGEST_PROMPTS: usize = 16 << 20;

/// A session without its messages.
pub(super) struct Outline {
    pub(super) key: Key,
    pub(super) row: SessionRow,
    /// The row as a line of JSON; empty if that would be too long.
    pub(super) line: String,
    /// The facts for statistics, if these may be asked for.
    pub(super) facts: Option<SessionFacts>,
    /// Changes whenever anything about the session does.
    pub(super) fingerprint: i64,
    /// Its files as Gemini CLI's clean-up sees them, as JSON.
    pub(super) clean_up: String,
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
    /// The change that added it.
    pub(super) added: i64,
    /// By number.
    pub(super) units: Vec<KnownUnit>,
}

impl Outline {
    /// The units that the views have of it, by number.
    pub(super) fn known_units(&self) -> &[KnownUnit] {
        self.known.as_ref().map_or(&[], |known| &known.units)
    }

    /// Outlines a session, and returns its subagents.
    fn of(
        session: Session,
        files: &Files<'_>,
        prompts: i64,
        with_facts: bool,
    ) -> (Self, Vec<Session>) {
        let paths: Vec<String> = session
            .journals
            .iter()
            .map(|journal| journal.path.clone())
            .collect();
        let rows = |path: &String| Some(files.get(path.as_str())?.1.rows());
        let rows: Vec<(FileRowId, VersionRowId)> = paths.iter().filter_map(rows).collect();
        let logged = session.logged.iter();
        let logged: Vec<u8> = logged
            .flat_map(|logged| fingerprint_of(logged).to_le_bytes())
            .collect();
        let key = key_of(&session);
        let clean_up = clean_up::pack(&session.journals, files);
        let facts = with_facts.then(|| SessionFacts::of(&session));
        let bytes = session.journals.iter().map(|journal| journal.bytes).sum();
        let (mut row, subagents) = SessionRow::split(session);
        // What depends on the time of reading is filled in later.
        row.on_disk = false;
        row.archived = true;
        let prompts_said = [&row.first_prompt, &row.last_prompt];
        let said: usize = prompts_said
            .iter()
            .filter_map(|it| it.as_ref())
            .map(String::len)
            .sum();
        // A row with prompts of many megabytes is written anew when somebody asks for it.
        let long: [Option<String>; 2] = if said > LONGEST_PROMPTS {
            [row.first_prompt.take(), row.last_prompt.take()]
        } else {
            [None, None]
        };
        let mut line = serde_json::to_string(&row).unwrap_or_default();
        let versions = rows
            .iter()
            .flat_map(|(file, version)| [file.0.to_le_bytes(), version.0.to_le_bytes()]);
        let long_bytes = |it: usize| long[it].as_deref().unwrap_or_default().as_bytes();
        let fingerprint = Fingerprint::of_parts([
            line.as_bytes(),
            &versions.flatten().collect::<Vec<u8>>(),
            &logged,
            &prompts.to_le_bytes(),
            long_bytes(0),
            long_bytes(1),
        ]);
        if said > LONGEST_PROMPTS {
            line.clear();
        }
        let outline = Self {
            key,
            fingerprint: fingerprint.short().cast_signed(),
            bytes,
            clean_up,
            files: rows,
            paths,
            logged,
            prompts,
            said: Vec::new(),
            known: None,
            facts,
            line,
            row,
        };
        (outline, subagents)
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
pub(super) fn outlines_of(
    session: Session,
    files: &Files<'_>,
    prompts: i64,
    work: &ProjectWork<'_>,
) -> Vec<Outline> {
    // Only an archive follows what is said, journal by journal.
    let said = work.pool.map(|_| Said::pack(&session)).unwrap_or_default();
    let (own, subagents) = Outline::of(session, files, prompts, work.with_facts);
    let mut outlines = vec![Outline { said, ..own }];
    let mut rest = subagents;
    rest.reverse();
    while let Some(subagent) = rest.pop() {
        let (outline, subagents) = Outline::of(subagent, files, 0, work.with_facts);
        outlines.push(outline);
        rest.extend(subagents.into_iter().rev());
    }
    outlines
}

/// Everything that is written for a session.
pub(super) struct SessionView<'a> {
    pub(super) outline: &'a Outline,
    pub(super) session: Session,
    pub(super) units: Vec<UnitView>,
    /// The output files that it names, with the versions that were read.
    pub(super) outputs: Vec<(String, Option<VersionRowId>)>,
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
    /// The output files that they name, with the versions that were read.
    pub(super) outputs: Vec<(String, Option<VersionRowId>)>,
}

/// The texts that an index in memory needs: those that a query may find.
#[derive(Debug)]
pub(crate) struct TextFilter {
    /// `None` for all of them.
    tokens: Option<Vec<IndexToken>>,
}

impl TextFilter {
    /// Every text.
    pub(crate) fn everything() -> Self {
        Self { tokens: None }
    }

    /// The texts that a query may find.
    pub(crate) fn of(query: &IndexQuery) -> Self {
        // Any clause will do: a text must meet all of them.
        let tokens = query.all.first().map(|any| any.iter().flatten().cloned());
        Self {
            tokens: tokens.map(Iterator::collect),
        }
    }

    fn takes(&self, words: &Words) -> bool {
        let Some(tokens) = &self.tokens else {
            return true;
        };
        let is_one = |term: &str| {
            tokens.iter().any(|token| {
                term == token.text || token.prefix && term.starts_with(token.text.as_str())
            })
        };
        words.terms().any(is_one)
    }
}

/// The outlines of sessions, the outputs of their calls, and which of their texts are wanted.
pub(super) type ViewSources<'a, 's> = (&'a [Outline], &'s Outputs<'s>, Option<&'s TextFilter>);

/// The views of a session that was read in full, and of its subagents.
pub(super) fn views_of<'a>(
    mut session: Session,
    sources: ViewSources<'a, '_>,
    views: &mut Vec<SessionView<'a>>,
) {
    for subagent in std::mem::take(&mut session.subagents) {
        views_of(subagent, sources, views);
    }
    let (outlines, outputs, wanted) = sources;
    let key = key_of(&session);
    // Both reads agree, or the file changed in between and the next run handles it.
    let Some(outline) = outlines.iter().find(|outline| outline.key == key) else {
        return;
    };
    let mut units = units_of(&session, Numbers::default(), outline.known_units(), outputs);
    if let Some(wanted) = wanted {
        units.retain(|unit| unit.words.as_ref().is_some_and(|words| wanted.takes(words)));
    }
    views.push(SessionView {
        outline,
        outputs: outputs.named_by(&session.messages),
        head: Head::of(&session),
        units,
        session,
        rest: None,
    });
}

/// How many messages and units come before those of a part of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) messages: usize,
    pub(super) units: usize,
}

/// The units of a session, or of a part of it. With the words of those that the index does not have
/// unchanged.
pub(super) fn units_of(
    session: &Session,
    before: Numbers,
    known: &[KnownUnit],
    outputs: &Outputs<'_>,
) -> Vec<UnitView> {
    let mut units = Vec::new();
    let mut buffer = String::new();
    let updated = session.updated.as_deref().and_then(time::parse);
    for_each_unit(session, &|call| outputs.read(call), &mut |mut unit| {
        let message = unit.message.and(unit.index);
        let message = message.and_then(|index| session.messages.get(index));
        let turn = message.map(|message| message.place.turn);
        unit.number += before.units;
        unit.index = unit.index.map(|index| index + before.messages);
        let text = unit.text();
        let facts = UnitFacts::of(&unit, turn, &text, updated);
        let same = known.binary_search_by_key(&unit.number, |it| it.number);
        let is_known = same.is_ok_and(|at| known[at].facts == facts);
        units.push(UnitView {
            number: unit.number,
            facts,
            words: (!is_known).then(|| Words::of(&text, &mut buffer)),
        });
    });
    units
}

/// The fingerprint of a logged prompt.
pub(crate) fn fingerprint_of(logged: &Logged) -> u64 {
    Fingerprint::of_parts([logged.time.as_deref().unwrap_or_default(), &logged.text]).short()
}
