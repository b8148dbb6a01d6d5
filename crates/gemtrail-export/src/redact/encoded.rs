//! Texts in base64 or hexadecimal digits inside other texts.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter runs hold no secret worth naming.
const SHORTEST_RUN: usize = 24;

/// Nothing longer is decoded.
const LONGEST_RUN: usize = 64 << 10;

/// The part of a run that shows whether it holds text.
const SAMPLE: usize = 16;

/// Base64 without padding that may be cut off anywhere.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// The places of encoded texts, and the texts themselves.
pub(super) fn texts(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            // A long run has a digit at every such distance.
            let probe = from + SHORTEST_RUN - 1;
            if !is_digit(*bytes.get(probe)?) {
                from = probe + 1;
                continue;
            }
            let back = bytes[from..probe]
                .iter()
                .rev()
                .take_while(|b| is_digit(**b));
            let start = probe - back.count();
            let on = bytes[probe..].iter().take_while(|b| is_digit(**b));
            let end = probe + on.count();
            from = end;
            if end - start < SHORTEST_RUN {
                continue;
            }
            if let Some(decoded) = decoded(&text[start..end]) {
                let padding = bytes[end..].iter().take(2).take_while(|b| **b == b'=');
                return Some((start..end + padding.count(), decoded));
            }
        }
    })
}

fn is_digit(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}

fn decoded(run: &str) -> Option<String> {
    if run.len() > LONGEST_RUN {
        return None;
    }
    let is_hex = run.len().is_multiple_of(2) && run.bytes().all(|b| b.is_ascii_hexdigit());
    let decode = |run: &str| {
        let bytes = if is_hex {
            from_hex(run)
        } else {
            from_base64(run)
        };
        let text = String::from_utf8(bytes?).ok()?;
        let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
        text.chars().all(is_text).then_some(text)
    };
    // Most runs are hashes, paths and pictures.
    let sample = decode(&run[..SAMPLE])?;
    sample.is_ascii().then(|| decode(run)).flatten()
}

fn from_hex(run: &str) -> Option<Vec<u8>> {
    let pairs = (0..run.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&run[at..at + 2], 16).ok())
        .collect()
}

fn from_base64(run: &str) -> Option<Vec<u8>> {
    let standard = if run.contains(['-', '_']) {
        Cow::Owned(run.replace('-', "+").replace('_', "/"))
    } else {
        Cow::Borrowed(run)
    };
    // A digit that is left over holds no whole byte.
    let digits = standard.len() - usize::from(standard.len() % 4 == 1);
    LENIENT.decode(&standard[..digits]).ok()
}
