//! Files of a home that belong together.

use std::collections::BTreeMap;

/// The directories of a home that Antigravity's programs keep conversations in: the terminal
/// program, the desktop program and the SDK, the editor.
pub const APPLICATIONS: [&str; 3] = ["antigravity-cli", "antigravity", "antigravity-ide"];

/// The files of one conversation, by their paths below the home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationFiles {
    /// The directory of the program that held it.
    pub application: String,
    /// The id in the names of its files.
    pub id: String,
    /// The database.
    pub database: Option<String>,
    /// The compressed conversation of versions before databases.
    pub trajectory: Option<String>,
    /// Encrypted files, which are kept as they are.
    pub sealed: Vec<String>,
    /// The fullest transcript, in the order of its pieces.
    pub transcript: Vec<String>,
    /// Everything else: logs of a database, shorter transcripts, artifacts, outputs.
    pub others: Vec<String>,
}

impl ConversationFiles {
    /// True if there is something to show.
    pub fn is_readable(&self) -> bool {
        self.database.is_some() || self.trajectory.is_some() || !self.transcript.is_empty()
    }
}

/// Groups the files of a home by conversation, in order of program and id. Paths are relative to
/// the home and have `/` as separator; other files than Antigravity's are passed over.
pub fn group<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<ConversationFiles> {
    let mut groups: BTreeMap<(&str, &str), FileGroup<'a>> = BTreeMap::new();
    for path in paths {
        let Some((application, rest)) = path.split_once('/') else {
            continue;
        };
        let Some((id, place)) = place_of(rest).filter(|_| APPLICATIONS.contains(&application))
        else {
            continue;
        };
        let group = groups.entry((application, id)).or_default();
        group.files.push((place, path));
    }
    let groups = groups.into_iter();
    groups
        .map(|((application, id), group)| group.sort(application, id))
        .collect()
}

/// The place of a file in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FilePlace {
    Database,
    Trajectory,
    Sealed,
    /// A transcript; the first of these that exists is the fullest.
    Transcript(TranscriptKind),
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TranscriptKind {
    Full,
    FullChunk,
    Short,
    ShortChunk,
}

/// The conversation that a file below an application's directory belongs to.
fn place_of(path: &str) -> Option<(&str, FilePlace)> {
    let (directory, name) = path.split_once('/')?;
    if directory == "brain" {
        let (id, inner) = name.split_once('/')?;
        return Some((id, place_in_brain(inner)));
    }
    let is_below = name.contains('/');
    let found = match directory {
        "conversations" if !is_below => {
            let database = ["-wal", "-shm", "-journal"]
                .iter()
                .find_map(|end| name.strip_suffix(end)?.strip_suffix(".db"));
            if let Some(id) = name.strip_suffix(".db") {
                (id, FilePlace::Database)
            } else if let Some(id) = database {
                (id, FilePlace::Other)
            } else if let Some(id) = name.strip_suffix(".pb") {
                (id, FilePlace::Sealed)
            } else {
                (name.strip_prefix("traj-")?, FilePlace::Trajectory)
            }
        }
        "implicit" if !is_below => (name.strip_suffix(".pb")?, FilePlace::Sealed),
        _ => return None,
    };
    (!found.0.is_empty()).then_some(found)
}

fn place_in_brain(inner: &str) -> FilePlace {
    let Some(log) = inner.strip_prefix(".system_generated/logs/") else {
        return FilePlace::Other;
    };
    let kind = match log {
        "transcript_full.jsonl" => TranscriptKind::Full,
        "transcript.jsonl" => TranscriptKind::Short,
        _ if log.starts_with("chunks/transcript_full/") => TranscriptKind::FullChunk,
        _ if log.starts_with("chunks/transcript/") => TranscriptKind::ShortChunk,
        _ => return FilePlace::Other,
    };
    if log.ends_with(".jsonl") {
        FilePlace::Transcript(kind)
    } else {
        FilePlace::Other
    }
}

#[derive(Debug, Default)]
struct FileGroup<'a> {
    files: Vec<(FilePlace, &'a str)>,
}

impl FileGroup<'_> {
    fn sort(mut self, application: &str, id: &str) -> ConversationFiles {
        self.files.sort_unstable();
        let mut sorted = ConversationFiles {
            application: application.to_owned(),
            id: id.to_owned(),
            ..ConversationFiles::default()
        };
        let transcripts = self.files.iter().filter_map(|(place, _)| match place {
            FilePlace::Transcript(kind) => Some(*kind),
            _ => None,
        });
        let fullest = transcripts.min();
        for (place, path) in self.files {
            let path = path.to_owned();
            match place {
                FilePlace::Database => sorted.database = Some(path),
                FilePlace::Trajectory => sorted.trajectory = Some(path),
                FilePlace::Sealed => sorted.sealed.push(path),
                FilePlace::Transcript(kind) if Some(kind) == fullest => {
                    sorted.transcript.push(path);
                }
                FilePlace::Transcript(_) | FilePlace::Other => sorted.others.push(path),
            }
        }
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_grouped_by_conversation() {
        const LOGS: &str = "antigravity/brain/b/.system_generated/logs";
        let (chunk, second) = (
            format!("{LOGS}/chunks/transcript_full/00000000.jsonl"),
            format!("{LOGS}/chunks/transcript_full/00000001.jsonl"),
        );
        let short = format!("{LOGS}/transcript.jsonl");
        let found = group([
            "tmp/x/chats/session-1.json",
            "antigravity/bin/webm_encoder",
            "antigravity/conversation_summaries.db",
            "antigravity/conversations/a.db-wal",
            "antigravity/conversations/a.db",
            "antigravity/conversations/b.db/c",
            "antigravity/implicit/a.pb",
            "antigravity-cli/conversations/traj-a",
            "antigravity-cli/conversations/note.txt",
            "antigravity/brain/a/plan.md",
            &short,
            &second,
            &chunk,
        ]);
        let ids: Vec<_> = found
            .iter()
            .map(|it| (it.application.as_str(), it.id.as_str()))
            .collect();
        let cli = ("antigravity-cli", "a");
        assert_eq!(ids, [("antigravity", "a"), ("antigravity", "b"), cli]);
        let [a, b, old] = found.as_slice() else {
            panic!("three")
        };
        assert_eq!(
            a.database.as_deref(),
            Some("antigravity/conversations/a.db")
        );
        assert_eq!(a.sealed, ["antigravity/implicit/a.pb"]);
        let others = [
            "antigravity/brain/a/plan.md",
            "antigravity/conversations/a.db-wal",
        ];
        assert_eq!(a.others, others);
        assert_eq!(b.transcript, [chunk, second]);
        assert_eq!(b.others, [short]);
        assert!(old.trajectory.is_some() && old.is_readable());
    }
}
