//! What search knows about English: forms of words, and words that say little.

use rust_stemmers::{Algorithm, Stemmer};

/// Question words, auxiliaries, pronouns and the like. How often a word occurs does not tell that it
/// says little: `the` is everywhere, but `why` is as rare as the name of a component.
const FUNCTION_WORDS: &str = "a about again all also am an and any anybody anyone anything are aren't as at be \
    because been before being both but by can cannot could couldn did didn do does doesn doing don each either \
    else ever every everyone few for from get gets got had has hasn have haven having he her here hers him his \
    how i if in into is isn it its itself just let like ll made make many may maybe me might mine more most much \
    must my myself neither no nobody nor not nothing now of off on once one only or other our ours out over own \
    re really s same shall she should shouldn so some somebody someone something such t than that the their them \
    then there these they thing things this those though through to too under until up us use used very via was \
    wasn we were weren what when where whether which while who whom whose why will with without won would wouldn \
    yes yet you your yours";

/// True for words that say little about what somebody looks for.
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.split_ascii_whitespace().any(|it| it == word)
}

/// The stem that all forms of a folded word have in common; `None` for what is no English word.
pub fn stem(word: &str) -> Option<String> {
    if word.len() < 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    Some(Stemmer::create(Algorithm::English).stem(word).into_owned())
}

/// The beginning that every word with this stem has. A stem may end otherwise than its words:
/// `queri` is that of `query`, `hope` of `hoping`, `sensibl` of `sensibility`.
pub fn shortest_form(stem: &str) -> &str {
    match stem.as_bytes() {
        [_, _, .., b'i' | b'e' | b'l'] => &stem[..stem.len() - 1],
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_share_a_stem_and_begin_like_it() {
        for forms in [
            "query queries",
            "cached caching caches cache",
            "allocated allocation allocate",
            "migrate migration migrating",
            "commit committed commits",
            "hope hoping hoped",
            "sensible sensibility",
            "truncated truncating truncate",
            "proration prorate prorated",
        ] {
            let stems: Vec<_> = forms.split(' ').map(|form| stem(form).unwrap()).collect();
            assert!(stems.windows(2).all(|it| it[0] == it[1]), "{stems:?}");
            assert!(
                forms
                    .split(' ')
                    .all(|form| form.starts_with(shortest_form(&stems[0])))
            );
        }
        for word in ["ab", "utf8", "größe", "検索"] {
            assert_eq!(stem(word), None, "{word}");
        }
    }

    #[test]
    fn questions_have_words_that_say_little() {
        assert!(is_function_word("why") && is_function_word("the"));
        assert!(!is_function_word("error") && !is_function_word("carousel"));
    }
}
