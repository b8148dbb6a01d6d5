//! Renders session documents for people, to standard output: `render md|html|txt|index FILE…`

use std::error::Error;
use std::io::{self, Write};

use gemtrail_core::model::{Session, SessionRow};
use gemtrail_export::html::IndexEntry;
use gemtrail_export::present::Options;
use gemtrail_export::{html, markdown, plain};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [format, files @ ..] = arguments.as_slice() else {
        return Err("usage: render md|html|txt|index FILE…".into());
    };
    let options = Options {
        subagents: true,
        ..Options::default()
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut rows = Vec::new();
    for file in files {
        let session: Session = serde_json::from_slice(&std::fs::read(file)?)?;
        match format.as_str() {
            "md" => markdown::write(&session, &options, &mut out)?,
            "html" => html::write(&session, &options, &mut out)?,
            "txt" => plain::write(&session, &options, &mut out)?,
            "index" => rows.push(SessionRow::from_session(session)),
            other => return Err(format!("unknown format {other}").into()),
        }
    }
    if format == "index" {
        let entries: Vec<_> = rows
            .iter()
            .zip(files)
            .map(|(row, file)| IndexEntry { row, file })
            .collect();
        html::write_index("Sessions", &entries, &options.zone, &mut out)?;
    }
    Ok(out.flush()?)
}
