//! Finds the rows of contents and chunks on the pages themselves, where the pages that lead there are
//! damaged. Digests prove what is found.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::db::ids::{ChunkRowId, ContentRowId};
use crate::raw::chunk::Hash;

const PAGE: usize = 8192;

/// The first byte of a page with rows of a table.
const LEAF: u8 = 13;

/// The most bytes of a row that are in one place; of longer ones at least [`LEAST`].
const MOST: usize = PAGE - 35;
const LEAST: usize = (PAGE - 12) * 32 / 255 - 23;

/// No row is longer: chunks have a few megabytes, and so do lists of them.
const LONGEST: usize = 64 << 20;

/// What the pages of a damaged archive hold.
#[derive(Debug, Default)]
pub(super) struct Carved {
    pub(super) chunks: HashMap<ChunkRowId, CarvedRow>,
    pub(super) contents: HashMap<ContentRowId, CarvedRow>,
}

/// A chunk or a content: its digest, its length, and where its row is.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarvedRow {
    pub(super) hash: Hash,
    pub(super) bytes: u64,
    /// Where the part that is on the page of the row begins in the file, and the length of the row.
    at: u64,
    length: usize,
    /// The offset in the row of its last column: the data of a chunk, the chunks of a content.
    last: usize,
}

impl Carved {
    /// Reads all pages; those that cannot be read hold nothing.
    pub(super) fn of(path: &Path) -> Self {
        let mut carved = Self::default();
        let Ok(mut file) = File::open(path) else {
            return carved;
        };
        let mut page = vec![0; PAGE];
        let mut start = 0;
        while file.read_exact(&mut page).is_ok() {
            carved.page(&page, start);
            start += PAGE as u64;
        }
        carved
    }

    fn page(&mut self, page: &[u8], start: u64) {
        if page[0] != LEAF {
            return;
        }
        let cells = usize::from(u16::from_be_bytes([page[3], page[4]]));
        for pointer in page[8..].chunks_exact(2).take(cells) {
            let at = usize::from(u16::from_be_bytes([pointer[0], pointer[1]]));
            // What is no row of these tables is of another one, or damaged.
            let _ = self.row(page, at, start);
        }
    }

    fn row(&mut self, page: &[u8], at: usize, start: u64) -> Option<()> {
        let mut cell = page.get(at..)?;
        let length = usize::try_from(number(&mut cell)?).ok()?;
        let id = i64::try_from(number(&mut cell)?).ok()?;
        let row = cell.get(..local(length)).filter(|_| length <= LONGEST)?;
        let mut header = row;
        let columns = usize::try_from(number(&mut header)?).ok()?;
        let mut header = header.get(..columns.checked_sub(row.len() - header.len())?)?;
        let mut kinds = Vec::with_capacity(5);
        while !header.is_empty() && kinds.len() < 6 {
            kinds.push(number(&mut header)?);
        }
        let is_content = match kinds[..] {
            [0, 76, _, list] if list >= 12 && list % 16 == 12 => true,
            [0, 76, _, _, data] if data >= 12 && data % 2 == 0 => false,
            _ => return None,
        };
        let hash = Hash::try_from(row.get(columns..columns + 32)?).ok()?;
        let mut values = row.get(columns + 32..)?;
        let bytes = integer(kinds[2], &mut values)?;
        if !is_content {
            integer(kinds[3], &mut values)?;
        }
        let found = CarvedRow {
            hash,
            bytes,
            at: start + u64::try_from(page.len() - cell.len()).ok()?,
            length,
            last: row.len() - values.len(),
        };
        if is_content {
            // A page that is not used any more may have an earlier state of it.
            let known = self.contents.entry(ContentRowId(id)).or_insert(found);
            if known.bytes < found.bytes {
                *known = found;
            }
        } else {
            self.chunks.insert(ChunkRowId(id), found);
        }
        Some(())
    }
}

impl CarvedRow {
    /// The last column.
    pub(super) fn last_column(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let here = local(self.length);
        let mut row = vec![0; here];
        let mut next = [0; 4];
        file.seek(SeekFrom::Start(self.at))?;
        file.read_exact(&mut row)?;
        if here < self.length {
            file.read_exact(&mut next)?;
        }
        while row.len() < self.length {
            let page = u64::from(u32::from_be_bytes(next)).saturating_sub(1);
            file.seek(SeekFrom::Start(page * PAGE as u64))?;
            file.read_exact(&mut next)?;
            let from = row.len();
            row.resize(self.length.min(from + PAGE - 4), 0);
            file.read_exact(&mut row[from..])?;
        }
        Ok(row.split_off(self.last))
    }
}

/// How much of a row is on its page.
fn local(length: usize) -> usize {
    if length <= MOST {
        return length;
    }
    let local = LEAST + (length - LEAST) % (PAGE - 4);
    if local <= MOST { local } else { LEAST }
}

/// The number of variable length at the start of these bytes, which it is taken from.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for count in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if count == 8 {
            return Some(value << 8 | u64::from(*byte));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if *byte < 0x80 {
            break;
        }
    }
    Some(value)
}

/// The value of an integer column of this kind.
fn integer(kind: u64, values: &mut &[u8]) -> Option<u64> {
    let width = match kind {
        1..=4 => usize::try_from(kind).ok()?,
        5 => 6,
        6 => 8,
        8 | 9 => return Some(kind - 8),
        _ => return None,
    };
    let (value, rest) = values.split_at_checked(width)?;
    *values = rest;
    Some(
        value
            .iter()
            .fold(0, |all, byte| all << 8 | u64::from(*byte)),
    )
}
