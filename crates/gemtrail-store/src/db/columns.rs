//! How names and kinds of files, chunks and lists of them are encoded in columns.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use gemtrail_home::discover::FileKind;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use zstd::bulk::{Compressor, Decompressor};

use super::ids::ChunkRowId;

/// No file is longer: a larger number is damage, and sums of such numbers would overflow.
pub(crate) const LONGEST_FILE: u64 = 1 << 48;

/// A path in a column: text, or bytes where it is no text. Two names that differ only in bytes that are no text stay two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(pub(crate) PathBuf);

impl Name {
    pub(crate) fn of(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl ToSql for Name {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        #[cfg(unix)]
        if self.0.to_str().is_none() {
            use std::os::unix::ffi::OsStrExt as _;
            return Ok(ToSqlOutput::from(self.0.as_os_str().as_bytes()));
        }
        Ok(ToSqlOutput::from(self.0.to_string_lossy().into_owned()))
    }
}

impl FromSql for Name {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            #[cfg(unix)]
            ValueRef::Blob(bytes) => {
                use std::os::unix::ffi::OsStrExt as _;
                Ok(Self(std::ffi::OsStr::from_bytes(bytes).into()))
            }
            // An archive may come from another system.
            #[cfg(not(unix))]
            ValueRef::Blob(bytes) => Ok(Self(String::from_utf8_lossy(bytes).as_ref().into())),
            ValueRef::Text(_) => Ok(Self(value.as_str()?.into())),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// The name of a kind, and its detail.
pub(crate) fn kind_to_columns(kind: &FileKind) -> (&'static str, Option<&str>) {
    match kind {
        FileKind::Journal => ("journal", None),
        FileKind::Subagent { parent } => ("subagent", Some(parent)),
        FileKind::UnreadableJournal => ("unreadable", None),
        FileKind::Checkpoint { tag } => ("checkpoint", Some(tag)),
        FileKind::RestorePoint => ("restore-point", None),
        FileKind::PromptLog => ("log", None),
        FileKind::PromptLogBackup => ("log-backup", None),
        FileKind::ShellHistory => ("shell-history", None),
        FileKind::ToolOutput { session } => ("tool-output", session.as_deref()),
        FileKind::Plan { session } => ("plan", session.as_deref()),
        FileKind::Marker => ("marker", None),
        FileKind::Registry => ("registry", None),
        FileKind::TrustedFolders => ("trusted-folders", None),
        FileKind::Conversation { .. } => ("conversation", None),
        FileKind::ConversationFile { .. } => ("conversation-file", None),
    }
}

/// Decodes what [`kind_to_columns`] wrote. `None` for a kind from a later version.
pub(crate) fn kind_from_columns(
    kind: &str,
    detail: Option<String>,
    dir: Option<&str>,
) -> Option<FileKind> {
    Some(match kind {
        "journal" => FileKind::Journal,
        "subagent" => FileKind::Subagent {
            parent: detail.unwrap_or_default(),
        },
        "unreadable" => FileKind::UnreadableJournal,
        "checkpoint" => FileKind::Checkpoint {
            tag: detail.unwrap_or_default(),
        },
        "restore-point" => FileKind::RestorePoint,
        "log" => FileKind::PromptLog,
        "log-backup" => FileKind::PromptLogBackup,
        "shell-history" => FileKind::ShellHistory,
        "tool-output" => FileKind::ToolOutput { session: detail },
        "plan" => FileKind::Plan { session: detail },
        "marker" => FileKind::Marker,
        "registry" => FileKind::Registry,
        "trusted-folders" => FileKind::TrustedFolders,
        "conversation" | "conversation-file" => {
            let (application, id) = dir?.split_once('/')?;
            let (application, id) = (application.to_owned(), id.to_owned());
            if kind == "conversation" {
                FileKind::Conversation { application, id }
            } else {
                FileKind::ConversationFile { application, id }
            }
        }
        _ => return None,
    })
}

/// The ids in a list of chunks.
pub(crate) fn chunk_ids(list: &[u8]) -> impl Iterator<Item = ChunkRowId> {
    let (ids, _) = list.as_chunks::<8>();
    ids.iter().map(|id| ChunkRowId(i64::from_le_bytes(*id)))
}

/// Encodes a list of chunks for its column.
pub(crate) fn pack_ids(ids: &[ChunkRowId]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.0.to_le_bytes()).collect()
}

/// Compression level: beyond this, time grows faster than the archive shrinks.
const LEVEL: i32 = 4;

thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses bytes, with a checksum, so that damage is noticed on decompression.
pub(crate) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        let packer = if let Some(packer) = packer {
            packer
        } else {
            let mut new = Compressor::new(LEVEL)?;
            new.include_checksum(true)?;
            packer.insert(new)
        };
        packer.compress(bytes)
    })
}

thread_local! {
    /// Creating one takes longer than most decompressions.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// More than anything that is ever packed. An archive may come from anywhere and claim any size.
pub(crate) const MOST_UNPACKED: usize = 64 << 20;

pub(crate) fn unpack(data: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    if bytes > MOST_UNPACKED {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let unpacked = UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new()?),
        };
        unpacker.decompress(data, bytes)
    })?;
    if unpacked.len() == bytes {
        Ok(unpacked)
    } else {
        Err(io::Error::other("it has another length"))
    }
}

/// True if a chunk of that length can be unpacked.
pub(crate) fn is_sound(data: &[u8], bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| unpack(data, bytes).is_ok())
}
