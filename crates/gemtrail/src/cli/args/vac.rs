//! Arguments of the verifiable record.

use clap::{Args as ClapArgs, ValueEnum};
use gemtrail_attest::Timestamp;

/// How a verifiable record is made
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct VacArgs {
    /// The version of the record schema to follow, v3 if not given (vac); or the extension of vCons,
    /// agent-session if not given (vcon)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) profile: Option<RecordProfile>,
    /// How the record is encoded; json if not given (vac)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) encoding: Option<Encoding>,
    /// When the record was made: `now`, or an RFC 3339 time; without it the session's start (vac,
    /// vcon)
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = created)]
    pub(crate) created: Option<Created>,
    /// What the record calls the session, since no file says it; interactive if not given (vac,
    /// vcon)
    #[arg(long, hide_short_help = true, value_enum)]
    pub(crate) session_format: Option<RecordedFormat>,
}

/// A version of the record schema, or an extension of vCons
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordProfile {
    /// The newest one; nothing of the source is lost
    V3,
    /// The first one, which has no place for much of the source
    V2,
    /// Valid under both; what the first does not define goes into extensions
    Dual,
    /// The session as draft-howe-vcon-agent-session has it (vcon)
    AgentSession,
    /// Its successor, which cannot be written yet (vcon)
    #[value(hide = true)]
    AiAgent,
}

/// How a record is encoded
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    /// Text
    Json,
    /// The same tree in binary, always the same bytes for the same record
    Cbor,
}

/// Whether a person took part
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordedFormat {
    /// A person and an agent took turns
    Interactive,
    /// The agent worked by itself
    Autonomous,
}

/// When a record was made
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Created {
    /// When the command runs
    Now,
    /// Then, as written
    At(Timestamp),
}

fn created(text: &str) -> Result<Created, String> {
    if text == "now" {
        return Ok(Created::Now);
    }
    Timestamp::parse(text)
        .map(Created::At)
        .ok_or_else(|| "write `now`, or a time such as 2026-06-01T10:00:00Z".to_owned())
}
