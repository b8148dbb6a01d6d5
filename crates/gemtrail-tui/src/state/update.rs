//! The effects of events.

use std::sync::Arc;

use gemtrail_core::model::SessionRef;
use gemtrail_core::view::ProjectNames;
use gemtrail_export::present::FileChanges;
use jiff::Timestamp;

use super::act::{act, tell_found};
use super::event::{Click, Effect, Event, Mouse};
use super::{
    ArchiveState, BrowserRow, CannotExport, Document, Hits, ItemPart, LoadingSession, MessageSpot,
    Purpose, REST, RowsAsked, SEARCH_REST, State, Transcript, WORD_REST, resume, words,
};
use crate::keys::{self, Key, KeyContext};

/// Takes in what happened at a time; what is to be done about it.
pub fn update(state: &mut State, now: Timestamp, event: Event) -> Vec<Effect> {
    state.now = now;
    let chosen = |state: &State| (state.list.chosen_ref(), state.list.chosen_hit());
    let before = chosen(state);
    match event {
        Event::Key(key) => on_key(state, key),
        Event::Paste(text) => on_paste(state, &text),
        Event::Mouse(mouse) => on_mouse(state, mouse),
        Event::Resize(columns, rows) => state.size = (columns, rows),
        Event::Tick => {}
        Event::FirstRows(generation, rows, names, total) => {
            if generation == state.rows_generation && state.list.rows().is_empty() {
                let now = state.present();
                state.list.set_rows(rows, names, &now);
                state.list.sessions = total;
            }
        }
        Event::Rows(generation, rows, names) => on_rows(state, generation, rows, names),
        Event::Loaded(generation, document) => on_loaded(state, generation, *document),
        Event::Prompts(prompts) => state.last_prompts.learn(prompts),
        Event::Hits(generation, hits) => on_hits(state, generation, hits),
        Event::Found(generation, places) => on_found(state, generation, &places),
        Event::Page(generation, lines) => {
            if generation == state.page_generation
                && let Some(page) = &mut state.page
            {
                page.lines = Some(lines.unwrap_or_else(|what| vec![super::PageLine::Text(what)]));
            }
        }
        Event::Risk(risk) => state.risk = risk,
        Event::Files(generation, files) => on_files(state, generation, files),
        Event::Exported(Err(CannotExport::Exists(reference, path))) => {
            state.writing = None;
            state.replacing = Some((reference, path));
        }
        Event::Exported(outcome) => {
            state.writing = None;
            state.tell(outcome.unwrap_or_else(|cannot| match cannot {
                CannotExport::Other(what) | CannotExport::Exists(_, what) => what,
            }));
        }
        Event::ResumeChecked(generation, answer) => resume::checked(state, generation, answer),
        Event::Progress(words) => state.progress = Some(words),
        Event::Done(outcome) => {
            state.writing = None;
            state.tell(outcome.unwrap_or_else(|what| what));
        }
        Event::ArchiveMade(outcome) => {
            state.progress = None;
            match outcome {
                Ok(words) => {
                    state.archive = ArchiveState::Used;
                    state.tell(words);
                    state.load_rows();
                }
                Err(what) => {
                    state.archive = ArchiveState::Missing;
                    state.tell(what);
                }
            }
        }
        Event::Changed(changes) => {
            state.last_prompts.forget(&changes);
            state.load_rows();
            let open = state.open.as_ref().map(Transcript::reference);
            if let Some(reference) = open.filter(|it| changes.other || changes.changed.contains(it))
            {
                load(state, reference, Purpose::Renew);
            }
        }
        Event::End => state.ask(Effect::Quit),
    }
    if chosen(state) != before {
        state.preview_due = Some(now + REST);
    }
    on_time(state);
    peek(state);
    settle(state);
    std::mem::take(&mut state.effects)
}

fn on_files(state: &mut State, generation: u64, files: Result<Vec<FileChanges>, String>) {
    let Some(list) = &mut state.files else {
        return;
    };
    if generation != state.page_generation {
        return;
    }
    match files {
        Ok(files) if !files.is_empty() => list.files = Some(files),
        files => {
            state.files = None;
            let none = "this session changed no file";
            state.tell(files.err().unwrap_or_else(|| none.to_owned()));
        }
    }
}

