//! Values in few bytes, for columns that are read by the thousand.
//!
//! Numbers take as many bytes as they need, texts and lists begin with their length. Nothing is
//! compressed: unpacking a row must be cheaper than reading its page.

use std::io;

use gemtrail_core::model::Tokens;

/// Packs values one after the other.
#[derive(Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
    /// The last time that was written: the next one is close to it.
    time: i64,
}

impl Packer {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How many bytes there are so far.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Seven bits a byte, the lowest first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        for it in items {
            item(self, it);
        }
    }

    /// A list of none or one.
    pub(crate) fn option<T>(&mut self, value: Option<T>, item: impl FnOnce(&mut Self, T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            item(self, value);
        }
    }

    /// The distance to the last time, plus 1; 0 for none.
    pub(crate) fn time(&mut self, time: Option<i64>) {
        let Some(time) = time else {
            return self.number(0);
        };
        let distance = time.wrapping_sub(self.time);
        self.time = time;
        let zigzag = (distance << 1) ^ (distance >> 63);
        self.number(zigzag.cast_unsigned().saturating_add(1));
    }

    /// A position, plus 1; 0 for none.
    pub(crate) fn place(&mut self, place: Option<u32>) {
        self.number(place.map_or(0, |place| u64::from(place) + 1));
    }

    pub(crate) fn tokens(&mut self, tokens: &Tokens) {
        for number in [
            tokens.input,
            tokens.output,
            tokens.cached,
            tokens.thoughts,
            tokens.tool,
            tokens.total,
        ] {
            self.number(number);
        }
    }
}

/// The bytes are none that a [`Packer`] writes.
pub(crate) struct Damaged;

impl From<Damaged> for io::Error {
    fn from(_: Damaged) -> Self {
        io::ErrorKind::InvalidData.into()
    }
}

impl From<io::Error> for Damaged {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl From<std::num::TryFromIntError> for Damaged {
    fn from(_: std::num::TryFromIntError) -> Self {
        Self
    }
}

pub(crate) type Unpacked<T> = Result<T, Damaged>;

/// Takes apart what a [`Packer`] wrote.
pub(crate) struct Unpacker<'a> {
    data: &'a [u8],
    time: i64,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, time: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Everything must have been taken by now.
    pub(crate) fn end(&self) -> Unpacked<()> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(Damaged)
        }
    }

    pub(crate) fn number(&mut self) -> Unpacked<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.data.split_first().ok_or(Damaged)?;
            self.data = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    /// Bytes where they are.
    pub(crate) fn bytes(&mut self) -> Unpacked<&'a [u8]> {
        let length = usize::try_from(self.number()?)?;
        let (bytes, rest) = self.data.split_at_checked(length).ok_or(Damaged)?;
        self.data = rest;
        Ok(bytes)
    }

    /// All that has not been taken.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.data)
    }

    /// A text where it is.
    pub(crate) fn str(&mut self) -> Unpacked<&'a str> {
        str::from_utf8(self.bytes()?).map_err(|_| Damaged)
    }

    pub(crate) fn text(&mut self) -> Unpacked<String> {
        self.str().map(str::to_owned)
    }

    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Unpacked<T>,
    ) -> Unpacked<Vec<T>> {
        let count = usize::try_from(self.number()?)?;
        // Every item takes a byte at least, so a damaged count reserves no more than there is.
        let mut items = Vec::with_capacity(count.min(self.data.len()));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(crate) fn option<T>(
        &mut self,
        item: impl FnOnce(&mut Self) -> Unpacked<T>,
    ) -> Unpacked<Option<T>> {
        match self.number()? {
            0 => Ok(None),
            1 => item(self).map(Some),
            _ => Err(Damaged),
        }
    }

    pub(crate) fn time(&mut self) -> Unpacked<Option<i64>> {
        let Some(zigzag) = self.number()?.checked_sub(1) else {
            return Ok(None);
        };
        let distance = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        self.time = self.time.wrapping_add(distance);
        Ok(Some(self.time))
    }

    pub(crate) fn place(&mut self) -> Unpacked<Option<u32>> {
        let place = self.number()?.checked_sub(1);
        Ok(place.map(u32::try_from).transpose()?)
    }

    pub(crate) fn tokens(&mut self) -> Unpacked<Tokens> {
        Ok(Tokens {
            input: self.number()?,
            output: self.number()?,
            cached: self.number()?,
            thoughts: self.number()?,
            tool: self.number()?,
            total: self.number()?,
        })
    }
}
