//! What was requested of the model.

use crate::model::{Message, Role, Session, Tokens};
use crate::prices::{Cost, Money, Prices};

use super::{Selection, selected};

/// One request to the model.
///
/// Gemini CLI copies the counters of a request to one answer, so a request is an answer with
/// counters. Superseded answers were paid for as well, so they count.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The session it was made in.
    pub session: &'a Session,
    /// The session that a subagent worked for.
    pub parent: Option<&'a str>,
    /// The answer.
    pub message: &'a Message,
    /// Its counters.
    pub tokens: Tokens,
}

/// Every request of the session once, followed by those of its subagents.
pub fn requests(session: &Session, selection: Selection) -> Vec<Request<'_>> {
    let mut requests = Vec::new();
    collect(session, None, selection, &mut requests);
    requests
}

/// Every request of the session itself once.
pub fn own_requests(session: &Session, selection: Selection) -> impl Iterator<Item = Request<'_>> {
    let parent = session.parent.as_ref().map(AsRef::as_ref);
    selected(session, selection).filter_map(move |message| {
        Some(Request {
            session,
            parent,
            message,
            tokens: message.tokens.filter(|_| message.role == Role::Assistant)?,
        })
    })
}

impl Request<'_> {
    /// What it cost at list price; `None` if its model has no price.
    pub fn cost(&self, prices: &Prices) -> Option<Cost> {
        let (model, time) = (self.message.model.as_deref(), self.message.time.as_deref());
        prices.cost(model?, time, &self.tokens)
    }
}

/// What the requests of the session itself cost at list price, as far as their models have one;
/// `None` if none of them has.
pub fn own_cost(session: &Session, prices: &Prices) -> Option<Money> {
    let costs = own_requests(session, Selection::All).filter_map(|it| it.cost(prices));
    sum(costs.map(|cost| cost.amount))
}

/// The same, subagents included.
pub fn cost(session: &Session, prices: &Prices) -> Option<Money> {
    with_cost_of_subagents(own_cost(session, prices), session, prices)
}

/// The same, given what the session itself cost.
pub(super) fn with_cost_of_subagents(
    own: Option<Money>,
    session: &Session,
    prices: &Prices,
) -> Option<Money> {
    let subagents = session.subagents.iter().filter_map(|it| cost(it, prices));
    sum(own.into_iter().chain(subagents))
}

fn sum(costs: impl Iterator<Item = Money>) -> Option<Money> {
    costs.reduce(|sum, cost| sum + cost)
}

fn collect<'a>(
    session: &'a Session,
    parent: Option<&'a str>,
    selection: Selection,
    requests: &mut Vec<Request<'a>>,
) {
    requests.extend(own_requests(session, selection).map(|request| Request {
        parent: request.parent.or(parent),
        ..request
    }));
    for subagent in &session.subagents {
        collect(subagent, Some(session.id.as_str()), selection, requests);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SessionId, SupersededBy};
    use crate::view::test_support::{message, session, superseded};

    fn answer(text: &str) -> Message {
        Message {
            tokens: Some(Tokens::default()),
            ..message(Role::Assistant, text)
        }
    }

    #[test]
    fn answers_with_counters_are_requests_superseded_and_subagents_included() {
        let mut main = session([
            message(Role::Human, "one"),
            answer("two"),
            superseded(answer("three"), SupersededBy::Rewind),
            message(Role::Assistant, "a copy"),
        ]);
        main.id = SessionId::new("main");
        main.subagents.push(session([answer("four")]));
        let found = |selection| -> Vec<(&str, Option<&str>)> {
            let requests = requests(&main, selection).into_iter();
            requests
                .map(|it| (it.message.text.as_str(), it.parent))
                .collect()
        };
        let all = [("two", None), ("three", None), ("four", Some("main"))];
        assert_eq!(found(Selection::All), all);
        assert_eq!(found(Selection::Current), [all[0], all[2]]);
    }
}
