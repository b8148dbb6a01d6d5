//! `sts`: session traces as the Hugging Face Hub shows them, one session per file.
//!
//! The Hub's own form for agents that it does not know has texts, thoughts and calls. The other
//! style is that of the Pi agent, which it reads as well: with tokens, cost and, for everything that
//! was superseded, a tree.

mod hub;
mod pi;

use std::io::Write;

use gemtrail_core::model::Session;

use crate::{ExportError, Selection};

/// Whose trace it looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// The Hub's own form.
    #[default]
    Sts,
    /// A session of the Pi agent, version 3.
    Pi,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StsOptions {
    /// Which messages are taken.
    pub selection: Selection,
    /// Whose trace it looks like.
    pub style: Style,
}

impl Default for StsOptions {
    fn default() -> Self {
        Self {
            selection: Selection::Current,
            style: Style::Sts,
        }
    }
}

/// Writes the lines of the session.
pub fn write(
    session: &Session,
    options: &StsOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    match options.style {
        Style::Sts => hub::write(session, options.selection, out),
        Style::Pi => pi::write(session, options.selection, out),
    }
}

#[cfg(test)]
mod tests;
