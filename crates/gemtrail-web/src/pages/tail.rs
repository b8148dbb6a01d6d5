//! The end of a session while it goes on.

use std::hash::{DefaultHasher, Hash, Hasher};

use gemtrail_core::model::{CallStatus, Message, Role, SessionRef};
use gemtrail_export::html::{self, Palette};
use gemtrail_export::present::{MessageBlock, Presentation};
use gemtrail_store::Spot;
use maud::{Markup, html};
use serde::Deserialize;

use super::problem::Problem;
use super::session::{self, PartSource};
use crate::links;
use crate::read::Read;
use crate::viewer::Viewer;

/// Messages that may still change while a session runs: a call is answered, an answer grows.
const UNSETTLED: usize = 8;

/// The part of a session that the script has.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SeenMessages {
    /// The index of the first message on its page.
    #[serde(default)]
    from: usize,
    count: usize,
    mark: String,
}

/// The place where the script adds what is new; only the last page of a session grows.
pub(super) fn place(viewer: &Viewer, read: &Read, reference: SessionRef) -> Markup {
    let messages = &read.session.messages;
    let tag = viewer.versions.tag(read.version);
    html! {
        @if read.is_last() {
            div #live data-src={ (links::session(reference)) "/live" (links::from((!read.is_whole()).then(|| read.first()))) } data-tag=(tag)
                data-count=(messages.len()) data-mark=(settled_mark(messages)) role="status" {}
        }
    }
}

/// The news of a session that the script has a part of. If the part itself has changed, it is
/// told to load the page again.
pub(crate) fn news(
    viewer: &Viewer,
    reference: SessionRef,
    seen: &SeenMessages,
) -> Result<Markup, Problem> {
    let read = viewer.page(reference, &Spot::Index(seen.from))?;
    // The whole session is read while its archive is not up to date.
    let skipped = seen.from.saturating_sub(read.first());
    let messages = read.session.messages.get(skipped..).unwrap_or_default();
    let settled = seen.count.saturating_sub(UNSETTLED);
    let is_same = messages.len() >= seen.count && mark(&messages[..settled]) == seen.mark;
    let options = session::options(viewer);
    let presentation = read.presentation(&options);
    let palette = Palette::of(&presentation);
    let source = PartSource::of(&read, reference);
    let drawing = source.drawing(&palette);
    let news = if is_same {
        skipped + settled..skipped + messages.len()
    } else {
        0..0
    };
    let fresh = news.filter_map(|at| in_turn(&presentation, at));
    let end = read.first() + read.session.messages.len();
    Ok(html! {
        div data-count=(messages.len()) data-mark=(settled_mark(messages))
            data-reload[!is_same]
        {
            @for message in fresh { (html::message(&message, &drawing)) }
            @if !read.is_last() {
                p #goes-on.pages { a href=(links::page(reference, Some(end))) { "Later ›" } }
            }
        }
    })
}

/// A message as part of the turn that it is in.
fn in_turn<'a>(presentation: &Presentation<'a>, at: usize) -> Option<MessageBlock<'a>> {
    let mut block = presentation.message(at)?;
    let messages = &presentation.session().messages;
    let before = at.checked_sub(1).and_then(|at| messages.get(at));
    let goes_on = |before: &Message| {
        let this = &messages[at];
        this.role == Role::Assistant && before.role == Role::Assistant && before.model == this.model
    };
    block.opens_turn = !before.is_some_and(goes_on);
    Some(block)
}

/// The mark of what no longer changes by itself.
fn settled_mark(messages: &[Message]) -> String {
    let settled = messages.len().saturating_sub(UNSETTLED);
    mark(&messages[..settled])
}

/// Changes whenever one of these messages does.
fn mark(messages: &[Message]) -> String {
    let mut hasher = DefaultHasher::new();
    for message in messages {
        message.id.as_str().hash(&mut hasher);
        message.superseded_by.map(|by| by as u8).hash(&mut hasher);
        message.is_current().hash(&mut hasher);
        message.text.len().hash(&mut hasher);
        for call in &message.tool_calls {
            call.status
                .as_ref()
                .map(CallStatus::as_str)
                .hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}
