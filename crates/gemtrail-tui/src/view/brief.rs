//! What is known of the session under the cursor at once.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::put;
use super::theme::Theme;
use crate::state::{BriefLine, State};

/// Draws the brief at the top of an area.
pub(super) fn draw(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let columns = area.width.saturating_sub(3);
    let lines = state.brief(usize::from(columns));
    for (line, y) in lines.into_iter().zip(area.top()..area.bottom()) {
        let line = match line {
            BriefLine::Title(text) => Line::styled(text, theme.strong()),
            BriefLine::Facts(text) => Line::raw(text),
            BriefLine::Prompt(text) => {
                Line::from(vec![Span::styled("│ ", theme.accent()), Span::raw(text)])
            }
            BriefLine::End(text) => Line::styled(text, theme.faint()),
        };
        put(buffer, area.x + 2, y, columns, &line);
    }
}
