//! Protobuf on the wire: numbered fields, read in place.
//!
//! The reader neither allocates nor recurses: a [`WireRecord`] is a view of bytes, and each question
//! walks over its fields once. Bytes that are no valid record end the walk and raise a flag that
//! all records of one step share, so that nobody has to handle damage at every field.

use std::cell::Cell;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireValue<'a> {
    /// An integer of any kind, an enum or a bool.
    Number(u64),
    /// Eight bytes: a double, or an integer of fixed size.
    Eight([u8; 8]),
    /// A text, bytes, a nested record, or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes: a float, or an integer of fixed size.
    Four([u8; 4]),
}

/// Bytes that are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a protobuf record")]
pub struct NotARecord;

/// The fields of a record, in the order of its bytes.
#[derive(Clone, Debug)]
pub struct WireFields<'a> {
    rest: &'a [u8],
}

impl<'a> WireFields<'a> {
    /// The fields in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// The next number in base 128: at most ten bytes, of which the last holds one bit.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for (at, &byte) in self.rest.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7f);
            if at == 9 && bits > 1 {
                return None;
            }
            number |= bits << (7 * at);
            if byte < 0x80 {
                self.rest = &self.rest[at + 1..];
                return Some(number);
            }
        }
        None
    }

    fn field(&mut self) -> Option<(u32, WireValue<'a>)> {
        let key = self.number()?;
        let number = u32::try_from(key >> 3).ok().filter(|number| *number > 0)?;
        let value = match key & 7 {
            0 => WireValue::Number(self.number()?),
            1 => WireValue::Eight(self.take(8)?.try_into().ok()?),
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                WireValue::Bytes(self.take(length)?)
            }
            5 => WireValue::Four(self.take(4)?.try_into().ok()?),
            // Groups are older than any file of Antigravity.
            _ => return None,
        };
        Some((number, value))
    }
}

impl<'a> Iterator for WireFields<'a> {
    type Item = Result<(u32, WireValue<'a>), NotARecord>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field().ok_or(NotARecord);
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Collects whether anything in the records of one step was damaged.
#[derive(Debug, Default)]
pub struct WireDamage(Cell<bool>);

impl WireDamage {
    /// True if something could not be read.
    pub fn is_found(&self) -> bool {
        self.0.get()
    }

    fn note(&self) {
        self.0.set(true);
    }
}

/// One protobuf message. Of a field that occurs several times but is asked for once, the last
/// counts.
#[derive(Clone, Copy, Debug)]
pub struct WireRecord<'a> {
    bytes: &'a [u8],
    damage: &'a WireDamage,
}

impl<'a> WireRecord<'a> {
    /// The record in these bytes. Damage, here or further inside, is noted when it is met.
    pub fn new(bytes: &'a [u8], damage: &'a WireDamage) -> Self {
        Self { bytes, damage }
    }

    /// Its fields up to the first damaged one.
    pub fn fields(self) -> impl Iterator<Item = (u32, WireValue<'a>)> {
        WireFields::new(self.bytes).map_while(move |field| {
            if field.is_err() {
                self.damage.note();
            }
            field.ok()
        })
    }

    fn values(self, number: u32) -> impl Iterator<Item = WireValue<'a>> {
        let fields = self.fields();
        fields.filter_map(move |(found, value)| (found == number).then_some(value))
    }

