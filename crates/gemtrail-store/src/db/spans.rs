//! How the positions of a message's records are encoded in a column.

use gemtrail_core::model::Span;

const BYTES: usize = 12;

/// `None` if one of them is longer than any record that is read.
pub(crate) fn pack(spans: &[Span]) -> Option<Vec<u8>> {
    let mut packed = Vec::with_capacity(spans.len() * BYTES);
    for span in spans {
        packed.extend(span.start.to_le_bytes());
        packed.extend(u32::try_from(span.bytes).ok()?.to_le_bytes());
    }
    Some(packed)
}

/// Decodes what [`pack`] wrote.
pub(crate) fn unpack(packed: &[u8]) -> Vec<Span> {
    let (spans, _) = packed.as_chunks::<BYTES>();
    let span = |packed: &[u8; BYTES]| {
        let (start, bytes) = packed.split_first_chunk::<8>()?;
        Some(Span {
            start: u64::from_le_bytes(*start),
            bytes: u64::from(u32::from_le_bytes(*bytes.first_chunk::<4>()?)),
        })
    };
    spans.iter().filter_map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_back() {
        let span = |start, bytes| Span { start, bytes };
        let spans = [span(0, 7), span(1 << 40, u64::from(u32::MAX))];
        assert_eq!(unpack(&pack(&spans).expect("short")), spans);
        assert_eq!(pack(&[span(0, 1 << 32)]), None);
    }
}
