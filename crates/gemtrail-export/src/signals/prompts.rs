//! Friction in the person's prompts.

use gemtrail_core::model::Message;
use gemtrail_core::squeezed;

use super::course::Course;
use super::signal::{Severity, Signal, SignalKind};
use super::similarity::similarity;
use super::thresholds::Thresholds;

/// Prompts that say nearly the same as the previous one.
pub(super) fn rephrase_storms(course: &Course<'_>, thresholds: &Thresholds) -> Vec<Signal> {
    let least = thresholds.rephrase_prompts.max(2);
    let prompts: Vec<(&Message, String)> = course
        .prompts
        .iter()
        .filter(|message| !message.text.starts_with('/'))
        .map(|message| (*message, squeezed(&message.text).to_lowercase()))
        .filter(|(_, text)| text.chars().count() >= thresholds.rephrase_characters)
        .collect();
    prompts
        .chunk_by(|(_, a), (_, b)| similarity(a, b) > thresholds.rephrase_similarity)
        .filter(|run| run.len() >= least)
        .map(|run| {
            Signal::new(
                SignalKind::RephraseStorm,
                Severity::high_from(least * 2, run.len()),
                run.len(),
                format!("{} prompts in a row say nearly the same", run.len()),
                run.iter().map(|(message, _)| *message),
            )
        })
        .collect()
}
