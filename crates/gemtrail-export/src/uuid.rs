//! Ids that are stable across exports.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// A UUID of version 8 (RFC 9562) derived from a hash of its purpose.
pub(crate) fn derived_uuid(purpose: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in purpose {
        hash.update(part.as_bytes());
        // Ids contain no NUL, so no two lists of parts concatenate to the same bytes.
        hash.update([0]);
    }
    let digest = hash.finalize();
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::derived_uuid;

    #[test]
    fn has_the_form_of_a_uuid() {
        let id = derived_uuid(&["session", "start"]);
        assert_eq!(id, derived_uuid(&["session", "start"]));
        assert_ne!(id, derived_uuid(&["sessions", "tart"]));
        let groups: Vec<_> = id.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        assert_eq!(id.as_bytes()[14], b'8');
        assert!(matches!(id.as_bytes()[19], b'8'..=b'9' | b'a'..=b'b'));
    }
}
