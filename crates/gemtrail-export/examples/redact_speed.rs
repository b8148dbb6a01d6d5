//! Measures how fast the sessions of journals are redacted: `redact_speed FILE…`. Reading is not
//! counted; where the system reports it, CPU time is measured.

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
    let begin = Instant::now();
    for path in std::env::args().skip(1) {
        let session = session(&path)?;
        // The size of the document is the amount of text to search.
        bytes += serde_json::to_vec(&session)?.len();
        sessions += 1;
        let start = now(begin);
        redact_session(&session, &mut redactor);
        elapsed += now(begin).saturating_sub(start);
    }
    #[expect(clippy::cast_precision_loss, reason = "a rough figure")]
    let speed = bytes as f64 / 1e6 / elapsed.as_secs_f64();
    let secrets = redactor.secrets();
    Ok(writeln!(
        io::stdout(),
        "{sessions} sessions, {bytes} bytes, {secrets} secrets, {elapsed:.2?}: {speed:.0} MB/s"
    )?)
}

/// The CPU time of this thread on Linux; elsewhere the elapsed time.
fn now(begin: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ran = stat
        .split_whitespace()
        .next()
        .and_then(|ns| ns.parse().ok());
    ran.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

fn session(path: &str) -> io::Result<Session> {
    let bytes = std::fs::read(path)?;
    Ok(Sources::single(SourceJournal {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        sha256: None,
        earlier: false,
        log: read(&bytes, Detail::Full),
    })
    .assemble())
}
