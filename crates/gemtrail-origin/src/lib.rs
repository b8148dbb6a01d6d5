#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod edit;
mod git;
mod replay;
mod text;
mod trace;
mod tracer;

pub use edit::{Change, Edit, Prompt};
pub use git::{CommitFacts, GitError, Repository};
pub use trace::{LineOrigin, LineRun, TracedFile, TracedName};
pub use tracer::{
    AddedLines, CommitTraces, EditSource, FileTrace, Tracer, absolute, name_and_lines,
};
