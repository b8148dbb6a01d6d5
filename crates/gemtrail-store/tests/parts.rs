//! A part of a session that is read alone is what reading all of it gives at that place.

use std::io;
use std::path::Path;

use gemtrail_core::model::{Message, Place, Session};
use gemtrail_export::Selection;
use gemtrail_export::plain::{self, Details, Ink, Layout, LineSink};
use gemtrail_export::present::{ExcerptSurroundings, Options, Presentation};
use gemtrail_store::archive::{Archive, ArchiveWriter, SyncOptions};
use gemtrail_store::{
    ArchiveNeed, ArchiveOptions, Hints, Library, Machine, Places, ReadDetail, SessionFilter,
    SessionPart, Spot, Trail, TrailOptions, WantedPart, discover,
};
use gemtrail_testkit::{examples, fixtures};

/// A library in which every session counts as long.
fn library(home: &Path, archive: &Path) -> std::sync::Arc<Library> {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let found: Vec<_> = places
        .homes()
        .expect("homes")
        .iter()
        .map(discover)
        .collect();
    let options = SyncOptions {
        long_from: 0,
        ..SyncOptions::default()
    };
    let mut writer = ArchiveWriter::open(archive).expect("an archive");
    let synced = writer.sync(&found, &options, &mut |_| {});
    synced.expect("it is taken in");
    let options = TrailOptions {
        places,
        archive: Some(ArchiveOptions {
            path: archive.to_owned(),
            need: ArchiveNeed::Always,
            ..ArchiveOptions::default()
        }),
        ..TrailOptions::default()
    };
    let (trail, _) = Trail::open(options).expect("it opens");
    trail.view()
}

/// Every place of a session, and some where nothing is.
fn places(session: &Session) -> Vec<Place> {
    let mut places = vec![Place::default(), Place::new(9999, 0), Place::new(1, 9999)];
    for message in &session.messages {
        places.push(message.place);
        let calls = 0..message.tool_calls.len();
        places.extend(calls.map(|call| message.place.of_call(call)));
    }
    places
}

fn json(session: &Session) -> String {
    serde_json::to_string(session).expect("a document")
}

/// How often a part could be read alone, and how often not.
#[derive(Debug, Default)]
struct Tally {
    alone: usize,
    not_alone: usize,
    drawn_alone: usize,
}

impl Tally {
    fn compare_all(&mut self, library: &Library, what: &str) {
        for row in library.sessions(&SessionFilter::everything()) {
            for detail in [ReadDetail::Document, ReadDetail::Words] {
                let whole = library.read(row.reference, detail);
                let whole = whole.expect("what is listed can be read");
                let drawn = options().map(|options| {
                    let drawn = Drawn::of(&Presentation::new(&whole, &options));
                    (options, drawn)
                });
                let drawn: Vec<(Options, Drawn)> = drawn.collect();
                for place in places(&whole) {
                    self.compare(library, (&whole, &drawn), place, detail, what);
                }
                self.compare_pages(library, &whole, what);
            }
        }
    }

    fn compare(
        &mut self,
        library: &Library,
        (whole, drawn): (&Session, &[(Options, Drawn)]),
        place: Place,
        detail: ReadDetail,
        what: &str,
    ) {
        for around in [0, 1, 4] {
            let wanted = WantedPart::At(place, around);
            let Some(mut part) = library.read_part(whole.reference, &wanted, detail) else {
                self.not_alone += 1;
                continue;
            };
            if part.session.at(place).is_none() {
                assert_eq!(whole.at(place), None, "{what} {place}");
                continue;
            }
            self.alone += 1;
            assert_eq!(part.total, whole.messages.len(), "{what} {place}");
            self.compare_drawn(drawn, &part, place, what);
            let mut narrowed = whole.clone();
            narrowed.narrow(place);
            part.session.narrow(place);
            assert_eq!(json(&part.session), json(&narrowed), "{what} {place}");
        }
    }

    fn compare_pages(&mut self, library: &Library, whole: &Session, what: &str) {
        let count = whole.messages.len();
        for range in [0..1, 0..count + 5, count / 2..count, count..count + 1] {
            let wanted = WantedPart::Within(range.clone());
            let part = library.read_part(whole.reference, &wanted, ReadDetail::Words);
            self.alone += usize::from(part.is_some());
            let page = library.messages(whole.reference, range.clone());
            let page = page.expect("it can be read");
            let expected = &whole.messages[range.start..range.end.min(count)];
            let messages = |messages: &[_]| serde_json::to_string(messages).expect("messages");
            assert_eq!(messages(&page.messages), messages(expected), "{what}");
            assert_eq!(page.total, count, "{what}");
        }
        for (at, message) in whole.messages.iter().enumerate() {
            let id = message.id.as_str();
            let first = whole.messages.iter().position(|it| it.id.as_str() == id);
            let found = whole.at(message.place).map(|it| it.index);
            for (spot, index) in [
                (Spot::Index(at), Some(at)),
                (Spot::Index(at + count), Some(count - 1)),
                (Spot::Id(id.to_owned()), first),
                (Spot::Place(message.place), found),
                (Spot::Id("no such id".to_owned()), None),
                (Spot::Place(Place::new(9999, 1)), None),
            ] {
                self.compare_block(library, whole, &spot, index);
            }
        }
    }

