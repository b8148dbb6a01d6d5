//! The list of sessions: order, groups, filter, cursor.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gemtrail_core::model::{Kind, Marks, Origin, Project, SessionRef, SessionSource};
use gemtrail_core::prices::Money;
use gemtrail_core::view::ProjectNames;
use gemtrail_export::present::Now;
use gemtrail_store::ListRow;

use super::fuzzy::Fuzzy;
use super::hits::Hits;
use super::transcript::MessageSpot;

/// A session of the list: what is kept of it, as there may be a hundred thousand.
#[derive(Clone, Debug, PartialEq)]
pub struct BrowserRow {
    /// Its unique reference.
    pub reference: SessionRef,
    /// The reference of a subagent's parent session.
    pub parent_ref: Option<SessionRef>,
    /// The program that wrote it.
    pub source: SessionSource,
    /// Its kind.
    pub kind: Kind,
    /// True if at least one of its files exists now.
    pub on_disk: bool,
    /// True if the archive has it.
    pub archived: bool,
    /// True if it is in the plain list.
    pub is_listed: bool,
    /// All messages.
    pub messages: u32,
    /// Prompts of the person, or what is left of them.
    pub prompts: u32,
    /// Answers of the model.
    pub answers: u32,
    /// Tool calls.
    pub calls: u32,
    /// Those that failed.
    pub failures: u32,
    /// The project.
    pub project: Arc<Project>,
    /// The home that it was found in.
    pub origin: Arc<Origin>,
    /// The person's own title, else the summary, else the first human words; after the pin and the tags.
    pub title: Option<Box<str>>,
    /// The marks that the person set.
    pub marks: Arc<Marks>,
    /// The time of the last thing said in it.
    pub updated: Option<Box<str>>,
    /// Every model that answered.
    pub models: Arc<[String]>,
    /// The tokens of all requests, subagents included.
    pub tokens: u64,
    /// Their cost at list price; `None` if no model has a price.
    pub cost: Option<Money>,
}

impl From<ListRow> for BrowserRow {
    fn from(row: ListRow) -> Self {
        let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let counts = row.counts;
        Self {
            is_listed: row.is_listed(),
            reference: row.reference,
            parent_ref: row.parent_ref,
            source: row.source,
            kind: row.kind,
            on_disk: row.on_disk,
            archived: row.archived,
            messages: count(counts.messages),
            prompts: count(match row.kind {
                Kind::Log => row.logged_count,
                _ => counts.human,
            }),
            answers: count(counts.assistant),
            calls: count(counts.tool_calls),
            failures: count(counts.tool_failures),
            project: row.project,
            origin: row.origin,
            title: match row.title {
                Some(title) => Some(row.marks.before(&title).into()),
                None if row.marks.are_none() => None,
                None => Some(row.marks.before("–").into()),
            },
            marks: row.marks,
            updated: row.updated.map(String::into_boxed_str),
            models: row.models,
            tokens: row.tokens_with_subagents.total,
            cost: row.cost_with_subagents,
        }
    }
}

/// The order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Newest first.
    #[default]
    Newest,
    /// Most expensive first.
    Cost,
    /// Most tokens first.
    Tokens,
    /// Most prompts first.
    Prompts,
    /// Most failures first.
    Failures,
}

impl Sort {
    /// The one after.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Newest => Self::Cost,
            Self::Cost => Self::Tokens,
            Self::Tokens => Self::Prompts,
            Self::Prompts => Self::Failures,
            Self::Failures => Self::Newest,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Newest => "newest first",
            Self::Cost => "most expensive first",
            Self::Tokens => "most tokens first",
            Self::Prompts => "most prompts first",
            Self::Failures => "most failures first",
        }
    }
}

/// The headings of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// Days.
    #[default]
    Day,
    /// Projects.
    Project,
    /// None.
    None,
}

impl Group {
    /// The one after.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Day => Self::Project,
            Self::Project => Self::None,
            Self::None => Self::Day,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Day => "grouped by time",
            Self::Project => "grouped by project",
            Self::None => "not grouped",
        }
    }
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListEntry {
    /// An empty line.
    Blank,
    /// The name of a group.
    Heading(String),
    /// A sentence about what follows.
    Note(String),
    /// A session, by its index.
    Row(u32),
    /// A subagent below its parent.
    Child(u32),
    /// A session that has hits, by the index of its group.
    Found(u32),
    /// A hit of a search, by its index.
    Hit(u32),
    /// The hits of a session that are not shown, by the index of its group.
    More(u32),
}

impl ListEntry {
    fn can_be_chosen(&self) -> bool {
        !matches!(self, Self::Blank | Self::Heading(_) | Self::Note(_))
    }
}

