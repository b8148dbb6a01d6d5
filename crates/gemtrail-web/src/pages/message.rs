//! One message or one part of it, by itself: for links, for the script, and as recorded.

use gemtrail_core::model::{Message, Place, SessionRef};
use gemtrail_export::html::{self, Drawing, Palette, Part};
use gemtrail_export::present::{Presentation, ToolDetail};
use gemtrail_export::text::EscapeControls;
use maud::{Markup, html};

use super::frame::Frame;
use super::problem::Problem;
use super::{Form, session};
use crate::links;
use crate::viewer::Viewer;

/// The page of a message, or of one part of it.
pub(crate) fn page(
    viewer: &Viewer,
    reference: SessionRef,
    anchor: &str,
    part: Option<Part>,
    form: &Form,
) -> Result<Markup, Problem> {
    let read = viewer.session(reference).map_err(|_| Problem::NoSession)?;
    let options = session::options(viewer);
    let presentation = Presentation::new(&read.session, &options);
    let found = presentation.find(anchor).ok_or(Problem::NoMessage)?;
    let message = found.0.message(found.1).ok_or(Problem::NoMessage)?;
    let palette = Palette::of(&presentation);
    let drawn = match part {
        Some(part) => {
            let whole = Drawing::whole(ToolDetail::Full, &palette);
            part.draw(&message, &whole).ok_or(Problem::NoMessage)?
        }
        None if form.is_fragment() => {
            let base = links::messages(reference);
            html::message(&message, &session::drawing(&palette, &base))
        }
        None => html::message(&message, &Drawing::whole(ToolDetail::Full, &palette)),
    };
    if form.is_fragment() {
        return Ok(drawn);
    }
    let title = presentation.heading().title.to_string();
    let colours = !palette.style().is_empty();
    let content = html! {
        @if colours {
            link rel="stylesheet" href={ (links::session(reference)) "/colours.css" };
        }
        nav.crumbs aria-label="Where this is" {
            a href={ (links::session(reference)) "#" (anchor) } { "In the session" }
            " · " a href={ (links::messages(reference)) "/" (anchor) "/raw" } { "Raw record" }
        }
        header.head { h1 dir="auto" { (title) } }
        div.part { (drawn) }
    };
    Ok(Frame::new(&title, "").around(&content))
}

/// A message as the session document has it, with its content as recorded.
pub(crate) fn raw(
    viewer: &Viewer,
    reference: SessionRef,
    anchor: &str,
) -> Result<Vec<u8>, Problem> {
    let read = viewer.session(reference).map_err(|_| Problem::NoSession)?;
    let options = session::options(viewer);
    let presentation = Presentation::new(&read.session, &options);
    let (presentation, at) = presentation.find(anchor).ok_or(Problem::NoMessage)?;
    let message: &Message = &presentation.session().messages[at];
    let mut record = Vec::new();
    serde_json::to_writer_pretty(EscapeControls(&mut record), message)
        .map_err(|error| Problem::Broken(error.to_string()))?;
    Ok(record)
}

/// The anchor of what is at a place.
pub(crate) fn anchor_at(
    viewer: &Viewer,
    reference: SessionRef,
    place: Place,
) -> Result<String, Problem> {
    let read = viewer.session(reference).map_err(|_| Problem::NoSession)?;
    let options = session::options(viewer);
    let anchor = Presentation::new(&read.session, &options).anchor_at(place);
    anchor.ok_or(Problem::NoMessage)
}
