//! Who offers a model.

/// The provider that a model's name gives away, by the rule of the reference translator.
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

/// What stands for a model or provider that nobody knows.
pub(crate) const UNKNOWN: &str = "unknown";
