use super::*;
use crate::json::strings::closing_quote;
use proptest::prelude::*;

fn whole(text: &str) -> ScanResult<()> {
    let mut cursor = Cursor::new(text);
    cursor.skip_value()?;
    if cursor.at_end() {
        Ok(())
    } else {
        Err(Fault::Bad(cursor.pos()))
    }
}

#[test]
fn accepts_what_javascript_accepts() {
    for text in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.5e+3",
        "1E9",
        r#""""#,
        r#""\u0000\n""#,
        "{}",
        "[]",
        r#"{"a":[1,{"b":null}],"a":2}"#,
        " [ 1 , 2 ] ",
        "\"\u{2028}\u{2029}\"",
        r#""\ud83d""#,
    ] {
        assert_eq!(whole(text), Ok(()), "{text}");
    }
}

#[test]
fn refuses_what_javascript_refuses() {
    for text in [
        "01",
        ".5",
        "+1",
        "nul!",
        "{a:1}",
        "[1,]",
        r#"{"a":1,}"#,
        "\"a\nb\"",
        "\"a\tb\"",
        r#""\x""#,
        r#""\u12g4""#,
        "[1 2]",
        "{} {}",
        "NaN",
        "'a'",
    ] {
        assert!(matches!(whole(text), Err(Fault::Bad(_))), "{text}");
    }
}

#[test]
fn tells_an_unfinished_value_from_a_bad_one() {
    let text = r#"{"a":[1,"x\u00e9",true,null,-1.5e2],"b":{}}"#;
    for end in 0..text.len() {
        let fault = whole(&text[..end]);
        assert_eq!(fault, Err(Fault::Incomplete), "cut at {end}");
    }
}

#[test]
fn knows_its_depth_limit() {
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert_eq!(whole(&deep(MAX_DEPTH)), Ok(()));
    assert_eq!(whole(&deep(MAX_DEPTH + 1)), Err(Fault::TooDeep));
    assert_eq!(whole(&deep(100_000)), Err(Fault::TooDeep));
}

#[test]
fn sees_lone_surrogates_and_only_those() {
    let lone = |text: &str| {
        let mut cursor = Cursor::new(text);
        cursor.skip_value().unwrap();
        cursor.take_lone_surrogate()
    };
    assert_eq!(lone(r#""\ud83d\ude00 ok""#), None);
    assert_eq!(lone(r#""\ud83d ok""#), Some(1));
    assert_eq!(lone(r#""ab\ude00\ude00""#), Some(3));
    assert_eq!(lone(r#""\ud83d\n""#), Some(1));
}

#[test]
fn notices_what_may_name_an_error() {
    let hint = |text: &str| {
        let mut cursor = Cursor::new(text);
        cursor.skip_value().unwrap();
        (cursor.take_error_hint(), cursor.take_error_hint())
    };
    for text in [
        r#"{"error":"no such file or directory"}"#,
        r#"["error"]"#,
        r#""error""#,
        r#"{"a":{"\u0065rror":1}}"#,
        r#"["a string that is much longer than most, with \u0072"]"#,
    ] {
        assert_eq!(hint(text), (true, false), "{text}");
    }
    for text in [
        r#"{"errors":"error: none","an error":"\u001b[0m error"}"#,
        r#""errof""#,
        r#"["Error", "\\u0065rror"]"#,
    ] {
        assert_eq!(hint(text), (false, false), "{text}");
    }
}

/// Pieces of strings that are easily confused, and filler between them.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,40}",
        r"(\\\\){0,20}",
        r#"\\["\\/bfnrtux]"#,
        r"\\u[0-9d][8c]3[0-9g]",
        Just("\"".to_owned()),
        Just("\n".to_owned()),
        Just("\t".to_owned()),
        Just("é\u{2028}".to_owned()),
    ]
}

/// The end of a string, found by looking at every byte.
fn end_by_bytes(cursor: &mut Cursor<'_>) -> ScanResult<usize> {
    let bytes = cursor.text.as_bytes();
    cursor.pos += 1;
    loop {
        let Some(&byte) = bytes.get(cursor.pos) else {
            return Err(Fault::Incomplete);
        };
        cursor.pos += 1;
        match byte {
            b'"' => return Ok(cursor.pos),
            b'\\' => cursor.skip_escape(bytes)?,
            0..0x20 => return Err(Fault::Bad(cursor.pos - 1)),
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn strings_end_where_a_look_at_every_byte_says(
        pieces in prop::collection::vec(piece(), 0..12), before in 0..40usize, repeat in 1..4usize
    ) {
        let text = format!("{}\"{}", " ".repeat(before), pieces.concat().repeat(repeat));
        let skip = |end: fn(&mut Cursor<'_>) -> ScanResult<usize>| {
            let mut cursor = Cursor::new(&text);
            cursor.seek(before);
            let outcome = end(&mut cursor);
            (outcome, outcome.ok().and(cursor.take_lone_surrogate()))
        };
        let mut expected = skip(end_by_bytes);
        let has_end = closing_quote(text.as_bytes(), before + 1).is_some();
        if !has_end && !text.contains('\t') {
            expected.0 = Err(Fault::Incomplete);
        }
        let found = skip(|cursor| cursor.skip_string().map(|()| cursor.pos()));
        prop_assert_eq!(found, expected);
    }
}
