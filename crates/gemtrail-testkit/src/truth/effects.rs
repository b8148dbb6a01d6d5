//! Applies a client's quirk to the script; the result is what the files can say.

use super::script::{Answer, Called, Said, Script, ScriptTurn};
use crate::document::Counters;
use crate::quirk::Effect;

pub(super) fn apply(script: &mut Script, effect: &Effect) {
    match *effect {
        Effect::OnlyLogged => {
            script.cut_out(|_| true);
            script.subagent = None;
        }
        Effect::Deleted => {
            script.turns.clear();
            script.subagent = None;
        }
        Effect::PathUnknown => script.path_unknown = true,
        Effect::NoCalls => script.each_turn(forget_calls),
        Effect::CallsJoinRecordBefore => script.each_turn(join_calls),
        Effect::PromptsCutOut(prompts) => script.cut_out(|prompt| prompts.contains(&prompt)),
        Effect::CutStreamIsAnswer(counters) => {
            script.each_turn(|turn| record_cut_stream(turn, counters));
        }
        Effect::UnansweredCallsLost => script.each_answer(|answer| {
            answer.calls.retain(|call| call.answer != Answer::Unknown);
        }),
        Effect::UnansweredCallsCancelled => script.each_call(|call| {
            if call.answer == Answer::Unknown {
                call.answer = Answer::Cancelled;
            }
        }),
        Effect::AbortedThoughtsMoveOn => script.move_aborted_thoughts(),
        Effect::CallMadeAgainAfter(text) => script.each_turn(|turn| make_call_again(turn, text)),
        Effect::OutputMaskedOf(text) => script.each_answer(|answer| {
            if answer.text == text {
                for call in &mut answer.calls {
                    call.answer = Answer::Masked;
                }
            }
        }),
        Effect::JoinersDropped => script.each_answer(|answer| {
            answer.text = answer.text.replace('\u{200d}', "");
        }),
        Effect::ArgumentAdded { tool, key } => script.added_arguments.push((tool, key)),
        Effect::SnapshotRecorded { reply } => {
            let replies = std::iter::repeat_n(reply, script.snapshots.len());
            script.client_says.extend(replies);
        }
        Effect::ClientSays(words) => script.client_says.push(words),
        Effect::Superseded { prompt, from, by } => script.supersede(prompt, from, by),
        Effect::SubagentUnrecorded => script.subagent = None,
        Effect::SubagentPromptOnly => {
            script.subagent = Some(Vec::new());
            script.subagent_may_be_merged = true;
        }
        Effect::SubagentCallsUnrecorded => {
            for answer in script.subagent.iter_mut().flatten() {
                answer.calls.clear();
            }
        }
        Effect::SubagentInParent => script.move_subagent_into_parent(),
    }
}

impl Script {
    fn each_turn(&mut self, change: impl Fn(&mut ScriptTurn)) {
        self.turns.iter_mut().for_each(change);
    }

    fn each_answer(&mut self, change: impl Fn(&mut Said)) {
        self.each_turn(|turn| turn.answers.iter_mut().for_each(&change));
    }

    fn each_call(&mut self, change: impl Fn(&mut Called)) {
        self.each_answer(|answer| answer.calls.iter_mut().for_each(&change));
    }

    /// Removes turns from the conversation; the prompt log keeps what was typed.
    fn cut_out(&mut self, is_cut: impl Fn(&str) -> bool) {
        let (cut, kept) = std::mem::take(&mut self.turns)
            .into_iter()
            .partition(|turn| is_cut(&turn.prompt.text));
        self.turns = kept;
        let prompts = cut.into_iter().map(|turn: ScriptTurn| turn.prompt.text);
        self.only_logged.extend(prompts);
    }

    fn supersede(&mut self, prompt: &str, from: usize, by: &'static str) {
        for turn in &mut self.turns {
            if turn.prompt.text == prompt {
                let messages = std::iter::once(&mut turn.prompt).chain(&mut turn.answers);
                for message in messages.skip(from) {
                    message.superseded_by = Some(by);
                }
            }
        }
    }

    fn move_aborted_thoughts(&mut self) {
        let mut waiting = Vec::new();
        for answer in self.turns.iter_mut().flat_map(|turn| &mut turn.answers) {
            if answer.aborted {
                waiting.append(&mut answer.thoughts);
            } else {
                waiting.append(&mut answer.thoughts);
                answer.thoughts = std::mem::take(&mut waiting);
            }
        }
    }

    fn move_subagent_into_parent(&mut self) {
        let Some(mut agent) = self.subagent.take() else {
            return;
        };
        for answer in &mut agent {
            answer.calls.clear();
        }
        let calling = |turn: &ScriptTurn| turn.answers.iter().position(|a| !a.calls.is_empty());
        for turn in &mut self.turns {
            if let Some(place) = calling(turn) {
                if let Some(last) = agent.last_mut() {
                    last.calls = std::mem::take(&mut turn.answers[place].calls);
                }
                turn.answers.splice(place + 1..=place, agent);
                return;
            }
        }
    }
}

fn forget_calls(turn: &mut ScriptTurn) {
    let mut waiting = Vec::new();
    turn.answers.retain_mut(|answer| {
        answer.calls.clear();
        waiting.append(&mut answer.thoughts);
        if !answer.text.is_empty() {
            answer.thoughts = std::mem::take(&mut waiting);
        }
        !answer.text.is_empty()
    });
}

fn join_calls(turn: &mut ScriptTurn) {
    let mut records: Vec<Said> = Vec::new();
    for mut answer in std::mem::take(&mut turn.answers) {
        let calls_alone = answer.text.is_empty() && answer.thoughts.is_empty();
        match records.last_mut() {
            Some(before) if calls_alone => before.calls.append(&mut answer.calls),
            _ => records.push(answer),
        }
    }
    turn.answers = records;
}

fn record_cut_stream(turn: &mut ScriptTurn, counters: Counters) {
    if let Some(text) = turn.cut_stream.take() {
        let answer = Said {
            tokens: Some(counters),
            ..Said::answer(text.trim().to_owned())
        };
        turn.answers.insert(0, answer);
    }
}

fn make_call_again(turn: &mut ScriptTurn, text: &str) {
    let Some(place) = turn.answers.iter().position(|answer| answer.text == text) else {
        return;
    };
    let calls = turn.answers[..place].iter().flat_map(|a| a.calls.iter());
    let again = calls.last().cloned().map(|call| Called {
        answer: Answer::Unknown,
        ..call
    });
    let record = Said {
        calls: again.into_iter().collect(),
        ..Said::answer(String::new())
    };
    turn.answers.insert(place + 1, record);
}
