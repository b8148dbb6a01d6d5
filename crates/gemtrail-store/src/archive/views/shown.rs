//! What lists show of a session, in a column.
//!
//! A list reads the rows of all sessions, a hundred thousand of them if need be, so that a row must
//! take next to no time to decode: about 300 bytes, and no compression.

use std::io;
use std::sync::Arc;

use gemtrail_core::model::{Counts, Format, Kind, Money, Origin, SessionId, SessionRef};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;

use super::words::word;
use crate::archive::db::compact::{Damaged, Packer, Unpacked, Unpacker};
use crate::library::ListRow;

/// Encodes a row. Its project has a column of its own; whether it is on disk is found out later.
pub(crate) fn encode(row: &ListRow) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.text(row.reference.as_str());
    packer.option(row.parent_ref, |packer, it| packer.text(it.as_str()));
    packer.text(row.id.as_str());
    packer.list(&row.stems, |packer, stem| packer.text(stem));
    packer.origin(&row.origin);
    packer.number(match row.kind {
        Kind::Main => 0,
        Kind::Subagent => 1,
        Kind::Log => 2,
    });
    packer.option(row.parent.as_ref(), |packer, it| packer.text(it.as_str()));
    packer.option(row.title.as_deref(), Packer::text);
    packer.option(row.started.as_deref(), Packer::text);
    packer.option(row.updated.as_deref(), Packer::text);
    packer.list(&row.models, |packer, model| packer.text(model));
    packer.counts(&row.counts);
    packer.tokens(&row.tokens_with_subagents);
    packer.option(row.cost_with_subagents, Packer::money);
    packer.list(&row.paths, |packer, path| packer.text(path));
    packer.option(row.format, |packer, format| packer.text(&word(&format)));
    packer.number(row.logged_count);
    packer.into_bytes()
}

/// The few members of a row that a check-up needs.
pub(crate) struct Glance<'a> {
    pub(crate) id: &'a str,
    pub(crate) title: Option<&'a str>,
    pub(crate) updated: Option<&'a str>,
}

/// Decodes a part of what [`encode`] wrote.
pub(crate) fn glance(data: &[u8]) -> Unpacked<Glance<'_>> {
    let mut rest = Unpacker::new(data);
    rest.str()?;
    rest.option(Unpacker::str)?;
    let id = rest.str()?;
    rest.list(Unpacker::str)?;
    for _ in 0..3 {
        rest.option(Unpacker::str)?;
    }
    rest.number()?;
    rest.option(Unpacker::str)?;
    let title = rest.option(Unpacker::str)?;
    rest.option(Unpacker::str)?;
    let updated = rest.option(Unpacker::str)?;
    Ok(Glance { id, title, updated })
}

/// Decodes rows. Neighbours share what they have in common.
#[derive(Default)]
pub(crate) struct Decoder {
    origin: Arc<Origin>,
    models: Arc<[String]>,
}

impl Decoder {
    /// Decodes what [`encode`] wrote.
    pub(crate) fn decode(&mut self, data: &[u8], is_listed: bool) -> io::Result<ListRow> {
        let mut rest = Unpacker::new(data);
        let mut row = self.row(&mut rest)?;
        rest.end()?;
        row.has_conversation = is_listed || row.counts.human + row.counts.assistant > 0;
        Ok(row)
    }

    fn row(&mut self, rest: &mut Unpacker<'_>) -> Unpacked<ListRow> {
        Ok(ListRow {
            reference: rest.reference()?,
            parent_ref: rest.option(Unpacker::reference)?,
            number: None,
            id: SessionId::new(rest.str()?),
            stems: rest.list(Unpacker::text)?,
            project: Arc::default(),
            origin: self.origin(rest)?,
            kind: match rest.number()? {
                0 => Kind::Main,
                1 => Kind::Subagent,
                2 => Kind::Log,
                _ => return Err(Damaged),
            },
            parent: rest.option(|rest| rest.str().map(SessionId::new))?,
            title: rest.option(Unpacker::text)?,
            started: rest.option(Unpacker::text)?,
            updated: rest.option(Unpacker::text)?,
            models: self.models(rest)?,
            counts: rest.counts()?,
            tokens_with_subagents: rest.tokens()?,
            cost_with_subagents: rest.option(Unpacker::money)?,
            paths: rest.list(Unpacker::text)?,
            format: rest.option(Unpacker::format)?,
            logged_count: rest.number()?,
            on_disk: false,
            archived: true,
            has_conversation: false,
        })
    }

    fn models(&mut self, rest: &mut Unpacker<'_>) -> Unpacked<Arc<[String]>> {
        let models = rest.list(Unpacker::str)?;
        if *self.models != *models {
            self.models = models.into_iter().map(str::to_owned).collect();
        }
        Ok(Arc::clone(&self.models))
    }

