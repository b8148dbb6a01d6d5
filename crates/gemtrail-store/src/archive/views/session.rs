//! What the views hold of a session.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use gemtrail_core::model::{Session, SessionRow};
use gemtrail_core::{LogEntry, time};
use sha2::{Digest as _, Sha256};

use super::key::{Key, key_of};
use super::known::KnownUnit;
use super::words::state_word;
use super::work::Files;
use crate::archive::db::ids::{FileRowId, SessionRowId, VersionRowId};
use crate::library::print_of;
use crate::said::{self, Said};
use crate::search::{Field, Outputs, Unit, for_each_unit, index_tokens, print_of_text};

/// A session without what was said in it.
pub(super) struct Outline {
    pub(super) key: Key,
    pub(super) row: SessionRow,
    /// Changes whenever anything about the session does.
    pub(super) print: i64,
    /// Its files.
    pub(super) paths: Vec<String>,
    /// The files' rows, with the versions that were read.
    pub(super) files: Vec<(FileRowId, VersionRowId)>,
    pub(super) bytes: u64,
    /// The prints of the prompts that only the log has.
    pub(super) logged: Vec<u8>,
    /// The print of all its prompts in the log.
    pub(super) prompts: i64,
    /// What the person said, packed.
    pub(super) said: Vec<u8>,
    /// What the views have of it.
    pub(super) known: Option<KnownSession>,
}

/// A session that has views already.
pub(super) struct KnownSession {
    pub(super) id: SessionRowId,
    /// By number.
    pub(super) units: Vec<KnownUnit>,
}

impl Outline {
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
        // What is true only now is filled in when it is asked for.
        row.on_disk = false;
        row.archived = true;
        let mut digest = Sha256::new();
        digest.update(serde_json::to_vec(&row).unwrap_or_default());
        for (file, version) in &rows {
            digest.update(file.0.to_le_bytes());
            digest.update(version.0.to_le_bytes());
        }
        let logged = session.logged.iter();
        let logged: Vec<u8> = logged
            .flat_map(|logged| print_of(logged).to_le_bytes())
            .collect();
        digest.update(&logged);
        digest.update(prompts.to_le_bytes());
        let digest: [u8; 32] = digest.finalize().into();
        let (first, _) = digest.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        Self {
            key: key_of(session),
            print: i64::from_le_bytes(*first),
            bytes: session.journals.iter().map(|journal| journal.bytes).sum(),
            files: rows,
            paths,
            logged,
            prompts,
            said: Vec::new(),
            known: None,
            row,
        }
    }
}

/// Changes whenever one of these prompts does; 0 for none.
pub(super) fn print_of_prompts(prompts: Option<&Vec<LogEntry>>) -> i64 {
    let Some(prompts) = prompts else { return 0 };
    let texts: Vec<&str> = prompts
        .iter()
        .flat_map(|prompt| [prompt.time.as_str(), prompt.text.as_str()])
        .collect();
    said::print_of(&texts).cast_signed()
}

/// A session with these prompts, and its subagents.
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

/// Everything that is written about a session.
pub(super) struct SessionView<'a> {
    pub(super) outline: &'a Outline,
    pub(super) session: Session,
    pub(super) units: Vec<UnitView>,
    /// The output files that it names, with the versions that were read.
    pub(super) outputs: Vec<(String, Option<VersionRowId>)>,
}

/// Something that can be found.
pub(super) struct UnitView {
    pub(super) number: usize,
    pub(super) message: Option<usize>,
    pub(super) call: Option<usize>,
    pub(super) field: &'static str,
    pub(super) role: Option<&'static str>,
    pub(super) state: Option<&'static str>,
    /// Milliseconds since 1970.
    pub(super) time: Option<i64>,
    /// What stands for the text.
    pub(super) text: u64,
    pub(super) print: i64,
    /// What is looked up; nothing if the views have the unit as it is.
    pub(super) words: Option<Words>,
}

/// What the index has of a unit.
pub(super) struct Words {
    /// How many there are.
    pub(super) count: usize,
    /// Each word once.
    pub(super) tokens: String,
}

/// The views of a session that was read in full, and of its subagents.
pub(super) fn views_of<'a>(
    session: Session,
    outlines: &'a [Outline],
    outputs: &Outputs<'_>,
    views: &mut Vec<SessionView<'a>>,
) {
    let mut session = session;
    for subagent in std::mem::take(&mut session.subagents) {
        views_of(subagent, outlines, outputs, views);
    }
    let key = key_of(&session);
    // The two readings agree, or the file changed in between and the next run sees to it.
    let Some(outline) = outlines.iter().find(|outline| outline.key == key) else {
        return;
    };
    let mut units = Vec::new();
    let mut buffer = String::new();
    let updated = session.updated.as_deref().and_then(time::parse);
    let known = outline.known.as_ref().map(|known| known.units.as_slice());
    let known = known.unwrap_or_default();
    for_each_unit(&session, outputs, &mut |unit| {
        let text = unit.text();
        let mut view = UnitView::of(&unit, &text, updated);
        view.print = view.own_print();
        let same = known.binary_search_by_key(&unit.number, |it| it.number);
        if same.is_ok_and(|at| known[at].print == view.print) {
            view.words = None;
        } else {
            view.words = Some(words(&text, &mut buffer));
        }
        units.push(view);
    });
    views.push(SessionView {
        outline,
        outputs: outputs.named_by(&session),
        session,
        units,
    });
}

impl UnitView {
    fn of(unit: &Unit<'_>, text: &str, updated: Option<time::Timestamp>) -> Self {
        let facts = &unit.facts;
        let said = facts.time.and_then(time::parse).or(updated);
        let is_of_message = facts.field != Field::Log;
        Self {
            number: unit.number,
            message: unit.index.filter(|_| is_of_message),
            call: unit.call_index,
            field: facts.field.as_str(),
            role: facts.role.map(gemtrail_core::model::Role::as_str),
            state: facts.state.map(state_word),
            time: said.map(time::Timestamp::as_millisecond),
            text: print_of_text(facts.field, text),
            print: 0,
            words: None,
        }
    }

    /// Changes whenever anything about it does. Another release of Rust may give other numbers;
    /// then the unit is written anew, which does no harm.
    fn own_print(&self) -> i64 {
        let mut hasher = DefaultHasher::new();
        (self.message, self.call, self.role, self.state, self.time).hash(&mut hasher);
        self.text.hash(&mut hasher);
        hasher.finish().cast_signed()
    }
}

fn words(text: &str, buffer: &mut String) -> Words {
    buffer.clear();
    let count = index_tokens(text, buffer);
    let mut seen = HashSet::new();
    let mut tokens = String::new();
    for token in buffer.split_ascii_whitespace() {
        if seen.insert(token) {
            tokens.push_str(token);
            tokens.push(' ');
        }
    }
    Words { count, tokens }
}
