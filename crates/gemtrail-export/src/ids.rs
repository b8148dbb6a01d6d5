//! Ids that are stable across exports.

use std::collections::HashSet;
use std::fmt::Write as _;

use gemtrail_core::model::ToolCall;
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

/// The first digits of a digest over these parts. They are told apart by a character that no id has.
pub(crate) fn hex_digest(parts: &[&str], digits: usize) -> String {
    let digest = Sha256::digest(parts.join("\u{1f}").as_bytes());
    let hex = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let hex = hex.map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0'));
    hex.take(digits).collect()
}

/// Hands out ids and never repeats one.
#[derive(Debug, Default)]
pub(crate) struct UniqueIds(HashSet<String>);

impl UniqueIds {
    /// The first of these ids that is not taken yet; `make` is told how many were.
    pub(crate) fn take(&mut self, make: impl Fn(usize) -> String) -> String {
        let mut taken = 0;
        loop {
            let id = make(taken);
            if self.0.insert(id.clone()) {
                return id;
            }
            taken += 1;
        }
    }

    /// The id of a call as recorded; one that is missing or repeated is completed.
    pub(crate) fn of_call(&mut self, call: &ToolCall) -> String {
        let id = call.id.as_str();
        self.take(|taken| match (id.is_empty(), taken) {
            (false, 0) => id.to_owned(),
            (false, _) => format!("{id}-{}", taken + 1),
            (true, _) => format!("call-{}", taken + 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{UniqueIds, derived_uuid};
    use crate::test_support::call;

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

    #[test]
    fn every_call_has_an_id_of_its_own() {
        let mut ids = UniqueIds::default();
        let mut nameless = call("glob", "{}");
        nameless.id = "".into();
        let twice = call("glob", "{}");
        let taken = [&twice, &twice, &nameless, &nameless].map(|call| ids.of_call(call));
        assert_eq!(taken, ["glob__1", "glob__1-2", "call-1", "call-2"]);
    }
}