    fn origin(&mut self, rest: &mut Unpacker<'_>) -> Unpacked<Arc<Origin>> {
        let mut part = || rest.option(Unpacker::str);
        let (home, host, user) = (part()?, part()?, part()?);
        let last = &self.origin;
        let is_same = last.home.as_deref() == home
            && last.host.as_deref() == host
            && last.user.as_deref() == user;
        if !is_same {
            self.origin = Arc::new(Origin {
                home: home.map(str::to_owned),
                host: host.map(str::to_owned),
                user: user.map(str::to_owned),
            });
        }
        Ok(Arc::clone(&self.origin))
    }
}

impl Packer {
    fn origin(&mut self, origin: &Origin) {
        for part in [&origin.home, &origin.host, &origin.user] {
            self.option(part.as_deref(), Self::text);
        }
    }

    fn counts(&mut self, counts: &Counts) {
        for number in [
            counts.messages,
            counts.human,
            counts.assistant,
            counts.tool_calls,
            counts.tool_errors,
            counts.tool_failures,
            counts.superseded,
        ] {
            self.number(number);
        }
    }

    fn money(&mut self, money: Money) {
        let (low, high) = money.to_halves();
        self.number(low);
        self.number(high);
    }
}

impl Unpacker<'_> {
    fn reference(&mut self) -> Unpacked<SessionRef> {
        self.str()?.parse().map_err(|_| Damaged)
    }

    fn counts(&mut self) -> Unpacked<Counts> {
        Ok(Counts {
            messages: self.number()?,
            human: self.number()?,
            assistant: self.number()?,
            tool_calls: self.number()?,
            tool_errors: self.number()?,
            tool_failures: self.number()?,
            superseded: self.number()?,
        })
    }

    pub(super) fn format(&mut self) -> Unpacked<Format> {
        let word = self.str()?;
        Format::deserialize(word.into_deserializer()).map_err(|_: serde::de::value::Error| Damaged)
    }

    fn money(&mut self) -> Unpacked<Money> {
        Ok(Money::from_halves(self.number()?, self.number()?))
    }
}

#[cfg(test)]
mod tests {
    use gemtrail_core::Sources;
    use gemtrail_core::model::{SessionRow, Tokens};
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn tokens()(it in any::<[u64; 6]>()) -> Tokens {
            Tokens { input: it[0], output: it[1], cached: it[2], thoughts: it[3], tool: it[4], total: it[5] }
        }
    }

    prop_compose! {
        fn row()(texts in any::<[Option<String>; 8]>(), lists in any::<[Vec<String>; 3]>(),
                 is_agent in any::<bool>(), tokens in tokens(), logged_count in any::<u64>(),
                 money in any::<Option<(u64, u64)>>()) -> ListRow {
            let mut row = ListRow::from(&SessionRow::from_session(Sources::default().assemble()));
            let [id, home, host, user, parent, title, started, updated] = texts;
            let [stems, models, paths] = lists;
            row.reference = SessionRef::new("p", None, id.as_deref().unwrap_or_default(), None);
            row.parent_ref = parent.as_deref().map(|it| SessionRef::new("p", None, it, None));
            row.id = SessionId::new(id.unwrap_or_default());
            row.origin = Arc::new(Origin { home, host, user });
            row.kind = if is_agent { Kind::Subagent } else { Kind::Log };
            row.counts.messages = tokens.tool;
            row.counts.superseded = tokens.input;
            row.cost_with_subagents = money.map(|(low, high)| Money::from_halves(low, high));
            row.parent = row.title.take().map(SessionId::new);
            row.format = is_agent.then_some(Format::Jsonl);
            row.archived = true;
            row.on_disk = false;
            ListRow { title, started, updated, stems, models: models.into(), paths, logged_count,
                tokens_with_subagents: tokens, ..row }
        }
    }

    proptest! {
        #[test]
        fn rows_come_back(rows in proptest::collection::vec(row(), 1..4)) {
            let mut decoder = Decoder::default();
            for row in rows {
                let packed = encode(&row);
                let glance = glance(&packed).ok().map(|it| (it.id, it.title, it.updated));
                let shown = (row.id.as_str(), row.title.as_deref(), row.updated.as_deref());
                prop_assert_eq!(glance, Some(shown));
                prop_assert_eq!(decoder.decode(&packed, row.has_conversation).ok(), Some(row));
                prop_assert!(decoder.decode(&packed[..packed.len() - 1], true).is_err());
            }
        }

        #[test]
        fn damage_is_noticed_or_harmless(bytes in any::<Vec<u8>>()) {
            let _ = Decoder::default().decode(&bytes, true);
        }
    }
}
