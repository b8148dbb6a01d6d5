//! Token counters.

use gemtrail_core::model::Tokens;

use super::native::Native;
use super::options::Profile;
use crate::validate::TOKEN_USAGE;
use crate::value::{Value, object};

/// The counters under the schema's names; the two it does not know stay native.
pub(super) fn token_usage(tokens: Tokens, profile: Profile) -> Value {
    let mut usage = object([
        ("input", tokens.input.into()),
        ("output", tokens.output.into()),
        ("cached", tokens.cached.into()),
        ("reasoning", tokens.thoughts.into()),
        ("total", tokens.total.into()),
    ]);
    let mut native = Native::default();
    native.add("thoughts", Some(tokens.thoughts));
    native.add("tool", Some(tokens.tool));
    native.place(&mut usage, profile, &TOKEN_USAGE);
    usage.into()
}

/// The counters under their own names, for where the schema has no place for usage.
pub(super) fn native_tokens(tokens: Tokens) -> Value {
    object([
        ("input", tokens.input.into()),
        ("output", tokens.output.into()),
        ("cached", tokens.cached.into()),
        ("thoughts", tokens.thoughts.into()),
        ("tool", tokens.tool.into()),
        ("total", tokens.total.into()),
    ])
    .into()
}
