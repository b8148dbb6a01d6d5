//! The facts of a session in a column.
//!
//! Statistics read all of them, so they must be quick to read: a request takes about 20 bytes.

use std::io;

use gemtrail_core::stats::{CallFacts, EditFacts, RequestFacts, SessionFacts, StrayLines};

use crate::archive::db::compact::{Packer, Unpacked, Unpacker};

/// Encodes the facts.
pub(crate) fn pack(facts: &SessionFacts) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.list(&facts.models, |packer, name| packer.text(name));
    packer.list(&facts.tools, |packer, name| packer.text(name));
    packer.list(&facts.requests, Packer::request);
    packer.list(&facts.calls, Packer::calls);
    packer.list(&facts.files, |packer, path| packer.text(path));
    packer.list(&facts.edits, Packer::edits);
    packer.list(&facts.strays, Packer::stray);
    packer.list(&facts.agents, |packer, (id, name)| {
        packer.text(id);
        packer.text(name);
    });
    packer.into_bytes()
}

/// Decodes what [`pack`] wrote.
pub(crate) fn unpack(data: &[u8]) -> io::Result<SessionFacts> {
    let mut rest = Unpacker::new(data);
    let facts = rest.facts()?;
    rest.end()?;
    Ok(facts)
}

impl Packer {
    fn request(&mut self, request: &RequestFacts) {
        self.time(request.time);
        self.place(request.model);
        self.place(request.tool);
        // Most lines say what the request used, as often as it was written.
        let is_usual = request.written == request.tokens.times(request.lines);
        let flags = u64::from(request.is_current) | u64::from(is_usual) << 1;
        self.number(flags);
        self.tokens(&request.tokens);
        self.number(request.lines);
        self.number(request.places);
        if !is_usual {
            self.tokens(&request.written);
        }
    }

    fn calls(&mut self, facts: &CallFacts) {
        self.time(facts.time);
        self.place(facts.model);
        self.number(u64::from(facts.tool));
        for number in [facts.calls, facts.errors, facts.cancelled, facts.failures] {
            self.number(number);
        }
    }

    fn edits(&mut self, facts: &EditFacts) {
        self.time(facts.time);
        self.place(facts.model);
        self.number(u64::from(facts.file));
        self.number(facts.edits);
    }

    fn stray(&mut self, stray: &StrayLines) {
        self.time(stray.time);
        self.number(stray.lines);
        self.tokens(&stray.tokens);
    }
}

impl Unpacker<'_> {
    fn facts(&mut self) -> Unpacked<SessionFacts> {
        Ok(SessionFacts {
            models: self.list(Self::text)?,
            tools: self.list(Self::text)?,
            requests: self.list(Self::request)?,
            calls: self.list(Self::calls)?,
            files: self.list(Self::text)?,
            edits: self.list(Self::edits)?,
            strays: self.list(Self::stray)?,
            agents: self.list(|rest| Ok((rest.text()?, rest.text()?)))?,
        })
    }

    fn request(&mut self) -> Unpacked<RequestFacts> {
        let (time, model, tool) = (self.time()?, self.place()?, self.place()?);
        let flags = self.number()?;
        let tokens = self.tokens()?;
        let (lines, places) = (self.number()?, self.number()?);
        let written = if flags & 2 == 0 {
            self.tokens()?
        } else {
            tokens.times(lines)
        };
        Ok(RequestFacts {
            time,
            model,
            tool,
            is_current: flags & 1 != 0,
            tokens,
            lines,
            places,
            written,
        })
    }

    fn calls(&mut self) -> Unpacked<CallFacts> {
        Ok(CallFacts {
            time: self.time()?,
            model: self.place()?,
            tool: u32::try_from(self.number()?)?,
            calls: self.number()?,
            errors: self.number()?,
            cancelled: self.number()?,
            failures: self.number()?,
        })
    }

    fn edits(&mut self) -> Unpacked<EditFacts> {
        Ok(EditFacts {
            time: self.time()?,
            model: self.place()?,
            file: u32::try_from(self.number()?)?,
            edits: self.number()?,
        })
    }

    fn stray(&mut self) -> Unpacked<StrayLines> {
        Ok(StrayLines {
            time: self.time()?,
            lines: self.number()?,
            tokens: self.tokens()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use gemtrail_core::model::Tokens;
    use proptest::prelude::*;

    use super::*;

    fn tokens() -> impl Strategy<Value = Tokens> {
        any::<[u64; 6]>().prop_map(|it| Tokens {
            input: it[0],
            output: it[1],
            cached: it[2],
            thoughts: it[3],
            tool: it[4],
            total: it[5],
        })
    }

    fn time() -> impl Strategy<Value = Option<i64>> {
        // Every time that can be written down.
        proptest::option::of(-400_000_000_000_000_i64..400_000_000_000_000)
    }

    prop_compose! {
        fn request()(time in time(), model in any::<Option<u16>>(), tool in any::<Option<u16>>(),
                     is_current in any::<bool>(), tokens in tokens(), lines in 0_u64..4, places in 0_u64..4,
                     written in proptest::option::of(tokens())) -> RequestFacts {
            let written = written.unwrap_or_else(|| tokens.times(lines));
            RequestFacts { time, model: model.map(u32::from), tool: tool.map(u32::from), is_current,
                tokens, lines, places, written }
        }
    }

    prop_compose! {
        fn call()(time in time(), model in any::<Option<u16>>(), tool in any::<u16>(),
                  counts in any::<[u64; 4]>()) -> CallFacts {
            CallFacts { time, model: model.map(u32::from), tool: u32::from(tool), calls: counts[0],
                errors: counts[1], cancelled: counts[2], failures: counts[3] }
        }
    }

    prop_compose! {
        fn edit()(time in time(), model in any::<Option<u16>>(), file in any::<u16>(),
                  edits in any::<u64>()) -> EditFacts {
            EditFacts { time, model: model.map(u32::from), file: u32::from(file), edits }
        }
    }

    prop_compose! {
        fn facts()(models in any::<Vec<String>>(), tools in any::<Vec<String>>(),
                   requests in proptest::collection::vec(request(), 0..5),
                   calls in proptest::collection::vec(call(), 0..5),
                   files in any::<Vec<String>>(),
                   edits in proptest::collection::vec(edit(), 0..5),
                   strays in proptest::collection::vec((time(), any::<u64>(), tokens()), 0..3),
                   agents in any::<Vec<(String, String)>>()) -> SessionFacts {
            let stray = |(time, lines, tokens)| StrayLines { time, lines, tokens };
            let strays = strays.into_iter().map(stray).collect();
            SessionFacts { models, tools, requests, calls, files, edits, strays, agents }
        }
    }

    proptest! {
        #[test]
        fn facts_come_back(facts in facts()) {
            let packed = pack(&facts);
            prop_assert_eq!(unpack(&packed).ok(), Some(facts));
            if let Some(short) = packed.len().checked_sub(1) {
                prop_assert!(unpack(&packed[..short]).is_err());
            }
        }

        #[test]
        fn damage_is_noticed_or_harmless(bytes in any::<Vec<u8>>()) {
            let _ = unpack(&bytes);
        }
    }
}
