//! Counting messages that are not shown one by one.

use std::fmt;

use gemtrail_core::model::{Message, Role};

use crate::text::plural;

/// How many messages of each kind a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// What the person typed.
    pub prompts: u64,
    /// What the model answered.
    pub answers: u64,
    /// Everything else.
    pub others: u64,
}

impl Tally {
    /// Counts the run of messages with the same fate as the first one.
    pub(super) fn of_run(messages: &[Message]) -> (Self, usize) {
        let mut tally = Self::default();
        let mut length = 0;
        let fate = messages.first().and_then(|message| message.superseded_by);
        for message in messages {
            if message.is_current() || message.superseded_by != fate {
                break;
            }
            match message.role {
                Role::Human | Role::Shell => tally.prompts += 1,
                Role::Assistant => tally.answers += 1,
                _ => tally.others += 1,
            }
            length += 1;
        }
        (tally, length)
    }
}

impl fmt::Display for Tally {
    /// `1 prompt, 2 answers and 1 other message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = if self.prompts + self.answers == 0 {
            plural(self.others, "message")
        } else {
            plural(self.others, "other message")
        };
        let kinds = [
            (self.prompts, plural(self.prompts, "prompt")),
            (self.answers, plural(self.answers, "answer")),
            (self.others, others),
        ];
        let words: Vec<_> = kinds
            .into_iter()
            .filter_map(|(number, words)| (number > 0).then_some(words))
            .collect();
        match words.split_last() {
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} and {last}", rest.join(", ")),
            None => f.write_str("nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn counts_in_words() {
        let words = |prompts, answers, others| {
            Tally {
                prompts,
                answers,
                others,
            }
            .to_string()
        };
        assert_eq!(words(1, 2, 0), "1 prompt and 2 answers");
        assert_eq!(words(2, 1, 1), "2 prompts, 1 answer and 1 other message");
        assert_eq!(words(0, 0, 3), "3 messages");
        assert_eq!(words(0, 0, 0), "nothing");
    }
}
