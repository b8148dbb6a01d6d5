//! The effects of actions.

use gemtrail_core::model::{Kind, SessionRef};

use super::event::Effect;
use super::mark;
use super::pages::{FileList, PageKind, TextPage, TurnList};
use super::update::{filter_changed, input_changed, open};
use super::{ArchiveState, Input, NO_SESSION, PageLine, State, Transcript, resume};
use crate::keys::{self, KeyAction, KeyContext};

/// Does what a key says.
pub(super) fn act(state: &mut State, context: KeyContext, action: KeyAction) {
    match action {
        KeyAction::Quit => state.ask(Effect::Quit),
        KeyAction::Suspend => state.ask(Effect::Suspend),
        KeyAction::Redraw => state.ask(Effect::Redraw),
        KeyAction::Mouse => toggle_mouse(state),
        KeyAction::Help => {
            // A page that is still being written must not come in its place.
            state.page_generation = state.next_generation();
            state.page = Some(TextPage {
                lines: Some(help(context)),
                ..TextPage::new(PageKind::Help)
            });
        }
        KeyAction::Export => ask_for_file(state),
        KeyAction::Mark => mark::ask(state),
        KeyAction::Editor => with_subject(state, Effect::Editor),
        KeyAction::Pager => with_subject(state, Effect::Pager),
        KeyAction::Resume => resume::ask(state),
        KeyAction::Restore => restore(state),
        KeyAction::CopyResume => with_subject(state, |reference| {
            let command = format!("gemtrail resume {reference}");
            Effect::Copy(command, "resume command".to_owned())
        }),
        KeyAction::Files => show_files(state),
        KeyAction::CopyPath => with_subject(state, Effect::CopyPath),
        action => match context {
            KeyContext::List | KeyContext::Filter => in_list(state, context, action),
            KeyContext::Transcript => in_transcript(state, action),
            KeyContext::Turns => in_turns(state, action),
            KeyContext::Find => in_find(state, action),
            KeyContext::Page => on_page(state, action),
            KeyContext::Files => in_files(state, action),
            KeyContext::Export => in_export(state, action),
            KeyContext::Replace => in_replacing(state, action),
            KeyContext::Mark => mark::act(state, action),
            KeyContext::Directory => in_question(state, action),
        },
    }
}

fn in_list(state: &mut State, context: KeyContext, action: KeyAction) {
    if let Some(lines) = action.lines(state.list_height()) {
        return state.list.move_by(lines);
    }
    let now = state.present();
    match action {
        KeyAction::Search => state.is_filtering = true,
        KeyAction::Apply => apply_filter(state),
        KeyAction::Open if context == KeyContext::Filter => {
            apply_filter(state);
            if state.list.is_filtered() && state.list.chosen_ref().is_some() {
                open_chosen(state);
            }
        }
        KeyAction::Open => open_chosen(state),
        KeyAction::Here => toggle_scope(state),
        KeyAction::Preview => {
            state.has_preview = !state.has_preview;
            if !state.has_preview {
                state.preview = None;
                state.tell("no preview; v shows it again");
            } else if state.shows_preview() {
                // As if the cursor had come to rest.
                state.preview_due = Some(state.now);
            } else {
                state.tell("the preview needs 100 columns and 28 rows");
            }
        }
        KeyAction::Back => {
            let had_filter = state.is_filtering || state.list.is_filtered();
            clear_filter(state);
            if !had_filter {
                state.tell("this is the first screen; q quits");
            }
        }
        KeyAction::NextHit => next_hit(state, 1),
        KeyAction::PreviousHit => next_hit(state, -1),
        KeyAction::Unfold => {
            if !state.list.unfold(&now) {
                state.tell("no subagents worked for this session");
            }
        }
        KeyAction::Sort => {
            state.list.sort = state.list.sort.next();
            state.list.arrange(&now);
            state.tell(state.list.sort.words());
        }
        KeyAction::Group => {
            state.list.group = state.list.group.next();
            state.list.arrange(&now);
            state.tell(state.list.group.words());
        }
        KeyAction::Stats => write_page(state, PageKind::Stats),
        KeyAction::Doctor => write_page(state, PageKind::Doctor),
        KeyAction::MakeArchive => make_archive(state),
        action => edit(state, action),
    }
}

fn apply_filter(state: &mut State) {
    state.is_filtering = false;
    if state.filter.text().trim().is_empty() {
        clear_filter(state);
    }
}

