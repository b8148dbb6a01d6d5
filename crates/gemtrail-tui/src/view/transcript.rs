//! A session, and the brief above it.

use gemtrail_core::model::Role;
use gemtrail_export::plain::{Ink, Line as InkLine};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::{mark_words, put};
use crate::state::{BriefLine, ItemPart, State, Transcript, TranscriptItem};

pub(super) fn draw(
    transcript: &Transcript,
    is_active: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let visible = transcript.visible();
    for ((at, line), y) in visible.into_iter().zip(area.top()..area.bottom()) {
        let Some(item) = transcript.items().get(at) else {
            continue;
        };
        let lines = transcript.lines(at);
        let Some(content) = lines.get(line) else {
            continue;
        };
        let is_chosen = is_active && at == transcript.cursor();
        if is_chosen && !(content.is_empty() && line == 0) {
            put(buffer, area.x, y, 1, &Line::styled("▌", theme.accent()));
        }
        let spans = self::spans(content, item, transcript, theme);
        put(
            buffer,
            area.x + 2,
            y,
            area.width.saturating_sub(2),
            &Line::from(spans),
        );
    }
}

fn spans(
    line: &InkLine,
    item: &TranscriptItem,
    transcript: &Transcript,
    theme: Theme,
) -> Vec<Span<'static>> {
    let role = transcript
        .document()
        .message(item)
        .map(|message| message.role);
    let is_human = item.part == ItemPart::Words && role == Some(Role::Human);
    let is_call = matches!(item.part, ItemPart::Call(_)) && !transcript.is_open(item);
    let mut spans = Vec::new();
    for (ink, text) in line {
        let style = match ink {
            // The margin of what the person said.
            Ink::Faint if is_human && text.starts_with('│') => theme.accent(),
            Ink::Text if is_human => theme.strong(),
            Ink::Text if is_call && item.is_failure => theme.failure(),
            Ink::Text | Ink::Success if is_call => theme.faint(),
            ink => theme.ink(*ink),
        };
        mark_words(
            text,
            style,
            (transcript.marked_words(), theme.found()),
            &mut spans,
        );
    }
    spans
}

/// Draws the brief at the top of an area.
pub(super) fn brief(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
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
