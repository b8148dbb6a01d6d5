//! Lists of units in few bits.
//!
//! Units are numbers that grow, so what is written is how far each is from the one before, in
//! Golomb–Rice code: a fixed number of low bits as they are, and the rest as a run of ones that ends
//! with a zero. With as many low bits as a typical distance has, a list is within a few percent of the
//! shortest that one without any pattern can be.

use crate::archive::db::compact::{Damaged, Unpacked};

/// How many bits say how many low bits each distance has.
const WIDTH: u32 = 5;
/// The most low bits that this can say. Larger distances get a longer run of ones.
const MOST_LOW: u32 = (1 << WIDTH) - 1;

/// Appends a list of units that grow. Its last byte is filled with ones, which end no distance.
pub(super) fn pack(units: &[u64], packed: &mut Vec<u8>) {
    let Some(&last) = units.last() else {
        return;
    };
    let low = low_bits(last, units.len());
    let mut bits = BitWriter {
        bytes: packed,
        open: 0,
        count: 0,
    };
    bits.put(u64::from(low), WIDTH);
    // Two units are never the same, so the least distance is 1, and the first unit may be 0.
    let mut next = 0;
    for &unit in units {
        let distance = unit - next;
        next = unit + 1;
        bits.put_ones(distance >> low);
        bits.put(distance & !(u64::MAX << low), low);
    }
    bits.finish();
}

/// How many low bits make the list shortest: about as many as the average distance has.
fn low_bits(last: u64, count: usize) -> u32 {
    let average = last / count as u64;
    // The best number of bits is that of the average times the logarithm of 2.
    let best = (average - average / 4).max(1);
    best.ilog2().min(MOST_LOW)
}

/// Calls back with each unit of a packed list.
pub(super) fn unpack(list: &[u8], mut take: impl FnMut(u64)) -> Unpacked<()> {
    if list.is_empty() {
        return Ok(());
    }
    let mut bits = BitReader::new(list);
    let low = u32::try_from(bits.take(WIDTH).ok_or(Damaged)?)?;
    let mut next = 0_u64;
    while let Some(high) = bits.take_ones() {
        let low_bits = bits.take(low).ok_or(Damaged)?;
        let distance = high.checked_mul(1 << low).ok_or(Damaged)? | low_bits;
        let unit = next.checked_add(distance).ok_or(Damaged)?;
        take(unit);
        next = unit.checked_add(1).ok_or(Damaged)?;
    }
    Ok(())
}

/// Writes bits, the lowest of each byte first.
struct BitWriter<'b> {
    bytes: &'b mut Vec<u8>,
    /// Bits that do not fill a byte yet.
    open: u64,
    count: u32,
}

impl BitWriter<'_> {
    /// Writes the lowest bits of a number, at most [`MOST_LOW`]; the others must be 0.
    fn put(&mut self, number: u64, bits: u32) {
        self.open |= number << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.open.to_le_bytes()[0]);
            self.open >>= 8;
            self.count -= 8;
        }
    }

    /// Writes a run of ones and the zero that ends it. On average it is a single one.
    fn put_ones(&mut self, ones: u64) {
        for _ in 0..ones {
            self.put(1, 1);
        }
        self.put(0, 1);
    }

    fn finish(mut self) {
        if self.count > 0 {
            let ones = 8 - self.count;
            self.put((1 << ones) - 1, ones);
        }
    }
}

/// Reads what a [`BitWriter`] wrote.
struct BitReader<'b> {
    rest: &'b [u8],
    /// Bits that were read ahead.
    ahead: u64,
    count: u32,
}

impl<'b> BitReader<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            rest: bytes,
            ahead: 0,
            count: 0,
        }
    }

    /// Reads ahead as many bits as fit, or as there are.
    #[inline]
    fn fill(&mut self) {
        while self.count <= 56
            && let Some((&byte, rest)) = self.rest.split_first()
        {
            self.ahead |= u64::from(byte) << self.count;
            self.count += 8;
            self.rest = rest;
        }
    }

    /// The next bits as a number, at most [`MOST_LOW`]; `None` if there are not so many.
    #[inline]
    fn take(&mut self, bits: u32) -> Option<u64> {
        if self.count < bits {
            self.fill();
        }
        let number = self.ahead & !(u64::MAX << bits);
        self.count = self.count.checked_sub(bits)?;
        self.ahead >>= bits;
        Some(number)
    }

    /// How many ones come before the next zero; `None` if there is none.
    #[inline]
    fn take_ones(&mut self) -> Option<u64> {
        let mut ones = 0;
        loop {
            if self.count == 0 {
                self.fill();
            }
            if self.count == 0 {
                return None;
            }
            let here = self.ahead.trailing_ones();
            if here < self.count {
                self.ahead = self.ahead >> here >> 1;
                self.count -= here + 1;
                return Some(ones + u64::from(here));
            }
            ones += u64::from(self.count);
            (self.ahead, self.count) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(units: &[u64]) -> Vec<u8> {
        let mut list = Vec::new();
        pack(units, &mut list);
        list
    }

    fn unpacked(list: &[u8]) -> Vec<u64> {
        let mut units = Vec::new();
        assert!(unpack(list, |unit| units.push(unit)).is_ok());
        units
    }

    #[test]
    fn lists_of_all_kinds_are_read_as_written() {
        let far = u64::from(u32::MAX);
        let lists: [&[u64]; 8] = [
            &[],
            &[0],
            &[7],
            &[far],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            &[0, far, far + 1, 1 << 40],
            &[5, 6, 7, 1_000_000],
            &[1, 1 << 20, 1 << 21, 1 << 22],
        ];
        for list in lists {
            assert_eq!(unpacked(&packed(list)), list);
        }
    }

    #[test]
    fn a_word_of_every_second_text_takes_two_bits() {
        let every_second: Vec<u64> = (0..10_000).map(|at| 2 * at).collect();
        let bits = 8 * packed(&every_second).len();
        assert!(bits <= 20_100, "{bits}");
    }

    #[test]
    fn damage_neither_panics_nor_goes_on_for_ever() {
        for list in [&[0x1F][..], &[0xFF; 40], &[0x1F, 0, 0, 0, 0, 0, 0, 0]] {
            let mut count = 0;
            let _ = unpack(list, |_| count += 1);
            assert!(count <= 8 * list.len());
        }
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            distances in proptest::collection::vec(prop_oneof![0_u64..3, 0_u64..200, 0_u64..100_000], 0..300)
        ) {
            let mut next = 0;
            let units: Vec<u64> = distances.iter().map(|distance| {
                let unit = next + distance;
                next = unit + 1;
                unit
            }).collect();
            prop_assert_eq!(unpacked(&packed(&units)), units);
        }

        #[test]
        fn any_bytes_can_be_looked_at(list in proptest::collection::vec(any::<u8>(), 0..100)) {
            let mut count = 0;
            let _ = unpack(&list, |_| count += 1);
            prop_assert!(count <= 8 * list.len());
        }
    }
}
