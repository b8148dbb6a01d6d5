//! How the archive stores kinds of files.

use crate::discover::FileKind;

/// The name of a kind, and its detail.
pub(crate) fn to_columns(kind: &FileKind) -> (&'static str, Option<&str>) {
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

/// Decodes what [`to_columns`] wrote. `None` for a kind from a later version.
pub(crate) fn from_columns(
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
