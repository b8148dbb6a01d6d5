//! Names as they may be known at a level.

use std::fmt;

use gemtrail_core::model::{CallStatus, Origin, Project};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::tools;
use gemtrail_core::view::{CallMetrics, Outcome};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::options::{LakeOptions, Level, Precision};
use crate::table::{Cell, LAKE_SCHEMA, LakeRow};

/// The word for a name that must not be known.
const OTHER: &str = "other";

/// Turns what is recorded into what may be known.
pub(crate) struct KnownNames<'a> {
    options: &'a LakeOptions<'a>,
    has_words: bool,
}

impl<'a> KnownNames<'a> {
    pub(crate) fn new(options: &'a LakeOptions<'a>) -> Self {
        Self::with(options, options.level.has_words())
    }

    /// For files with words, or for those without.
    pub(crate) fn with(options: &'a LakeOptions<'a>, has_words: bool) -> Self {
        Self { options, has_words }
    }

    /// A name that only those with words may know.
    fn name(&self, kind: &str, name: Option<&str>) -> Cell {
        let pseudonym = |name: &str| self.options.key.pseudonym(kind, name);
        match name {
            Some(name) if self.has_words => name.into(),
            name => name.map(pseudonym).into(),
        }
    }

    /// An id; ids of calls and odd sessions have words in them.
    pub(crate) fn id(&self, id: &str) -> Cell {
        if self.has_words || is_number(id) {
            id.into()
        } else {
            self.options.key.pseudonym("id", id).into()
        }
    }

    pub(crate) fn project_key(&self, project: &Project) -> Cell {
        let identity = project.hash.as_deref().or(project.dir.as_deref());
        self.name("project", identity.or(project.path.as_deref()))
    }

    /// Words of somebody, if the level has words.
    pub(crate) fn words(&self, words: Option<&str>) -> Cell {
        words.filter(|_| self.has_words).into()
    }

    /// A name that somebody gave, which may have a secret in it.
    fn given(&self, name: Option<&str>) -> Cell {
        match name {
            Some(name) if self.options.level == Level::Redacted => {
                let mut redactor = self.options.redactor.fresh();
                redactor.text(name).into_owned().into()
            }
            name => self.words(name),
        }
    }

    pub(crate) fn time(&self, time: Option<&str>) -> Cell {
        time.and_then(time::parse).map(|it| self.micros(it)).into()
    }

    fn micros(&self, time: Timestamp) -> i64 {
        const DAY: i64 = 24 * 60 * 60 * 1_000_000;
        let micros = time.as_microsecond();
        match self.options.precision {
            Precision::Exact => micros,
            Precision::Day => micros.div_euclid(DAY) * DAY,
        }
    }

    /// The first cells of every row.
    pub(crate) fn head(&self, origin: &Origin) -> LakeRow {
        let options = self.options;
        let host = origin.host.as_deref().or(options.host.as_deref());
        let user = origin.user.as_deref().or(options.user.as_deref());
        vec![
            options.origin.as_str().into(),
            self.name("host", host),
            self.name("user", user),
            Cell::Int(LAKE_SCHEMA.into()),
        ]
    }

    /// The row of a project.
    pub(crate) fn project(&self, head: LakeRow, facts: &ProjectFacts<'_>) -> LakeRow {
        let project = facts.project;
        let mut row = head;
        row.extend([
            self.project_key(project),
            self.given(Some(&project.name())),
            self.given(project.path.as_deref()),
            facts.sessions.into(),
            self.time(facts.first),
            self.time(facts.last),
        ]);
        row
    }

    /// The two names of a tool: as recorded, and the one for all versions.
    pub(crate) fn tool(&self, call: &CallMetrics) -> [Cell; 2] {
        let name = call.name.as_str();
        if self.has_words || tools::is_built_in(name) || self.options.tools.contains(name) {
            [name.into(), call.canonical.as_str().into()]
        } else {
            [OTHER.into(), OTHER.into()]
        }
    }

    pub(crate) fn server(&self, server: Option<&str>) -> Cell {
        let has_words = self.has_words;
        server.map(|it| if has_words { it } else { OTHER }).into()
    }

    pub(crate) fn status(&self, call: &CallMetrics) -> Cell {
        match &call.status {
            Some(CallStatus::Other(_)) if !self.has_words => OTHER.into(),
            Some(status) => status.as_str().into(),
            None if call.outcome == Outcome::Unanswered => Cell::Null,
            None => call.outcome.as_str().into(),
        }
    }
}

/// Facts about a project.
pub(crate) struct ProjectFacts<'a> {
    pub(crate) project: &'a Project,
    pub(crate) sessions: u64,
    pub(crate) first: Option<&'a str>,
    pub(crate) last: Option<&'a str>,
}

/// The category of a tool, if that is one of those that everybody knows.
pub(crate) fn known_category(category: &str) -> &str {
    const KNOWN: [&str; 9] = [
        "read",
        "edit",
        "search",
        "execute",
        "fetch",
        "think",
        "plan",
        "agent",
        "communicate",
    ];
    if KNOWN.contains(&category) {
        category
    } else {
        OTHER
    }
}

/// The length of a pseudonym: 128 bits, so that no two are alike.
const DIGITS: usize = 32;

/// The key of a company, by which names become pseudonyms.
///
/// Without it nobody can try names out: the hash that Gemini CLI makes of a project's path has no
/// key, and a list of likely paths is enough to find out which it is.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// A key from any text.
    pub fn new(text: &str) -> Self {
        // A key may have any length.
        let mac = Hmac::new_from_slice(text.as_bytes());
        Self(mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of every length")))
    }

    /// The pseudonym of a name. Names of different kinds never have the same.
    pub fn pseudonym(&self, kind: &str, name: &str) -> String {
        let mut mac = self.0.clone();
        for part in [kind, name] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        hex(&mac.finalize().into_bytes(), DIGITS)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The first digits of these bytes.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    nibbles.take(digits).map(digit).collect()
}

/// True if an id is made of digits only, and so cannot be a word.
pub(crate) fn is_number(id: &str) -> bool {
    const LONGEST: usize = 64;
    let id = id.strip_prefix("gemtrail-").unwrap_or(id);
    let is_digit = |b: u8| b.is_ascii_hexdigit() || b == b'-';
    // Eight hex digits cannot spell anything private: `deadbeef` is the worst.
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudonyms join files of different months: if this fails, old files no longer match.
    #[test]
    fn a_pseudonym_never_changes() {
        let key = Key::new("a key");
        let name = key.pseudonym("host", "desk");
        assert_eq!(name, key.pseudonym("host", "desk"));
        assert_eq!(name.len(), DIGITS);
        assert_ne!(name, key.pseudonym("user", "desk"));
        assert_ne!(name, Key::new("another").pseudonym("host", "desk"));
        assert_ne!(key.pseudonym("a", "bc"), key.pseudonym("ab", "c"));
    }

    #[test]
    fn words_are_no_ids() {
        for id in ["2f1e0a52-aaaa-4bbb-8ccc-0123456789ab", "gemtrail-12", "0"] {
            assert!(is_number(id), "{id}");
        }
        for id in [
            "",
            "mcp_probe_echo-1",
            "gemtrail-secret",
            "run_shell_command__1",
        ] {
            assert!(!is_number(id), "{id}");
        }
    }
}
