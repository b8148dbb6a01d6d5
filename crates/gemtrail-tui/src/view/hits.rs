//! Hits of a search, below the sessions that they are in.

use gemtrail_core::tools;
use gemtrail_export::present::{Moment, Now, label};
use gemtrail_export::text::{Clean, Marked, fit, grouped, shorten, width};
use gemtrail_query::Hit;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::list::{TIME, mark};
use super::theme::Theme;
use crate::state::{ListEntry, State};

/// The columns of roles and tools.
const WHO: usize = 10;
/// At most so many, to stand below the titles.
const MOST_WHO: usize = 12;

/// The form of a line.
pub(super) struct HitDrawing {
    /// The columns of a line.
    pub(super) columns: usize,
    /// The columns of the project's name.
    pub(super) project: usize,
    pub(super) theme: Theme,
    pub(super) is_chosen: bool,
}

impl HitDrawing {
    /// A line of the hits.
    pub(super) fn line(
        &self,
        state: &State,
        entry: &ListEntry,
        now: &Now,
    ) -> Option<Line<'static>> {
        let hits = &state.list.hits;
        match entry {
            ListEntry::Found(group) => {
                let (first, count) = hits.session(*group as usize)?;
                Some(self.session(state, hits.hits.get(first)?, count, now))
            }
            ListEntry::Hit(at) => {
                let hit = hits.hits.get(*at as usize)?;
                let row = state.list.row_of(hit.reference);
                Some(self.hit(hit, row.and_then(|row| row.updated.as_deref()), state))
            }
            ListEntry::More(group) => {
                let hidden = grouped(hits.shown(*group as usize).1 as u64);
                let words = format!("      and {hidden} more");
                Some(Line::styled(words, self.faint()))
            }
            _ => None,
        }
    }

    /// The session that hits are in: when, where, its title, and how many there are.
    fn session(&self, state: &State, hit: &Hit, count: usize, now: &Now) -> Line<'static> {
        let row = state.list.row_of(hit.reference);
        let updated = row.and_then(|row| row.updated.as_deref());
        let mark = mark(hit.kind, row.is_none_or(|row| row.on_disk), hit.written_by);
        let count = match count {
            1 => "1 match".to_owned(),
            count => format!("{} matches", grouped(count as u64)),
        };
        let project = Clean::line(state.list.names.name(&hit.project)).to_string();
        let taken = 4 + TIME + 2 + self.project + 2 + 2 + width(&count) + 1;
        let room = self.columns.saturating_sub(taken).max(8);
        let title = Clean::line(hit.title.as_deref().unwrap_or("–"));
        Line::from(vec![
            Span::styled(format!(" {mark}  "), self.faint()),
            Span::raw(fit(&now.short(updated.or(hit.time.as_deref())), TIME)),
            Span::raw("  "),
            Span::styled(
                fit(&shorten(&project, self.project), self.project),
                if self.is_chosen {
                    Style::new()
                } else {
                    self.theme.project(&project)
                },
            ),
            Span::raw("  "),
            Span::styled(fit(&shorten(&title, room), room), self.theme.strong()),
            Span::styled(format!("  {count}"), self.faint()),
        ])
    }

    /// A hit: when, who, and the words around it.
    fn hit(&self, hit: &Hit, updated: Option<&str>, state: &State) -> Line<'static> {
        // The day of the session stands above it.
        let moment = |time| Moment::new(time, &state.zone);
        let (said, updated) = (hit.time.as_deref().map(moment), updated.map(moment));
        let when = match (&said, &updated) {
            (Some(said), Some(updated)) if said.date() == updated.date() => said.clock(),
            _ => state.present().short(hit.time.as_deref()),
        };
        let role = hit.role.map(|role| label(role).to_lowercase());
        let who = hit.tool.as_deref().map(verb).or(role);
        let who = who.unwrap_or_else(|| "title".to_owned());
        let mark = if hit.superseded_by.is_some() {
            "↶"
        } else {
            " "
        };
        // Below the title, where that is near.
        let columns = self.project.saturating_sub(1).clamp(WHO, MOST_WHO);
        let lead = format!(
            "    {mark} {}  {} ",
            fit(&when, TIME),
            fit(&shorten(&Clean::line(&who), columns), columns)
        );
        let times = match hit.times {
            0 | 1 => String::new(),
            times => format!("×{times} "),
        };
        let lead = lead + &times;
        let room = self.columns.saturating_sub(width(&lead) + 1);
        let (words, highlights) = hit.own_words();
        let words = Marked::new(words, &highlights).fit(room);
        let found = if self.is_chosen {
            self.theme.strong()
        } else {
            self.theme.found()
        };
        let runs = words.runs().map(|(text, is_found)| {
            let style = if is_found { found } else { Style::new() };
            Span::styled(text, style)
        });
        let lead = Span::styled(lead, self.faint());
        std::iter::once(lead).chain(runs).collect()
    }

    fn faint(&self) -> Style {
        if self.is_chosen {
            Style::new()
        } else {
            self.theme.faint()
        }
    }
}

/// The verb for a tool.
fn verb(name: &str) -> String {
    let tool = tools::canonical(name);
    let verb = match tool.category {
        "agent" => Some("agent"),
        _ => tool.verb,
    };
    verb.unwrap_or(name).to_owned()
}