/// Shows the sessions of the scope, or all.
fn toggle_scope(state: &mut State) {
    if state.scope.is_empty() {
        return state.tell("the current directory is in no project");
    }
    state.is_scoped = !state.is_scoped;
    // What was read for the other scope is of no use.
    state.rows_asked = super::RowsAsked::No;
    state.load_rows();
    if state.list.is_filtered() {
        filter_changed(state);
    }
}

fn clear_filter(state: &mut State) {
    let chosen = state.list.chosen_ref();
    state.is_filtering = false;
    state.filter = Input::default();
    filter_changed(state);
    if let Some(reference) = chosen {
        state.list.go_to(reference);
    }
}

/// Opens what the cursor of the list is on.
pub(super) fn open_chosen(state: &mut State) {
    let Some(reference) = state.list.chosen_ref() else {
        state.tell(NO_SESSION);
        return;
    };
    let now = state.present();
    if state.list.show_more(&now) {
        return;
    }
    match state.list.chosen_hit() {
        Some(hit) => open_hit(state, hit),
        None => open(state, reference, None),
    }
}

fn open_hit(state: &mut State, at: usize) {
    let Some(hit) = state.list.hits.hits.get(at) else {
        return;
    };
    let reference = hit.reference;
    let spot = state.list.hits.spot(at);
    state.hit = Some(at);
    state.list.go_to_hit(at);
    state.tell(state.list.hits.place(at));
    open(state, reference, spot);
}

/// Goes to the next or previous hit of the search, in whatever session it is.
fn next_hit(state: &mut State, direction: isize) {
    let count = state.list.hits.hits.len();
    if count == 0 || state.list.hits.is_searching {
        let hits = &state.list.hits;
        let why = if !state.list.is_filtered() {
            "/ searches first".to_owned()
        } else if hits.is_searching {
            "still searching …".to_owned()
        } else if let Some(trouble) = &hits.trouble {
            trouble.clone()
        } else {
            "no matches in the text".to_owned()
        };
        state.tell(why);
        return;
    }
    let next = match state.hit.or(state.list.chosen_hit()) {
        None => Some(0),
        Some(hit) if state.hit.is_none() => Some(hit),
        Some(hit) => hit.checked_add_signed(direction).filter(|at| *at < count),
    };
    if let Some(at) = next {
        return open_hit(state, at);
    }
    state.tell(if direction > 0 {
        "that was the last match"
    } else {
        "that was the first match"
    });
}

fn in_transcript(state: &mut State, action: KeyAction) {
    let Some(open) = &mut state.open else {
        return;
    };
    let mut why = None;
    match action {
        KeyAction::Down => open.down(),
        KeyAction::Up => open.up(),
        KeyAction::PageDown => open.page(1),
        KeyAction::PageUp => open.page(-1),
        KeyAction::HalfDown => open.half_page(1),
        KeyAction::HalfUp => open.half_page(-1),
        KeyAction::First => open.first(),
        KeyAction::Last => open.last(),
        KeyAction::Unfold if !open.unfold() => why = Some("this is all of it"),
        KeyAction::UnfoldAll => open.unfold_all(),
        KeyAction::Thoughts if !open.toggle_thoughts() => why = Some("no thoughts were recorded"),
        KeyAction::NextTurn if !open.seek_turn(1) => why = Some("that was the last prompt"),
        KeyAction::PreviousTurn if !open.seek_turn(-1) => why = Some("that was the first prompt"),
        KeyAction::NextFailure if !open.seek_failure(1) => why = Some("nothing failed after this"),
        KeyAction::PreviousFailure if !open.seek_failure(-1) => {
            why = Some("nothing failed before this");
        }
        KeyAction::NextHit | KeyAction::PreviousHit => {
            let direction = if action == KeyAction::NextHit { 1 } else { -1 };
            match open.found_place() {
                None => return next_hit(state, direction),
                Some((_, 0)) => why = Some(NOT_FOUND),
                Some(_) if open.seek_found(direction, false) => return tell_found(state),
                Some(_) if direction > 0 => why = Some("that was the last of them"),
                Some(_) => why = Some("that was the first of them"),
            }
        }
        KeyAction::Turns => {
            let turns = open.turns();
            let cursor = turns.iter().rposition(|turn| turn.item <= open.cursor());
            if turns.is_empty() {
                why = Some("nobody typed anything in this session");
            } else {
                state.turns = Some(TurnList {
                    cursor: cursor.unwrap_or(0),
                    turns,
                });
            }
        }
        KeyAction::Search => state.find = Some(Input::default()),
        KeyAction::Copy => match open.text_to_copy() {
            Some((text, what)) => {
                let has_code = what == "message" && !open.code_to_copy().is_empty();
                let what = if has_code {
                    "message (Y: just the code)"
                } else {
                    what
                };
                return state.ask(Effect::Copy(text, what.to_owned()));
            }
            None => why = Some("there is no text here to copy"),
        },
        KeyAction::CopyCode => return copy_code(state),
        KeyAction::CopyCommand => match open.command_to_copy() {
            Some(text) => state.ask(Effect::Copy(text, "command".to_owned())),
            None => why = Some("only tool calls have a command"),
        },
        // What was found is cleared before the session is left.
        KeyAction::Back if open.stop_finding(false) => {}
        KeyAction::Back => return close(state),
        _ => {}
    }
    if let Some(why) = why {
        state.tell(why);
    }
}

