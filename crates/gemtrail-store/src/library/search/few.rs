//! A few hits of each session, for people: two sessions should not fill a screen.

use std::hash::Hash;

use gemtrail_core::model::Role;
use gemtrail_query::Field;

use super::RowMap;
use super::sql::Candidate;

/// Leaves a few hits of each session, the sessions in the order of their first hits: what the person
/// typed before all else, and equal texts once, with their number.
pub(super) fn few_per_session<T, K: Copy + Eq + Hash>(
    hits: Vec<T>,
    most: usize,
    of: impl Fn(&mut T) -> (K, &mut Candidate),
) -> Vec<T> {
    let mut places: RowMap<K, usize> = RowMap::default();
    let mut sessions: Vec<Vec<T>> = Vec::new();
    let mut known: RowMap<(usize, u64), usize> = RowMap::default();
    for mut hit in hits {
        let (session, text) = of(&mut hit);
        let print = text.text;
        let at = *places.entry(session).or_insert(sessions.len());
        if at == sessions.len() {
            sessions.push(Vec::new());
        }
        if let Some(same) = known.get(&(at, print)) {
            of(&mut sessions[at][*same]).1.times += 1;
        } else {
            known.insert((at, print), sessions[at].len());
            sessions[at].push(hit);
        }
    }
    let few = sessions.into_iter().flat_map(|hits| {
        let (mut first, others): (Vec<T>, Vec<T>) = hits
            .into_iter()
            .map(|mut hit| (is_typed(of(&mut hit).1), hit))
            .fold((Vec::new(), Vec::new()), |mut sides, (is_typed, hit)| {
                let side = if is_typed { &mut sides.0 } else { &mut sides.1 };
                side.push(hit);
                sides
            });
        first.extend(others);
        first.truncate(most);
        first
    });
    few.collect()
}

/// True for what the person typed.
fn is_typed(text: &Candidate) -> bool {
    text.role == Some(Role::Human) && matches!(text.field, Field::Text | Field::Log)
}
