//! A database and its write-ahead log as one image.
//!
//! While Antigravity runs, nearly everything is in the log. `SQLite` would merge the two when it
//! opens them, but leaves files behind where it does; so the committed pages of the log are put
//! into a copy of the database here, as the file format prescribes, and `SQLite` gets the result.

/// The bytes before the first frame.
const LOG_HEADER: usize = 32;
/// The bytes before the page of a frame.
const FRAME_HEADER: usize = 24;
/// The beginning of every log; the last bit tells the byte order of its checksums.
const MAGIC: u32 = 0x377f_0682;
/// The two bytes of a database that say whether it is in WAL mode, which an image has no use for.
pub(crate) const MODE: std::ops::Range<usize> = 18..20;
/// The mode in which Antigravity leaves its own.
pub(crate) const WAL_MODE: [u8; 2] = [2, 2];
/// The mode of a database without a log.
pub(crate) const ROLLBACK_MODE: [u8; 2] = [1, 1];

/// The image of a database: its pages with those of the log that were committed. A log that does
/// not belong to it, or the torn end of one, is passed over, as `SQLite` does.
pub fn image(mut database: Vec<u8>, log: &[u8]) -> Vec<u8> {
    if let Some(log) = Log::new(log) {
        log.apply(&mut database);
    }
    if let Some(mode) = database.get_mut(MODE)
        && *mode == WAL_MODE
    {
        mode.copy_from_slice(&ROLLBACK_MODE);
    }
    database
}

/// The bytes by which a log is told from the one that follows it in the same file.
pub(crate) fn generation(log: &[u8]) -> Option<&[u8]> {
    log.get(..LOG_HEADER)
}

struct Log<'a> {
    page_size: usize,
    /// Random numbers that the frames of this log repeat.
    salt: &'a [u8],
    checksum: Checksum,
    frames: &'a [u8],
}

impl<'a> Log<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let (header, frames) = bytes.split_at_checked(LOG_HEADER)?;
        let magic = word(header, 0)?;
        let mut checksum = Checksum {
            is_big_endian: magic & 1 == 1,
            sums: (0, 0),
        };
        checksum.add(&header[..24]);
        let page_size = usize::try_from(word(header, 8)?).ok()?;
        let is_sound = magic & !1 == MAGIC
            && checksum.is(header, 24)
            && page_size.is_power_of_two()
            && (512..=65_536).contains(&page_size);
        is_sound.then_some(Self {
            page_size,
            salt: &header[16..24],
            checksum,
            frames,
        })
    }

    /// Copies the pages of all complete transactions into the database.
    fn apply(mut self, database: &mut Vec<u8>) {
        let mut pending: Vec<(usize, &[u8])> = Vec::new();
        for frame in self.frames.chunks_exact(FRAME_HEADER + self.page_size) {
            let (header, page) = frame.split_at(FRAME_HEADER);
            self.checksum.add(&header[..8]);
            self.checksum.add(page);
            if header[8..16] != *self.salt || !self.checksum.is(header, 16) {
                return;
            }
            let (Some(number), Some(pages)) = (word(header, 0), word(header, 4)) else {
                return;
            };
            let Some(start) = self.offset_of(number) else {
                return;
            };
            pending.push((start, page));
            if pages > 0 {
                self.commit(database, &mut pending, pages);
            }
        }
    }

    /// Ends a transaction, after which the database has so many pages.
    fn commit(&self, database: &mut Vec<u8>, pending: &mut Vec<(usize, &[u8])>, pages: u32) {
        // Pages that neither file has are free ones; a log cannot make the image larger than both
        // files together.
        let longest = database.len().saturating_add(self.frames.len());
        let length = usize::try_from(pages).unwrap_or(usize::MAX);
        let length = length.saturating_mul(self.page_size).min(longest);
        database.resize(length, 0);
        for (start, page) in pending.drain(..) {
            if let Some(place) = database.get_mut(start..start + self.page_size) {
                place.copy_from_slice(page);
            }
        }
    }

    fn offset_of(&self, page: u32) -> Option<usize> {
        let before = usize::try_from(page.checked_sub(1)?).ok()?;
        let start = before.checked_mul(self.page_size)?;
        start.checked_add(self.page_size).map(|_| start)
    }
}

/// The running checksum over a log: each frame's continues that of the one before.
struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let read = if self.is_big_endian {
            u32::from_be_bytes
        } else {
            u32::from_le_bytes
        };
        let (mut first, mut second) = self.sums;
        for pair in bytes.chunks_exact(8) {
            let (Some(even), Some(odd)) = (pair.first_chunk(), pair.last_chunk()) else {
                continue;
            };
            first = first.wrapping_add(read(*even)).wrapping_add(second);
            second = second.wrapping_add(read(*odd)).wrapping_add(first);
        }
        self.sums = (first, second);
    }

    /// True if this is the checksum that is stored there.
    fn is(&self, bytes: &[u8], at: usize) -> bool {
        (word(bytes, at), word(bytes, at + 4)) == (Some(self.sums.0), Some(self.sums.1))
    }
}

/// Four bytes as a number; all numbers of a log are big-endian.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*word))
}
