//! A session without its secrets.

use gemtrail_core::model::Session;
use gemtrail_core::title_of;

use super::redactor::Redactor;
use super::rewrite::{self, Rewrite};

/// The same session with placeholders in place of secrets.
///
/// What is a secret in one place is one everywhere: a password that a file gave away is also
/// replaced in the sentence that mentions it. So a session that holds secrets is gone through a
/// second time.
pub fn redact_session(session: &Session, redactor: &mut Redactor) -> Session {
    let mut redacted = rewritten(session, redactor);
    if redactor.learn() {
        rewrite::session(&mut redacted, redactor);
        set_titles(session, &mut redacted);
    }
    redacted
}

/// A copy with its texts rewritten.
pub(super) fn rewritten(session: &Session, rewriter: &mut impl Rewrite) -> Session {
    let mut copy = session.clone();
    rewrite::session(&mut copy, rewriter);
    set_titles(session, &mut copy);
    copy
}

/// A title may end in the middle of a secret, where no rule knows it any more. So it is made again
/// from the words that it was made of.
fn set_titles(session: &Session, redacted: &mut Session) {
    if session.title.is_some() && session.title == title_of(session) {
        redacted.title = title_of(redacted);
    }
    for (session, redacted) in session.subagents.iter().zip(&mut redacted.subagents) {
        set_titles(session, redacted);
    }
}
