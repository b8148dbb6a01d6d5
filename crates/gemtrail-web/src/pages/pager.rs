//! From one page of a very long session to the others.

use gemtrail_core::model::SessionRef;
use gemtrail_export::html::{self, Drawing};
use gemtrail_export::present::{Block, Divider, Moment, Options};
use gemtrail_export::text::grouped;
use maud::{Markup, html};
use serde::Deserialize;

use crate::links;
use crate::read::Read;

/// The page of a session that is wanted: that of the message with this index.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Start {
    from: String,
}

impl Start {
    /// The index, if the address has one that is a number.
    pub(crate) fn index(&self) -> Option<usize> {
        self.from.parse().ok()
    }
}

/// The ways from a page to the others. Pages differ in length where messages are large, so each is
/// called by a message that is on it.
pub(super) fn nav(read: &Read, reference: SessionRef, label: &str) -> Markup {
    if read.is_whole() {
        return html! {};
    }
    let (before, total) = (read.first(), read.total);
    let end = before + read.session.messages.len();
    let later = |index: usize| (end < total).then(|| links::page(reference, Some(index)));
    let earlier = |index: Option<usize>| (before > 0).then(|| links::page(reference, index));
    let number = |number: usize| grouped(number as u64);
    html! {
        nav.pages aria-label=(label) data-messages=(links::messages(reference)) {
            (link("« First", earlier(None), None))
            (link("‹ Earlier", earlier(before.checked_sub(1)), Some("prev")))
            span { "Messages " (number(before + 1)) "–" (number(end)) " of " (number(total)) }
            (link("Later ›", later(end), Some("next")))
            (link("Last »", later(total.saturating_sub(1)), None))
        }
    }
}

/// The day on which a later page begins. Within a page, a day is only announced where it changes.
pub(super) fn day(read: &Read, drawing: &Drawing<'_>, options: &Options) -> Markup {
    let first = read.session.messages.first().filter(|_| read.first() > 0);
    let time = first.and_then(|message| message.time.as_deref());
    let moment = time.map(|time| Moment::new(time, &options.zone));
    html! {
        @if let Some(moment) = moment.filter(Moment::is_known) {
            (html::block(&Block::Divider(Divider::Day(moment)), drawing))
        }
    }
}

fn link(words: &str, to: Option<String>, rel: Option<&str>) -> Markup {
    html! {
        @match to {
            Some(to) => a href=(to) rel=[rel] { (words) },
            None => span aria-disabled="true" { (words) },
        }
    }
}
