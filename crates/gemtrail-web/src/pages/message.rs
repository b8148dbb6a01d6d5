//! One message or one part of it, by itself: for links, for the script, and as recorded.

use gemtrail_core::model::{Message, Place, SessionRef};
use gemtrail_export::html::{self, Drawing, MessagePart, Palette};
use gemtrail_export::present::{Options, ToolDetail};
use gemtrail_export::text::EscapeControls;
use gemtrail_store::Spot;
use maud::{Markup, html};

use super::Form;
use super::frame::PageFrame;
use super::problem::Problem;
use super::session::{self, PartSource, Start};
use crate::links;
use crate::read::Read;
use crate::viewer::Viewer;

/// The page of a message, or of one part of it.
pub(crate) fn page(
    viewer: &Viewer,
    reference: SessionRef,
    anchor: &str,
    part: Option<MessagePart>,
    (form, start): (&Form, &Start),
) -> Result<Markup, Problem> {
    let options = session::options(viewer);
    let read = holding(viewer, reference, anchor, start)?;
    let presentation = read.presentation(&options);
    let found = presentation.find(anchor).ok_or(Problem::NoMessage)?;
    let mut message = found.0.message(found.1).ok_or(Problem::NoMessage)?;
    // The rest of its turn may not have been read.
    message.work = None;
    let palette = Palette::of(&presentation);
    let drawn = match part {
        Some(part) => {
            let whole = Drawing::whole(ToolDetail::Full, &palette);
            part.draw(&message, &whole).ok_or(Problem::NoMessage)?
        }
        None if form.is_fragment() => {
            let source = PartSource::of(&read, reference);
            html::message(&message, &source.drawing(&palette))
        }
        None => html::message(&message, &Drawing::whole(ToolDetail::Full, &palette)),
    };
    if form.is_fragment() {
        return Ok(drawn);
    }
    let title = presentation.heading().title.to_string();
    let page = links::page(reference, read.from);
    let content = html! {
        (session::stylesheet(&palette, &read, reference))
        nav.crumbs aria-label="Where this is" {
            a href={ (page) "#" (anchor) } { "In the session" }
            " · " a href={ (links::messages(reference)) "/" (anchor) "/raw" } { "Raw record" }
        }
        header.head { h1 dir="auto" { (title) } }
        div.part { (drawn) }
    };
    Ok(PageFrame::new(&title, "").around(&content))
}

/// The page of a session that has a message, best the one that it is wanted for: the work of a subagent
/// is known on all of them.
fn holding(
    viewer: &Viewer,
    reference: SessionRef,
    anchor: &str,
    start: &Start,
) -> Result<Read, Problem> {
    if let Some(index) = start.index() {
        let read = viewer.page(reference, &Spot::Index(index))?;
        let options = session::options(viewer);
        if read.presentation(&options).find(anchor).is_some() {
            return Ok(read);
        }
    }
    Ok(viewer.page(reference, &spot(anchor))?)
}

/// The message that an anchor means; see [`Presentation::find`].
fn spot(anchor: &str) -> Spot {
    let own = anchor.strip_prefix('m');
    let id = own.and_then(|own| own.strip_prefix('-'));
    match (id, own.and_then(|own| own.parse().ok())) {
        (Some(id), _) => Spot::Id(id.to_owned()),
        (None, Some(index)) => Spot::Index(index),
        (None, None) => Spot::Index(0),
    }
}

/// A message as the session document has it, with its content as recorded.
pub(crate) fn raw(
    viewer: &Viewer,
    reference: SessionRef,
    anchor: &str,
) -> Result<Vec<u8>, Problem> {
    let options = session::options(viewer);
    let mut read = holding(viewer, reference, anchor, &Start::default())?;
    let is_incomplete = message_of(&read, anchor, &options).is_some_and(|it| !read.is_complete(it));
    if is_incomplete {
        read = viewer.session(reference)?;
    }
    let message = message_of(&read, anchor, &options).ok_or(Problem::NoMessage)?;
    let mut record = Vec::new();
    serde_json::to_writer_pretty(EscapeControls(&mut record), message)
        .map_err(|error| Problem::Broken(error.to_string()))?;
    Ok(record)
}

/// The message with an anchor, as recorded.
fn message_of<'a>(read: &'a Read, anchor: &str, options: &'a Options) -> Option<&'a Message> {
    let (presentation, at) = read.presentation(options).find(anchor)?;
    presentation.session().messages.get(at)
}

/// The address of what is at a place: the page that it is on, and its anchor there.
pub(crate) fn address_of(
    viewer: &Viewer,
    reference: SessionRef,
    place: Place,
) -> Result<String, Problem> {
    let read = viewer.page(reference, &Spot::Place(place))?;
    let options = session::options(viewer);
    let anchor = read.presentation(&options).anchor_at(place);
    let anchor = anchor.ok_or(Problem::NoMessage)?;
    Ok(format!("{}#{anchor}", links::page(reference, read.from)))
}
