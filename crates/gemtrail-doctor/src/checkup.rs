//! The examination of one project: reads each of its files once, at the detail a list needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gemtrail_core::model::{Diagnostic, Session};
use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::load::Depth;
use gemtrail_home::project::ProjectEntry;
use gemtrail_home::versions::load_all;
use gemtrail_store::Library;
use jiff::Timestamp;

use super::journal::JournalFacts;
use super::lost::{self, Evidence};
use super::report::{AtRisk, Exception, HomeReport, LostSession};
use super::risk::{self, Chats};
use super::settings::HomeSettings;
use super::unknown::Recent;
use super::{counts, findings, outputs, unknown};

/// The findings about one project.
#[derive(Debug, Default)]
pub(super) struct Checkup {
    /// The numbers that it adds to those of its homes.
    pub(super) counts: BTreeMap<usize, HomeReport>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) exceptions: Vec<Exception>,
    pub(super) at_risk: Vec<AtRisk>,
    pub(super) lost: Vec<LostSession>,
    /// Its newest sessions.
    pub(super) newest: Vec<Recent>,
}

impl Checkup {
    pub(super) fn of(
        entry: &ProjectEntry,
        library: &Library,
        settings: &[HomeSettings<'_>],
        now: Timestamp,
    ) -> Self {
        let files = entry.files();
        let is_journal = |(_, file): &&(usize, FoundFile)| {
            file.kind.is_journal() && !file.kind.is_conversation()
        };
        let of_sessions: Vec<&(usize, FoundFile)> = files.iter().filter(is_journal).collect();
        let prompts = Catalog::read_prompts(entry);
        let (loaded, mut diagnostics) = load_all(&of_sessions, Depth::Checkup);
        let journals: Vec<JournalFacts> = loaded.iter().map(JournalFacts::of).collect();
        diagnostics.extend(findings::conflicting_copies(&loaded));
        let sessions = library.catalog().join(entry, loaded, &prompts);
        for session in &sessions {
            take_diagnostics(session, &mut diagnostics);
        }
        let hash = entry.project().hash.as_deref();
        diagnostics.extend(findings::of_other_projects(&journals, hash));
        diagnostics.extend(outputs::missing(&journals, files));
        let logs = findings::prompt_logs(files, &mut diagnostics);
        let logged = findings::by_session(&logs);
        let mut of_session: HashMap<&str, Vec<&JournalFacts>> = HashMap::new();
        for journal in &journals {
            of_session
                .entry(&journal.session)
                .or_default()
                .push(journal);
        }
        let histories = findings::saved_histories(files, &mut diagnostics);
        let mut checkup = Self {
            counts: counts::sessions(entry, &journals, &sessions, (&logs, &logged)),
            lost: lost::lost(&Evidence {
                project: entry.project(),
                files,
                journals: of_session,
                sessions: &sessions,
                logs: &logged,
                histories: &histories,
            }),
            newest: unknown::newest(&sessions),
            diagnostics,
            ..Self::default()
        };
        let own = files
            .iter()
            .filter(|(_, file)| file.kind.is_of_gemini_cli());
        let homes: BTreeSet<usize> = own.map(|(home, _)| *home).collect();
        for home in homes {
            let here = journals.iter().filter(|journal| journal.home == home);
            checkup.retention(&settings[home], entry, here, &sessions, now);
        }
        checkup
    }

    /// Adds what the settings of a home mean for the project.
    fn retention<'j>(
        &mut self,
        settings: &HomeSettings<'_>,
        entry: &ProjectEntry,
        journals: impl Iterator<Item = &'j JournalFacts>,
        sessions: &[Session],
        now: Timestamp,
    ) {
        let (project, home) = (entry.project(), settings.path());
        let policy = settings.policy_of(project.path.as_deref(), &mut self.diagnostics);
        if !policy.is_same(&settings.policy) {
            self.exceptions.push(Exception {
                home: home.clone(),
                project: Some(project.clone()),
                policy: policy.clone(),
            });
        }
        let listed = journals.filter(|it| it.kind == FileKind::Journal);
        for journals in risk::cleaned(listed.map(JournalFacts::listed), &policy) {
            let chats = Chats {
                home: home.clone(),
                project,
                policy: &policy,
                journals,
                now,
            };
            let at_risk = chats.at_risk(sessions, &mut self.diagnostics);
            self.at_risk.extend(at_risk);
        }
    }
}

fn take_diagnostics(session: &Session, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(session.diagnostics.iter().cloned());
    for agent in &session.subagents {
        take_diagnostics(agent, diagnostics);
    }
}
