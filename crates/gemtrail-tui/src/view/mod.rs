//! Draws the state. Only what is visible is made.

mod hints;
mod hits;
mod list;
mod overlay;
mod theme;
mod transcript;

use gemtrail_export::text::{Clean, grouped, plural, shorten, width};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub use theme::Theme;

use crate::state::{Input, Sort, State, Transcript};

/// Draws everything.
pub fn draw(state: &State, theme: Theme, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    if state.is_tiny() {
        let words = "gemtrail needs 40 × 10; q quits";
        let words = shorten(words, usize::from(area.width));
        put(frame.buffer_mut(), 0, 0, area.width, &Line::from(words));
        return;
    }
    title(state, theme, frame.buffer_mut());
    let (list_columns, text_columns) = state.columns();
    let body = |x: u16, width: u16| Rect::new(x, 2, width, state.height());
    if let Some(page) = &state.page {
        overlay::page(page, theme, body(1, area.width - 2), frame.buffer_mut());
    } else if state.is_wide() {
        list::draw(state, theme, body(0, list_columns), frame);
        let line = Rect::new(list_columns + 1, 2, 1, state.height());
        for y in line.top()..line.bottom() {
            let mark = Line::styled("│", theme.faint());
            put(frame.buffer_mut(), line.x, y, 1, &mark);
        }
        let right = body(list_columns + 3, text_columns);
        beside(state, theme, right, frame);
    } else if let Some(open) = &state.open {
        transcript::draw(open, true, theme, body(0, area.width), frame.buffer_mut());
    } else {
        list::draw(state, theme, body(0, area.width), frame);
        let below = state.rows_below();
        if below > 0 {
            let top = 2 + state.height() - below;
            let line = Line::styled("─".repeat(area.width.into()), theme.faint());
            put(frame.buffer_mut(), 0, top - 1, area.width, &line);
            let place = Rect::new(1, top, area.width - 1, below);
            beside(state, theme, place, frame);
        }
    }
    if let (Some(turns), None) = (&state.turns, &state.page) {
        overlay::turns(turns, theme, body(0, area.width), frame.buffer_mut());
    }
    if let (Some(files), None) = (&state.files, &state.page) {
        overlay::files(files, theme, body(0, area.width), frame.buffer_mut());
    }
    footer(state, theme, frame);
}

/// Draws the session beside the list.
fn beside(state: &State, theme: Theme, area: Rect, frame: &mut Frame<'_>) {
    let chosen = state.list.chosen_ref();
    let preview = state.preview.as_ref();
    let preview = preview.filter(|it| Some(it.reference()) == chosen);
    match (&state.open, preview) {
        (Some(open), _) => transcript::draw(open, true, theme, area, frame.buffer_mut()),
        (None, Some(preview)) => {
            let above = state.brief_height();
            if above > 0 {
                transcript::brief(state, theme, area, frame.buffer_mut());
            }
            let below = Rect::new(area.x, area.y + above, area.width, area.height - above);
            transcript::draw(preview, false, theme, below, frame.buffer_mut());
        }
        (None, None) => transcript::brief(state, theme, area, frame.buffer_mut()),
    }
}

/// The first line: where one is, and what is true of all of it.
fn title(state: &State, theme: Theme, buffer: &mut Buffer) {
    let columns = usize::from(state.size.0);
    let list = &state.list;
    let (left, right) = if let Some(page) = &state.page {
        let more = match page.below(usize::from(state.height())) {
            0 => String::new(),
            lines => format!("{} more ↓", grouped(lines as u64)),
        };
        (page.kind.title().to_owned(), more)
    } else if let (Some(open), false) = (&state.open, state.is_wide()) {
        let heading = Clean::line(
            open.session()
                .title
                .as_deref()
                .unwrap_or("Untitled session"),
        );
        (heading.to_string(), format!("{} %", open.percent()))
    } else if state.is_reading && list.rows().is_empty() {
        ("reading sessions …".to_owned(), String::new())
    } else {
        let sessions = sessions(state);
        let order = match list.sort {
            // It may be far below the rows.
            _ if list.is_filtered() => list.hits.trouble.clone(),
            Sort::Newest => None,
            sort => Some(sort.words().to_owned()),
        };
        let place = state
            .open
            .as_ref()
            .map(|open| format!("{} %", open.percent()));
        (sessions, place.or(order).unwrap_or_default())
    };
    let name = " gemtrail  ";
    let room = columns.saturating_sub(width(name) + width(&right) + 3);
    let left = gemtrail_export::text::fit(&shorten(&left, room), room);
    let line = Line::from(vec![
        Span::styled(name, theme.strong()),
        Span::raw(left),
        Span::raw(format!("  {right}")),
    ]);
    put(buffer, 0, 0, state.size.0, &line);
}

