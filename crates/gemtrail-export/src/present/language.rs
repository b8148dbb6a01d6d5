//! The language of a file, by its name.

/// Languages by the names that highlighters use, with their file extensions.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bash", &["sh", "bash", "zsh"]),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hh", "hpp"]),
    ("csharp", &["cs"]),
    ("css", &["css", "scss", "less"]),
    ("diff", &["diff", "patch"]),
    ("dockerfile", &["dockerfile"]),
    ("go", &["go"]),
    ("html", &["html", "htm", "vue", "svelte"]),
    ("java", &["java"]),
    ("javascript", &["js", "jsx", "mjs", "cjs"]),
    ("json", &["json", "jsonl", "json5"]),
    ("kotlin", &["kt", "kts"]),
    ("lua", &["lua"]),
    ("makefile", &["makefile", "mk"]),
    ("markdown", &["md", "markdown"]),
    ("php", &["php"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("sql", &["sql"]),
    ("swift", &["swift"]),
    ("toml", &["toml"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("xml", &["xml", "svg"]),
    ("yaml", &["yaml", "yml"]),
];

/// The language of the file, if its name shows it.
pub fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next()?;
    // `Makefile` and `Dockerfile` count as their own extension.
    let ending = name.rsplit('.').next()?.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|(_, endings)| endings.contains(&ending.as_str()))
        .map(|(language, _)| *language)
}

#[cfg(test)]
mod tests {
    use super::language_of;

    #[test]
    fn tells_the_language_by_the_name() {
        assert_eq!(language_of("/src/main.rs"), Some("rust"));
        assert_eq!(language_of(r"C:\a\Main.TSX"), Some("typescript"));
        assert_eq!(language_of("deploy/Dockerfile"), Some("dockerfile"));
        assert_eq!(language_of("notes.txt"), None);
        assert_eq!(language_of(""), None);
    }
}
