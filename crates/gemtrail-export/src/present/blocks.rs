//! Turns the outline of a document into its blocks, one at a time.

use super::block::{Block, Divider, Logged};
use super::pieces::{Piece, Pieces};
use super::presentation::Presentation;
use crate::text::Clean;

/// Builds the blocks lazily.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    presentation: Presentation<'a>,
    pieces: Pieces<'a>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(presentation: Presentation<'a>) -> Self {
        let pieces = presentation.pieces();
        Self {
            presentation,
            pieces,
        }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pieces.find_map(|piece| self.presentation.build(piece))
    }
}

impl<'a> Presentation<'a> {
    /// The block that a piece of the outline stands for, unless the session has no such thing.
    pub fn build(&self, piece: Piece<'a>) -> Option<Block<'a>> {
        let session = self.session();
        Some(match piece {
            Piece::Message {
                index,
                opens_turn,
                prompt,
            } => {
                let mut block = self.block(index, session.messages.get(index)?);
                (block.opens_turn, block.prompt) = (opens_turn, prompt);
                Block::Message(Box::new(block))
            }
            Piece::Divider(divider) => Block::Divider(divider),
            Piece::Folded { by, tally, .. } => Block::Divider(Divider::Folded(by, tally)),
            Piece::Logged(index) => {
                let entry = session.logged.get(index)?;
                Block::Logged(Logged {
                    moment: self.moment(entry.time.as_deref()),
                    text: Clean::text(entry.text.as_str()),
                })
            }
            Piece::Subagent { index, name } => Block::Subagent {
                name,
                session: self.subagent(index)?,
            },
        })
    }
}
