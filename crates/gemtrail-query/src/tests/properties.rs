//! What holds for every text.

use std::collections::HashSet;

use proptest::prelude::*;

use super::{hits, parse, query};
use crate::{
    IndexToken, Matcher, SNIPPET_CHARACTERS, SnippetSize, Term, count_tokens, for_each_term,
    snippet, tokens,
};

/// Text that mixes scripts, cases, accents and punctuation.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-cA-C]{1,3}",
        "[äÉßøŁς0-2]{1,2}",
        "[日本語かｶ한]{1,3}",
        "[_./ \\-:\n\"*]{1,2}",
        "[\u{301}\u{ad}]",
        "[\u{915}-\u{94d}]{1,2}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn indexed(text: &str) -> HashSet<String> {
    let mut terms = HashSet::new();
    let count = for_each_term(text, &mut String::new(), |term| {
        terms.insert(term.to_owned());
    });
    assert_eq!(count, count_tokens(text));
    terms
}

fn index_has(index: &HashSet<String>, token: &IndexToken) -> bool {
    if token.prefix {
        index.iter().any(|known| known.starts_with(&token.text))
    } else {
        index.contains(&token.text)
    }
}

proptest! {
    #[test]
    fn an_index_takes_every_token_whole(text in text()) {
        for token in indexed(&text) {
            prop_assert!(!token.is_empty() && token.len() <= crate::LONGEST_TOKEN);
            let fits = |c: char| !c.is_ascii() || c.is_ascii_lowercase() || c.is_ascii_digit();
            prop_assert!(token.chars().all(fits), "{token:?}");
        }
    }

    #[test]
    fn ranges_are_in_order_and_hold_the_words(text in text()) {
        let mut end = 0;
        for token in tokens(&text) {
            prop_assert!(token.range.start >= end && !token.range.is_empty());
            end = token.range.end;
            let again: Vec<_> = tokens(&text[token.range.clone()]).map(|it| it.text.into_owned()).collect();
            prop_assert_eq!(again, [token.text.into_owned()]);
        }
    }

    #[test]
    fn every_word_of_a_text_is_found(text in text()) {
        for token in tokens(&text) {
            let word = format!("\"{}\"", &text[token.range.clone()]);
            prop_assert!(hits(&word, &text), "{word}");
        }
    }

    #[test]
    fn a_phrase_cut_from_a_text_is_found(text in text(), from in any::<prop::sample::Index>(), length in 1..6_usize) {
        let words: Vec<_> = tokens(&text).map(|token| token.range).collect();
        prop_assume!(!words.is_empty());
        let first = from.index(words.len());
        let last = (first + length - 1).min(words.len() - 1);
        let phrase = &text[words[first].start..words[last].end];
        let quoted = format!("\"{}\"", phrase.replace('"', "\"\""));
        prop_assert!(hits(&quoted, &text), "{quoted}");
    }

    #[test]
    fn the_index_knows_what_the_matcher_knows(text in text(), word in text()) {
        let quoted = format!("\"{}\"", word.replace('"', "\"\""));
        if let Ok(query) = parse(&quoted) {
            let term: &Term = &query.all[0][0];
            let index = indexed(&text);
            let in_index = term.index_tokens().iter().all(|token| index_has(&index, token));
            let matches = Matcher::new(&query).matches_text(&text);
            prop_assert!(in_index || !matches, "a hit that the index misses");
            if term.is_exact_in_index() {
                prop_assert_eq!(in_index, matches);
            }
        }
    }

    #[test]
    fn no_query_and_no_text_is_too_odd(text in text(), query in "[a日 \"*:OR-]{0,12}") {
        if let Err(error) = parse(&query) {
            prop_assert!(query.get(error.at).is_some());
        } else {
            let query = super::query(&query);
            let matcher = Matcher::new(&query);
            let piece = snippet(&text, &matcher.find(&text), SnippetSize::Words);
            let length = piece.text.chars().count();
            prop_assert!(length <= SNIPPET_CHARACTERS + 2);
            prop_assert!(piece.highlights.iter().all(|range| range.start < range.end && range.end <= length));
            let _ = matcher.matches_text(&text);
        }
    }
}

#[test]
fn single_words_are_told_by_the_index_alone() {
    for word in ["x", "x*", "検", "検索"] {
        assert!(query(word).all[0][0].is_exact_in_index());
    }
}
