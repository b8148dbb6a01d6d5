//! Pages that say why there is no other page.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use gemtrail_store::ReadError;
use maud::html;

use super::frame::PageFrame;
use crate::guard::RequestRefusal;

/// The reason why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The guard let nobody through.
    Refused(RequestRefusal),
    /// There is no such page.
    NoPage,
    /// There is no such session, or no longer.
    NoSession,
    /// Several sessions have this name.
    Ambiguous(String),
    /// The session has no such message.
    NoMessage,
    /// The request makes no sense.
    Wrong(String),
    /// Something could not be done.
    Broken(String),
}

impl Problem {
    fn status(&self) -> StatusCode {
        match self {
            Self::Refused(refusal) => refusal.status(),
            Self::NoPage | Self::NoSession | Self::Ambiguous(_) | Self::NoMessage => {
                StatusCode::NOT_FOUND
            }
            Self::Wrong(_) => StatusCode::BAD_REQUEST,
            Self::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A title, and words that help.
    fn words(&self) -> (&str, &str) {
        match self {
            Self::Refused(RequestRefusal::ForeignHost) => (
                "Wrong address",
                "This viewer answers on 127.0.0.1 and localhost only.",
            ),
            Self::Refused(RequestRefusal::ForeignPage) => (
                "Not from here",
                "Another page asked for this. Type the address yourself if you want to see it.",
            ),
            Self::Refused(RequestRefusal::Method) => {
                ("For reading only", "Nothing can be changed here.")
            }
            Self::Refused(RequestRefusal::Address) => ("Too long", "This address is too long."),
            Self::Refused(RequestRefusal::Headers) => ("Too large", "This request is too large."),
            Self::Refused(RequestRefusal::NoToken) => (
                "Open the link that gemtrail serve printed",
                "It works once. For another browser, run gemtrail serve again.",
            ),
            Self::Refused(RequestRefusal::Malformed) => (
                "Not understood",
                "This is not a request that a browser sends.",
            ),
            Self::Refused(RequestRefusal::Slow) => {
                ("Too slow", "The request did not arrive in time.")
            }
            Self::NoPage => ("No such page", "There is nothing at this address."),
            Self::NoSession => (
                "Session not found",
                "No session has this name. See all sessions on the sessions page.",
            ),
            Self::Ambiguous(_) => (
                "Several sessions",
                "Several sessions have this name. The sessions page shows all of them.",
            ),
            Self::NoMessage => (
                "No such message",
                "The session has no such message, or no longer.",
            ),
            Self::Wrong(what) => ("Not understood", what),
            Self::Broken(what) => ("Something went wrong", what),
        }
    }
}

/// To those who ask, a session that cannot be read is not there.
impl From<ReadError> for Problem {
    fn from(_: ReadError) -> Self {
        Self::NoSession
    }
}

/// A page of its own.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (title, words) = self.words();
        let content = html! {
            header.head { h1 { (title) } }
            p { (words) }
            @if let Self::Ambiguous(name) = &self {
                p { a href=(crate::links::with("/sessions", &[("q", name)])) { "Sessions called " (name) } }
            }
        };
        let page = PageFrame::new(title, "").around(&content);
        (self.status(), Html(page.into_string())).into_response()
    }
}
