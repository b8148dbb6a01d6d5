//! The provider of a model.

/// The provider, derived from the model's name by the rule of the reference translator.
pub fn provider_of(model: &str) -> &'static str {
    const PREFIXES: [(&str, &str); 5] = [
        ("gemini", "google"),
        ("claude", "anthropic"),
        ("gpt", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
    ];
    PREFIXES
        .iter()
        .find(|(prefix, _)| model.starts_with(prefix))
        .map_or(UNKNOWN, |(_, provider)| provider)
}

/// The name of an unknown model or provider.
pub(crate) const UNKNOWN: &str = "unknown";
