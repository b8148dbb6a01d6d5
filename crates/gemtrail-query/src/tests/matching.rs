//! Which texts are hits.

use super::{hits, query};
use crate::{Matcher, Query};

#[test]
fn words_in_any_case_and_accent() {
    assert!(hits("ete", "L'Été est là"));
    assert!(hits("ÉTÉ", "l'ete"));
    assert!(hits("strasse", "Straße 5") && hits("Straße", "STRASSE"));
    assert!(!hits("tes", "etest") && hits("test", "etest test"));
    assert!(hits("bar", "foo_bar") && hits("foo", "src/foo.rs"));
}

#[test]
fn all_words_alternatives_and_exclusions() {
    assert!(hits("a b", "b then a") && !hits("a b", "a only"));
    assert!(hits("a b OR c", "a c") && !hits("a b OR c", "b c"));
    assert!(hits("a -b", "a c") && !hits("a -b", "a b") && !hits("a -b", "c"));
    assert!(!hits(r#"a -"b c""#, "a, b c") && hits(r#"a -"b c""#, "a, c b"));
    assert!(hits("-b", "a") && !hits("-b", "a b"));
}

#[test]
fn prefixes() {
    assert!(hits("conf*", "Configuration") && hits("conf*", "conf"));
    assert!(!hits("conf*", "reconfigure"));
    assert!(hits("foo_b*", "foo_bar") && !hits("foo_b*", "foo_ab"));
    assert!(hits(r#""the conf*""#, "the config"));
    assert!(hits(r#""the conf"*"#, "the config"));
}

#[test]
fn phrases_take_any_punctuation_between_words() {
    assert!(hits(r#""parse error""#, "Parse\n  error: x"));
    assert!(hits(r#""parse error""#, "parse_error"));
    assert!(!hits(r#""parse error""#, "parse the error"));
    assert!(hits(r#""a a b""#, "a a a b"));
    assert!(hits("\u{201c}parse error\u{201d}", "parse error"));
}

#[test]
fn identifiers_need_the_same_punctuation() {
    assert!(hits("foo_bar", "x.FOO_BAR()") && !hits("foo_bar", "foo-bar"));
    assert!(!hits("foo_bar", "foo bar") && !hits("foo_bar", "foo_bars"));
    assert!(hits("src/main.rs", "in ./src/main.rs:12"));
    assert!(hits("a@example.org", "<a@example.org>"));
    assert!(hits("gemini-2.5-pro", "model gemini-2.5-pro."));
    assert!(hits("std::fmt", "use std::fmt;"));
    assert!(hits("don't", "don\u{2019}t"));
    assert!(hits("C++", "in C++.") && !hits("C++", "in C"));
    assert!(hits(".gitignore", "the .gitignore file") && !hits(".gitignore", "gitignore"));
    assert!(hits("--force", "push --force") && !hits("--force", "by force"));
    assert!(hits("src/", "src/x") && !hits("src/", "src.x"));
}

#[test]
fn scripts_without_spaces_match_anywhere() {
    let text = "これは針検索試験です。한국어 검색";
    for found in ["針", "検索", "針検索試験", "試験です", "국어", "これは針*"] {
        assert!(hits(found, text), "{found}");
    }
    assert!(!hits("索検", text) && !hits("験す", text) && !hits("어검", text));
    assert!(hits("v2の", "バージョンv2の話") && hits("ｶﾅ", "カナ"));
    assert!(hits(r#""한국어 검색""#, text));
}

#[test]
fn long_runs_match_by_their_beginning() {
    let hash = "0123456789abcdef".repeat(8);
    assert!(hits(&hash, &format!("x {hash} y")));
    assert!(hits("0123456789abcd*", &hash));
}

#[test]
fn patterns_see_the_text_as_it_is() {
    let hits = |pattern: &str, text: &str| {
        Matcher::new(&Query::regex(pattern).unwrap()).matches_text(text)
    };
    assert!(hits("^b.r$", "foo\nBar\n") && !hits("^ar", "bar"));
    assert!(hits("e=>", "(e=>e)"));
    let query = Query::regex("o+").unwrap();
    let found = Matcher::new(&query).find("foo boo");
    let ranges: Vec<_> = found.into_iter().map(|found| found.range).collect();
    assert_eq!(ranges, [1..3, 5..7]);
}

#[test]
fn places_of_everything_that_is_wanted() {
    let query = query("foo_bar baz OR qux -no");
    let text = "qux, a Foo_Bar and baz";
    let found: Vec<_> = Matcher::new(&query)
        .find(text)
        .into_iter()
        .map(|found| (&text[found.range], found.term))
        .collect();
    assert_eq!(found, [("qux", 2), ("Foo_Bar", 0), ("baz", 1)]);
}

#[test]
fn what_must_be_verified() {
    for exact in ["a b", "a OR b -c", "pre*", "検", "検索", "role:human"] {
        assert!(query(exact).index().is_exact, "{exact}");
    }
    for inexact in ["foo_bar", r#""a b""#, "検索試", "a -b_c", "c++"] {
        assert!(!query(inexact).index().is_exact, "{inexact}");
    }
    let index = query("a b_c -d -e_f").index();
    assert_eq!((index.all.len(), index.none.len()), (2, 1));
    assert!(Query::regex("a").unwrap().index().all.is_empty());
}

#[test]
fn identifiers_and_paths_are_found_whole_and_by_their_parts() {
    for text in [
        "applyCoupon(cart)",
        "apply_coupon",
        "apply-coupon",
        "src/coupon.ts",
    ] {
        assert!(hits("coupon", text), "{text}");
        assert!(hits("coup*", text), "{text}");
        assert!(!hits("-coupon ts OR apply OR cart", text), "{text}");
    }
    assert!(hits("applyCoupon", "the function applycoupon"));
    assert!(hits("apply coupon", "applyCoupon"));
    assert!(
        !hits("\"apply coupon\"", "applyCoupon"),
        "a phrase is of whole words"
    );
    assert!(!hits("pon", "applyCoupon"));
    let query = super::query("coupon");
    let found = Matcher::new(&query).find("see applyCoupon");
    assert_eq!(found[0].range, 9..15);
}
