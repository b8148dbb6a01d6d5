//! Content-defined chunking: an insertion or append changes only the chunks around it. Chunks and contents are
//! named by their digests.

use std::cell::Cell;
use std::io::{self, Read};
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// The digest of a chunk or a content.
pub(crate) type Hash = [u8; 32];

/// The digest of a content: the digest of its chunks' digests.
pub(crate) fn content_hash(chunks: &[Hash]) -> Hash {
    Sha256::digest(chunks.concat()).into()
}

const SMALLEST: usize = 256 << 10;
const LARGEST: usize = 4 << 20;
/// One cut in 1 MiB on average: most journals are one chunk. Longer chunks compress better; but a file that grows has its last
/// one stored again, and a hit has its own unpacked.
const MASK: u64 = ((1 << 20) - 1) << 44;

/// One random number per byte value. They decide where contents are cut: if they change, new
/// content no longer shares chunks with what is stored.
static GEAR: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut state = 0x6765_6d74_7261_696c_u64;
    std::array::from_fn(|_| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
});

/// The length of the first chunk, if there are enough bytes to decide.
fn cut(bytes: &[u8]) -> Option<usize> {
    let gear = &*GEAR;
    let window = &bytes[..bytes.len().min(LARGEST)];
    let mut hash = 0_u64;
    for (at, byte) in window.iter().enumerate().skip(SMALLEST) {
        hash = (hash << 1).wrapping_add(gear[usize::from(*byte)]);
        if hash & MASK == 0 {
            return Some(at + 1);
        }
    }
    (bytes.len() >= LARGEST).then_some(LARGEST)
}

thread_local! {
    /// A spare buffer: a home has thousands of files, most of them small.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Cuts a stream into chunks; memory stays bounded whatever its length.
pub(crate) fn for_each_chunk<E: From<io::Error>>(
    input: impl Read,
    take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut pending = SPARE.take();
    pending.clear();
    let result = cut_all(input, &mut pending, take);
    SPARE.set(pending);
    result
}

fn cut_all<E: From<io::Error>>(
    mut input: impl Read,
    pending: &mut Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut is_last = false;
    while !is_last {
        let wanted = 2 * LARGEST - pending.len();
        let count = input.by_ref().take(wanted as u64).read_to_end(pending)?;
        is_last = count < wanted;
        let mut start = 0;
        while let Some(length) = cut(&pending[start..]) {
            take(&pending[start..start + length])?;
            start += length;
            if pending.len() - start < LARGEST && !is_last {
                break;
            }
        }
        pending.drain(..start);
    }
    if pending.is_empty() {
        Ok(())
    } else {
        take(pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize, mut seed: u64) -> Vec<u8> {
        let next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed.to_le_bytes()[5]
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn chunks(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut chunks = Vec::new();
        for_each_chunk(bytes, |chunk| {
            chunks.push(chunk.to_vec());
            Ok::<(), io::Error>(())
        })
        .unwrap();
        chunks
    }

    #[test]
    fn pieces_make_the_whole() {
        for count in [0, 1, SMALLEST, LARGEST, 3 << 20] {
            let bytes = noise(count, 7);
            let pieces = chunks(&bytes);
            assert_eq!(pieces.concat(), bytes);
            assert!(pieces.iter().all(|piece| piece.len() <= LARGEST));
        }
        let flat = vec![b'a'; 2 << 20];
        assert_eq!(chunks(&flat).concat(), flat);
    }

    #[test]
    fn appending_keeps_all_pieces_but_the_last() {
        let bytes = noise(2 << 20, 3);
        let before = chunks(&bytes[..1_500_000]);
        let after = chunks(&bytes);
        assert_eq!(before[..before.len() - 1], after[..before.len() - 1]);
    }

    #[test]
    fn inserting_changes_what_is_near() {
        let bytes = noise(2 << 20, 5);
        let mut longer = bytes.clone();
        longer.splice(700_000..700_000, *b"something new");
        let (before, after) = (chunks(&bytes), chunks(&longer));
        let shared = after.iter().filter(|chunk| before.contains(chunk)).count();
        assert!(shared + 4 >= after.len(), "{shared} of {}", after.len());
    }
}
