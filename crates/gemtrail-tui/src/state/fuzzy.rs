//! The fuzzy filter over all sessions.

use gemtrail_core::view::ProjectNames;

use super::list::BrowserRow;

/// The words of all rows, and what the last filter took of them.
#[derive(Debug, Default)]
pub(super) struct Fuzzy {
    texts: Texts,
    query: String,
    /// The rows that the last query took, in order.
    taken: Option<Vec<u32>>,
}

/// Project and title of each row, in lower case: all of them in one piece.
#[derive(Debug, Default)]
struct Texts {
    all: String,
    /// The end of each.
    ends: Vec<usize>,
}

impl Texts {
    /// Adds the end of the last text.
    fn close(&mut self) {
        self.ends.push(self.all.len());
    }

    fn get(&self, at: u32) -> &str {
        let at = at as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }
}

/// The quality of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FuzzyFit {
    /// It has all words as they are.
    Words,
    /// It has the letters of some of them, close together and in this order.
    Letters,
}

impl Fuzzy {
    /// Prepares rows.
    pub(super) fn new(rows: &[BrowserRow], names: &ProjectNames) -> Self {
        let mut texts = Texts::default();
        for row in rows {
            texts.all += &names.name(&row.project).to_lowercase();
            texts.all.push(' ');
            let title = row.title.as_deref().unwrap_or_default();
            texts.all += &title.to_lowercase();
            texts.close();
        }
        Self {
            texts,
            ..Self::default()
        }
    }

    /// The rows that a query takes, in their order: first those that have its words as they are,
    /// then those that have their letters.
    pub(super) fn take(&mut self, query: &str) -> Vec<u32> {
        let query = query.trim().to_lowercase();
        let narrows = !self.query.is_empty() && query.starts_with(&self.query);
        let all = || (0..u32::try_from(self.texts.ends.len()).unwrap_or(u32::MAX)).collect();
        let candidates: Vec<u32> = match self.taken.take().filter(|_| narrows) {
            Some(taken) => taken,
            None => all(),
        };
        let words: Vec<&str> = query.split_whitespace().collect();
        let fit = |at: u32| Some((fit(self.texts.get(at), &words)?, at));
        let mut taken: Vec<(FuzzyFit, u32)> = candidates.into_iter().filter_map(fit).collect();
        taken.sort_unstable_by_key(|(_, at)| *at);
        self.taken = Some(taken.iter().map(|(_, at)| *at).collect());
        self.query = query;
        taken.sort_by_key(|(fit, _)| *fit);
        taken.into_iter().map(|(_, at)| at).collect()
    }
}

/// Rates how well a text fits all of these words, if it does.
fn fit(text: &str, words: &[&str]) -> Option<FuzzyFit> {
    let mut worst = FuzzyFit::Words;
    for word in words {
        if text.contains(word) {
            continue;
        }
        if !has_letters(text, word) {
            return None;
        }
        worst = FuzzyFit::Letters;
    }
    Some(worst)
}

/// True if a text has the letters of a word in this order, from the beginning of one of its own
/// words on. Letters strewn over a long title are chance, so they must be close together.
fn has_letters(text: &str, word: &str) -> bool {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_start = !before.is_alphanumeric() && c.is_alphanumeric();
        before = c;
        if !is_start {
            continue;
        }
        let mut letters = word.chars().peekable();
        let count = word.chars().count();
        let room = count + count / 2 + 1;
        for c in text[at..].chars().take(room) {
            letters.next_if_eq(&c);
            if letters.peek().is_none() {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fuzzy(texts: &[&str]) -> Fuzzy {
        let mut fuzzy = Fuzzy::default();
        for text in texts {
            fuzzy.texts.all += text;
            fuzzy.texts.close();
        }
        fuzzy
    }

    #[test]
    fn words_come_before_letters() {
        let mut fuzzy = fuzzy(&[
            "api fix the flaky retry",
            "web upgrade sqlx",
            "api 支払いテストを並列化する",
            "flk some other thing",
        ]);
        assert_eq!(fuzzy.take("flky"), [0]);
        assert_eq!(fuzzy.take("flk"), [3, 0]);
        assert_eq!(fuzzy.take("api ret"), [0]);
        assert_eq!(fuzzy.take("ret api"), [0]);
        assert_eq!(fuzzy.take("支払"), [2]);
        assert_eq!(fuzzy.take("SQLX"), [1]);
        assert_eq!(fuzzy.take(""), [0, 1, 2, 3]);
        assert!(fuzzy.take("agrt").is_empty(), "strewn letters are chance");
    }

    #[test]
    fn a_longer_query_takes_what_it_would_take_at_once() {
        let texts = ["alpha beta", "beta gamma", "abet", "gamma alpha"];
        let mut typed = fuzzy(&texts);
        for end in 1..="beta".len() {
            let query = &"beta"[..end];
            assert_eq!(typed.take(query), fuzzy(&texts).take(query), "{query}");
        }
    }
}
