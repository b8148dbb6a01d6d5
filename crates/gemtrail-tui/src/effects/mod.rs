//! Does what the state asks for, on other threads. Answers come back as events with the generation
//! of the question; who asked something else in the meantime drops them.

mod session;
mod threads;

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use gemtrail_core::model::SessionRef;
use gemtrail_core::prices::Prices;
use gemtrail_core::stats::StatsOptions;
use gemtrail_export::present::FileChanges;
use gemtrail_export::stats::{OVERVIEW, Overview, StatsLine};
use gemtrail_export::text::plural;
use gemtrail_query::{Condition, Filter, Order, Page, Query};
use gemtrail_store::watch::Bell;
use gemtrail_store::{FollowEvent, QueryContext, ReadDetail, SessionFilter, Trail};
use jiff::civil::Weekday;

use crate::clipboard;
use crate::message::MainMessage;
use crate::options::{Actions, Options};
use crate::state::{BrowserRow, Document, Effect, Event, Hits, PageLine};
use threads::{Latest, apart};

/// The number of hits that can be gone through.
const MOST_HITS: usize = 500;

/// The number of them in one session, which must not hide the others.
const MOST_OF_SESSION: usize = 20;

/// More than any terminal has lines.
const FIRST_ROWS: usize = 300;

/// The threads.
pub(crate) struct Effects {
    shared: Arc<Shared>,
    slots: Slots,
    rows: Sender<Effect>,
    jobs: Sender<Effect>,
}

/// Work of which only the last of its kind matters. A kind never waits for another one, and never
/// takes its place.
#[derive(Default)]
struct Slots {
    load: Arc<Latest<Effect>>,
    renew: Arc<Latest<Effect>>,
    peek: Arc<Latest<Effect>>,
    search: Arc<Latest<Effect>>,
    find: Arc<Latest<Effect>>,
    risk: Arc<Latest<Effect>>,
    stats: Arc<Latest<Effect>>,
    doctor: Arc<Latest<Effect>>,
}

impl Slots {
    fn of(&self, effect: &Effect) -> Option<&Latest<Effect>> {
        Some(match effect {
            Effect::Load(..) => &self.load,
            Effect::Renew(..) => &self.renew,
            Effect::Peek(_) => &self.peek,
            Effect::Search(..) => &self.search,
            Effect::Find(..) => &self.find,
            Effect::Risk => &self.risk,
            Effect::Stats(..) => &self.stats,
            Effect::Doctor(..) => &self.doctor,
            _ => return None,
        })
    }

    /// Starts their threads.
    fn start(&self, shared: &Arc<Shared>) {
        // While one reads something large, the other has the next.
        work_on(shared, &self.load);
        work_on(shared, &self.load);
        work_on(shared, &self.renew);
        work_on(shared, &self.peek);
        work_on(shared, &self.search);
        work_on(shared, &self.find);
        work_on(shared, &self.risk);
        work_on(shared, &self.stats);
        work_on(shared, &self.doctor);
    }
}

/// The things that all threads need.
pub(crate) struct Shared {
    trail: Mutex<Arc<Trail>>,
    bell: Mutex<Arc<Bell>>,
    options: Arc<Options>,
    actions: Arc<dyn Actions>,
    messages: Sender<MainMessage>,
}

impl Shared {
    pub(crate) fn new(
        trail: Arc<Trail>,
        options: Arc<Options>,
        actions: Arc<dyn Actions>,
        messages: Sender<MainMessage>,
    ) -> Self {
        Self {
            trail: Mutex::new(trail),
            bell: Mutex::default(),
            options,
            actions,
            messages,
        }
    }

