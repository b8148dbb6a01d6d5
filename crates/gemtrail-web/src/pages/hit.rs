//! One hit of a search: when it was, the words around it, and the message itself when it is unfolded.

use std::ops::Range;

use gemtrail_core::model::State;
use gemtrail_export::present::{Moment, label};
use gemtrail_export::text::Clean;
use gemtrail_query::Hit;
use maud::{Markup, html};

use crate::links;
use crate::viewer::Viewer;

/// A hit in a list, and the way to it.
pub(super) fn item(hit: &Hit, address: &str, viewer: &Viewer) -> Markup {
    let moment = hit.time.as_deref();
    let moment = moment.map(|time| Moment::new(time, &viewer.options.zone));
    html! {
        li.hit {
            @let when = moment.map_or_else(|| "open".to_owned(), |moment| moment.date_and_clock());
            @if hit.file.is_some() {
                span.at { (when) }
            } @else {
                a.at href=(address) title="Open it in the session" { time { (when) } }
            }
            @match preview(hit) {
                Some(source) => details.fold data-src=(source) {
                    summary { (what(hit)) (snippet(hit)) (fate(hit)) }
                    div.inside { p.elsewhere { a href=(address) { "Open it in the session" } } }
                },
                None => p.plain { (what(hit)) (snippet(hit)) (fate(hit)) },
            }
        }
    }
}

/// How often it was said, and what became of it.
fn fate(hit: &Hit) -> Markup {
    html! {
        @if hit.times > 1 { " " span.tag { (hit.times) " times" } }
        @if hit.state == Some(State::Superseded) { " " span.tag { "no longer in the conversation" } }
    }
}

fn what(hit: &Hit) -> Markup {
    let who = hit.role.map(label);
    html! {
        span.what {
            @match (&hit.tool, who) {
                (Some(tool), _) => (Clean::line(tool.as_str()).as_str()),
                (None, Some(who)) => (who),
                (None, None) => (hit.field.as_str()),
            }
        }
        " "
    }
}

/// The words around the match, with the match marked.
fn snippet(hit: &Hit) -> Markup {
    let starts: Vec<usize> = hit.snippet.char_indices().map(|(at, _)| at).collect();
    let byte = |character: usize| starts.get(character).copied().unwrap_or(hit.snippet.len());
    let ranges: Vec<_> = hit
        .highlights
        .iter()
        .map(|[a, b]| byte(*a)..byte(*b))
        .collect();
    let (text, ranges) = Clean::with_ranges(hit.snippet.as_str(), &ranges);
    // The name of the tool is beside it already.
    let first = match &hit.tool {
        Some(tool) if text.starts_with(&format!("{tool} ")) => tool.len() + 1,
        _ => 0,
    };
    let first = if ranges.iter().all(|range| range.start >= first) {
        first
    } else {
        0
    };
    // Matches come in order and do not overlap.
    let starts = std::iter::once(first).chain(ranges.iter().map(|range| range.end));
    let last = ranges.last().map_or(first, |range| range.end);
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    html! {
        span.snippet dir="auto" {
            @for (start, range) in starts.zip(&ranges) {
                (part(start..range.start))
                mark { (part(range.clone())) }
            }
            (part(last..text.len()))
        }
    }
}

/// Ids that are plain words are anchors.
fn anchor(hit: &Hit) -> Option<String> {
    let id = hit
        .message
        .as_ref()
        .filter(|_| hit.file.is_none())?
        .as_str();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_anchor = !id.is_empty() && id.len() <= 64 && id.bytes().all(is_plain);
    is_anchor.then(|| format!("m-{id}"))
}

/// The address of a hit in its session, which may be shown in pages.
pub(super) fn address(hit: &Hit, in_pages: bool) -> String {
    let session = links::session(hit.reference);
    match (anchor(hit), hit.place) {
        (Some(anchor), _) if hit.call.is_none() && !in_pages => format!("{session}#{anchor}"),
        // To the call, to a message whose id cannot be an anchor, or to whichever page has it.
        (_, Some(place)) => format!("{session}:{place}"),
        _ => session,
    }
}

/// The address that the message is fetched from when the hit is unfolded.
fn preview(hit: &Hit) -> Option<String> {
    let anchor = anchor(hit)?;
    Some(format!("{}/{anchor}", links::messages(hit.reference)))
}
