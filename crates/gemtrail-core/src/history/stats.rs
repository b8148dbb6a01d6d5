//! Token counters of headless output, which has them for the whole run.

use crate::json::{Node, Raw};
use crate::model::{MessageKind, Tokens};
use crate::replay::Replay;

/// What was counted, and the model if only one answered.
pub(super) struct Counted {
    tokens: Tokens,
    model: Option<String>,
}

impl Counted {
    /// `stats` of `--output-format json`.
    pub(super) fn of_output(stats: Node<'_>) -> Option<Self> {
        let models: Vec<_> = stats.get("models")?.members().collect();
        let counted = models.iter().filter_map(|(_, model)| {
            let counter = |name: &str| count(model.get("tokens")?.get(name));
            Some(Tokens {
                input: counter("prompt").or_else(|| counter("input"))?,
                output: counter("candidates").unwrap_or_default(),
                cached: counter("cached").unwrap_or_default(),
                thoughts: counter("thoughts").unwrap_or_default(),
                tool: counter("tool").unwrap_or_default(),
                total: counter("total").unwrap_or_default(),
            })
        });
        let model = match models.as_slice() {
            [(name, _)] => Some(name.clone().into_owned()),
            _ => None,
        };
        (!models.is_empty()).then(|| Self {
            tokens: counted.sum(),
            model,
        })
    }

    /// `stats` of the last event of `stream-json`, which does not tell thoughts apart.
    pub(super) fn of_stream(stats: Node<'_>) -> Option<Self> {
        let counter = |name: &str| count(stats.get(name));
        let tokens = Tokens {
            input: counter("input_tokens")?,
            output: counter("output_tokens").unwrap_or_default(),
            cached: counter("cached").unwrap_or_default(),
            total: counter("total_tokens").unwrap_or_default(),
            ..Tokens::default()
        };
        Some(Self {
            tokens,
            model: None,
        })
    }

    /// Counts them with the last answer: nothing tells which request they belong to.
    pub(super) fn give_to_answer(self, replay: &mut Replay) {
        let mut entries = replay.log_mut().entries.iter_mut();
        if let Some(answer) = entries.rfind(|entry| entry.kind == MessageKind::Gemini) {
            answer.tokens = Some(self.tokens);
            answer.model = answer.model.take().or(self.model);
        }
    }
}

fn count(node: Option<Node<'_>>) -> Option<u64> {
    node.and_then(Node::as_u64)
}

/// The counters in the `result` event of a stream.
pub(super) fn of_result(result: &Raw) -> Option<Counted> {
    Counted::of_stream(result.node().get("stats")?)
}
