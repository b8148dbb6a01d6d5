//! Ids that are stable across exports.

use std::collections::HashSet;

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
    let mut bytes = hash.finalize();
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let hex = gemtrail_core::internal::hex(&bytes);
    let groups = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..32],
    ];
    groups.join("-")
}

/// The first digits of a digest over these parts. They are told apart by a character that no id has.
pub(crate) fn hex_digest(parts: &[&str], digits: usize) -> String {
    let mut hex = gemtrail_core::internal::hex(&Sha256::digest(parts.join("\u{1f}").as_bytes()));
    hex.truncate(digits);
    hex
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
