//! The record as CBOR: the same tree with text keys, in the deterministic encoding of RFC 8949
//! §4.2 (shortest forms, definite lengths, keys sorted by their encoding).

use minicbor::data::Type;
use minicbor::{Decoder, Encoder};

use crate::value::{MAX_DEPTH, Number, Object, Value};

/// The reason a tree has no CBOR form, or bytes do not decode to a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CborError {
    /// CBOR could not represent the number exactly.
    #[error("the number {0} has no CBOR form")]
    NumberOutOfRange(String),
    /// The bytes are not CBOR.
    #[error("malformed CBOR: {0}")]
    Malformed(String),
    /// The bytes are CBOR of a kind that JSON does not have.
    #[error("{what} at byte {at} has no JSON form")]
    NotJson {
        /// The kind of value.
        what: String,
        /// Its offset.
        at: usize,
    },
    /// A map names a key twice.
    #[error("the key `{0}` stands twice in one map")]
    DuplicateKey(String),
    /// The value is nested deeper than [`crate::value::MAX_DEPTH`].
    #[error("nested too deep")]
    TooDeep,
    /// Something follows the value.
    #[error("more bytes after the CBOR value, at byte {0}")]
    TrailingBytes(usize),
}

impl From<minicbor::decode::Error> for CborError {
    fn from(error: minicbor::decode::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl<E: std::fmt::Display> From<minicbor::encode::Error<E>> for CborError {
    fn from(error: minicbor::encode::Error<E>) -> Self {
        Self::Malformed(error.to_string())
    }
}

/// The deterministic encoding of a tree.
pub fn encode(value: &Value) -> Result<Vec<u8>, CborError> {
    let mut encoder = Encoder::new(Vec::new());
    put_value(&mut encoder, value)?;
    Ok(encoder.into_writer())
}

/// Appends the encoding of a tree.
pub(crate) fn put_value(out: &mut Encoder<Vec<u8>>, value: &Value) -> Result<(), CborError> {
    match value {
        Value::Null => out.null()?.ok()?,
        Value::Bool(truth) => out.bool(*truth)?.ok()?,
        Value::Number(number) => put_number(out, number)?,
        Value::Text(text) => out.str(text)?.ok()?,
        Value::Array(items) => {
            out.array(items.len() as u64)?;
            for item in items {
                put_value(out, item)?;
            }
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // The length precedes the characters, so shorter keys come first.
            members.sort_unstable_by_key(|(name, _)| (name.len(), *name));
            out.map(members.len() as u64)?;
            for (name, value) in members {
                out.str(name)?;
                put_value(out, value)?;
            }
        }
    }
    Ok(())
}

fn put_number(out: &mut Encoder<Vec<u8>>, number: &Number) -> Result<(), CborError> {
    let out_of_range = || CborError::NumberOutOfRange(number.as_written().to_owned());
    if number.is_integer() {
        return Ok(out.i128(number.as_i128().ok_or_else(out_of_range)?)?.ok()?);
    }
    let double = number.as_f64();
    if !double.is_finite() {
        return Err(out_of_range());
    }
    put_float(out, double)
}

/// Writes the shortest of the three floats that holds the same value.
fn put_float(out: &mut Encoder<Vec<u8>>, double: f64) -> Result<(), CborError> {
    #[expect(clippy::cast_possible_truncation, reason = "checked right after")]
    let single = double as f32;
    if f64::from(single).to_bits() != double.to_bits() {
        return Ok(out.f64(double)?.ok()?);
    }
    let mut half = Encoder::new(Vec::new());
    half.f16(single)?;
    if Decoder::new(half.writer()).f16()?.to_bits() == single.to_bits() {
        Ok(out.f16(single)?.ok()?)
    } else {
        Ok(out.f32(single)?.ok()?)
    }
}

/// The tree of one CBOR value. Any order of keys and any width of numbers is accepted, since other
/// programs write CBOR as well; what JSON does not have is rejected.
pub fn decode(bytes: &[u8]) -> Result<Value, CborError> {
    let mut decoder = Decoder::new(bytes);
    let value = next_value(&mut decoder)?;
    finish(&decoder)?;
    Ok(value)
}

/// The tree of the next value.
pub(crate) fn next_value(decoder: &mut Decoder<'_>) -> Result<Value, CborError> {
    value(decoder, 0)
}

/// Checks that nothing follows.
pub(crate) fn finish(decoder: &Decoder<'_>) -> Result<(), CborError> {
    if decoder.position() == decoder.input().len() {
        Ok(())
    } else {
        Err(CborError::TrailingBytes(decoder.position()))
    }
}

fn value(decoder: &mut Decoder<'_>, depth: usize) -> Result<Value, CborError> {
    let at = decoder.position();
    let kind = decoder.datatype()?;
    match kind {
        Type::Null => Ok(decoder.null().map(|()| Value::Null)?),
        Type::Bool => Ok(Value::Bool(decoder.bool()?)),
        Type::String => Ok(Value::from(decoder.str()?)),
        Type::F16 | Type::F32 | Type::F64 => Number::from_f64(decoder.f64()?)
            .map(Value::Number)
            .ok_or_else(|| CborError::NotJson {
                what: "an infinite number or NaN".to_owned(),
                at,
            }),
        Type::Array | Type::Map if depth == MAX_DEPTH => Err(CborError::TooDeep),
        Type::Array => array(decoder, depth + 1).map(Value::Array),
        Type::Map => object(decoder, depth + 1).map(Value::Object),
        Type::Bytes | Type::Simple | Type::Undefined => Err(CborError::NotJson {
            what: kind.to_string(),
            at,
        }),
        // Integers of any width, and the tags for those beyond 64 bits; everything else is
        // malformed.
        _ => Ok(Value::Number(Number::from_i128(decoder.i128()?))),
    }
}

fn array(decoder: &mut Decoder<'_>, depth: usize) -> Result<Vec<Value>, CborError> {
    let length = definite(decoder.array()?)?;
    // No capacity is reserved: the length is only a claim.
    let mut items = Vec::new();
    for _ in 0..length {
        items.push(value(decoder, depth)?);
    }
    Ok(items)
}

fn object(decoder: &mut Decoder<'_>, depth: usize) -> Result<Object, CborError> {
    let length = definite(decoder.map()?)?;
    let mut members = Object::new();
    for _ in 0..length {
        let name = decoder.str()?;
        let value = value(decoder, depth)?;
        if members.insert(name.to_owned(), value).is_some() {
            return Err(CborError::DuplicateKey(name.to_owned()));
        }
    }
    Ok(members)
}

fn definite(length: Option<u64>) -> Result<u64, CborError> {
    length.ok_or_else(|| CborError::Malformed("indefinite length".to_owned()))
}

#[cfg(test)]
mod encode_tests {
    use super::*;

    fn hex(json: &str) -> String {
        crate::digest::hex(&encode(&Value::parse(json).unwrap()).unwrap())
    }

    /// The examples of RFC 8949, appendix A, that JSON can express.
    #[test]
    fn examples_of_the_standard() {
        for (json, expected) in [
            ("0", "00"),
            ("23", "17"),
            ("24", "1818"),
            ("1000000", "1a000f4240"),
            ("18446744073709551615", "1bffffffffffffffff"),
            ("18446744073709551616", "c249010000000000000000"),
            ("-18446744073709551616", "3bffffffffffffffff"),
            ("-18446744073709551617", "c349010000000000000000"),
            ("-1", "20"),
            ("-1000", "3903e7"),
            ("0.0", "f90000"),
            ("-0.0", "f98000"),
            ("1.0", "f93c00"),
            ("1.1", "fb3ff199999999999a"),
            ("65504.0", "f97bff"),
            ("100000.0", "fa47c35000"),
            ("3.4028234663852886e+38", "fa7f7fffff"),
            ("1.0e+300", "fb7e37e43c8800759c"),
            ("5.960464477539063e-8", "f90001"),
            ("0.00006103515625", "f90400"),
            ("false", "f4"),
            ("null", "f6"),
            (r#""\"\\""#, "62225c"),
            ("\"水\"", "63e6b0b4"),
            ("[1,[2,3],[4,5]]", "8301820203820405"),
            (r#"{"a":1,"b":[2,3]}"#, "a26161016162820203"),
        ] {
            assert_eq!(hex(json), expected, "{json}");
        }
    }

    #[test]
    fn keys_are_sorted_by_their_encoding() {
        assert_eq!(
            hex(r#"{"bb":2,"aaa":3,"c":1,"":0}"#),
            "a46000616301626262026361616103"
        );
    }

    #[test]
    fn numbers_beyond_cbor_are_an_error_not_another_number() {
        for text in ["1e400", "-1e400", &"9".repeat(60)] {
            let value = Value::parse(text).unwrap();
            assert_eq!(
                encode(&value),
                Err(CborError::NumberOutOfRange(text.to_owned()))
            );
        }
    }
}

#[cfg(test)]
mod decode_tests {
    use super::*;
    use crate::cbor::encode;

    #[test]
    fn gives_back_the_tree() {
        let text = r#"{"a":[1,-2,1.5,1e300,18446744073709551616,-0.0],"b":{"":null,"é":"水"}}"#;
        let value = Value::parse(text).unwrap();
        assert_eq!(decode(&encode(&value).unwrap()).unwrap(), value);
    }

    #[test]
    fn takes_other_widths_and_orders() {
        // {"b": 1 as 32 bits, "a": 1.0 as 64 bits}
        let bytes = [
            0xa2, 0x61, b'b', 0x1a, 0, 0, 0, 1, 0x61, b'a', 0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(
            decode(&bytes).unwrap(),
            Value::parse(r#"{"a":1.0,"b":1}"#).unwrap()
        );
    }

    #[test]
    fn refuses_what_json_does_not_have() {
        for (bytes, why) in [
            (&[0x41, 0x00][..], "bytes"),
            (&[0xf7], "undefined"),
            (&[0xf9, 0x7e, 0x00], "NaN"),
            (&[0xf9, 0x7c, 0x00], "infinity"),
            (&[0xe0], "simple value"),
            (&[0x9f, 0xff], "indefinite array"),
            (&[0xbf, 0xff], "indefinite map"),
            (&[0x7f, 0xff], "indefinite text"),
            (&[0xa1, 0x01, 0x01], "integer key"),
            (&[0xa2, 0x61, b'a', 0x01, 0x61, b'a', 0x02], "key twice"),
            (&[0xc1, 0x01], "tag that is no big number"),
            (&[0x61, 0xff], "text that is not UTF-8"),
            (&[0x01, 0x01], "trailing byte"),
            (&[], "nothing"),
            (
                &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                "a length without items",
            ),
        ] {
            assert!(decode(bytes).is_err(), "{why}");
        }
    }

    #[test]
    fn knows_its_depth_limit() {
        let nested = |depth: usize| {
            let mut bytes = vec![0x81; depth];
            bytes.push(0x80);
            bytes
        };
        assert!(decode(&nested(MAX_DEPTH - 1)).is_ok());
        assert_eq!(decode(&nested(MAX_DEPTH)), Err(CborError::TooDeep));
        assert_eq!(decode(&nested(1_000_000)), Err(CborError::TooDeep));
    }
}
