//! Rows for lists: what is shown of them and what they are sorted by, without reading more.

use std::io::{self, Write};

use gemtrail_core::model::SessionRow;

use crate::library::Library;

/// A row of a list, and the line of `list --json` that it is.
#[derive(Debug)]
pub struct RowLine {
    /// What filters look at. Prompts, the summary and other things may be missing.
    pub row: SessionRow,
    /// The line as somebody kept it; nothing if the row has everything.
    kept: Option<KeptLine>,
}

/// A line that says that it is not on disk.
#[derive(Debug)]
pub(crate) struct KeptLine {
    pub(crate) json: Vec<u8>,
    /// Where it says so.
    pub(crate) at: usize,
}

const NOT_ON_DISK: &str = "false";

impl KeptLine {
    /// Where a line says whether its session is on disk: where two lines differ.
    #[cfg(feature = "archive")]
    pub(crate) fn place(row: &SessionRow) -> serde_json::Result<(Vec<u8>, usize)> {
        let line = |on_disk| {
            serde_json::to_vec(&SessionRow {
                on_disk,
                ..row.clone()
            })
        };
        let (there, gone) = (line(true)?, line(false)?);
        let same = there.iter().zip(&gone).take_while(|(a, b)| a == b);
        let at = same.count();
        Ok((gone, at))
    }
}

impl RowLine {
    /// Writes the line, without its end.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(KeptLine { json, at }) = &self.kept else {
            return out.write_all(&serde_json::to_vec(&self.row)?);
        };
        let (before, after) = json.split_at(*at);
        out.write_all(before)?;
        out.write_all(if self.row.on_disk { b"true" } else { b"false" })?;
        out.write_all(after.get(NOT_ON_DISK.len()..).unwrap_or_default())
    }
}

impl Library {
    /// One row per session in the order of [`Library::rows`], with what a list shows of it. Prompts,
    /// the summary and other things may be missing.
    pub fn brief_rows(&self) -> Vec<SessionRow> {
        let mut rows = match self.prepared_briefs(false) {
            Some(briefs) => briefs.into_iter().map(|(row, _)| row).collect(),
            None => return self.rows(),
        };
        Self::sort_rows(&mut rows);
        rows
    }

    /// The same as lines of JSON, which have everything.
    pub fn row_lines(&self) -> Vec<RowLine> {
        let Some(briefs) = self.prepared_briefs(true) else {
            let rows = self.rows().into_iter();
            return rows.map(|row| RowLine { row, kept: None }).collect();
        };
        let order = Self::order_of(briefs.iter().map(|(row, _)| row));
        let mut briefs: Vec<_> = briefs.into_iter().map(Some).collect();
        let in_order = order.into_iter().filter_map(|at| briefs[at].take());
        in_order.map(|(row, kept)| RowLine { row, kept }).collect()
    }
}

#[cfg(all(test, feature = "archive"))]
mod tests {
    use gemtrail_core::Sources;

    use super::*;

    #[test]
    fn a_line_is_mended_where_it_says_whether_it_is_on_disk() {
        let session = Sources::default().assemble();
        let mut row = SessionRow::from_session(session);
        row.title = Some("\"on_disk\":false,\"archived\":true".to_owned());
        for on_disk in [true, false] {
            row.on_disk = on_disk;
            let (json, at) = KeptLine::place(&row).expect("it is JSON");
            let line = RowLine {
                row: row.clone(),
                kept: Some(KeptLine { json, at }),
            };
            let mut written = Vec::new();
            line.write_to(&mut written).expect("memory takes it");
            assert_eq!(written, serde_json::to_vec(&row).expect("it is JSON"));
        }
    }
}
