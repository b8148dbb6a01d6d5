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
    let mut groups: BTreeMap<(&str, &str), Vec<(FilePlace, &'a str)>> = BTreeMap::new();
    for path in paths {
        let Some((application, rest)) = path.split_once('/') else {
            continue;
        };
        let Some((id, place)) = place_of(rest).filter(|_| APPLICATIONS.contains(&application))
        else {
            continue;
        };
        let files = groups.entry((application, id)).or_default();
        files.push((place, path));
    }
    groups.into_iter().map(sorted).collect()
}

/// The place of a file in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FilePlace {
    Database,
    Trajectory,
    Sealed,
    /// One of [`TRANSCRIPTS`], by its number.
    Transcript(usize),
    Other,
}

/// The transcripts of a conversation, the fullest first: files, and directories of files.
const TRANSCRIPTS: [&str; 4] = [
    "transcript_full.jsonl",
    "chunks/transcript_full/",
    "transcript.jsonl",
    "chunks/transcript/",
];

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
    let log = inner.strip_prefix(".system_generated/logs/");
    let log = log.filter(|log| log.ends_with(".jsonl"));
    let kind = log.and_then(|log| TRANSCRIPTS.iter().position(|it| log.starts_with(it)));
    kind.map_or(FilePlace::Other, FilePlace::Transcript)
}

/// The files of a conversation by their places.
fn sorted(
    ((application, id), mut files): ((&str, &str), Vec<(FilePlace, &str)>),
) -> ConversationFiles {
    files.sort_unstable();
    let mut sorted = ConversationFiles {
        application: application.to_owned(),
        id: id.to_owned(),
        ..ConversationFiles::default()
    };
    let mut places = files.iter().map(|(place, _)| *place);
    let fullest = places.find(|place| matches!(place, FilePlace::Transcript(_)));
    for (place, path) in files {
        let path = path.to_owned();
        match place {
            FilePlace::Database => sorted.database = Some(path),
            FilePlace::Trajectory => sorted.trajectory = Some(path),
            FilePlace::Sealed => sorted.sealed.push(path),
            FilePlace::Transcript(_) if Some(place) == fullest => sorted.transcript.push(path),
            FilePlace::Transcript(_) | FilePlace::Other => sorted.others.push(path),
        }
    }
    sorted
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