    /// The bytes of each time that a field occurs.
    pub(crate) fn all_bytes(self, number: u32) -> impl Iterator<Item = &'a [u8]> {
        self.values(number).filter_map(move |value| {
            let WireValue::Bytes(bytes) = value else {
                self.damage.note();
                return None;
            };
            Some(bytes)
        })
    }

    /// True if it has no fields.
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// True if it has the field.
    pub fn has(self, number: u32) -> bool {
        self.values(number).next().is_some()
    }

    /// A number; 0 is usually not written.
    pub fn number(self, number: u32) -> Option<u64> {
        let WireValue::Number(value) = self.values(number).last()? else {
            self.damage.note();
            return None;
        };
        Some(value)
    }

    /// A number, or 0.
    pub fn count(self, number: u32) -> u64 {
        self.number(number).unwrap_or_default()
    }

    /// A signed number.
    pub fn signed(self, number: u32) -> Option<i64> {
        self.number(number).map(u64::cast_signed)
    }

    /// True if a bool is set.
    pub fn flag(self, number: u32) -> bool {
        self.count(number) != 0
    }

    /// Repeated numbers, packed or not.
    pub fn numbers(self, number: u32) -> Vec<u64> {
        let mut numbers = Vec::new();
        for value in self.values(number) {
            match value {
                WireValue::Number(value) => numbers.push(value),
                WireValue::Bytes(packed) => {
                    let mut packed = WireFields::new(packed);
                    while !packed.rest.is_empty() {
                        let Some(value) = packed.number() else {
                            self.damage.note();
                            break;
                        };
                        numbers.push(value);
                    }
                }
                _ => self.damage.note(),
            }
        }
        numbers
    }

    /// The bytes of a field.
    pub fn bytes(self, number: u32) -> Option<&'a [u8]> {
        self.all_bytes(number).last()
    }

    /// A text; `None` if it is empty, which is not written either.
    pub fn text(self, number: u32) -> Option<&'a str> {
        self.bytes(number).and_then(|bytes| self.utf8(bytes))
    }

    /// Repeated texts, without empty ones.
    pub fn texts(self, number: u32) -> impl Iterator<Item = &'a str> {
        self.all_bytes(number)
            .filter_map(move |bytes| self.utf8(bytes))
    }

    fn utf8(self, bytes: &'a [u8]) -> Option<&'a str> {
        let text = std::str::from_utf8(bytes);
        if text.is_err() {
            self.damage.note();
        }
        text.ok().filter(|text| !text.is_empty())
    }

    /// A nested record; an empty one if there is none.
    #[must_use]
    pub fn record(self, number: u32) -> Self {
        Self::new(self.bytes(number).unwrap_or_default(), self.damage)
    }

    /// Repeated nested records.
    pub fn records(self, number: u32) -> impl Iterator<Item = Self> {
        self.all_bytes(number)
            .map(move |bytes| Self::new(bytes, self.damage))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_of_field_is_read() {
        let bytes = b"\x08\x96\x01\x12\x02hi\x1a\x02\x08\x07\x25\x01\x02\x03\x04\x29\x01\x02\x03\x04\x05\x06\x07\x08\x32\x03\x01\x80\x01\x30\x05";
        let damage = WireDamage::default();
        let record = WireRecord::new(bytes, &damage);
        assert_eq!(record.number(1), Some(150));
        assert_eq!(record.text(2), Some("hi"));
        assert_eq!(record.record(3).number(1), Some(7));
        assert_eq!(record.numbers(6), [1, 128, 5]);
        assert_eq!(record.fields().count(), 7);
        assert!(record.has(4) && record.has(5) && !record.has(7));
        assert!(!damage.is_found());
    }

    #[test]
    fn damage_is_noted_and_what_precedes_it_is_read() {
        for broken in [
            &b"\x08\x01\x12\x7fhi"[..],
            b"\x08\x01\x13",
            b"\x08\x01\x00\x01",
            b"\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
        ] {
            let damage = WireDamage::default();
            let record = WireRecord::new(broken, &damage);
            assert_eq!(record.number(1), Some(1), "{broken:?}");
            assert!(damage.is_found(), "{broken:?}");
        }
        let damage = WireDamage::default();
        assert_eq!(WireRecord::new(b"\x0a\x01\xff", &damage).text(1), None);
        assert!(damage.is_found());
    }

    #[test]
    fn negative_numbers_have_ten_bytes() {
        let damage = WireDamage::default();
        let bytes = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(WireRecord::new(bytes, &damage).signed(1), Some(-1));
        assert!(!damage.is_found());
    }

    proptest! {
        /// Any bytes are read without a panic, and no field is longer than what holds it.
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let damage = WireDamage::default();
            let record = WireRecord::new(&bytes, &damage);
            let mut length = 0;
            for (number, value) in record.fields() {
                prop_assert!(number > 0);
                length += match value {
                    WireValue::Bytes(inner) => inner.len() + 2,
                    _ => 2,
                };
                let _ = (record.number(number), record.text(number), record.numbers(number));
                prop_assert!(record.has(number));
                for nested in record.records(number) {
                    let _ = nested.fields().count();
                }
            }
            prop_assert!(length <= bytes.len());
            let is_sound = WireFields::new(&bytes).all(|field| field.is_ok());
            prop_assert!(is_sound || damage.is_found());
        }
    }
}
