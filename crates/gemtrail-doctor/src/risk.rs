//! Which sessions of a project Gemini CLI is about to delete.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use gemtrail_core::internal::is_restored;
use gemtrail_core::model::{Code, Diagnostic, Project, Session, SessionId, SessionRef, is_hash};
use gemtrail_core::stem_of;
use jiff::{SignedDuration, Timestamp};

use super::DAYS_AHEAD;
use super::fate::{Fate, ListedFile, fates};
use super::report::{AtRisk, DoomedJournal, Policy, Risk};
use super::when;

/// Everything that affects the journals of one chats directory.
pub(super) struct Chats<'a> {
    pub(super) home: String,
    pub(super) project: &'a Project,
    pub(super) policy: &'a Policy,
    pub(super) journals: Vec<ListedFile<'a>>,
    pub(super) now: Timestamp,
}

/// A session's reference, its title and when it was last updated.
type Told<'a> = (SessionRef, &'a Option<String>, &'a Option<String>);

/// The files in each chats directory that the clean-up reaches.
pub(super) fn cleaned<'a>(
    files: impl Iterator<Item = ListedFile<'a>>,
    policy: &Policy,
) -> Vec<Vec<ListedFile<'a>>> {
    let mut directories: BTreeMap<&Path, Vec<ListedFile<'a>>> = BTreeMap::new();
    for file in files {
        if let Some(directory) = file.project_dir() {
            directories.entry(directory).or_default().push(file);
        }
    }
    let paths: Vec<&Path> = directories.keys().copied().collect();
    let directories = directories.into_iter();
    let cleaned = directories.filter(|(directory, _)| is_cleaned(directory, &paths, policy));
    cleaned.map(|(_, files)| files).collect()
}

/// The conversations of a chats directory that will be deleted soon: their files, by session.
pub(super) fn doomed<'a>(
    files: &[ListedFile<'a>],
    policy: &Policy,
    now: Timestamp,
) -> BTreeMap<&'a str, Vec<(usize, Fate)>> {
    let horizon = now.saturating_add(SignedDuration::from_hours(24 * DAYS_AHEAD));
    let horizon = horizon.unwrap_or(Timestamp::MAX);
    let mut by_session: BTreeMap<&str, Vec<(usize, Fate)>> = BTreeMap::new();
    let mut restored: HashSet<&str> = HashSet::new();
    for (at, (file, fate)) in files.iter().zip(fates(files, policy, now)).enumerate() {
        let soon = fate.filter(|fate| fate.after.is_none_or(|after| after <= horizon));
        if !file.facts.has_conversation {
            continue;
        }
        if let Some(fate) = soon {
            by_session.entry(file.session).or_default().push((at, fate));
        } else if is_restored(stem_of(&file.path.to_string_lossy()), file.session) {
            restored.insert(file.session);
        }
    }
    // What was put back under a safe name stays, whatever becomes of the journal that it is for.
    by_session.retain(|session, _| !restored.contains(session));
    by_session
}

/// True if the clean-up reaches a project directory. Releases since 0.29 clean only the slug
/// directory; earlier ones cleaned nothing unless the settings asked for it.
fn is_cleaned(directory: &Path, others: &[&Path], policy: &Policy) -> bool {
    let is_slug = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| !is_hash(&name))
    };
    let beside = |other: &&&Path| other.parent() == directory.parent();
    policy.enabled
        && (is_slug(directory)
            || policy.is_explicit() && !others.iter().filter(beside).any(|other| is_slug(other)))
}

