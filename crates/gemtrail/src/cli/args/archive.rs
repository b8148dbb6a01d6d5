//! Arguments of the commands about the archive.

use std::time::Duration;

use clap::Args as ClapArgs;

/// Bring the archive up to date: it keeps what Gemini CLI deletes
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail sync
  gemtrail sync --watch
  gemtrail sync --home /mnt/old-laptop --origin host=old-laptop,user=alice")]
pub(crate) struct SyncArgs {
    /// Keep it up to date until interrupted
    #[arg(long)]
    pub(crate) watch: bool,
    /// Look every so many seconds instead of being told by the system (with --watch)
    #[arg(long, value_name = "SECONDS", requires = "watch", value_parser = seconds)]
    pub(crate) poll: Option<Duration>,
    /// Make everything but the files themselves anew
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Where the homes come from, if not from this machine and account
    #[arg(long, value_name = "host=H,user=U", value_parser = origin)]
    pub(crate) origin: Option<OriginArg>,
}

/// A machine and an account.
#[derive(Clone, Debug, Default)]
pub(crate) struct OriginArg {
    pub(crate) host: Option<String>,
    pub(crate) user: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if !(0.1..=86_400.0).contains(&seconds) {
        return Err("not between 0.1 and 86400".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn origin(text: &str) -> Result<OriginArg, String> {
    let mut origin = OriginArg::default();
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("host", host)) if !host.is_empty() => origin.host = Some(host.to_owned()),
            Some(("user", user)) if !user.is_empty() => origin.user = Some(user.to_owned()),
            _ => return Err(format!("`{part}` is neither host=NAME nor user=NAME")),
        }
    }
    Ok(origin)
}
