//! A session without its secrets.

use gemtrail_core::model::Session;
use gemtrail_core::title_of;

use super::redactor::Redactor;
use super::rewrite::{self, Rewrite};

/// The session with placeholders in place of secrets.
///
/// A secret in one place is a secret everywhere: a password that a file gave away is also replaced
/// in the sentence that mentions it. So a session that holds secrets is processed twice.
pub fn redact_session(session: &Session, redactor: &mut Redactor) -> Session {
    redact_owned(session.clone(), redactor)
}

/// Like [`redact_session`], but takes the session instead of copying it.
pub fn redact_owned(session: Session, redactor: &mut Redactor) -> Session {
    let titles = Titles::of(&session);
    let mut redacted = session;
    rewrite::session(&mut redacted, redactor);
    titles.renew(&mut redacted);
    redactor.look_again(|redactor| {
        rewrite::session(&mut redacted, redactor);
        titles.renew(&mut redacted);
    });
    redacted
}

/// A copy of the session with its texts rewritten.
pub(super) fn rewritten(session: &Session, rewriter: &mut impl Rewrite) -> Session {
    let titles = Titles::of(session);
    let mut copy = session.clone();
    rewrite::session(&mut copy, rewriter);
    titles.renew(&mut copy);
    copy
}

/// The titles of a session and its subagents that were derived from its words. Such a title may end
/// in the middle of a secret, where no rule recognises it, so it is derived again from the redacted
/// words.
struct Titles {
    is_made: bool,
    subagents: Vec<Titles>,
}

impl Titles {
    fn of(session: &Session) -> Self {
        Self {
            is_made: session.title.is_some() && session.title == title_of(session),
            subagents: session.subagents.iter().map(Self::of).collect(),
        }
    }

    fn renew(&self, session: &mut Session) {
        if self.is_made {
            session.title = title_of(session);
        }
        for (titles, subagent) in self.subagents.iter().zip(&mut session.subagents) {
            titles.renew(subagent);
        }
    }
}
