//! Brings contents of the other archive into this one.

use rusqlite::OptionalExtension as _;

use super::source::{ImportSource, SourceContent};
use crate::db::ArchiveError;
use crate::db::ids::ContentRowId;
use crate::raw::hash::Hash;
use crate::raw::take::Taken;
use crate::raw::writer::RawWriter;

/// Brings contents from one archive to the other, verified.
pub(super) struct Contents<'a> {
    source: &'a ImportSource,
    writer: &'a RawWriter<'a>,
}

/// A content that came in.
pub(super) struct Brought {
    /// Its row here; `None` if not even its beginning could be verified.
    pub(super) content: Option<ContentRowId>,
    /// How much of it could be.
    pub(super) bytes: u64,
    /// Why that is not all.
    pub(super) damage: Option<String>,
    /// How many bytes this archive did not have.
    pub(super) added: u64,
}

impl<'a> Contents<'a> {
    pub(super) fn new(source: &'a ImportSource, writer: &'a RawWriter<'a>) -> Self {
        Self { source, writer }
    }

    /// Brings a content. Of a damaged one, the beginning comes in: a file that grew has earlier
    /// versions there.
    pub(super) fn bring(
        &self,
        content: ContentRowId,
        hash: Option<Hash>,
    ) -> Result<Brought, ArchiveError> {
        if let Some(hash) = hash
            && let Some((known, bytes)) = self.known(&hash)?
        {
            return Ok(Brought {
                content: Some(known),
                bytes,
                damage: None,
                added: 0,
            });
        }
        let listed = match self.source.content(content) {
            Ok(listed) => listed,
            Err(ArchiveError::Damaged { what }) => {
                return Ok(Brought {
                    content: None,
                    bytes: 0,
                    damage: Some(what),
                    added: 0,
                });
            }
            Err(other) => return Err(other),
        };
        self.bring_chunks(&listed)
    }

    fn bring_chunks(&self, listed: &SourceContent) -> Result<Brought, ArchiveError> {
        let (mut hashes, mut bytes, mut damage) = (Vec::new(), 0, None);
        for (id, hash) in &listed.chunks {
            let length = match self.source.chunk(*id, *hash) {
                Ok((chunk, _)) => {
                    self.writer.chunk_if_new(&chunk)?;
                    chunk.bytes as u64
                }
                // This archive may have it.
                Err(ArchiveError::Damaged { what }) => {
                    let Some(bytes) = self.writer.sound_chunk(hash)? else {
                        damage = Some(what);
                        break;
                    };
                    bytes
                }
                Err(other) => return Err(other),
            };
            hashes.push(*hash);
            bytes += length;
        }
        let taken = Taken::of_bytes(bytes, hashes);
        let is_nothing = taken.chunks.is_empty() && damage.is_some();
        let content = if is_nothing {
            None
        } else {
            Some(self.writer.content(&taken.hash(), &taken)?)
        };
        Ok(Brought {
            content,
            bytes,
            damage,
            added: bytes,
        })
    }

    /// The bytes of a content of the other archive, verified.
    pub(super) fn read(&self, content: ContentRowId) -> Result<Vec<u8>, ArchiveError> {
        let mut bytes = Vec::new();
        for (id, hash) in self.source.content(content)?.chunks {
            bytes.extend(self.source.chunk(id, hash)?.1);
        }
        Ok(bytes)
    }

    fn known(&self, hash: &Hash) -> Result<Option<(ContentRowId, u64)>, ArchiveError> {
        let known = self
            .writer
            .prepare("SELECT id, bytes FROM content WHERE hash = ?1")?
            .query_row([hash.as_slice()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(known)
    }
}