/// Counts the sessions, or those that the filter takes by their titles.
fn sessions(state: &State) -> String {
    let list = &state.list;
    let all = plural(list.sessions, "session");
    let all = if state.is_scoped {
        format!("{all} {}", state.scope)
    } else {
        all
    };
    if !list.is_filtered() {
        return format!("{all}, {}", plural(list.projects, "project"));
    }
    let (sessions, subagents) = list.taken();
    if list.hits.total > 0 {
        // Those with matches, in their titles or their texts.
        let sessions = grouped(list.hits.sessions.max(sessions) as u64);
        let matches = grouped(list.hits.total as u64);
        return format!("{sessions} of {all}, {matches} matches");
    }
    let subagents = match subagents {
        0 => String::new(),
        count => format!(", {}", plural(count, "subagent")),
    };
    format!("{} of {all}{subagents}", grouped(sessions as u64))
}

/// The last line: what the keys do, what just happened, or what is being typed.
fn footer(state: &State, theme: Theme, frame: &mut Frame<'_>) {
    let y = state.size.1 - 1;
    if let Some(input) = &state.find {
        line_input("find: ", input, theme, y, frame);
        return found_count(state, theme, y, frame.buffer_mut());
    }
    if let Some((_, input)) = &state.export {
        let how = "the extension chooses the format: .md, .html, .txt, .json, .jsonl";
        above_footer(state, theme, 1, how, frame.buffer_mut());
        return line_input("write to: ", input, theme, y, frame);
    }
    if let Some((_, path)) = &state.replacing {
        let words = format!(" {} exists. Replace it? y/n", Clean::line(path));
        let line = Line::styled(words, theme.strong());
        return put(frame.buffer_mut(), 0, y, state.size.0, &line);
    }
    if let Some((_, input)) = &state.marking {
        let how = "* pins, #word tags, then a title of your own, then -- and a note";
        above_footer(state, theme, 1, how, frame.buffer_mut());
        return line_input("marks: ", input, theme, y, frame);
    }
    if let Some(question) = state.question() {
        let why = Clean::line(&question.why);
        let columns = usize::from(state.size.0.saturating_sub(2));
        let (first, last) = in_two(&why, columns);
        above_footer(state, theme, 2, first, frame.buffer_mut());
        above_footer(state, theme, 1, last, frame.buffer_mut());
        return line_input("resume in directory: ", &question.input, theme, y, frame);
    }
    let columns = usize::from(state.size.0.saturating_sub(2));
    let words = state
        .toast
        .as_ref()
        .map(|(words, _)| words)
        .or(state.writing.as_ref())
        .or(state.progress.as_ref());
    let is_finding = state.open.as_ref().is_some_and(Transcript::is_finding);
    let waiting = if is_finding {
        Some("looking …")
    } else if state.is_opening() {
        Some("reading …")
    } else if state.resuming.is_some() {
        Some("checking whether it can be resumed …")
    } else {
        None
    };
    let line = match words.map(String::as_str).or(waiting) {
        Some(words) => {
            let words = Clean::line(words);
            let (above, last) = in_two(&words, columns);
            above_footer(state, theme, 1, above, frame.buffer_mut());
            Line::styled(format!(" {}", shorten(last, columns)), theme.strong())
        }
        None => hints::line(state, theme, columns),
    };
    put(frame.buffer_mut(), 0, y, state.size.0, &line);
}

