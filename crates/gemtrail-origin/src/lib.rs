#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod edit;
mod git;
mod replay;
mod text;
mod trace;

pub use edit::{Change, Edit, Prompt};
pub use git::{AddedLines, ChangedFile, CommitFacts, GitError, Repository};
pub use trace::{LineOrigin, LineRun, TracedFile, TracedName};
