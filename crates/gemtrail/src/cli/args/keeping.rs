//! Arguments of `mark` and `tidy`.

use clap::Args as ClapArgs;

/// Pin, tag, name or annotate a session; without options show its marks
///
/// Marks are stored in the archive, never in Gemini CLI's files. An empty text removes one.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail mark latest --pin
  gemtrail mark @3 --title 'Cart totals' --tag billing --tag urgent
  gemtrail mark 2f1e0a52 --untag urgent --note ''
  gemtrail list --pinned --tag billing")]
pub(crate) struct MarkArgs {
    /// An id, a prefix of one, a file name, `latest`, or `@N` for row N of `list`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Pin it, so that neither `tidy` nor `archive.keep_days` removes it
    #[arg(long)]
    pub(crate) pin: bool,
    /// Unpin it
    #[arg(long, conflicts_with = "pin")]
    pub(crate) unpin: bool,
    /// Your own title, shown instead of the first prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Add a tag; an empty one removes all
    #[arg(long, value_name = "TEXT")]
    pub(crate) tag: Vec<String>,
    /// Remove a tag
    #[arg(long, value_name = "TEXT")]
    pub(crate) untag: Vec<String>,
    /// A note
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// Delete old session files that are safely archived
///
/// Shows what it would delete; `--yes` deletes it. Each file is compared with the archive, byte by
/// byte, right before it is deleted. `restore` brings it back.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail tidy
  gemtrail tidy --older-than 7d --keep 20
  gemtrail tidy --project api --yes
  gemtrail restore 2f1e0a52 --exact

Never deleted: pinned sessions, sessions in use or changed since they were archived, unknown kinds of \
files, files that differ from the archive, and anything behind a link.")]
pub(crate) struct TidyArgs {
    /// Only sessions last updated before this age
    #[arg(long, value_name = "AGE", default_value = "30d")]
    pub(crate) older_than: String,
    /// Only sessions of this project: its name or path, a part of either, or the start of its hash
    #[arg(short, long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Keep the newest N sessions of each project
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) keep: usize,
    /// List what was deleted so far, with the command that restores each session
    #[arg(long, conflicts_with_all = ["older_than", "project", "keep", "yes"])]
    pub(crate) log: bool,
    /// Delete them; without it nothing is changed
    #[arg(long)]
    pub(crate) yes: bool,
}