    /// Compares the block of messages that one of them is in.
    fn compare_block(
        &mut self,
        library: &Library,
        whole: &Session,
        spot: &Spot,
        index: Option<usize>,
    ) {
        const SIZE: usize = 3;
        let wanted = WantedPart::Block(spot.clone(), SIZE);
        let Some(part) = library.read_part(whole.reference, &wanted, ReadDetail::Words) else {
            return;
        };
        self.alone += 1;
        let count = whole.messages.len();
        let first = index.map_or(count, |index| index / SIZE * SIZE);
        assert_eq!((part.first, part.total), (first, count), "{spot:?}");
        let messages = whole.messages.iter().enumerate().skip(first).take(SIZE);
        let (mut expected, mut copied): (Vec<Message>, _) = (Vec::new(), Vec::new());
        for (at, message) in messages {
            let mut message = message.clone();
            if !message.copies.is_empty() {
                copied.push(at);
                message.copies.clear();
            }
            expected.push(message);
        }
        assert_eq!(part.without_copies, copied, "{spot:?}");
        assert_eq!(part.session.messages.len(), expected.len(), "{spot:?}");
        for (at, (found, mut expected)) in part.session.messages.iter().zip(expected).enumerate() {
            if copied.contains(&(first + at)) {
                expected.revisions.clone_from(&found.revisions);
            }
            let json = |it: &Message| serde_json::to_string(it).expect("a message");
            assert_eq!(json(found), json(&expected), "{spot:?}");
        }
    }

    /// Compares what a person sees.
    fn compare_drawn(
        &mut self,
        whole: &[(Options, Drawn)],
        part: &SessionPart,
        place: Place,
        what: &str,
    ) {
        let around = ExcerptSurroundings {
            before: part.first,
            ends: part.is_last(),
            latest_before: part.latest_before,
        };
        for (options, whole) in whole {
            let excerpt = Presentation::new(&part.session, options);
            if excerpt.is_drawn_as_in_whole(place, around) {
                self.drawn_alone += 1;
                let drawn = Drawn::of(&excerpt.of_excerpt(around));
                assert_eq!(drawn.at(place), whole.at(place), "{what} {place}");
            }
        }
    }
}

/// The options that change what is shown.
fn options() -> impl Iterator<Item = Options> {
    let minimal = Options {
        minimal: true,
        ..Options::default()
    };
    let everything = Options {
        subagents: true,
        thoughts: true,
        empty: true,
        ..Options::default()
    };
    let all = [Options::default(), minimal, everything];
    all.into_iter().flat_map(|options| {
        let selections = [Selection::Conversation, Selection::Current, Selection::All];
        selections.map(|selection| Options {
            selection,
            ..options.clone()
        })
    })
}

/// Lines, and the first line of each place.
#[derive(Default)]
struct Drawn {
    lines: Vec<String>,
    places: Vec<(Place, usize)>,
}

impl Drawn {
    fn of(presentation: &Presentation<'_>) -> Self {
        let mut drawn = Self::default();
        let details = Details {
            facts: false,
            context: true,
            tokens: true,
            whole: None,
            markdown: false,
        };
        plain::draw_with(presentation, Layout::default(), details, &mut drawn)
            .expect("memory takes it");
        drawn
    }

    /// The lines of a place, up to the next one.
    fn at(&self, place: Place) -> &[String] {
        let is_after = |it: Place| match place.item {
            0 => it.turn > place.turn,
            _ => it > place,
        };
        let first = self.places.iter().rev().find(|(it, _)| *it <= place);
        let after = self.places.iter().find(|(it, _)| is_after(*it));
        let end = after.map_or(self.lines.len(), |(_, line)| *line);
        &self.lines[first.map_or(0, |(_, line)| *line)..end]
    }
}

impl LineSink for Drawn {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let texts = spans.iter().map(|(_, text)| *text);
        self.lines.push(texts.collect());
        Ok(())
    }

    fn at(&mut self, place: Place) {
        self.places.push((place, self.lines.len()));
    }
}

#[test]
fn every_place_of_every_recorded_session_is_the_same_alone() {
    let mut tally = Tally::default();
    for fixture in fixtures() {
        let dir = tempfile::tempdir().expect("a directory");
        let library = library(&fixture.home, &dir.path().join("archive.db"));
        tally.compare_all(&library, &fixture.name());
    }
    let Tally {
        alone,
        not_alone,
        drawn_alone,
    } = tally;
    assert!(alone > not_alone && drawn_alone > alone, "{tally:?}");
}

#[test]
fn the_sample_home_is_the_same_alone() {
    let mut tally = Tally::default();
    let dir = tempfile::tempdir().expect("a directory");
    let library = library(&examples::home(), &dir.path().join("archive.db"));
    tally.compare_all(&library, "the sample home");
    assert!(tally.alone > 0, "{tally:?}");
}

#[test]
fn a_short_session_is_read_as_a_whole() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("archive.db");
    let library = library(&examples::home(), &archive);
    let mut writer = ArchiveWriter::open(&archive).expect("an archive");
    let found: Vec<_> = library
        .homes()
        .iter()
        .map(|it| discover(&it.home))
        .collect();
    let again = SyncOptions {
        rebuild: true,
        ..SyncOptions::default()
    };
    writer
        .sync(&found, &again, &mut |_| {})
        .expect("it is rebuilt");
    let (here, hints) = (Machine::default(), Hints::default());
    let archive = Archive::open(&archive).expect("an archive");
    let library = archive.library(&found, &here, &hints).expect("a library");
    for row in library.sessions(&SessionFilter::everything()) {
        let wanted = WantedPart::Within(0..1);
        let part = library.read_part(row.reference, &wanted, ReadDetail::Words);
        assert_eq!(part, None);
    }
}
