//! The arguments of `serve`.

use clap::Args as ClapArgs;

/// Show everything in a browser, on this machine only
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The first line on standard output is the address. Its token works once; the browser then has a
cookie. Nothing is ever changed by what the browser asks for. Ctrl-C ends it.

Examples:
  gemtrail serve
  gemtrail serve --no-open --port 8080
  ssh -L 7747:127.0.0.1:7747 desk gemtrail serve --no-open --port 7747"
)]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; 0 for any that is free. Without it 7747, or another if that is taken
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}
