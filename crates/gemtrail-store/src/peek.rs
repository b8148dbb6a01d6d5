//! A look at the beginning of a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gemtrail_core::Metadata;

/// The header of a journal takes some three hundred bytes.
const START: u64 = 4096;

/// What the first bytes of a journal say about it.
pub(crate) fn peek_file(path: &Path) -> io::Result<Metadata> {
    let mut start = Vec::with_capacity(4096);
    File::open(path)?.take(START).read_to_end(&mut start)?;
    Ok(gemtrail_core::peek(&start))
}
