//! Pages, and the lists of prompts and of files.

use gemtrail_export::plain::Ink;
use gemtrail_export::present::FileChanges;
use gemtrail_export::text::{Clean, fit, shorten, shorten_start};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::put;
use super::theme::Theme;
use crate::state::{FileList, PageLine, TextPage, Turn, TurnList};

pub(super) fn page(page: &TextPage, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(lines) = &page.lines else {
        put(
            buffer,
            area.x + 1,
            area.y,
            area.width,
            &Line::styled("reading …", theme.faint()),
        );
        return;
    };
    for (line, y) in lines.iter().skip(page.top).zip(area.top()..area.bottom()) {
        let style = match line {
            PageLine::Heading(_) => theme.strong(),
            PageLine::Text(_) => Style::new(),
            PageLine::Note(_) => theme.faint(),
            PageLine::Added(_) => theme.ink(Ink::Added),
            PageLine::Removed(_) => theme.ink(Ink::Removed),
        };
        let text = shorten(
            &Clean::text(line.as_str()),
            usize::from(area.width.saturating_sub(1)),
        );
        put(
            buffer,
            area.x + 1,
            y,
            area.width,
            &Line::styled(text, style),
        );
    }
}

pub(super) fn turns(turns: &TurnList, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let line = |turn: &Turn| {
        let failed = match turn.failures {
            0 => String::new(),
            count => format!("{count}✗"),
        };
        let room = usize::from(area.width.saturating_sub(21));
        Line::from(vec![
            Span::styled(
                format!("{:>5}  {:>5} ", turn.number, turn.clock),
                theme.faint(),
            ),
            Span::styled(format!("{failed:>4}  "), theme.failure()),
            Span::raw(shorten(&turn.words, room)),
        ])
    };
    lines(
        turns.turns.iter().map(line),
        turns.cursor,
        (theme, area),
        buffer,
    );
}

/// The files that a session changed.
pub(super) fn files(list: &FileList, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let line = |file: &FileChanges| {
        let (added, removed) = (file.diff.added, file.diff.removed);
        let prompts: Vec<String> = file.prompts.iter().map(u32::to_string).collect();
        let room = usize::from(area.width.saturating_sub(40));
        let name = fit(&shorten_start(&file.name, room), room);
        Line::from(vec![
            Span::raw(format!(" {name} ")),
            Span::styled(format!("{:>7}", format!("+{added}")), theme.ink(Ink::Added)),
            Span::styled(
                format!("{:>7}", format!("−{removed}")),
                theme.ink(Ink::Removed),
            ),
            Span::styled(
                format!(
                    "  {}",
                    shorten(&format!("prompts {}", prompts.join(", ")), 22)
                ),
                theme.faint(),
            ),
        ])
    };
    match &list.files {
        Some(files) => lines(files.iter().map(line), list.cursor, (theme, area), buffer),
        None => lines(
            [Line::raw(" reading …")].into_iter(),
            1,
            (theme, area),
            buffer,
        ),
    }
}

/// A list in place of everything.
fn lines<'l>(
    lines: impl ExactSizeIterator<Item = Line<'l>>,
    cursor: usize,
    (theme, area): (Theme, Rect),
    buffer: &mut Buffer,
) {
    for y in area.top()..area.bottom() {
        let blank = " ".repeat(usize::from(area.width));
        put(buffer, area.x, y, area.width, &Line::raw(blank));
    }
    buffer.set_style(area, Style::reset());
    let height = usize::from(area.height);
    let top = (cursor + 1 + height / 3).saturating_sub(height);
    let top = top.min(lines.len().saturating_sub(height));
    let rows = lines.enumerate().skip(top);
    for ((at, line), y) in rows.zip(area.top()..area.bottom()) {
        put(buffer, area.x, y, area.width, &line);
        if at == cursor {
            buffer.set_style(Rect::new(area.x, y, area.width, 1), theme.chosen());
        }
    }
}