fn on_rows(state: &mut State, generation: u64, rows: Arc<Vec<BrowserRow>>, names: ProjectNames) {
    if generation != state.rows_generation {
        return;
    }
    if state.is_scoped && rows.is_empty() {
        state.is_scoped = false;
        state.rows_asked = RowsAsked::No;
        state.tell(format!("no sessions {}; these are all", state.scope));
        return state.load_rows();
    }
    state.is_reading = false;
    state.ask(Effect::Risk);
    let now = state.present();
    state.list.set_rows(rows, names, &now);
    if std::mem::take(&mut state.rows_asked) == RowsAsked::Again {
        state.load_rows();
    }
}

/// Does what is due.
fn on_time(state: &mut State) {
    let now = state.now;
    let is_due = |at: &mut Option<Timestamp>| at.take_if(|at| *at <= now).is_some();
    state.toast.take_if(|(_, until)| *until <= now);
    if is_due(&mut state.search_due) {
        search(state);
    }
    let is_typing = state.context() == KeyContext::Filter;
    let empty = { &mut state.empty_due }.take_if(|(at, _)| *at <= now || !is_typing);
    if let Some((_, hits)) = empty {
        show_hits(state, hits);
    }
    if is_due(&mut state.preview_due) {
        preview(state);
    }
}

/// Fits everything into the screen.
fn settle(state: &mut State) {
    state.list.scroll(usize::from(state.list_height()));
    let (brief, height) = (state.brief_height(), usize::from(state.height()));
    let (whole, below) = (state.text_room(), state.preview_room());
    if let Some(open) = &mut state.open {
        open.fit(whole, true);
    }
    if let Some(preview) = &mut state.preview {
        preview.fit(below, brief == 0);
    }
    if let Some(page) = &mut state.page {
        page.scroll(0, height);
    }
}

fn on_key(state: &mut State, key: Key) {
    let context = state.context();
    // What was said before is read by now.
    state.toast = None;
    if key == Key::Esc && resume::give_up(state) {
        return;
    }
    if let Some(action) = keys::action(context, key) {
        return act(state, context, action);
    }
    if let (true, Key::Char(c)) = (context.is_input(), key) {
        return on_typed(state, &c.to_string());
    }
    if let Key::Char(c) = key {
        state.tell(format!("{c} does nothing here; ? lists the keys"));
    }
}

fn on_paste(state: &mut State, text: &str) {
    if state.context().is_input() {
        return on_typed(state, text);
    }
    state.tell("pasted text is not taken for commands; / opens a line for it");
}

fn on_typed(state: &mut State, text: &str) {
    if let Some(input) = state.input_mut() {
        input.insert(text);
    }
    input_changed(state);
}

/// The line that is being typed is another one now.
pub(super) fn input_changed(state: &mut State) {
    match state.context() {
        KeyContext::Filter => filter_changed(state),
        KeyContext::Find => look_for(state),
        _ => {}
    }
}

/// Looks for the words that are being typed in the open session.
fn look_for(state: &mut State) {
    let words = state.find.as_ref().map(|input| words::plain(input.text()));
    if let (Some(open), Some(words)) = (&mut state.open, words) {
        open.look_for(words);
        find(state);
    }
}

/// Asks where the words are that are looked for.
fn find(state: &mut State) {
    let generation = state.next_generation();
    state.find_generation = generation;
    let Some(open) = &mut state.open else {
        return;
    };
    let words = open.marked_words().to_vec();
    if words.is_empty() {
        open.take_found(&[]);
        return;
    }
    let session = Arc::clone(open.session());
    state.ask(Effect::Find(generation, session, words));
}

/// The words in the filter are others now.
pub(super) fn filter_changed(state: &mut State) {
    let now = state.present();
    state.hit = None;
    // An answer to another question is none.
    state.empty_due = None;
    state.search_generation = state.next_generation();
    let has_words = state.filter.text().trim().chars().count() > 1;
    state.list.hits = if has_words {
        std::mem::take(&mut state.list.hits).searching()
    } else {
        Hits::trouble("type some more".to_owned())
    };
    let typed = state.filter.text().to_owned();
    let (words, has_fields) = words::without_fields(&typed);
    let words = if has_fields { words } else { typed.clone() };
    let is_filter = !typed.trim().is_empty();
    state.list.filter(is_filter.then_some(words), &now);
    state.search_due = has_words.then(|| state.now + SEARCH_REST);
    // Other words are marked.
    state.preview_due = Some(state.now + REST);
}

fn search(state: &mut State) {
    state.search_generation = state.next_generation();
    let query = state.filter.text().trim().to_owned();
    let scoped = state.is_scoped;
    state.ask(Effect::Search(state.search_generation, query, scoped));
}