const NOT_FOUND: &str = "no match in this session";

/// `3 of 20`, after the cursor was moved among the places that were found.
pub(super) fn tell_found(state: &mut State) {
    let place = state.open.as_ref().and_then(Transcript::found_place);
    let Some((at, all)) = place else {
        return;
    };
    state.tell(match all {
        0 => NOT_FOUND.to_owned(),
        _ => format!("match {at} of {all} (n/N, Esc clears)"),
    });
}

/// Back to the list, whose cursor is on the session that was read.
fn close(state: &mut State) {
    if let Some(open) = state.open.take() {
        if state.list.chosen_ref() != Some(open.reference()) {
            state.list.go_to(open.reference());
        }
        if state.shows_preview() {
            state.preview = Some(open);
        }
    }
    state.loading.clear();
}

fn copy_code(state: &mut State) {
    let blocks = state.open.as_ref().map(Transcript::code_to_copy);
    let blocks = blocks.unwrap_or_default();
    let item = state.open.as_ref().and_then(Transcript::chosen);
    let Some(item) = item.map(|item| item.id).filter(|_| !blocks.is_empty()) else {
        state.tell("there is no code block in this message");
        return;
    };
    let next = match state.copied_code {
        Some((of, at)) if of == item => (at + 1) % blocks.len(),
        _ => 0,
    };
    state.copied_code = Some((item, next));
    let what = match blocks.len() {
        1 => "code block".to_owned(),
        all => format!("code block {} of {all}", next + 1),
    };
    state.ask(Effect::Copy(blocks[next].clone(), what));
}

fn in_turns(state: &mut State, action: KeyAction) {
    let lines = action.lines(state.height());
    let Some(turns) = &mut state.turns else {
        return;
    };
    if let Some(lines) = lines {
        return turns.move_by(lines);
    }
    match action {
        KeyAction::Open => {
            let place = turns.turns.get(turns.cursor).map(|turn| turn.item);
            state.turns = None;
            if let (Some(open), Some(at)) = (&mut state.open, place) {
                open.go_to_turn(at);
            }
        }
        KeyAction::Back => state.turns = None,
        _ => {}
    }
}

fn in_find(state: &mut State, action: KeyAction) {
    match action {
        KeyAction::Open => {
            let input = state.find.take();
            if input.is_some_and(|input| input.text().trim().is_empty()) {
                return stop_finding(state);
            }
            tell_found(state);
        }
        KeyAction::Back => {
            state.find = None;
            stop_finding(state);
        }
        KeyAction::NextHit | KeyAction::PreviousHit => {
            if let Some(open) = &mut state.open {
                open.seek_found(if action == KeyAction::NextHit { 1 } else { -1 }, true);
            }
        }
        action => edit(state, action),
    }
}

fn stop_finding(state: &mut State) {
    if let Some(open) = &mut state.open {
        open.stop_finding(true);
    }
}

fn on_page(state: &mut State, action: KeyAction) {
    let height = state.height();
    match (action.lines(height), &mut state.page) {
        (Some(lines), Some(page)) => page.scroll(lines, usize::from(height)),
        _ if action == KeyAction::Back => state.page = None,
        _ => {}
    }
}

fn in_question(state: &mut State, action: KeyAction) {
    match action {
        KeyAction::Open => resume::answer(state),
        KeyAction::Back => state.resuming = None,
        action => edit(state, action),
    }
}

/// Edits the line that is being typed.
pub(super) fn edit(state: &mut State, action: KeyAction) {
    let changed = state.input_mut().and_then(|input| input.edit(action));
    if changed == Some(true) {
        input_changed(state);
    }
}