/// `3 of 20` at the end of the line that finds words.
fn found_count(state: &State, theme: Theme, y: u16, buffer: &mut Buffer) {
    let is_empty = state.find.as_ref().is_none_or(|it| it.text().is_empty());
    let place = state.open.as_ref().and_then(Transcript::found_place);
    let Some((at, all)) = place.filter(|_| !is_empty) else {
        return;
    };
    let words = match all {
        0 => " no match ".to_owned(),
        _ => format!(" {at} of {all} "),
    };
    let columns = u16::try_from(width(&words)).unwrap_or(0);
    let x = state.size.0.saturating_sub(columns);
    put(buffer, x, y, columns, &Line::styled(words, theme.strong()));
}

/// Words so many lines above the last one, in place of what is there.
fn above_footer(state: &State, theme: Theme, lines: u16, words: &str, buffer: &mut Buffer) {
    if words.is_empty() {
        return;
    }
    let columns = usize::from(state.size.0.saturating_sub(2));
    let words = gemtrail_export::text::fit(&shorten(words, columns), columns + 1);
    let line = Line::styled(format!(" {words}"), theme.strong());
    put(buffer, 0, state.size.1 - 1 - lines, state.size.0, &line);
}

/// Cuts what is too long for one line between two words; the first part may be empty.
fn in_two(words: &str, columns: usize) -> (&str, &str) {
    if width(words) <= columns {
        return ("", words);
    }
    let mut spaces = words.match_indices(' ').map(|(at, _)| at);
    let cut = spaces.rfind(|&at| width(&words[..at]) <= columns);
    match cut {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => ("", words),
    }
}

/// A line that is being typed, with the cursor.
fn line_input(label: &str, input: &Input, theme: Theme, y: u16, frame: &mut Frame<'_>) {
    let columns = frame.area().width;
    put_input(
        label,
        input,
        theme,
        Rect::new(1, y, columns.saturating_sub(2), 1),
        frame,
    );
}

/// The same anywhere.
fn put_input(label: &str, input: &Input, theme: Theme, area: Rect, frame: &mut Frame<'_>) {
    let room = usize::from(area.width).saturating_sub(width(label) + 2);
    let before = gemtrail_export::text::shorten_start(input.before(), room);
    let rest = room.saturating_sub(width(&before));
    let after = shorten(input.after(), rest);
    let at = area.x + u16::try_from(width(label) + width(&before)).unwrap_or(0);
    let line = Line::from(vec![
        Span::styled(label.to_owned(), theme.accent()),
        Span::raw(before),
        Span::raw(after),
    ]);
    put(frame.buffer_mut(), area.x, area.y, area.width, &line);
    frame.set_cursor_position((at.min(area.right().saturating_sub(1)), area.y));
}

/// Writes a line, cut where the room ends.
fn put(buffer: &mut Buffer, x: u16, y: u16, width: u16, line: &Line<'_>) {
    if buffer.area.contains((x, y).into()) {
        buffer.set_line(x, y, line, width);
    }
}

/// Marks the words that were looked for.
fn mark_words(
    text: &str,
    style: Style,
    (words, found_style): (&[String], Style),
    spans: &mut Vec<Span<'static>>,
) {
    let lower = text.to_lowercase();
    // Where lower case has another length, places would be wrong.
    if words.is_empty() || lower.len() != text.len() {
        spans.push(Span::styled(text.to_owned(), style));
        return;
    }
    let mut at = 0;
    while at < text.len() {
        let found = words
            .iter()
            .filter_map(|word| Some((lower[at..].find(word.as_str())?, word.len())))
            .min();
        let Some((from, length)) = found else {
            break;
        };
        let (start, end) = (at + from, at + from + length);
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            break;
        }
        if start > at {
            spans.push(Span::styled(text[at..start].to_owned(), style));
        }
        spans.push(Span::styled(text[start..end].to_owned(), found_style));
        at = end;
    }
    if at < text.len() {
        spans.push(Span::styled(text[at..].to_owned(), style));
    }
}
