//! Reasons why nothing was found, and what would be found instead.

use super::super::{Library, SessionFilter};
use gemtrail_query::{Condition, Page, Query};

impl Library {
    /// A sentence that helps who found nothing: what hides the hits, if it is plain.
    pub fn why_nothing(&self, query: &Query) -> Option<String> {
        if self.sessions(&SessionFilter::everything()).is_empty() {
            let why = "there are no sessions; gemtrail doctor shows where gemtrail looked";
            return Some(why.to_owned());
        }
        let failed = |it: &Condition| match it {
            Condition::Status(status) if status == "error" => Some(Condition::Failed),
            _ => None,
        };
        if let Some(count) = self.count_with(query, failed) {
            return Some(format!(
                "status:error is what Gemini CLI recorded; status:failed would find {count} call{}",
                plural_ending(count)
            ));
        }
        let undated = |it: &Condition| match it {
            Condition::Before(_) | Condition::Since(_) => Some(Condition::Anything),
            _ => None,
        };
        let count = self.count_with(query, undated)?;
        let ending = plural_ending(count);
        let verb = if count == 1 { "is" } else { "are" };
        Some(format!(
            "without the dates there {verb} {count} match{ending}"
        ))
    }

    /// The number of hits with other conditions, if there are such conditions and hits.
    fn count_with(
        &self,
        query: &Query,
        change: impl Fn(&Condition) -> Option<Condition>,
    ) -> Option<usize> {
        let changed = query.with_conditions(change)?;
        let none = Page {
            limit: Some(0),
            ..Page::default()
        };
        Some(self.search(&changed, &none).total).filter(|total| *total > 0)
    }
}

fn plural_ending(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