fn on_hits(state: &mut State, generation: u64, hits: Hits) {
    if generation != state.search_generation {
        return;
    }
    // In the middle of a word what was found before stays.
    let is_typing = state.context() == KeyContext::Filter;
    if is_typing && hits.hits.is_empty() && !state.list.hits.hits.is_empty() {
        state.empty_due = Some((state.now + WORD_REST, hits));
    } else {
        show_hits(state, hits);
    }
}

fn show_hits(state: &mut State, hits: Hits) {
    let has_fields = words::without_fields(state.filter.text()).1;
    let is_answer = has_fields && hits.trouble.is_none();
    state
        .list
        .narrow(is_answer.then(|| hits.by_session.clone()));
    state.list.hits = hits;
    let now = state.present();
    state.list.arrange(&now);
}

/// Looks up the last prompts of the session under the cursor, and of those around it.
fn peek(state: &mut State) {
    if !state.shows_preview() || state.open.is_some() || state.page.is_some() {
        return;
    }
    let height = usize::from(state.height());
    let sessions = state.last_prompts.ask(&state.list, height);
    if !sessions.is_empty() {
        state.ask(Effect::Peek(sessions));
    }
}

/// Reads a session for the place beside the list.
fn preview(state: &mut State) {
    // What is being opened is shown soon, and its reading must not give way to another.
    if !state.shows_preview() || state.open.is_some() || state.is_opening() {
        return;
    }
    let Some(reference) = state.list.chosen_ref() else {
        return;
    };
    let is_it = |it: &mut Transcript| it.reference() == reference;
    let Some(mut shown) = state.preview.take_if(is_it) else {
        return load(state, reference, Purpose::Preview);
    };
    point(state, &mut shown);
    state.preview = Some(shown);
}

/// Turns a preview to what the cursor of the list is on: a hit, or the session itself.
fn point(state: &State, preview: &mut Transcript) {
    preview.fit(state.preview_room(), state.brief_height() == 0);
    mark_words(state, preview);
    let is_there = |spot: MessageSpot| preview.go_to_spot(&spot);
    if !state.list.chosen_spot().is_some_and(is_there) {
        preview.first();
    }
}

/// Fits an open session into its place on the screen.
fn fit(state: &State, transcript: &mut Transcript) {
    transcript.fit(state.text_room(), true);
}

/// Opens a session at a place.
pub(super) fn open(state: &mut State, reference: SessionRef, spot: Option<MessageSpot>) {
    let is_it = |it: &Transcript| it.reference() == reference;
    if state.open.as_ref().is_some_and(is_it) {
        if let (Some(open), Some(spot)) = (&mut state.open, spot) {
            open.go_to_spot(&spot);
        }
        return;
    }
    if let Some(mut preview) = state.preview.take_if(|it| it.reference() == reference) {
        mark_words(state, &mut preview);
        fit(state, &mut preview);
        if let Some(spot) = spot {
            preview.go_to_spot(&spot);
        }
        state.open = Some(preview);
        return;
    }
    load(state, reference, Purpose::Open(spot));
}

fn load(state: &mut State, reference: SessionRef, purpose: Purpose) {
    let generation = state.next_generation();
    let effect = match purpose {
        Purpose::Preview | Purpose::Open(_) => {
            // Only the last of each kind is of interest.
            forget_loading(state, &purpose, generation);
            Effect::Load(generation, reference)
        }
        // A session may change faster than it is read: what was read is newer than what is shown.
        Purpose::Renew => Effect::Renew(generation, reference),
    };
    state.loading.push(LoadingSession {
        generation,
        reference,
        purpose,
    });
    state.ask(effect);
}

/// An earlier request for the same purpose is dropped.
fn forget_loading(state: &mut State, purpose: &Purpose, before: u64) {
    let same = std::mem::discriminant(purpose);
    state
        .loading
        .retain(|it| it.generation >= before || std::mem::discriminant(&it.purpose) != same);
}

