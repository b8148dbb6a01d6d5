//! Renders a session document for people: `render md|html|txt FILE`, to standard output.

use std::error::Error;
use std::io::{self, Write};

use gemtrail_core::model::Session;
use gemtrail_export::present::Options;
use gemtrail_export::{markdown, plain};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [format, file] = arguments.as_slice() else {
        return Err("usage: render md|html|txt FILE".into());
    };
    let session: Session = serde_json::from_slice(&std::fs::read(file)?)?;
    let options = Options {
        subagents: true,
        ..Options::default()
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format.as_str() {
        "md" => markdown::write(&session, &options, &mut out)?,
        "txt" => plain::write(&session, &options, &mut out)?,
        other => return Err(format!("unknown format {other}").into()),
    }
    Ok(out.flush()?)
}
