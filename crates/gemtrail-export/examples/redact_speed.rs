//! How fast the sessions of journals are redacted: `redact_speed FILE…`. Reading is not counted.

use std::error::Error;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use gemtrail_core::model::Session;
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use gemtrail_export::redact::{Redactor, redact_session};

fn main() -> Result<(), Box<dyn Error>> {
    let mut redactor = Redactor::new(Vec::new())?;
    let (mut bytes, mut sessions) = (0, 0);
    let mut elapsed = Duration::ZERO;
    for path in std::env::args().skip(1) {
        let session = session(&path)?;
        // What the document holds is what has to be looked at.
        bytes += serde_json::to_vec(&session)?.len();
        sessions += 1;
        let start = Instant::now();
        redact_session(&session, &mut redactor);
        elapsed += start.elapsed();
    }
    #[expect(clippy::cast_precision_loss, reason = "a rough figure")]
    let speed = bytes as f64 / 1e6 / elapsed.as_secs_f64();
    let secrets = redactor.secrets();
    Ok(writeln!(
        io::stdout(),
        "{sessions} sessions, {bytes} bytes, {secrets} secrets, {elapsed:.2?}: {speed:.0} MB/s"
    )?)
}

fn session(path: &str) -> io::Result<Session> {
    let bytes = std::fs::read(path)?;
    Ok(Sources::single(SourceJournal {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        sha256: None,
        log: read(&bytes, Detail::Full),
    })
    .assemble())
}
