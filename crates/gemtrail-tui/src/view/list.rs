//! The list of sessions.

use gemtrail_core::model::{Kind, SessionSource};
use gemtrail_export::present::Now;
use gemtrail_export::stats::dollars;
use gemtrail_export::text::{Clean, amount, fit, shorten, width};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::{hits, mark_words, put, put_input};
use crate::keys::KeyContext;
use crate::state::{BrowserRow, Group, ListEntry, State};

pub(super) const TIME: usize = 6;
const FAILED: usize = 4;
const PROMPTS: usize = 4;
const TOKENS: usize = 6;
const COST: usize = 9;

/// Examples for the line that filters and searches.
const EXAMPLE: &str = "any words; in the text also: status:failed since:\"last week\" role:human";

/// The width from which there is room for what sessions cost.
const WITH_COST: usize = 100;

pub(super) fn draw(state: &State, theme: Theme, area: Rect, frame: &mut Frame<'_>) {
    let above = Rect::new(area.x, area.y.saturating_sub(1), area.width, 1);
    let mut area = area;
    if state.has_filter_line() {
        let input = Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1);
        if state.is_filtering {
            put_input("/ ", &state.filter, theme, input, frame);
            if state.filter.text().is_empty() {
                let room = input.width.saturating_sub(4);
                let words = Line::styled(shorten(EXAMPLE, usize::from(room)), theme.faint());
                put(frame.buffer_mut(), input.x + 4, input.y, room, &words);
            }
        } else {
            let line = Line::from(vec![
                Span::styled("/ ", theme.accent()),
                Span::raw(shorten(state.filter.text(), usize::from(input.width))),
            ]);
            put(frame.buffer_mut(), input.x, input.y, input.width, &line);
        }
        area.y += 1;
    }
    let buffer = frame.buffer_mut();
    let list = &state.list;
    if list.rows().is_empty() && !state.is_reading {
        return empty(state, theme, area, buffer);
    }
    if let Some(words) = state.warning() {
        let style = match state.risk {
            Some(_) => theme.failure().patch(theme.strong()),
            None => theme.faint(),
        };
        let room = usize::from(area.width.saturating_sub(2));
        // The footer has the key as well.
        let words = match &state.risk {
            Some(risk) if width(&words) > room => shorten(risk, room),
            _ => shorten(&words, room),
        };
        put(
            buffer,
            area.x + 1,
            area.y,
            area.width,
            &Line::styled(words, style),
        );
        area.y += 1;
    }
    area.height = state.list_height();
    let columns = ListColumns::of(state, area.width);
    let words = state.filter_words();
    let visible = list.entries().iter().skip(list.top());
    let mut visible = visible.take(usize::from(area.height));
    let has_rows = visible.any(|it| matches!(it, ListEntry::Row(_) | ListEntry::Child(_)));
    if has_rows && state.turns.is_none() {
        let headings = Line::styled(columns.headings(), theme.faint());
        put(buffer, above.x, above.y, above.width, &headings);
    }
    let now = state.present();
    let is_active = matches!(state.context(), KeyContext::List | KeyContext::Filter);
    let entries = list.entries().iter().enumerate().skip(list.top());
    for (line, (at, entry)) in entries.take(usize::from(area.height)).enumerate() {
        let is_chosen = at == list.cursor();
        let row = |index: u32| list.row(index);
        let content = match entry {
            ListEntry::Blank => continue,
            ListEntry::Heading(words) => {
                let words = Clean::line(words.as_str());
                Line::styled(format!(" {words}"), theme.strong())
            }
            ListEntry::Note(words) => {
                let words = shorten(&Clean::line(words.as_str()), usize::from(area.width) - 2);
                Line::styled(format!(" {words}"), theme.faint())
            }
            ListEntry::Row(index) => match row(*index) {
                Some(row) => columns.row(state, row, (0, &words), &now, theme, is_chosen),
                None => continue,
            },
            ListEntry::Child(index) => match row(*index) {
                Some(row) => columns.row(state, row, (2, &words), &now, theme, is_chosen),
                None => continue,
            },
            ListEntry::Found(_) | ListEntry::Hit(_) | ListEntry::More(_) => {
                let how = hits::HitDrawing {
                    columns: usize::from(area.width),
                    project: columns.project,
                    theme,
                    is_chosen,
                };
                match how.line(state, entry, &now) {
                    Some(line) => line,
                    None => continue,
                }
            }
        };
        let y = area.y + u16::try_from(line).unwrap_or(u16::MAX);
        put(buffer, area.x, y, area.width, &content);
        if is_chosen {
            let place = Rect::new(area.x, y, area.width, 1);
            let style = if is_active {
                theme.chosen()
            } else {
                theme.strong()
            };
            buffer.set_style(place, style);
        }
    }
}

