//! Reads the beginning of a file.

use std::io::{self, Read};

use gemtrail_core::Metadata;

use crate::discover::FoundFile;

/// The header of a journal takes about three hundred bytes.
const START: u64 = 4096;

/// What the first bytes of a journal say about it.
pub(crate) fn peek_file(file: &FoundFile) -> io::Result<Metadata> {
    let mut start = Vec::with_capacity(4096);
    file.open()?.take(START).read_to_end(&mut start)?;
    Ok(gemtrail_core::peek(&start))
}
