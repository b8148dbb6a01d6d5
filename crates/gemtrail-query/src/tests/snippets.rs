//! What is shown of a text.

use super::query;
use crate::{Matcher, SNIPPET_CHARACTERS, Snippet, SnippetSize, snippet};

fn of(query_text: &str, text: &str) -> Snippet {
    snippet(
        text,
        &Matcher::new(&query(query_text)).find(text),
        SnippetSize::Words,
    )
}

/// The highlighted parts.
fn marked(snippet: &Snippet) -> Vec<String> {
    let chars: Vec<char> = snippet.text.chars().collect();
    let part = |range: &std::ops::Range<usize>| chars[range.clone()].iter().collect();
    snippet.highlights.iter().map(part).collect()
}

#[test]
fn short_texts_are_shown_whole_on_one_line() {
    let snippet = of("foo", "  a\n\n\tfoo  b ");
    assert_eq!(snippet.text, "a foo b");
    assert_eq!(marked(&snippet), ["foo"]);
}

#[test]
fn long_texts_are_cut_between_words() {
    let text = format!("{} needle {}", "before ".repeat(100), "after ".repeat(100));
    let snippet = of("needle", &text);
    let length = snippet.text.chars().count();
    assert!((140..=SNIPPET_CHARACTERS + 2).contains(&length), "{length}");
    assert!(snippet.text.starts_with("…before ") && snippet.text.ends_with(" after…"));
    assert_eq!(marked(&snippet), ["needle"]);
}

#[test]
fn the_place_with_most_terms_wins() {
    let text = format!(
        "foo {} foo and bar {}",
        "x ".repeat(300),
        "foo ".repeat(300)
    );
    let snippet = of("foo bar", &text);
    assert!(marked(&snippet).contains(&"bar".to_owned()), "{snippet:?}");
}

#[test]
fn phrases_are_marked_whole_and_squeezed() {
    let snippet = of(r#""parse error""#, "a parse \n   error b");
    assert_eq!(marked(&snippet), ["parse error"]);
    assert_eq!(marked(&of("検索", "針検索試験")), ["検索"]);
}

#[test]
fn without_words_the_beginning_is_shown() {
    let text = "word ".repeat(100);
    let snippet = snippet(&text, &[], SnippetSize::Words);
    assert!(snippet.text.starts_with("word") && snippet.text.ends_with("word…"));
    assert!(snippet.highlights.is_empty());
}

#[test]
fn walls_of_text_are_cut_too() {
    let wall = format!("{}-needle-{}", "a".repeat(500), "b".repeat(500));
    let piece = of("needle", &wall);
    assert!(piece.text.chars().count() <= SNIPPET_CHARACTERS + 2);
    assert_eq!(marked(&piece), ["needle"]);
    let wide = format!("{}針{}", "木".repeat(500), "林".repeat(500));
    let piece = of("針", &wide);
    assert_eq!(marked(&piece), ["針"]);
    let query = crate::Query::regex("(?s).+").unwrap();
    let all = snippet(&wide, &Matcher::new(&query).find(&wide), SnippetSize::Words);
    assert!(all.text.chars().count() <= SNIPPET_CHARACTERS + 2);
}

#[test]
fn whole_lines_where_these_are_wanted() {
    let in_lines = |text: &str| {
        let found = Matcher::new(&query("exit")).find(text);
        snippet(text, &found, SnippetSize::Lines).text
    };
    let line = format!("Exit Code: 1 {}end", "and so on ".repeat(20));
    let text = format!("{line}\n{line}\n{line}");
    assert!(in_lines(&text).contains(&line), "{}", in_lines(&text));
    assert!(!of("exit", &text).text.contains(&line));
    // Words without end are cut, and the match is not all that is left.
    let endless = format!("{} exit {}", "x".repeat(2000), "y".repeat(2000));
    for cut in [in_lines(&endless), of("exit", &endless).text] {
        assert!(cut.contains("x exit y"), "{cut}");
        assert!(cut.chars().count() < 600, "{cut}");
    }
}
