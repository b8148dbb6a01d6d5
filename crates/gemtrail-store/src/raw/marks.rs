//! What a person marked: pins, titles, tags and notes of sessions.
//!
//! A field is a row with the time at which it was set, and goes by itself: an import takes each from
//! where it was set last.

use std::collections::HashMap;

use gemtrail_core::model::{Marks, SessionRef};
use rusqlite::Connection;

use crate::db::ArchiveError;

/// The names of the fields in the table.
const PINNED: &str = "pinned";
const TITLE: &str = "title";
const TAGS: &str = "tags";
const NOTE: &str = "note";

/// A condition on a row of `session`, joined with its `project`: true if it, or the session that it
/// worked for, is pinned.
pub(crate) const IS_PINNED: &str = "EXISTS (SELECT 1 FROM mark WHERE field = 'pinned' AND value IS NOT NULL \
     AND mark.host = project.host AND mark.ref IN (session.ref, session.parent_ref))";

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkRow {
    /// The session and its machine.
    pub(crate) session: (String, String),
    pub(crate) field: String,
    pub(crate) value: Option<String>,
    pub(crate) time: i64,
}

/// What to change of the marks of a session. An empty text removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkChange {
    /// Whether to pin it, or to take the pin out.
    pub pin: Option<bool>,
    /// The title of the person's own.
    pub title: Option<String>,
    /// Tags to add; an empty one removes all that were there.
    pub tags: Vec<String>,
    /// Tags to remove.
    pub untags: Vec<String>,
    /// The note.
    pub note: Option<String>,
}

impl MarkChange {
    /// True if it changes nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The marks with the change.
    #[must_use]
    pub fn apply(&self, marks: &Marks) -> Marks {
        let is = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        let mut tags = marks.tags.clone();
        for tag in self.tags.iter().map(|tag| one_line(tag)) {
            if tag.is_empty() {
                tags.clear();
            } else if !tags.iter().any(|known| is(known, &tag)) {
                tags.push(tag);
            }
        }
        let untags: Vec<String> = self.untags.iter().map(|tag| one_line(tag)).collect();
        tags.retain(|tag| !untags.iter().any(|gone| is(tag, gone)));
        tags.sort_unstable();
        let text = |new: Option<String>, old: &Option<String>| match new {
            Some(new) => Some(new).filter(|it| !it.is_empty()),
            None => old.clone(),
        };
        let note = self.note.as_ref().map(|note| note.trim().to_owned());
        Marks {
            pinned: self.pin.unwrap_or(marks.pinned),
            title: text(self.title.as_deref().map(one_line), &marks.title),
            tags,
            note: text(note, &marks.note),
        }
    }
}