fn on_loaded(state: &mut State, generation: u64, document: Result<Document, String>) {
    let is_it = |it: &LoadingSession| it.generation == generation;
    let Some(at) = state.loading.iter().position(is_it) else {
        return;
    };
    let loading = state.loading.remove(at);
    forget_loading(state, &loading.purpose, generation);
    let document = match document {
        Ok(document) => document,
        Err(what) => {
            state.tell(what);
            return;
        }
    };
    match loading.purpose {
        Purpose::Preview => {
            // Gone on in the meantime.
            if state.list.chosen_ref() == Some(loading.reference) {
                let mut preview = Transcript::new(document);
                point(state, &mut preview);
                state.preview = Some(preview);
            }
        }
        Purpose::Open(spot) => {
            let mut transcript = Transcript::new(document);
            mark_words(state, &mut transcript);
            fit(state, &mut transcript);
            if let Some(spot) = spot
                && !transcript.go_to_spot(&spot)
            {
                state.tell("this hit is not in the transcript itself");
            }
            state.open = Some(transcript);
        }
        Purpose::Renew => {
            let zone = state.zone.clone();
            let is_it = |it: &&mut Transcript| it.reference() == loading.reference;
            if let Some(open) = state.open.as_mut().filter(is_it) {
                open.renew(Arc::clone(&document.session), zone);
                if open.is_finding() {
                    find(state);
                }
            }
        }
    }
}

/// Marks the words of the filter in a session.
fn mark_words(state: &State, transcript: &mut Transcript) {
    transcript.words = state.filter_words();
}

fn on_found(state: &mut State, generation: u64, places: &[(usize, ItemPart)]) {
    if generation != state.find_generation {
        return;
    }
    let open = state.open.as_mut();
    let is_awaited = open.is_some_and(|open| open.take_found(places));
    if is_awaited && state.find.is_none() {
        // The line was taken before the answer came.
        tell_found(state);
    }
}

fn on_mouse(state: &mut State, mouse: Mouse) {
    const TITLE_ROWS: u16 = 2;
    let (list_columns, _) = state.columns();
    let line = usize::from(mouse.row.saturating_sub(TITLE_ROWS));
    let is_inside = mouse.row >= TITLE_ROWS && mouse.row < TITLE_ROWS + state.height();
    match mouse.what {
        Click::Wheel(lines) => {
            let lines = isize::from(lines);
            let height = usize::from(state.height());
            if let Some(page) = &mut state.page {
                page.scroll(lines, height);
            } else if let Some(turns) = &mut state.turns {
                turns.move_by(lines);
            } else if let Some(open) = &mut state.open {
                open.wheel(lines);
            } else {
                state.list.move_by(lines);
            }
        }
        Click::Press => {
            state.pressed = Some((mouse.column, mouse.row));
        }
        Click::Release => {
            let Some(pressed) = state.pressed.take() else {
                return;
            };
            if !is_inside || state.page.is_some() || state.context().is_asking() {
                return;
            }
            if pressed.1 != mouse.row {
                return drag(state, pressed.1, mouse.row);
            }
            let is_wide = state.is_wide();
            let is_on_list = is_wide && mouse.column < list_columns;
            let above = usize::from(state.rows_above());
            let is_below = line >= above + usize::from(state.list_height());
            match &mut state.open {
                Some(open) if !is_on_list => {
                    if open.click(line) && open.can_unfold() {
                        open.unfold();
                    }
                }
                // What is beside the list is opened by a click.
                None if is_wide && !is_on_list || !is_wide && is_below => {
                    super::act::open_chosen(state);
                }
                _ => {
                    let before = state.list.cursor();
                    let is_row = line >= above && state.list.click(line - above);
                    if is_row && (state.open.is_some() || state.list.cursor() == before) {
                        super::act::open_chosen(state);
                    }
                }
            }
        }
    }
}

/// Copies the items that the mouse was dragged over.
fn drag(state: &mut State, from: u16, to: u16) {
    const TITLE_ROWS: u16 = 2;
    let Some(open) = &state.open else {
        return;
    };
    let row = |row: u16| usize::from(row.saturating_sub(TITLE_ROWS));
    let (first, last) = (row(from.min(to)), row(from.max(to)));
    let visible = open.visible();
    let lines = visible.iter().skip(first).take(last - first + 1);
    let text = |&(at, line): &(usize, usize)| -> String {
        let lines = open.lines(at);
        let spans = lines.get(line).into_iter().flatten();
        spans.map(|(_, text)| text.as_str()).collect()
    };
    let lines: Vec<String> = lines.map(text).collect();
    let text = lines.join("\n").trim_matches('\n').to_owned();
    if text.is_empty() {
        return;
    }
    let what = gemtrail_export::text::plural(lines.len(), "line");
    state.ask(Effect::Copy(text, what));
}
