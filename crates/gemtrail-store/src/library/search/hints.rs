//! Reasons why nothing was found, and what would be found instead.

use super::super::{Library, SessionFilter};
use super::NO_HITS;
use gemtrail_query::{Condition, Query};

impl Library {
    /// A sentence that helps who found nothing: what hides the hits, if it is plain. Whoever asked for
    /// exact hits only is not told of others.
    pub fn why_nothing(&self, query: &Query, exactly: bool) -> Option<String> {
        if self.sessions(&SessionFilter::everything()).is_empty() {
            let why = "there are no sessions; gemtrail doctor shows where gemtrail looked";
            return Some(why.to_owned());
        }
        let failed = |it: &Condition| match it {
            Condition::Status(status) if status == "error" => Some(Condition::Failed),
            _ => None,
        };
        if let Some(count) = self.count_with(query, exactly, failed) {
            return Some(format!(
                "status:error is what Gemini CLI recorded; status:failed would find {count} call{}",
                plural_ending(count)
            ));
        }
        let undated = |it: &Condition| match it {
            Condition::Before(_) | Condition::Since(_) => Some(Condition::Anything),
            _ => None,
        };
        let count = self.count_with(query, exactly, undated)?;
        Some(match count {
            1 => "without the dates there is 1 match".to_owned(),
            count => format!("without the dates there are {count} matches"),
        })
    }

    /// The number of hits with other conditions, if there are such conditions and hits.
    fn count_with(
        &self,
        query: &Query,
        exactly: bool,
        change: impl Fn(&Condition) -> Option<Condition>,
    ) -> Option<usize> {
        let changed = query.with_conditions(change)?;
        let answer = if exactly {
            self.search(&changed, &NO_HITS)
        } else {
            self.search_forgiving(&changed, &NO_HITS).answer
        };
        Some(answer.total).filter(|total| *total > 0)
    }
}

fn plural_ending(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
