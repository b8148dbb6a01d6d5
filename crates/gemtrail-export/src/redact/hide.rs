//! Hides more than secrets: home directories and user names, or every word.

use aho_corasick::{AhoCorasick, MatchKind};

use gemtrail_core::model::Session;

use super::rewrite::{Rewriter, TextKind, rewritten};

/// Parents of home directories; the next segment of the path is a user name.
const PARENTS: [&str; 6] = [
    "/home/",
    "/Users/",
    ":\\Users\\",
    ":\\\\Users\\\\",
    ":/Users/",
    "/export/home/",
];

/// Account names that are ordinary words, or say nothing about a person.
const COMMON: [&str; 14] = [
    "root", "user", "users", "admin", "home", "node", "ubuntu", "runner", "app", "dev", "test",
    "guest", "public", "shared",
];

/// Shorter names occur in too many words.
const SHORTEST_NAME: usize = 3;

/// The home directories and user names to hide.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    homes: Vec<String>,
    users: Vec<String>,
}

impl Paths {
    /// Hides only what has the form of a home directory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also hides this directory, and the name of its owner.
    pub fn add_home(&mut self, home: &str) {
        let home = home.trim_end_matches(['/', '\\']);
        if let Some(name) = home.rsplit(['/', '\\']).next().filter(|_| home.len() > 1) {
            self.homes.push(home.to_owned());
            self.add_user(name);
        }
    }

    /// Also hides this user name.
    pub fn add_user(&mut self, name: &str) {
        let is_telling = name.len() >= SHORTEST_NAME
            && !COMMON.contains(&name.to_lowercase().as_str())
            && !self.users.iter().any(|known| known == name);
        if is_telling {
            self.users.push(name.to_owned());
        }
    }

    /// Also hides the names in the paths that a session gives for itself.
    fn add_session(&mut self, session: &Session) {
        let files = session.journals.iter().map(|journal| journal.path.as_str());
        let places = [&session.origin.home, &session.project.path];
        for path in places
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain(files)
        {
            for parent in PARENTS {
                if let Some((_, rest)) = path.split_once(parent) {
                    self.add_user(rest.split(['/', '\\']).next().unwrap_or_default());
                }
            }
        }
        if let Some(user) = &session.origin.user {
            self.add_user(user);
        }
    }
}

/// The session with `~` in place of home directories and `[user]` in place of user names.
pub fn hide_paths(session: &Session, paths: &Paths) -> Session {
    let mut paths = paths.clone();
    paths.add_session(session);
    match Hider::new(&paths) {
        Some(mut hider) => rewritten(session, &mut hider),
        None => session.clone(),
    }
}

/// The search terms: parents of homes, then homes, then names, in this order.
struct Hider {
    automaton: AhoCorasick,
    homes: usize,
}

impl Hider {
    fn new(paths: &Paths) -> Option<Self> {
        let parents = PARENTS.iter().copied();
        let homes = paths.homes.iter().map(String::as_str);
        let users = paths.users.iter().map(String::as_str);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(parents.chain(homes).chain(users))
            .ok()?;
        Some(Self {
            automaton,
            homes: paths.homes.len(),
        })
    }

    fn hidden(&self, text: &str) -> Option<String> {
        let mut out: Option<String> = None;
        let mut copied = 0;
        for hit in self.automaton.find_iter(text) {
            let pattern = hit.pattern().as_usize();
            let after = &text[hit.end()..];
            let (start, end, replacement) = if pattern < PARENTS.len() {
                let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
                let length = after.find(is_end).unwrap_or(after.len());
                // A drive letter precedes the colon.
                let drive = usize::from(hit.start() > 0 && text[hit.start()..].starts_with(':'));
                (hit.start() - drive, hit.end() + length, "~")
            } else {
                let is_home = pattern < PARENTS.len() + self.homes;
                (hit.start(), hit.end(), if is_home { "~" } else { "[user]" })
            };
            let is_whole = !continues(text[..start].chars().next_back())
                && !continues(text[end..].chars().next());
            if start < copied || end == hit.end() && pattern < PARENTS.len() || !is_whole {
                continue;
            }
            let out = out.get_or_insert_default();
            out.push_str(&text[copied..start]);
            out.push_str(replacement);
            copied = end;
        }
        let mut out = out?;
        out.push_str(&text[copied..]);
        Some(out)
    }
}

/// True if a character forms one word with the name next to it.
fn continues(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

impl Rewriter for Hider {
    fn rewrite(&mut self, _: &'static str, _: TextKind<'_>, text: &str) -> Option<String> {
        self.hidden(text)
    }
}

/// Members of recorded JSON whose values are structure.
const STRUCTURE: &str = "\
    type role kind name id callId status mimeType timestamp model state schema";

/// Longer values of these members are text, whatever the member is called.
const LONGEST_WORD: usize = 80;

/// The session of `--content none`, for bug reports about gemtrail: every text is replaced by its
/// length, and what readers and writers base their decisions on is kept. There is not a word of
/// what was said, done or read.
pub fn outline(session: &Session) -> Session {
    let mut outlined = rewritten(session, &mut OutlineWriter);
    outlined.project.dir = outlined
        .project
        .dir
        .filter(|dir| gemtrail_core::model::is_hash(dir));
    outlined
}

struct OutlineWriter;

fn length(text: &str) -> Option<String> {
    // The outline of an outline is the same outline.
    if text.is_empty() || is_length(text) {
        return None;
    }
    Some(format!("[{} characters]", text.chars().count()))
}

fn is_length(text: &str) -> bool {
    text.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(" characters]"))
        .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

fn is_identifier(text: &str) -> bool {
    let allowed =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/' | b'$');
    text.len() <= LONGEST_WORD && text.bytes().all(allowed)
}

impl Rewriter for OutlineWriter {
    fn rewrite(&mut self, field: &'static str, kind: TextKind<'_>, text: &str) -> Option<String> {
        match kind {
            // These are gemtrail's own words, and often the reason for the report.
            TextKind::Text if field == "diagnostics" => None,
            TextKind::Member(name)
                if STRUCTURE.split(' ').any(|known| known == name) && is_identifier(text) =>
            {
                None
            }
            TextKind::Name if is_identifier(text) => None,
            // Session file names are Gemini CLI's own, and their form matters to a report.
            TextKind::Path => {
                let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
                let is_session = name.starts_with("session-") && is_identifier(name);
                is_session.then(|| name.to_owned()).or_else(|| length(text))
            }
            TextKind::Text | TextKind::Member(_) | TextKind::Name => length(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_names_are_hidden() {
        let mut paths = Paths::new();
        paths.add_home("/data/people/alice/");
        paths.add_home("/root");
        paths.add_user("bob");
        let hider = Hider::new(&paths).expect("few words");
        let hidden = |text: &str| hider.hidden(text).unwrap_or_else(|| text.to_owned());
        assert_eq!(hidden("/data/people/alice/src"), "~/src");
        assert_eq!(hidden("cd /home/carol && ls"), "cd ~ && ls");
        assert_eq!(hidden(r"C:\Users\carol\x C:\\Users\\carol\\y"), r"~\x ~\\y");
        assert_eq!(
            hidden("alice and bob, not alicent"),
            "[user] and [user], not alicent"
        );
        assert_eq!(hidden("/root/x /home/ /homeless"), "~/x /home/ /homeless");
        assert_eq!(
            hidden(&hidden("/Users/alice/bob")),
            hidden("/Users/alice/bob")
        );
    }
}
