//! A small cache of texts in which nothing was found.
//!
//! A session holds most texts twice, as recorded and as shown: a tool's output and its whole
//! answer, the words of a message and its content. Comparing is ten times as fast as searching.

use gemtrail_core::json::decodes_to;

/// Shorter texts are searched as fast as they are compared.
const SHORTEST: usize = 64;

/// Longer texts are not worth the memory.
const LONGEST: usize = 4 << 20;

/// How much of a string tells it from most others.
const START: usize = 16;

/// How many are remembered: the texts of a call or two.
const MOST: usize = 6;

/// The latest texts that were found to be clean.
#[derive(Debug, Default)]
pub(super) struct CleanTexts {
    texts: [String; MOST],
    /// The one that is evicted next.
    oldest: usize,
}

impl CleanTexts {
    /// Whether exactly this text is known to be clean.
    pub(super) fn has(&self, text: &str) -> bool {
        text.len() >= SHORTEST && self.texts.iter().any(|known| known == text)
    }

    /// Whether a JSON string encodes a text that is known to be clean.
    pub(super) fn has_string(&self, raw: &str) -> bool {
        raw.len() > SHORTEST
            && self.texts.iter().any(|known| {
                known.len() >= SHORTEST && begins_like(raw, known) && decodes_to(raw, known)
            })
    }

    /// Remembers a text.
    pub(super) fn add(&mut self, text: &str) {
        if (SHORTEST..LONGEST).contains(&text.len()) {
            text.clone_into(&mut self.texts[self.oldest]);
            self.oldest = (self.oldest + 1) % MOST;
        }
    }

    /// Clears the cache, because more secrets are known now.
    pub(super) fn forget(&mut self) {
        self.texts.iter_mut().for_each(String::clear);
    }
}

/// Whether the start of a JSON string and its length allow that it encodes a text: the longest escape
/// of a byte takes six.
fn begins_like(raw: &str, text: &str) -> bool {
    let inner = &raw.as_bytes()[1..raw.len() - 1];
    let start = inner[..START.min(inner.len())]
        .split(|b| *b == b'\\')
        .next();
    (inner.len() / 6..=inner.len()).contains(&text.len())
        && start.is_some_and(|start| text.as_bytes().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_texts_are_known() {
        let mut clean = CleanTexts::default();
        let text = |n: usize| format!("{n}").repeat(SHORTEST);
        for n in 0..=MOST {
            clean.add(&text(n));
        }
        assert!(!clean.has(&text(0)));
        assert!((1..=MOST).all(|n| clean.has(&text(n))));
        let quoted = serde_json::to_string(&text(MOST)).expect("a text");
        assert!(clean.has_string(&quoted));
        clean.add("short");
        assert!(!clean.has("short"));
        clean.forget();
        assert!(!clean.has(&text(MOST)));
    }
}
