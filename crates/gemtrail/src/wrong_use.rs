//! Wrong use of the program, for scripts: what clap says in paragraphs, as an error like others.

use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::error::CliError;
use crate::text::Clean;

/// True if these arguments ask for JSON. They cannot be parsed, so this is all that can be asked.
pub(crate) fn wants_json(arguments: impl IntoIterator<Item = OsString>) -> bool {
    // What follows `--` are words and arguments of others.
    let options = arguments.into_iter().take_while(|it| it != "--");
    options.into_iter().any(|it| it == "--json")
}

/// Turns wrong arguments into an error.
pub(crate) fn error(error: &clap::Error) -> CliError {
    let text = error.render().to_string();
    let paragraphs: Vec<Clean<'_>> = text.split("\n\n").map(Clean::line).collect();
    let usage = paragraphs.iter().find_map(|it| it.strip_prefix("Usage: "));
    let usage = usage.map(|usage| format!("usage: {usage}"));
    // Then clap says nothing but the help.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return hinted(CliError::usage("a command is missing"), usage);
    }
    let first = paragraphs.first().map(Clean::as_str).unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    let tips: Vec<&str> = paragraphs
        .iter()
        .filter_map(|it| it.strip_prefix("tip: "))
        .collect();
    let tips = (!tips.is_empty()).then(|| tips.join("; "));
    hinted(CliError::usage(message), tips.or(usage))
}

fn hinted(error: CliError, hint: Option<String>) -> CliError {
    error.hint(hint.unwrap_or_else(|| "--help tells how it is used".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_by_an_option() {
        let wants = |text: &str| wants_json(text.split(' ').map(OsString::from));
        assert!(wants("gemtrail --json show"));
        assert!(wants("gemtrail list --bogus --json"));
        assert!(!wants("gemtrail search -- --json"));
        assert!(!wants("gemtrail search json"));
    }
}
