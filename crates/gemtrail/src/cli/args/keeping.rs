//! Arguments of `mark` and `tidy`.

use clap::Args as ClapArgs;

/// Pin, tag, name or annotate a session; without options show its marks
///
/// Marks are kept in the archive, never in Gemini CLI's files. An empty text removes one.
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
    /// Pin it: neither `tidy` nor `archive.keep_days` takes it
    #[arg(long)]
    pub(crate) pin: bool,
    /// Take the pin out
    #[arg(long, conflicts_with = "pin")]
    pub(crate) unpin: bool,
    /// A title of your own, which is used in place of every other
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

/// Remove old session files from the disk that the archive has proven to hold
///
/// It prints what it would remove; with `--yes` it does so. Every file is read back from the
/// archive and compared with the disk, byte by byte, at the moment of its removal. `restore` undoes it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail tidy
  gemtrail tidy --older-than 7d --keep 20
  gemtrail tidy --project api --yes
  gemtrail restore 2f1e0a52 --exact

Never removed: pinned sessions, sessions in use or changed since the sync, files of unknown kinds, \
anything that is not equal, anything behind a link.")]
pub(crate) struct TidyArgs {
    /// Only sessions last updated longer ago than this
    #[arg(long, value_name = "AGE", default_value = "30d")]
    pub(crate) older_than: String,
    /// Only sessions of this project: its name or path or a part of it, or the start of its hash
    #[arg(short, long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// The newest N sessions of each project stay
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) keep: usize,
    /// List what was removed so far, each with the command that puts it back
    #[arg(long, conflicts_with_all = ["older_than", "project", "keep", "yes"])]
    pub(crate) log: bool,
    /// Remove them; without it nothing is changed
    #[arg(long)]
    pub(crate) yes: bool,
}
