//! Bytes that have arrived but are not consumed yet.

use std::ops::Deref;

/// A buffer filled at its end and drained from its start. Drained bytes are not zeroed.
#[derive(Debug, Default)]
pub(super) struct Pending {
    room: Vec<u8>,
    start: usize,
    end: usize,
    /// The number of bytes drained before these.
    offset: u64,
}

/// The size of a read: large enough to make reads rare, and small enough to be still in the CPU
/// cache when it is scanned.
const READ: usize = 256 << 10;

/// The size of a new buffer: room for a read behind what is left of the one before.
const FIRST_ROOM: usize = 2 * READ;

/// The part of a long record's buffer that is made ready at once.
const LARGE_READ: usize = 1 << 20;

impl Pending {
    /// An empty buffer that reuses an allocation.
    pub(super) fn in_room(room: Vec<u8>) -> Self {
        Self {
            room,
            start: 0,
            end: 0,
            offset: 0,
        }
    }

    pub(super) fn into_room(self) -> Vec<u8> {
        self.room
    }

    /// Room behind the bytes, at least `least` bytes of it.
    pub(super) fn free(&mut self, least: usize) -> &mut [u8] {
        if self.room.len() - self.end < least {
            self.move_to_front();
            let needed = self.end + least;
            if self.room.len() < needed {
                // Doubling keeps the work linear when one record is very long. What is reserved takes
                // no memory before it is used, so no more than the next read is made ready.
                if self.room.capacity() < needed {
                    self.room
                        .reserve(needed.max(2 * self.end) - self.room.len());
                }
                let ready = self.room.capacity().min(self.end + LARGE_READ);
                self.room.resize(needed.max(ready), 0);
            }
        }
        &mut self.room[self.end..]
    }

    /// The room that a read from a file wants. Mostly it is where the last read went, which the CPU
    /// cache still has, even if the buffer has become large.
    pub(super) fn free_for_read(&mut self) -> &mut [u8] {
        // Never more bytes are moved than were drained, which keeps the work linear.
        if self.len() <= self.start {
            self.move_to_front();
        }
        let least = if self.room.is_empty() {
            FIRST_ROOM
        } else {
            READ
        };
        &mut self.free(least)[..READ]
    }

    fn move_to_front(&mut self) {
        self.room.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.len());
    }

    /// Marks the first `count` bytes of the room as filled.
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.room.len());
    }

    /// The offset of the first byte in everything that was ever pushed.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Drains the first bytes.
    pub(super) fn take_front(&mut self, count: usize) {
        let count = count.min(self.len());
        self.offset += count as u64;
        self.start += count;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Drains all bytes, and frees the allocation if it has grown large.
    pub(super) fn clear(&mut self) {
        self.offset += self.len() as u64;
        (self.start, self.end) = (0, 0);
        if self.room.len() > FIRST_ROOM {
            self.room = Vec::new();
        }
    }

    /// Replaces all bytes, which invalidates offsets past the first difference.
    pub(super) fn replace(&mut self, bytes: Vec<u8>) {
        (self.start, self.end) = (0, bytes.len());
        self.room = bytes;
    }
}

impl Deref for Pending {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.room[self.start..self.end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(pending: &mut Pending, bytes: &[u8]) {
        pending.free(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        pending.filled(bytes.len());
    }

    #[test]
    fn bytes_go_in_at_the_end_and_out_at_the_start() {
        let mut pending = Pending::in_room(vec![b'?'; 8]);
        push(&mut pending, b"abcdef");
        pending.take_front(4);
        push(&mut pending, b"ghijk");
        assert_eq!(&*pending, b"efghijk");
        assert_eq!(pending.offset(), 4);
        push(&mut pending, b"lmnop");
        assert_eq!(&*pending, b"efghijklmnop");
        pending.take_front(99);
        assert!(pending.is_empty());
        assert_eq!(pending.offset(), 16);
        push(&mut pending, b"qr");
        pending.clear();
        assert_eq!(pending.offset(), 18);
        assert_eq!(pending.free_for_read().len(), READ);
    }

    #[test]
    fn reads_go_to_the_front_once_more_is_drained_than_left() {
        let mut pending = Pending::default();
        let read = |pending: &mut Pending, drained: usize| {
            pending.free_for_read().fill(b'x');
            pending.filled(READ);
            pending.take_front(drained);
            (pending.start, pending.end)
        };
        assert_eq!(read(&mut pending, READ - 10), (READ - 10, READ));
        assert_eq!(read(&mut pending, 5), (5, 10 + READ));
        assert_eq!(read(&mut pending, 2 * READ), (2 * READ, 2 * READ + 5));
        assert_eq!(read(&mut pending, 0), (0, 5 + READ));
        assert_eq!(pending.offset(), (READ * 3 - 5) as u64);
    }
}