fn empty(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let places = state.places.iter().map(|place| format!("  {place}"));
    let lines = std::iter::once("There are no sessions yet in".to_owned())
        .chain(places)
        .chain([
            String::new(),
            "Start one with `gemini`, or name another place: gemtrail --home DIR".to_owned(),
        ]);
    for (line, y) in lines.zip(area.y + 1..area.bottom()) {
        let words = shorten(
            &Clean::text(line),
            usize::from(area.width.saturating_sub(4)),
        );
        put(
            buffer,
            area.x,
            y,
            area.width,
            &Line::styled(format!("  {words}"), theme.faint()),
        );
    }
}

/// The widths of the columns.
struct ListColumns {
    project: usize,
    title: usize,
    has_cost: bool,
}

impl ListColumns {
    fn of(state: &State, columns: u16) -> Self {
        let columns = usize::from(columns);
        let has_cost = columns >= WITH_COST;
        let most = if has_cost { 20 } else { 12 };
        let cost = if has_cost { COST + 1 } else { 0 };
        let hosts = if state.list.has_hosts { 8 } else { 0 };
        let project = state.list.project_columns.clamp(4, most) + hosts;
        // Marks, time and project with their gaps; failures, prompts, tokens and cost.
        let taken = 4 + TIME + 2 + project + 2 + FAILED + PROMPTS + TOKENS + 3 + cost;
        Self {
            project,
            title: columns.saturating_sub(taken).max(8),
            has_cost,
        }
    }

    /// The headings above the figures; failures have their mark.
    fn headings(&self) -> String {
        let prompts = 4 + TIME + 2 + self.project + 2 + self.title + 1 + FAILED + 1 + PROMPTS;
        let cost = if self.has_cost {
            format!(" {:>COST$}", "cost")
        } else {
            String::new()
        };
        format!("{:>prompts$} {:>TOKENS$}{cost}", "prompts", "tokens")
    }

    fn row(
        &self,
        state: &State,
        row: &BrowserRow,
        (indent, marked): (usize, &[String]),
        now: &Now,
        theme: Theme,
        is_chosen: bool,
    ) -> Line<'static> {
        let (agents, is_open) = state.list.agents_of(row.reference);
        let mark = mark(row.kind, row.on_disk, row.source);
        let fold = match (agents, is_open) {
            (0, _) => " ",
            (_, false) => "▸",
            (_, true) => "▾",
        };
        let title = Clean::line(row.title.as_deref().unwrap_or("–"));
        let title = match row.kind {
            Kind::Log => format!("“{title}”"),
            _ => title.into(),
        };
        let room = self.title.saturating_sub(indent);
        let title = format!(
            "{}{}",
            " ".repeat(indent),
            fit(&shorten(&title, room), room)
        );
        let failed = match row.failures {
            0 => String::new(),
            count => format!("{}✗", amount(count.into())),
        };
        let tokens = match row.tokens {
            0 => "–".to_owned(),
            total => amount(total),
        };
        let cost = if self.has_cost {
            format!(" {:>COST$}", dollars(row.cost))
        } else {
            String::new()
        };
        let host = row.origin.host.as_deref().filter(|_| state.list.has_hosts);
        let project = match host {
            Some(host) => format!("{}@{host}", state.list.names.name(&row.project)),
            None => state.list.names.name(&row.project),
        };
        let project = Clean::line(&project).to_string();
        let unless_chosen = |style| if is_chosen { Style::new() } else { style };
        let faint = unless_chosen(theme.faint());
        let failure = unless_chosen(theme.failure());
        let words = if row.kind == Kind::Subagent {
            faint
        } else {
            Style::new()
        };
        let mut spans = vec![
            Span::styled(format!(" {mark}{fold} "), faint),
            Span::styled(fit(&now.short(row.updated.as_deref()), TIME), words),
            Span::raw("  "),
        ];
        let found = if is_chosen {
            theme.strong()
        } else {
            theme.found()
        };
        let mut put_marked =
            |text: &str, style: Style| mark_words(text, style, (marked, found), &mut spans);
        // Below the name of the project it need not stand in each row.
        let is_known = state.list.group == Group::Project && !state.list.is_filtered();
        let shown = if is_known { "" } else { project.as_str() };
        let style = match unless_chosen(theme.project(&project)) {
            style if row.kind == Kind::Subagent => style.patch(words),
            style => style,
        };
        put_marked(&fit(shown, self.project), style);
        put_marked(&format!("  {title}"), words);
        spans.extend([
            Span::raw(" "),
            Span::styled(
                format!(
                    "{}{failed}",
                    " ".repeat(FAILED.saturating_sub(width(&failed)))
                ),
                failure,
            ),
            Span::styled(format!(" {:>PROMPTS$}", amount(row.prompts.into())), words),
            Span::styled(format!(" {tokens:>TOKENS$}"), faint),
            Span::styled(cost, faint),
        ]);
        Line::from(spans)
    }
}

/// The mark for a kind of session, for one that is only in the archive, and for one of Antigravity.
pub(super) fn mark(kind: Kind, on_disk: bool, source: SessionSource) -> &'static str {
    match kind {
        Kind::Log | Kind::Sealed => "◌",
        Kind::Subagent => "┆",
        Kind::Main if !on_disk => "○",
        Kind::Main if source == SessionSource::Antigravity => "▲",
        Kind::Main => " ",
    }
}