fn in_export(state: &mut State, action: KeyAction) {
    match action {
        KeyAction::Open => {
            if let Some((reference, input)) = state.export.take() {
                let path = input.text().trim().to_owned();
                if path.is_empty() {
                    state.tell("nothing was written: the file has no name");
                    return;
                }
                write_file(state, reference, path, false);
            }
        }
        KeyAction::Back => state.export = None,
        action => edit(state, action),
    }
}

fn write_file(state: &mut State, reference: SessionRef, path: String, replaces: bool) {
    state.writing = Some(format!("writing {path} …"));
    state.ask(Effect::Export(reference, path, replaces));
}

fn in_replacing(state: &mut State, action: KeyAction) {
    let Some((reference, path)) = state.replacing.take() else {
        return;
    };
    match action {
        KeyAction::Open => write_file(state, reference, path, true),
        _ => state.tell("nothing was written"),
    }
}

/// Shows the files that the session changed.
fn show_files(state: &mut State) {
    let Some(reference) = state.subject() else {
        return state.tell(NO_SESSION);
    };
    state.files = Some(FileList {
        files: None,
        cursor: 0,
    });
    state.page_generation = state.next_generation();
    state.ask(Effect::Files(state.page_generation, reference));
}

fn in_files(state: &mut State, action: KeyAction) {
    let lines = action.lines(state.height());
    let Some(files) = &mut state.files else {
        return;
    };
    match (lines, action) {
        (Some(lines), _) => files.move_by(lines),
        (None, KeyAction::Open) => state.page = files.changes(),
        (None, KeyAction::Back) => state.files = None,
        _ => {}
    }
}

fn write_page(state: &mut State, kind: PageKind) {
    state.page = Some(TextPage::new(kind));
    state.page_generation = state.next_generation();
    let columns = usize::from(state.size.0.saturating_sub(4)).min(110);
    let generation = state.page_generation;
    state.ask(match kind {
        PageKind::Doctor => Effect::Doctor(generation, columns),
        _ => Effect::Stats(generation, columns),
    });
}

fn toggle_mouse(state: &mut State) {
    state.has_mouse = !state.has_mouse;
    state.tell(if state.has_mouse {
        "mouse capture is on"
    } else {
        "mouse capture is off: select and copy as usual; M turns it on"
    });
    state.ask(Effect::Mouse(state.has_mouse));
}

fn with_subject(state: &mut State, effect: fn(SessionRef) -> Effect) {
    if let Some(reference) = state.subject() {
        return state.ask(effect(reference));
    }
    state.tell(NO_SESSION);
}

fn restore(state: &mut State) {
    let row = state.subject_row();
    let why = match row {
        Some(row) if row.kind == Kind::Log => "nothing to restore: only its prompts are left",
        Some(row) if row.on_disk => "it is on disk: nothing to restore",
        Some(row) if !row.archived => "not in the archive: it cannot be restored",
        Some(_) => return with_subject(state, Effect::Restore),
        None => NO_SESSION,
    };
    state.tell(why);
}

fn ask_for_file(state: &mut State) {
    let Some(reference) = state.subject() else {
        state.tell(NO_SESSION);
        return;
    };
    let (id, _) = reference.as_str().split_once('-').unwrap_or_default();
    let name = format!("session-{id}.md");
    state.export = Some((reference, Input::new(name)));
}

fn make_archive(state: &mut State) {
    match state.archive {
        ArchiveState::Used => {
            state.tell("there is an archive already; new sessions are added to it");
        }
        ArchiveState::Off => {
            state.tell("--home turns the archive off. Add --archive FILE to use one.");
        }
        ArchiveState::Missing if state.list.rows().is_empty() => {
            state.tell("nothing to archive yet: no sessions were found");
        }
        ArchiveState::BeingMade => state.tell("it is being made; you can read on meanwhile"),
        ArchiveState::Missing => {
            state.archive = ArchiveState::BeingMade;
            state.progress = Some("making the archive …".to_owned());
            state.ask(Effect::MakeArchive);
        }
    }
}

/// The keys, for people: those of where one is come first.
fn help(here: KeyContext) -> Vec<PageLine> {
    let mut lines = Vec::new();
    let others = KeyContext::ALL.into_iter().filter(|it| *it != here);
    for context in std::iter::once(here).chain(others) {
        if !lines.is_empty() {
            lines.push(PageLine::Text(String::new()));
        }
        lines.push(PageLine::Heading(context.title().to_owned()));
        for binding in keys::bindings(context) {
            let names: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
            let keys = gemtrail_export::text::fit(&names.join("  "), 22);
            lines.push(PageLine::Text(format!("  {keys}  {}", binding.words)));
        }
    }
    lines
}