/// The list.
#[derive(Debug, Default)]
pub struct List {
    rows: Arc<Vec<BrowserRow>>,
    /// The names of the projects.
    pub names: ProjectNames,
    fuzzy: Fuzzy,
    places: HashMap<SessionRef, u32>,
    children: HashMap<SessionRef, Vec<u32>>,
    unfolded: HashSet<SessionRef>,
    /// The words of the filter.
    words: Option<String>,
    /// The rows that the filter takes; everything without one.
    taken: Option<Vec<u32>>,
    /// The sessions that the fields of the query take; all without fields.
    within: Option<HashSet<SessionRef>>,
    /// Hits in the texts.
    pub hits: Hits,
    /// The order.
    pub sort: Sort,
    /// The headings.
    pub group: Group,
    /// The number of sessions, as `gemtrail list` counts them: subagents belong to theirs.
    pub sessions: usize,
    /// The number of their projects.
    pub projects: usize,
    /// The widest name of a project, in columns.
    pub project_columns: usize,
    /// True if the sessions are of several machines.
    pub has_hosts: bool,
    entries: Vec<ListEntry>,
    cursor: usize,
    top: usize,
}

impl List {
    /// Replaces all rows. The cursor stays with its session.
    pub fn set_rows(&mut self, rows: Arc<Vec<BrowserRow>>, names: ProjectNames, now: &Now) {
        self.fuzzy = Fuzzy::new(&rows, &names);
        let all = || (0_u32..).zip(rows.iter());
        self.places = all().map(|(at, row)| (row.reference, at)).collect();
        self.children.clear();
        for (at, row) in all() {
            if let Some(parent) = self.parent_of(row) {
                self.children.entry(parent).or_default().push(at);
            }
        }
        let listed = rows.iter().filter(|row| row.is_listed);
        let projects: HashSet<String> = listed.map(|row| names.name(&row.project)).collect();
        let widths = projects
            .iter()
            .map(|name| gemtrail_export::text::width(name));
        self.project_columns = widths.max().unwrap_or(0);
        self.projects = projects.len();
        self.sessions = rows.iter().filter(|row| row.is_listed).count();
        self.names = names;
        let mut hosts = rows.iter().map(|row| &row.origin.host);
        let first = hosts.next();
        self.has_hosts = hosts.any(|host| Some(host) != first);
        let (entry, chosen) = (self.chosen().cloned(), self.chosen_ref());
        self.rows = rows;
        let words = self.words.as_deref();
        self.taken = words.map(|words| self.fuzzy.take(words));
        self.arrange(now);
        match entry {
            // The hits are the same.
            Some(ListEntry::Found(_) | ListEntry::Hit(_) | ListEntry::More(_)) => {
                let place = self
                    .entries
                    .iter()
                    .position(|it| Some(it) == entry.as_ref());
                self.cursor = place.unwrap_or(self.cursor);
            }
            _ => {
                if let Some(reference) = chosen {
                    self.go_to(reference);
                }
            }
        }
    }

    fn is_within(&self, at: u32) -> bool {
        let within = self.within.as_ref();
        within.is_none_or(|within| within.contains(&self.rows[at as usize].reference))
    }

    /// The parent that is in the list as well.
    fn parent_of(&self, row: &BrowserRow) -> Option<SessionRef> {
        let parent = row.parent_ref.filter(|_| row.kind == Kind::Subagent)?;
        self.places.contains_key(&parent).then_some(parent)
    }

    /// Filters the rows by words in titles and projects; without a filter there are headings.
    pub fn filter(&mut self, words: Option<String>, now: &Now) {
        self.within = None;
        self.taken = words.as_deref().map(|words| self.fuzzy.take(words));
        self.words = words;
        self.cursor = 0;
        self.top = 0;
        self.arrange(now);
    }

    /// Leaves only these sessions among those that the filter takes; `None` leaves all.
    pub fn narrow(&mut self, within: Option<HashSet<SessionRef>>) {
        self.within = within;
    }

