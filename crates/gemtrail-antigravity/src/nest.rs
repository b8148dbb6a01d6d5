//! Subagents in the conversations that started them.

use std::collections::{HashMap, HashSet};

use gemtrail_core::internal::settled;
use gemtrail_core::model::{Kind, Role, Session, SessionId, SessionRef};

use crate::conversation::Conversation;

/// Subagents further down than this stay at the top: sessions that are nested too deep could not be
/// written or dropped.
const DEEPEST: usize = 32;

/// Nests subagents in the conversations that started them; the others keep their order.
///
/// A subagent's own file does not always tell that it is one, so all conversations of a home are
/// needed. What claims to be its own ancestor stays where it is.
pub fn nest(conversations: Vec<Conversation>) -> Vec<Session> {
    let mut parents: HashMap<SessionId, SessionId> = HashMap::new();
    let known: HashSet<SessionId> = conversations
        .iter()
        .map(|it| it.session.id.clone())
        .collect();
    for it in &conversations {
        for agent in it.agents.iter().filter(|agent| known.contains(agent)) {
            let parent = it.session.id.clone();
            parents.entry(agent.clone()).or_insert(parent);
        }
        let parent = it.session.parent.as_ref();
        if let Some(parent) = parent.filter(|parent| known.contains(parent)) {
            parents.insert(it.session.id.clone(), parent.clone());
        }
    }
    // Two programs may keep the same conversation.
    let mut seen = HashSet::new();
    let ids = conversations.iter().map(|it| it.session.id.clone());
    let order: Vec<SessionId> = ids.filter(|id| seen.insert(id.clone())).collect();
    let depth = |id: &SessionId| {
        let up = std::iter::successors(parents.get(id), |id| parents.get(id));
        up.take(DEEPEST + 1).count()
    };
    let mut children: HashMap<SessionId, Vec<SessionId>> = HashMap::new();
    let mut top = Vec::new();
    for id in order {
        match parents.get(&id).filter(|_| depth(&id) <= DEEPEST) {
            Some(parent) => children.entry(parent.clone()).or_default().push(id),
            None => top.push(id),
        }
    }
    let mut sessions: HashMap<SessionId, Session> = HashMap::new();
    let mut doubles = Vec::new();
    for it in conversations {
        if let Some(double) = sessions.insert(it.session.id.clone(), it.session) {
            doubles.push(double);
        }
    }
    // Deepest first, so that each is complete when its parent takes it; without recursion, since
    // the files say how deep it goes.
    let mut walk = top.clone();
    let mut at = 0;
    while let Some(id) = walk.get(at) {
        let below = children.get(id).cloned().unwrap_or_default();
        walk.extend(below);
        at += 1;
    }
    for id in walk.iter().rev() {
        let agents: Vec<Session> = children
            .get(id)
            .into_iter()
            .flatten()
            .filter_map(|agent| sessions.remove(agent))
            .collect();
        if let Some(parent) = sessions.get_mut(id) {
            let (id, reference) = (parent.id.clone(), parent.reference);
            let adopt = |agent: Session| as_subagent(agent, &id, reference);
            parent.subagents.extend(agents.into_iter().map(adopt));
        }
    }
    let top = top.iter().filter_map(|id| sessions.remove(id));
    top.chain(doubles).collect()
}

/// Returns the session of a subagent. No person typed in it.
pub fn as_subagent(mut session: Session, parent: &SessionId, parent_ref: SessionRef) -> Session {
    session.kind = Kind::Subagent;
    session.parent = Some(parent.clone());
    session.parent_ref = Some(parent_ref);
    for message in &mut session.messages {
        if message.role == Role::Human {
            message.role = Role::Agent;
        }
    }
    session.models.clear();
    settled(session)
}