    pub(crate) fn trail(&self) -> Arc<Trail> {
        Arc::clone(&self.trail.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn send(&self, message: impl Into<MainMessage>) {
        // Nobody is left to tell once the browser is closed.
        let _ = self.messages.send(message.into());
    }
}

impl Effects {
    /// Starts the threads.
    pub(crate) fn new(
        trail: Arc<Trail>,
        options: Arc<Options>,
        actions: Arc<dyn Actions>,
        messages: Sender<MainMessage>,
    ) -> Self {
        let shared = Arc::new(Shared::new(trail, options, actions, messages));
        let slots = Slots::default();
        slots.start(&shared);
        let effects = Self {
            rows: work_in_order(&shared),
            jobs: work_in_order(&shared),
            slots,
            shared,
        };
        if effects.shared.options.follows {
            follow(&effects.shared);
        }
        effects
    }

    /// Reads a session, for what the main thread does with it.
    pub(crate) fn read_now(&self, reference: SessionRef) -> Result<Document, String> {
        read(&self.shared, reference)
    }

    /// Does something that is not the terminal's.
    pub(crate) fn run(&self, effect: Effect) {
        if let Some(slot) = self.slots.of(&effect) {
            return slot.put(effect);
        }
        // These threads live as long as the browser.
        match effect {
            Effect::MakeArchive => {
                // Takes long: it must not hold up anything else.
                let shared = Arc::clone(&self.shared);
                thread::spawn(move || make_archive(&shared));
            }
            // The first of them come first.
            Effect::LoadFirstRows(_) | Effect::LoadRows(..) => drop(self.rows.send(effect)),
            effect => drop(self.jobs.send(effect)),
        }
    }
}

/// Does one thing after another.
fn work_in_order(shared: &Arc<Shared>) -> Sender<Effect> {
    let (sender, queue) = mpsc::channel();
    let shared = Arc::clone(shared);
    thread::spawn(move || queue.into_iter().for_each(|effect| shared.run(effect)));
    sender
}

/// Does the last of what is asked for, again and again.
fn work_on(shared: &Arc<Shared>, latest: &Arc<Latest<Effect>>) {
    let (shared, latest) = (Arc::clone(shared), Arc::clone(latest));
    thread::spawn(move || {
        loop {
            shared.run(latest.take());
        }
    });
}

impl Shared {
    fn run(&self, effect: Effect) {
        if let Some(message) = self.answer(effect) {
            self.send(message);
        }
    }

    /// Does something, at once; what came of it.
    pub(crate) fn answer(&self, effect: Effect) -> Option<MainMessage> {
        Some(match effect {
            Effect::Load(generation, reference) | Effect::Renew(generation, reference) => {
                Event::Loaded(generation, Box::new(read(self, reference))).into()
            }
            Effect::Peek(sessions) => {
                Event::Prompts(session::peek(&self.trail().view(), &sessions)).into()
            }
            Effect::Search(generation, query, is_scoped) => {
                Event::Hits(generation, search_all(self, &query, is_scoped)).into()
            }
            Effect::Risk => Event::Risk(self.actions.risk(&self.trail())).into(),
            Effect::Files(generation, reference) => {
                Event::Files(generation, apart(|| files(self, reference))).into()
            }
            Effect::LoadFirstRows(generation) => {
                let library = self.trail().view();
                let (rows, total) = library.first_rows(FIRST_ROWS)?;
                let rows = rows.into_iter().map(BrowserRow::from).collect();
                let names = library.project_names();
                Event::FirstRows(generation, Arc::new(rows), names, total).into()
            }
            Effect::LoadRows(generation, is_scoped) => {
                let library = self.trail().view();
                let scope = self.options.scope.as_ref().filter(|_| is_scoped);
                let everything = SessionFilter::everything();
                let rows = library.sessions(scope.map_or(&everything, |it| &it.filter));
                let rows = Arc::new(rows.into_iter().map(BrowserRow::from).collect());
                Event::Rows(generation, rows, library.project_names()).into()
            }
            Effect::Find(generation, session, words) => {
                Event::Found(generation, session::find(&session, &words)).into()
            }
            Effect::Stats(generation, columns) => {
                Event::Page(generation, Ok(apart(|| stats(self, columns)))).into()
            }
            Effect::Doctor(generation, columns) => {
                let report = apart(|| self.actions.doctor(columns));
                let lines = |text: String| text.lines().map(doctor_line).collect();
                Event::Page(generation, report.map(lines)).into()
            }
            Effect::Copy(text, what) => copy(self, text, &what),
            Effect::CopyPath(reference) => copy_path(self, reference),
            Effect::Export(reference, path, replaces) => {
                Event::Exported(self.actions.export(reference, &path, replaces)).into()
            }
            Effect::CheckResume(generation, reference, directory) => {
                let answer = self.actions.check_resume(reference, directory.as_deref());
                Event::ResumeChecked(generation, answer).into()
            }
            Effect::Mark(reference, line) => {
                let done = self.actions.mark(&self.trail(), reference, &line);
                if let Ok((_, Some(changes))) = &done {
                    self.send(Event::Changed(changes.clone()));
                }
                Event::Done(done.map(|(words, _)| words)).into()
            }
            Effect::Restore(reference) => Event::Done(self.actions.restore(reference)).into(),
            Effect::MakeArchive
            | Effect::Quit
            | Effect::Suspend
            | Effect::Redraw
            | Effect::Mouse(_)
            | Effect::Editor(_)
            | Effect::Pager(_)
            | Effect::Resume(..) => return None,
        })
    }
}

fn read(shared: &Shared, reference: SessionRef) -> Result<Document, String> {
    let library = shared.trail().view();
    let session = library.read(reference, ReadDetail::Words);
    let session = session.map_err(|error| error.to_string())?;
    Ok(Document::new(
        Arc::new(session),
        shared.options.zone.clone(),
    ))
}

/// The files that a session changed.
fn files(shared: &Shared, reference: SessionRef) -> Result<Vec<FileChanges>, String> {
    let session = shared.trail().view().read(reference, ReadDetail::Words);
    let session = session.map_err(|error| error.to_string())?;
    Ok(FileChanges::of_session(&session))
}

fn search_all(shared: &Shared, text: &str, is_scoped: bool) -> Hits {
    let (library, options) = (shared.trail().view(), &shared.options);
    let context = QueryContext {
        library: &library,
        now: (options.clock)(),
        zone: &options.zone,
        current_dir: options.current_dir.as_deref(),
        user_home: options.user_home.as_deref(),
    };
    let (mut query, unfinished) = match Query::parse_typed(text, &context) {
        Ok(parsed) => parsed,
        Err(error) => return Hits::trouble(error.to_string()),
    };
    if let Some(scope) = options.scope.as_ref().filter(|_| is_scoped) {
        let filter = scope.filter.among(library.projects());
        let project = filter.project.map(Condition::Project);
        for condition in project
            .into_iter()
            .chain(filter.since.map(Condition::Since))
        {
            query.filters.push(Filter::only(condition));
        }
    }
    query.per_session = (!query.filters.name_sessions()).then_some(MOST_OF_SESSION);
    let page = Page {
        order: Order::Newest,
        offset: 0,
        limit: Some(MOST_HITS),
    };
    let found = library.search_as_typed(&query, &page);
    let mut hits = Hits::new(&found);
    if hits.total == 0 {
        hits.note = library.why_nothing(&query, false);
    }
    hits.note = unfinished.map(|it| it.to_string()).or(hits.note);
    hits
}

fn stats(shared: &Shared, columns: usize) -> Vec<PageLine> {
    let options = &shared.options;
    let stats_options = StatsOptions {
        zone: options.zone.clone(),
        week_start: Weekday::Monday,
        since: None,
        until: None,
        model: None,
        prices: Prices::built_in(),
        breakdowns: OVERVIEW.iter().map(|keys| keys.to_vec()).collect(),
    };
    let library = shared.trail().view();
    let stats = library.stats(&SessionFilter::default(), &stats_options);
    let now = (options.clock)();
    let overview = Overview::new(&stats, now, &options.zone, Weekday::Monday);
    let lines = overview.lines(columns).into_iter();
    lines
        .map(|line| match line {
            StatsLine::Heading(text) => PageLine::Heading(text),
            StatsLine::Text(text) => PageLine::Text(text),
            StatsLine::Note(text) => PageLine::Note(text),
        })
        .collect()
}

/// Headings of the report are not indented.
fn doctor_line(line: &str) -> PageLine {
    if line.starts_with(' ') || line.is_empty() {
        PageLine::Text(line.to_owned())
    } else {
        PageLine::Heading(line.to_owned())
    }
}

/// Copies text as it was said: a command without its password does not run. The toast says how many
/// secrets are in it.
fn copy(shared: &Shared, text: String, what: &str) -> MainMessage {
    let what = match shared.actions.secrets_in(&text) {
        0 => what.to_owned(),
        secrets => format!("{what} with {}", plural(secrets, "secret")),
    };
    match clipboard::copy_natively(&text, shared.options.clipboard) {
        Some(place) => Event::Done(Ok(clipboard::copied(&text, &what, place))).into(),
        None => MainMessage::CopyByTerminal(text, what),
    }
}

fn copy_path(shared: &Shared, reference: SessionRef) -> MainMessage {
    let session = shared.trail().view().read(reference, ReadDetail::Counts);
    let path = session.map(|mut session| session.journals.pop().map(|it| it.path));
    match path {
        Ok(Some(path)) => copy(shared, path, "path"),
        Ok(None) => Event::Done(Err("this session has no file".to_owned())).into(),
        Err(error) => Event::Done(Err(error.to_string())).into(),
    }
}

fn make_archive(shared: &Arc<Shared>) {
    let mut tell = |words| shared.send(Event::Progress(words));
    let outcome = apart(|| shared.actions.make_archive(&mut tell));
    let outcome = outcome.map(|(words, trail)| {
        *shared.trail.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(trail);
        if shared.options.follows {
            follow(shared);
        }
        words
    });
    shared.send(Event::ArchiveMade(outcome));
}

/// Follows changes of files; nothing else follows them any more.
fn follow(shared: &Arc<Shared>) {
    let bell: Arc<Bell> = Arc::default();
    {
        let mut current = shared.bell.lock().unwrap_or_else(PoisonError::into_inner);
        current.stop();
        *current = Arc::clone(&bell);
    }
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        let (trail, clock) = (shared.trail(), Arc::clone(&shared.options.clock));
        trail.follow(
            bell,
            None,
            move || clock(),
            |event| {
                if let FollowEvent::Changed(changes) = event {
                    shared.send(Event::Changed(changes));
                }
            },
        );
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_opened_does_not_give_way_to_a_renewal() {
        let slots = Slots::default();
        let session = SessionRef::default();
        // Nobody takes them yet: all threads are busy.
        for effect in [
            Effect::Renew(1, session),
            Effect::Load(2, session),
            Effect::Renew(3, session),
        ] {
            slots.of(&effect).unwrap().put(effect);
        }
        assert!(matches!(slots.load.take(), Effect::Load(2, _)));
        assert!(matches!(slots.renew.take(), Effect::Renew(3, _)));
    }
}