impl Chats<'_> {
    /// The sessions that will be deleted soon, with findings about those deleted by mistake.
    pub(super) fn at_risk(
        &self,
        sessions: &[Session],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<AtRisk> {
        let by_session = doomed(&self.journals, self.policy, self.now);
        self.report_strays(&by_session, diagnostics);
        let titles: HashMap<&str, Told<'_>> = sessions
            .iter()
            .map(|it| (it.id.as_str(), (it.reference, &it.title, &it.updated)))
            .collect();
        let mut at_risk = Vec::new();
        for (id, doomed) in by_session {
            if let Some(entry) = self.entry(id, &doomed, titles.get(id).copied()) {
                if entry.risk.is_danger() {
                    diagnostics.extend(
                        doomed
                            .iter()
                            .map(|(at, fate)| self.danger(self.journals[*at], *fate)),
                    );
                }
                at_risk.push(entry);
            }
        }
        at_risk
    }

    fn entry(
        &self,
        id: &str,
        doomed: &[(usize, Fate)],
        session: Option<Told<'_>>,
    ) -> Option<AtRisk> {
        let (_, fate) = doomed
            .iter()
            .min_by_key(|(_, fate)| (fate.after, !fate.risk.is_danger()))?;
        let because_of = self.journals[fate.because_of].path;
        let is_own = doomed.iter().any(|(at, _)| *at == fate.because_of);
        let times = doomed
            .iter()
            .map(|(at, _)| self.journals[*at].facts.updated);
        let updated = times.flatten().max();
        Some(AtRisk {
            reference: session.map(|(reference, _, _)| reference),
            session: SessionId::new(id),
            project: self.project.clone(),
            home: self.home.clone(),
            title: session.and_then(|(_, title, _)| title.clone()),
            updated: session
                .and_then(|(_, _, updated)| updated.clone())
                .or_else(|| updated.map(when)),
            risk: fate.risk,
            deleted_after: fate.after.map(when),
            because_of: (!is_own).then(|| because_of.to_string_lossy().into_owned()),
            journals: doomed
                .iter()
                .map(|(at, fate)| doomed_journal(self.journals[*at], *fate))
                .collect(),
            archived: None,
        })
    }

    fn danger(&self, journal: ListedFile<'_>, fate: Fate) -> Diagnostic {
        let because_of = self.journals[fate.because_of];
        let name = because_of
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let what = match (journal.facts.rejection, because_of.facts.rejection) {
            (Some(rejection), _) => format!(
                "Gemini CLI will delete it at its next start: {}",
                rejection.words()
            ),
            (None, Some(_)) if fate.risk == Risk::Stray => format!(
                "Gemini CLI 0.47 to 0.61 will delete it together with {name}, which --resume left, \
                 unless you resume it at the next start"
            ),
            (None, Some(rejection)) => format!(
                "Gemini CLI will delete it together with {name}, unless you resume it at the next \
                 start: {}",
                rejection.words()
            ),
            (None, None) => format!("Gemini CLI will delete it together with {name}"),
        };
        Diagnostic::new(Code::EndangeredSession, what).in_journal(journal.path.to_string_lossy())
    }

    /// Files without conversation that take a journal with them.
    fn report_strays(
        &self,
        doomed: &BTreeMap<&str, Vec<(usize, Fate)>>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let victims: HashSet<&str> = doomed
            .values()
            .flatten()
            .filter_map(|(at, _)| self.journals[*at].suffix())
            .collect();
        for journal in &self.journals {
            let suffix = journal.suffix();
            if journal.facts.is_stray() && suffix.is_some_and(|suffix| victims.contains(suffix)) {
                let what = "an empty file; when Gemini CLI removes it, it also removes every file \
                            whose name has the same ending";
                diagnostics.push(
                    Diagnostic::new(Code::ResumeStray, what)
                        .in_journal(journal.path.to_string_lossy()),
                );
            }
        }
    }
}

/// Renaming helps against a namesake, not against age or a fault of the file itself.
fn doomed_journal(journal: ListedFile<'_>, fate: Fate) -> DoomedJournal {
    let helps = fate.risk.is_danger() && journal.facts.rejection.is_none();
    DoomedJournal {
        path: journal.path.to_string_lossy().into_owned(),
        safe_name: safe_name(journal).filter(|_| helps),
    }
}

/// A name that does not end in the start of the session id, by which the clean-up matches.
fn safe_name(journal: ListedFile<'_>) -> Option<String> {
    let name = journal.path.file_name()?.to_str()?;
    let suffix = journal.suffix()?;
    let first = if suffix.starts_with('r') { 'x' } else { 'r' };
    let at = name.rfind(suffix)?;
    Some(format!("{}{first}{}", &name[..at], &name[at + 1..]))
}
