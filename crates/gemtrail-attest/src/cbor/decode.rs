//! From CBOR to a tree. Any order of keys and any width of numbers is accepted, since other
//! programs write CBOR as well; what JSON does not have is rejected.

use minicbor::Decoder;
use minicbor::data::Type;

use super::CborError;
use crate::value::{MAX_DEPTH, Number, Object, Value};

/// The tree of one CBOR value.
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
mod tests {
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