    /// Makes the lines of the list.
    pub fn arrange(&mut self, now: &Now) {
        let is_top = |at: &u32| self.parent_of(&self.rows[*at as usize]).is_none();
        let count = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = match &self.taken {
            Some(taken) => taken
                .iter()
                .copied()
                .filter(|at| self.is_within(*at))
                .collect(),
            None => (0..count).filter(is_top).collect(),
        };
        let rows = &self.rows;
        let row = |at: u32| &rows[at as usize];
        let project = |at: u32| self.names.name(&row(at).project);
        let is_filtered = self.taken.is_some();
        match self.sort {
            Sort::Newest => {}
            Sort::Cost => order.sort_by_key(|&at| std::cmp::Reverse(row(at).cost)),
            Sort::Tokens => {
                order.sort_by_key(|&at| std::cmp::Reverse(row(at).tokens));
            }
            Sort::Prompts => order.sort_by_key(|&at| std::cmp::Reverse(row(at).prompts)),
            Sort::Failures => {
                order.sort_by_key(|&at| std::cmp::Reverse(row(at).failures));
            }
        }
        if self.group == Group::Project && !is_filtered {
            // The projects in the order of their first session.
            let mut first: HashMap<String, usize> = HashMap::new();
            for &at in &order {
                let next = first.len();
                first.entry(project(at)).or_insert(next);
            }
            order.sort_by_cached_key(|&at| first.get(&project(at)).copied());
        }
        let has_headings = !is_filtered
            && match self.group {
                Group::Day => self.sort == Sort::Newest,
                Group::Project => true,
                Group::None => false,
            };
        let mut entries = Vec::with_capacity(order.len() + 16);
        let mut heading = String::new();
        for at in order {
            if has_headings {
                let own = match self.group {
                    Group::Project => project(at),
                    _ => now.heading(row(at).updated.as_deref()),
                };
                if own != heading {
                    if !entries.is_empty() {
                        entries.push(ListEntry::Blank);
                    }
                    entries.push(ListEntry::Heading(own.clone()));
                    heading = own;
                }
            }
            entries.push(ListEntry::Row(at));
            let reference = row(at).reference;
            if self.unfolded.contains(&reference) && !is_filtered {
                let children = self.children.get(&reference).into_iter().flatten();
                entries.extend(children.map(|&child| ListEntry::Child(child)));
            }
        }
        if is_filtered {
            self.add_hits(&mut entries);
        }
        self.entries = entries;
        self.cursor = self.cursor.min(self.entries.len().saturating_sub(1));
        self.settle(1);
    }

    fn add_hits(&self, entries: &mut Vec<ListEntry>) {
        if !entries.is_empty() {
            entries.push(ListEntry::Blank);
        }
        entries.push(ListEntry::Heading(self.hits.heading()));
        entries.extend(self.hits.note.clone().map(ListEntry::Note));
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        for group in 0..self.hits.groups() {
            let (shown, hidden) = self.hits.shown(group);
            entries.push(ListEntry::Found(index(group)));
            entries.extend(shown.map(|at| ListEntry::Hit(index(at))));
            if hidden > 0 {
                entries.push(ListEntry::More(index(group)));
            }
        }
    }

    /// Moves the cursor off lines that cannot be chosen.
    fn settle(&mut self, direction: isize) {
        let can = |at: usize| self.entries.get(at).is_some_and(ListEntry::can_be_chosen);
        let down = (self.cursor..self.entries.len()).find(|&at| can(at));
        let up = (0..=self.cursor).rev().find(|&at| can(at));
        let place = if direction >= 0 {
            down.or(up)
        } else {
            up.or(down)
        };
        self.cursor = place.unwrap_or(0);
    }

    /// Moves the cursor by so many lines.
    pub fn move_by(&mut self, lines: isize) {
        let before = self.cursor;
        let last = self.entries.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(lines).min(last);
        self.settle(lines);
        // One step must not stop before a heading.
        if self.cursor == before && lines != 0 {
            let mut at = before;
            while let Some(next) = at.checked_add_signed(lines.signum()) {
                match self.entries.get(next) {
                    Some(entry) if entry.can_be_chosen() => {
                        self.cursor = next;
                        break;
                    }
                    Some(_) => at = next,
                    None => break,
                }
            }
        }
    }

    /// To a session, if it is there.
    pub fn go_to(&mut self, reference: SessionRef) -> bool {
        let is_it = |entry: &ListEntry| match entry {
            ListEntry::Row(at) | ListEntry::Child(at) => {
                self.rows[*at as usize].reference == reference
            }
            _ => false,
        };
        let place = self.entries.iter().position(is_it);
        self.cursor = place.unwrap_or(self.cursor);
        place.is_some()
    }

    /// Moves to a hit, or to the line that counts it if it is hidden.
    pub fn go_to_hit(&mut self, hit: usize) {
        let is_it = |entry: &ListEntry| match entry {
            ListEntry::Hit(at) => *at as usize == hit,
            ListEntry::More(group) => self.hits.hides(*group as usize, hit),
            _ => false,
        };
        if let Some(place) = self.entries.iter().position(is_it) {
            self.cursor = place;
        }
    }

