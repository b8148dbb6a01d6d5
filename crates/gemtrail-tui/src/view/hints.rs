//! The keys that matter most where one is, in the last line.

use gemtrail_export::text::width;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use crate::keys::{self, KeyContext};
use crate::state::{ArchiveState, State, Transcript};

/// A key, and what it does.
type Hint = (String, &'static str);

/// Between two hints.
const GAP: usize = 2;

/// As many hints as fit.
pub(super) fn line(state: &State, theme: Theme, columns: usize) -> Line<'static> {
    let hints = fitting(state, columns);
    let used = room(&hints);
    let mut spans = vec![Span::raw(" ")];
    for (key, words) in hints {
        spans.push(Span::styled(key, theme.strong()));
        spans.push(Span::styled(format!(" {words}  "), Style::new()));
    }
    if !state.has_mouse && used + 12 < columns {
        spans.push(Span::styled("mouse free", theme.strong()));
    }
    Line::from(spans)
}

fn fitting(state: &State, columns: usize) -> Vec<Hint> {
    let context = state.context();
    let bindings = keys::bindings(context).filter_map(|it| Some((it.keys[0], it.footer?)));
    let bindings = bindings.map(|(key, words)| (key.to_string(), words));
    let mut hints: Vec<Hint> = of_place(state).into_iter().chain(bindings).collect();
    if state.open.as_ref().is_some_and(Transcript::is_chosen_open)
        && let Some(hint) = hints.iter_mut().find(|(_, words)| *words == "expand")
    {
        hint.1 = "collapse";
    }
    // The last of them can best be done without, except for the way back and to all keys.
    let can_go = |(key, _): &Hint| key != "?" && key != "Esc";
    while room(&hints) > columns {
        match hints.iter().rposition(can_go) {
            Some(at) => drop(hints.remove(at)),
            None => break,
        }
    }
    hints
}

/// Keys for just this place.
fn of_place(state: &State) -> Vec<Hint> {
    let mut hints = Vec::new();
    if state.context() != KeyContext::List {
        return hints;
    }
    let list = &state.list;
    let mut add = |key: &str, words| hints.push((key.to_owned(), words));
    if state.archive == ArchiveState::Missing && !list.rows().is_empty() {
        add("A", "archive everything");
    }
    if list.is_filtered() {
        if !list.hits.hits.is_empty() {
            add("n", "next match");
        }
        add("Esc", "clear");
    }
    let chosen = list.chosen_row().map(|row| row.reference);
    if chosen.is_some_and(|it| list.agents_of(it).0 > 0) && !list.is_filtered() {
        add("Tab", "subagents");
    }
    hints
}

fn room(hints: &[Hint]) -> usize {
    let own = |(key, words): &Hint| width(key) + 1 + width(words) + GAP;
    let all: usize = hints.iter().map(own).sum();
    all.saturating_sub(GAP)
}
