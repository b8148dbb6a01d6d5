//! `show`: a session to read, or as data.

use gemtrail_store::Library;

use super::args::ShowArgs;
use super::session;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ShowArgs, library: &Library, ui: &Ui) -> Result<(), CliError> {
    let session = session::read(library, &args.session)?;
    let mut out = ui.out();
    Ui::json_line(&mut out, &session)?;
    out.finish()
}
