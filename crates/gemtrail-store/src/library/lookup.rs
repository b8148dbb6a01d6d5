//! Finds a session without knowing all of them: an archive may have a hundred thousand.

use std::borrow::Cow;

use gemtrail_core::model::SessionRef;

use super::index::SHORT_ID;
use super::resolve::{SHORTEST_PREFIX, find_in};
use super::rows::select;
use super::{Handle, Library, ListRow, SessionFilter};

impl Library {
    /// Locates a session by its reference, if it can be looked up.
    pub(super) fn looked_up(&self, reference: SessionRef) -> Option<Handle> {
        // A reference starts like the id.
        let handles = self.look_up_ids(&reference.as_str()[..SHORT_ID])?;
        self.located(&handles.iter().collect::<Vec<_>>(), reference)
    }

    /// The sessions that an id or the start of one means, if they can be looked up. Whatever else a
    /// name may be is left to those who know all sessions.
    pub(super) fn find_by_lookup(&self, name: &str) -> Vec<Handle> {
        let is_of_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if name.len() < SHORTEST_PREFIX || !name.bytes().all(is_of_id) {
            return Vec::new();
        }
        let handles = self.look_up_ids(name).unwrap_or_default();
        find_in(&handles.iter().collect::<Vec<_>>(), name)
    }

    /// The rows of these sessions, with their numbers in the plain list.
    pub fn rows_for(&self, references: &[SessionRef]) -> Vec<ListRow> {
        let looked_up = || -> Option<Vec<ListRow>> {
            self.stacks.as_ref()?;
            references.iter().map(|it| self.look_up_row(*it)).collect()
        };
        looked_up().unwrap_or_else(|| {
            let mut rows = self.sessions(&SessionFilter::everything());
            rows.retain(|row| references.contains(&row.reference));
            rows
        })
    }

    /// The row of a session that can be looked up.
    fn look_up_row(&self, reference: SessionRef) -> Option<ListRow> {
        let handle = self.looked_up(reference)?;
        let (project, local) = (handle.project, handle.local_ref);
        let (newer, rows) = self.ask_views(|views| views.contemporaries(project, local))?;
        let rows = self.placed(rows, |row| row);
        let rows = select(rows, &SessionFilter::everything(), |row| row);
        let mut row = rows.into_iter().find(|row| row.reference == reference)?;
        row.number = row.number.map(|number| number + newer);
        Some(row)
    }

    /// The sessions of a project with this id.
    pub(super) fn handles_with_id(&self, project: usize, id: &str) -> Vec<Cow<'_, Handle>> {
        let is_it = |handle: &Handle| handle.project == project && handle.key.id == id;
        if let Some(handles) = self.look_up_ids(id) {
            let handles = handles.into_iter().filter(is_it);
            return handles.map(Cow::Owned).collect();
        }
        let handles = self.handles_of(project).iter();
        handles.filter(|it| is_it(it)).map(Cow::Borrowed).collect()
    }

    /// All sessions whose ids start so, in any case, and their subagents. `None` if the library
    /// knows all its sessions anyway, or cannot look them up.
    fn look_up_ids(&self, start: &str) -> Option<Vec<Handle>> {
        self.stacks.as_ref()?;
        let handles = self.ask_views(|views| views.look_up(self.projects(), start))?;
        Some(
            handles
                .into_iter()
                .flat_map(|of_project| self.referred(of_project))
                .collect(),
        )
    }
}
