//! From a tree to deterministic CBOR.

use minicbor::{Decoder, Encoder};

use super::CborError;
use crate::value::{Number, Value};

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

#[cfg(test)]
mod tests {
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