    /// Shows all hits of a session, if the cursor is on the line that counts the hidden ones.
    pub fn show_more(&mut self, now: &Now) -> bool {
        let Some(ListEntry::More(group)) = self.chosen() else {
            return false;
        };
        let is_new = self.hits.unfold(*group as usize);
        self.arrange(now);
        is_new
    }

    /// To the line that was clicked, in a view of this many lines.
    pub fn click(&mut self, line: usize) -> bool {
        let at = self.top + line;
        let can = self.entries.get(at).is_some_and(ListEntry::can_be_chosen);
        if can {
            self.cursor = at;
        }
        can
    }

    /// Scrolls so that the cursor is visible in this many lines; the first visible line.
    pub fn scroll(&mut self, height: usize) -> usize {
        let margin = 2.min(height / 4);
        let least = (self.cursor + 1 + margin).saturating_sub(height);
        let most = self.cursor.saturating_sub(margin);
        self.top = self.top.clamp(least.min(most), most);
        let end = self.entries.len().saturating_sub(height);
        self.top = self.top.min(end);
        self.top
    }

    /// The first visible line.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The lines.
    pub fn entries(&self) -> &[ListEntry] {
        &self.entries
    }

    /// The place of the cursor among them.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The line under the cursor.
    pub fn chosen(&self) -> Option<&ListEntry> {
        self.entries
            .get(self.cursor)
            .filter(|it| it.can_be_chosen())
    }

    /// The session that the cursor is on.
    pub fn chosen_row(&self) -> Option<&BrowserRow> {
        match self.chosen()? {
            ListEntry::Row(at) | ListEntry::Child(at) => self.rows.get(*at as usize),
            ListEntry::Found(_) | ListEntry::Hit(_) | ListEntry::More(_) => {
                self.row_of(self.chosen_ref()?)
            }
            ListEntry::Blank | ListEntry::Heading(_) | ListEntry::Note(_) => None,
        }
    }

    /// Its reference.
    pub fn chosen_ref(&self) -> Option<SessionRef> {
        match self.chosen_hit() {
            Some(hit) => self.hits.hits.get(hit).map(|hit| hit.reference),
            None => self.chosen_row().map(|row| row.reference),
        }
    }

    /// The hit that the cursor is on; of several it is the first.
    pub fn chosen_hit(&self) -> Option<usize> {
        match self.chosen()? {
            ListEntry::Hit(at) => Some(*at as usize),
            ListEntry::Found(group) => Some(self.hits.session(*group as usize)?.0),
            ListEntry::More(group) => self.hits.hidden(*group as usize),
            _ => None,
        }
    }

    /// The place of that hit in its session.
    pub fn chosen_spot(&self) -> Option<MessageSpot> {
        self.hits.spot(self.chosen_hit()?)
    }

    /// A session by its index.
    pub fn row(&self, at: u32) -> Option<&BrowserRow> {
        self.rows.get(at as usize)
    }

    /// The session on a line.
    pub fn row_at(&self, line: usize) -> Option<&BrowserRow> {
        match self.entries.get(line)? {
            ListEntry::Row(at) | ListEntry::Child(at) => self.row(*at),
            _ => None,
        }
    }

    /// A session by its reference.
    pub fn row_of(&self, reference: SessionRef) -> Option<&BrowserRow> {
        self.row(*self.places.get(&reference)?)
    }

    /// Counts the subagents of a session; true if they are shown.
    pub fn agents_of(&self, reference: SessionRef) -> (usize, bool) {
        let count = self.children.get(&reference).map_or(0, Vec::len);
        (count, self.unfolded.contains(&reference))
    }

    /// Shows or hides the subagents of the session under the cursor. Whether it has any.
    pub fn unfold(&mut self, now: &Now) -> bool {
        let Some(row) = self.chosen_row() else {
            return false;
        };
        let reference = self.parent_of(row).unwrap_or(row.reference);
        if self.agents_of(reference).0 == 0 {
            return false;
        }
        if !self.unfolded.remove(&reference) {
            self.unfolded.insert(reference);
        }
        self.arrange(now);
        self.go_to(reference);
        true
    }

    /// All sessions.
    pub fn rows(&self) -> &[BrowserRow] {
        &self.rows
    }

    /// True if a filter is on.
    pub fn is_filtered(&self) -> bool {
        self.taken.is_some()
    }

    /// Counts the sessions and the subagents that the filter takes.
    pub fn taken(&self) -> (usize, usize) {
        let taken = self
            .taken
            .iter()
            .flatten()
            .filter(|at| self.is_within(**at));
        let is_listed = |at: &&u32| self.row(**at).is_some_and(|row| row.is_listed);
        let (sessions, subagents): (Vec<&u32>, Vec<&u32>) = taken.partition(is_listed);
        (sessions.len(), subagents.len())
    }
}
