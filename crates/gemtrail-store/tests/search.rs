//! The file executor against the definition: all sessions read at once, every unit judged.

use std::collections::BTreeSet;

use gemtrail_core::Detail;
use gemtrail_core::model::Session;
use gemtrail_query::{
    Condition, Matcher, Order, Page, Query, SessionFacts, SortKey, Surroundings, for_each_unit,
};
use gemtrail_store::Outputs;
use gemtrail_store::{FileKind, Library, Places, SessionFilter};
use gemtrail_testkit::fixtures;
use jiff::{Timestamp, tz::TimeZone};

fn world() -> Surroundings<'static> {
    Surroundings {
        now: Timestamp::UNIX_EPOCH,
        zone: const { &TimeZone::UTC },
        roots: Box::new(|_| Vec::new()),
        session: Box::new(|name| Ok(Condition::Session(name.to_owned()))),
    }
}

/// Identifies a hit.
type Name = (String, Vec<String>, usize);

fn library(home: &std::path::Path) -> Library {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    Library::open(&places).expect("the home is there")
}

/// The hits by definition.
#[derive(Default)]
struct Defined {
    hits: BTreeSet<Name>,
    /// The texts of the project that are hits.
    texts: BTreeSet<(&'static str, String)>,
    /// The same of its checkpoints and restore points.
    saved: BTreeSet<(&'static str, String)>,
}

fn defined(library: &Library, query: &Query) -> BTreeSet<Name> {
    let mut defined = Defined::default();
    for project in library.projects() {
        defined.texts.clear();
        defined.saved.clear();
        let outputs = Outputs::of(project);
        for session in library.read_project(project, Detail::Full).sessions {
            defined.judge(&session, &outputs, query);
        }
        let of_kind = |is_kind: fn(&FileKind) -> bool| {
            let files = project.files().iter().map(|(_, file)| file);
            files.filter(move |file| is_kind(&file.kind))
        };
        let checkpoints = of_kind(|kind| matches!(kind, FileKind::Checkpoint { .. }));
        let restore_points = of_kind(|kind| matches!(kind, FileKind::RestorePoint));
        for file in checkpoints.chain(restore_points) {
            let checkpoint = library.read_checkpoint(&file.path).expect("it is there");
            let repeats = file.kind == FileKind::RestorePoint;
            defined.judge_checkpoint(&checkpoint, repeats, &outputs, query);
        }
    }
    defined.hits
}

impl Defined {
    fn judge(&mut self, session: &Session, outputs: &Outputs<'_>, query: &Query) {
        let (matcher, facts) = (Matcher::new(query), SessionFacts::of(session));
        let mut calls = BTreeSet::new();
        for_each_unit(session, &|call| outputs.read(call), &mut |unit| {
            let is_background = query.filters.is_background(unit.facts.role);
            if !is_background && matcher.matches(&facts, &unit) {
                let text = unit.text().into_owned();
                self.texts.insert((unit.facts.field.as_str(), text));
                // A call is one hit.
                if unit
                    .call_index
                    .is_none_or(|call| calls.insert((unit.index, call)))
                {
                    let id = session.id.as_str().to_owned();
                    self.hits.insert((id, session.stems.clone(), unit.number));
                }
            }
        });
        for subagent in &session.subagents {
            self.judge(subagent, outputs, query);
        }
    }

    /// Only what is not in any session; of restore points, only what no other one has.
    fn judge_checkpoint(
        &mut self,
        checkpoint: &Session,
        repeats: bool,
        outputs: &Outputs<'_>,
        query: &Query,
    ) {
        let (matcher, facts) = (Matcher::new(query), SessionFacts::of(checkpoint));
        let mut calls = BTreeSet::new();
        for_each_unit(checkpoint, &|call| outputs.read(call), &mut |unit| {
            let text = (unit.facts.field.as_str(), unit.text().into_owned());
            let is_background = query.filters.is_background(unit.facts.role);
            let is_new = !is_background && !self.texts.contains(&text);
            let is_hit = !is_background && matcher.matches(&facts, &unit);
            let is_first = |call| calls.insert((unit.index, call));
            let is_hit = is_hit && unit.call_index.is_none_or(is_first);
            if is_new && is_hit && (self.saved.insert(text) || !repeats) {
                let id = checkpoint.id.as_str().to_owned();
                let name = (id, checkpoint.stems.clone(), unit.number);
                self.hits.insert(name);
            }
        });
    }
}

/// The hits of the executor.
fn found(library: &Library, query: &Query) -> BTreeSet<Name> {
    let answer = library.search(query, &Page::default());
    let names: BTreeSet<Name> = answer
        .hits
        .iter()
        .map(|hit| (hit.session.as_str().to_owned(), hit.stems.clone(), hit.unit))
        .collect();
    assert_eq!(names.len(), answer.hits.len(), "no hit stands there twice");
    assert_eq!(names.len(), answer.total);
    let sessions: BTreeSet<_> = names.iter().map(|(id, stems, _)| (id, stems)).collect();
    assert_eq!(sessions.len(), answer.sessions);
    names
}

const QUERIES: [&str; 13] = [
    "the",
    "-zzz",
    "role:human",
    "field:log",
    "field:title OR field:summary",
    "state:superseded",
    "tool:shell",
    "status:error",
    "file:txt",
    "hello OR hi",
    "a0120",
    "\"one two\" OR rea*",
    "a.txt -field:tool_output",
];

#[test]
fn files_give_the_hits_of_the_definition() {
    let mut hits = 0;
    for fixture in fixtures() {
        let library = library(&fixture.home);
        for text in QUERIES {
            let query = Query::parse(text, world()).expect("a query");
            let (defined, found) = (defined(&library, &query), found(&library, &query));
            assert_eq!(defined, found, "{} {text}", fixture.name());
            hits += found.len();
        }
    }
    assert!(hits > 3_000, "only {hits} hits in all");
}

#[test]
fn sessions_can_be_named() {
    for fixture in fixtures() {
        let library = library(&fixture.home);
        for row in library.rows(&SessionFilter::everything()) {
            let query = Query::parse(&format!("session:{}", row.id), world()).expect("a query");
            let (defined, found) = (defined(&library, &query), found(&library, &query));
            assert_eq!(defined, found, "{} {}", fixture.name(), row.id);
        }
    }
}

#[test]
fn pages_are_parts_of_the_whole() {
    let library = library(&gemtrail_testkit::examples::home());
    let query = Query::parse("-zzz", world()).expect("a query");
    for order in [Order::Newest, Order::Rank] {
        let page = |offset, limit| Page {
            order,
            offset,
            limit,
        };
        let search = |page| library.search(&query, &page);
        let all = search(page(0, None)).hits;
        assert!(all.len() > 20);
        let in_order = |pair: &[_]| SortKey::of(&pair[0]).compare(&SortKey::of(&pair[1]), order);
        assert!(all.windows(2).all(|pair| in_order(pair).is_lt()));
        for (offset, limit) in [(0, 1), (0, 7), (5, 10), (all.len() - 2, 10)] {
            let part = search(page(offset, Some(limit)));
            let end = (offset + limit).min(all.len());
            assert_eq!(part.hits, all[offset..end]);
            assert_eq!(part.total, all.len());
        }
    }
}

#[test]
fn a_file_may_belong_to_another_session_than_its_header_says() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let chats = home.path().join(".gemini/tmp/demo/chats");
    std::fs::create_dir_all(&chats).expect("it can be made");
    let journal = |id: &str, then: &str, word: &str| {
        format!(
            r#"{{"sessionId":"{id}","projectHash":"demo","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:00:00.000Z"}}
{{"id":"{word}","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":"needle {word}"}}
{{"$set":{{"sessionId":"{then}"}}}}
"#
        )
    };
    let write = |name: &str, text: String| std::fs::write(chats.join(name), text);
    write(
        "session-2026-06-01T10-00-aaaaaaaa.jsonl",
        journal("aaaaaaaa", "aaaaaaaa", "one"),
    )
    .expect("it can be written");
    write(
        "session-2026-06-01T10-01-bbbbbbbb.jsonl",
        journal("bbbbbbbb", "aaaaaaaa", "two"),
    )
    .expect("it can be written");
    let library = library(home.path());
    let query = Query::parse("needle", world()).expect("a query");
    let found = found(&library, &query);
    assert_eq!(found, defined(&library, &query));
    assert!(found.len() == 2 && found.iter().all(|(id, ..)| id == "aaaaaaaa"));
}
