//! The price table: the built-in one, with a person's own rows.

use std::borrow::Cow;
use std::path::Path;

use gemtrail_core::prices::Prices;

use crate::error::CliError;

/// The prices to use.
pub(super) fn load(file: Option<&Path>) -> Result<Cow<'static, Prices>, CliError> {
    let Some(file) = file else {
        return Ok(Cow::Borrowed(Prices::built_in()));
    };
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| CliError::cannot("unreadable", format!("cannot read {shown}: {error}")))?;
    let own = Prices::parse(&text).map_err(|error| {
        CliError::cannot("bad-prices", format!("{shown} is no price table: {error}"))
            .hint("docs/statistics.md shows the format")
    })?;
    Ok(Cow::Owned(Prices::built_in().clone().with(own)))
}
