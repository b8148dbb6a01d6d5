//! What queries mean, and what is wrong with invalid ones.

use super::{noon, parse, query};
use crate::{Condition, Field, Query, Term, field_filter};

/// The error and the part of the query that it points at.
fn wrong(text: &str) -> (String, &str) {
    match parse(text) {
        Ok(query) => panic!("{text:?} was understood: {query:?}"),
        Err(error) => (error.message, &text[error.at]),
    }
}

fn shape(text: &str) -> (Vec<usize>, usize, usize) {
    let query = query(text);
    let all = query.all.iter().map(Vec::len).collect();
    (all, query.none.len(), query.filters.all.len())
}

#[test]
fn or_binds_tighter_than_and() {
    assert_eq!(shape("a b OR c d"), (vec![1, 2, 1], 0, 0));
    assert_eq!(shape("a OR b OR c"), (vec![3], 0, 0));
    assert_eq!(shape("a AND b"), (vec![1, 1], 0, 0));
    assert_eq!(
        shape("(a OR b) c"),
        (vec![2, 1], 0, 0),
        "brackets do no harm"
    );
    assert_eq!(shape("a or b"), (vec![1, 1, 1], 0, 0), "only in upper case");
}

#[test]
fn exclusions() {
    assert_eq!(shape(r#"a -b -"c d" -role:human"#), (vec![1], 2, 1));
    assert!(query("-role:human").filters.all[0].not);
    assert_eq!(
        shape("--force"),
        (vec![1], 0, 0),
        "two dashes start an option"
    );
    assert_eq!(shape("well-known"), (vec![1], 0, 0));
}

#[test]
fn fields_take_words_quotes_and_lists() {
    let fields = query(r#"project:"my app" role:human,agent tool:Shell before:2026-06-01"#);
    assert!(fields.all.is_empty() && fields.is_filter_only());
    let [project, role, tool, before] = &fields.filters.all[..] else {
        panic!("{fields:?}");
    };
    assert!(matches!(project.any[..], [Condition::Project(_)]));
    assert_eq!(role.any.len(), 2);
    assert!(matches!(&tool.any[..], [Condition::Tool(name)] if name == "shell"));
    assert!(
        matches!(before.any[..], [Condition::Before(time)] if time.to_string() == "2026-06-01T00:00:00Z")
    );
    let either = query("tool:a OR tool:b");
    assert_eq!(either.filters.all[0].any.len(), 2);
    let session = query("session:latest");
    assert!(
        matches!(&session.filters.all[0].any[..], [Condition::Session(id)] if id == "2f1e0a52")
    );
}

#[test]
fn until_takes_the_whole_day_and_after_its_start() {
    let time = |text: &str| match query(text).filters.all[0].any[..] {
        [Condition::Before(time) | Condition::Since(time)] => time.to_string(),
        _ => panic!("{text}"),
    };
    assert_eq!(time("until:2026-06-01"), "2026-06-02T00:00:00Z");
    assert_eq!(time("after:2026-06-01"), "2026-06-01T00:00:00Z");
    assert_eq!(time("since:7d"), "2026-11-08T12:00:00Z");
    assert_eq!(time(r#"after:"2 weeks""#), "2026-11-01T12:00:00Z");
}

#[test]
fn a_flag_is_the_same_as_a_field() {
    let filter = field_filter("field", "tool_args,tool_output", noon()).unwrap();
    assert!(matches!(
        filter.any[..],
        [
            Condition::Field(Field::ToolArgs),
            Condition::Field(Field::ToolOutput)
        ]
    ));
    let error = field_filter("exit", "one", noon()).unwrap_err();
    assert_eq!(error.to_string(), "\"one\" is not an exit code");
    let error = field_filter("status", "sucess", noon()).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("did you mean success?"));
}

#[test]
fn colons_in_words_are_no_fields() {
    for word in [
        "std::fmt",
        "model::Session",
        "https://example.org",
        "file:///a",
        "localhost:8080",
        "10:30",
        "Error:",
        "TODO: x",
    ] {
        assert!(query(word).filters.all.is_empty(), "{word}");
    }
}

#[test]
fn errors_point_at_the_place() {
    assert_eq!(wrong(""), ("the query is empty".to_owned(), ""));
    assert_eq!(wrong("  ").1, "  ");
    assert_eq!(wrong("a * b").1, "*");
    assert_eq!(wrong("a *b").1, "*b");
    assert_eq!(wrong(r#"a "b c"#).1, r#""b c"#);
    assert_eq!(wrong("OR a").1, "OR");
    assert_eq!(wrong("a OR").1, "OR");
    assert_eq!(wrong("a OR OR b").1, "OR");
    assert_eq!(wrong("a OR -b").1, "-b");
    assert_eq!(wrong("a OR role:human").1, "role:human");
    assert_eq!(wrong("a -> b").1, "->");
    assert_eq!(wrong(r#"a "...""#).1, r#""...""#);
    assert_eq!(wrong("é before:soon").1, "soon");
    assert_eq!(wrong("role:").1, "role:");
    assert_eq!(wrong("role:humna").1, "humna");
    assert_eq!(wrong("x projct:api").1, "projct");
    let error = parse("x projct:api").unwrap_err();
    assert!(error.hint.unwrap().contains("project:"));
}

#[test]
fn patterns() {
    let case = |pattern: &str| match &Query::regex(pattern).unwrap().all[0][0] {
        Term::Pattern(regex) => regex.is_match("FOO bar"),
        _ => panic!("no pattern"),
    };
    assert!(case("foo") && case(r"foo\S*\s") && case(r"\p{Lu}oo") && !case("Foo"));
    let error = Query::regex("a(b").unwrap_err();
    assert_eq!(error.at, 1..2);
    assert!(Query::regex("").is_err());
    assert!(Query::regex(r"(\pL{1000}){1000}").is_err());
}