/// A text on one line, with single blanks between its words.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The fields of some marks, as columns.
fn columns(marks: &Marks) -> [(&'static str, Option<String>); 4] {
    let tags = (!marks.tags.is_empty()).then(|| serde_json::json!(marks.tags).to_string());
    [
        (PINNED, marks.pinned.then(|| "1".to_owned())),
        (TITLE, marks.title.clone()),
        (TAGS, tags),
        (NOTE, marks.note.clone()),
    ]
}

/// Sets a field as a column has it.
fn take(marks: &mut Marks, field: &str, value: Option<String>) {
    match field {
        PINNED => marks.pinned = value.is_some(),
        TITLE => marks.title = value,
        TAGS => {
            let tags = value.and_then(|json| serde_json::from_str(&json).ok());
            marks.tags = tags.unwrap_or_default();
        }
        NOTE => marks.note = value,
        // Of a later version.
        _ => {}
    }
}

/// The marks of all sessions, by their references on their own machines, and those machines.
pub(crate) fn all(
    connection: &Connection,
) -> Result<HashMap<(SessionRef, String), Marks>, ArchiveError> {
    let mut statement = connection
        .prepare_cached("SELECT ref, host, field, value FROM mark WHERE value IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut all: HashMap<(SessionRef, String), Marks> = HashMap::new();
    while let Some(row) = rows.next()? {
        if let Ok(reference) = row.get::<_, String>(0)?.parse() {
            let marks = all.entry((reference, row.get(1)?)).or_default();
            take(marks, &row.get::<_, String>(2)?, row.get(3)?);
        }
    }
    Ok(all)
}

/// The marks of one session on its machine.
pub(crate) fn of(
    connection: &Connection,
    (reference, host): (&str, &str),
) -> Result<Marks, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT field, value FROM mark WHERE ref = ?1 AND host = ?2")?;
    let mut rows = statement.query((reference, host))?;
    let mut marks = Marks::default();
    while let Some(row) = rows.next()? {
        take(&mut marks, &row.get::<_, String>(0)?, row.get(1)?);
    }
    Ok(marks)
}

/// Writes what differs between the marks that a session has and those that it gets.
pub(crate) fn put(
    connection: &Connection,
    (reference, host): (&str, &str),
    new: &Marks,
    now: i64,
) -> Result<(), ArchiveError> {
    let old = columns(&of(connection, (reference, host))?);
    // What is set later is newer, whatever the clock says.
    let mut statement = connection.prepare_cached(
        "INSERT INTO mark(ref, host, field, value, time) VALUES(?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET value = ?4, time = max(?5, time + 1)",
    )?;
    for ((field, new), (_, old)) in columns(new).into_iter().zip(old) {
        if new != old {
            statement.execute((reference, host, field, new, now))?;
        }
    }
    Ok(())
}

/// Takes in a row of another archive, unless the field was set later here. True if it changed anything.
pub(crate) fn merge(connection: &Connection, row: &MarkRow) -> Result<bool, ArchiveError> {
    let (reference, host) = &row.session;
    let mut statement = connection.prepare_cached(
        "INSERT INTO mark(ref, host, field, value, time) VALUES(?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET value = ?4, time = ?5
         WHERE (?5, coalesce(?4, '')) > (time, coalesce(value, ''))",
    )?;
    Ok(statement.execute((reference, host, &row.field, &row.value, row.time))? > 0)
}

/// Removes the marks of these sessions, and what `tidy` noted about them. They are named by the rows of the index.
pub(crate) fn forget(connection: &Connection, sessions: &[i64]) -> Result<(), ArchiveError> {
    let sessions = serde_json::to_string(sessions).unwrap_or_default();
    for table in ["mark", "tidied"] {
        let sql = format!(
            "DELETE FROM {table} WHERE (ref, host) IN (
               SELECT session.ref, project.host FROM session JOIN project ON project.id = session.project
               WHERE session.id IN (SELECT value FROM json_each(?1)))"
        );
        connection.execute(&sql, [&sessions])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change() -> MarkChange {
        MarkChange::default()
    }

    #[test]
    fn an_empty_text_removes() {
        let marks = MarkChange {
            pin: Some(true),
            title: Some("  Cart\n total ".to_owned()),
            tags: ["billing", "Urgent", "urgent", " "].map(str::to_owned)[..3].to_vec(),
            note: Some(" two\nlines ".to_owned()),
            ..change()
        }
        .apply(&Marks::default());
        assert_eq!(marks.title.as_deref(), Some("Cart total"));
        assert_eq!(marks.tags, ["Urgent", "billing"]);
        assert_eq!(marks.note.as_deref(), Some("two\nlines"));
        let empty = Some(String::new());
        let gone = MarkChange {
            pin: Some(false),
            title: empty.clone(),
            note: empty,
            untags: vec!["URGENT".to_owned()],
            ..change()
        }
        .apply(&marks);
        assert_eq!(gone.tags, ["billing"]);
        let none = MarkChange {
            tags: vec![String::new()],
            ..change()
        };
        assert!(none.apply(&gone).are_none());
        assert_eq!(change().apply(&marks), marks);
    }
}
