//! Markdown for reading and for pull requests.
//!
//! Each turn has a heading with role, time and model. What others wrote keeps its Markdown as far
//! as that is harmless; see the `inert` module. Tool calls and thoughts are folded
//! where the viewer can fold (GitHub, GitLab and most editors), and plain text everywhere else.

mod document;
mod evident;
mod inert;
mod message;
mod syntax;

pub use document::write;
pub(crate) use inert::inert;
pub(crate) use syntax::{code as code_span, words};
