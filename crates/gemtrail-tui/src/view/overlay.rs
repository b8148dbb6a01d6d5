//! Pages and the list of turns.

use gemtrail_export::text::{Clean, shorten};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::put;
use super::theme::Theme;
use crate::state::{PageLine, TextPage, TurnList};

pub(super) fn page(page: &TextPage, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(lines) = &page.lines else {
        put(
            buffer,
            area.x + 1,
            area.y,
            area.width,
            &Line::styled("counting …", theme.faint()),
        );
        return;
    };
    for (line, y) in lines.iter().skip(page.top).zip(area.top()..area.bottom()) {
        let style = match line {
            PageLine::Heading(_) => theme.strong(),
            PageLine::Text(_) => Style::new(),
            PageLine::Note(_) => theme.faint(),
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
    for y in area.top()..area.bottom() {
        let blank = " ".repeat(usize::from(area.width));
        put(buffer, area.x, y, area.width, &Line::raw(blank));
    }
    buffer.set_style(area, Style::reset());
    let height = usize::from(area.height);
    let top = (turns.cursor + 1 + height / 3).saturating_sub(height);
    let top = top.min(turns.turns.len().saturating_sub(height));
    let rows = turns.turns.iter().enumerate().skip(top);
    for ((at, (_, number, words)), y) in rows.zip(area.top()..area.bottom()) {
        let words = shorten(words, usize::from(area.width.saturating_sub(8)));
        let line = Line::from(vec![
            Span::styled(format!("{number:>5}  "), theme.faint()),
            Span::raw(words),
        ]);
        put(buffer, area.x, y, area.width, &line);
        if at == turns.cursor {
            buffer.set_style(Rect::new(area.x, y, area.width, 1), theme.chosen());
        }
    }
}
