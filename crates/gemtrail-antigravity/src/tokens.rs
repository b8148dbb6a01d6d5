//! Token counters of one request.

use gemtrail_core::model::Tokens;

use crate::wire::WireRecord;

/// Counters, and whether they contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) tokens: Tokens,
    pub(crate) is_odd: bool,
}

impl Usage {
    /// The counters of a stored usage; `None` if it has none.
    pub(crate) fn read(usage: WireRecord<'_>) -> Option<Self> {
        const COUNTERS: [u32; 6] = [2, 3, 5, 9, 10, 14];
        if !COUNTERS.iter().any(|number| usage.has(*number)) {
            return None;
        }
        let (input, cached) = (usage.count(2), usage.count(5));
        let (all_output, thoughts) = (usage.count(3), usage.count(9));
        let output = all_output.saturating_sub(thoughts);
        let mut tokens = Tokens {
            input,
            output,
            cached,
            thoughts,
            ..Tokens::default()
        };
        let mut is_odd = thoughts.checked_add(usage.count(10)) != Some(all_output);
        if usage.has(14) {
            let details = usage.records(14).map(|detail| detail.count(2));
            tokens.input = details.fold(0, u64::saturating_add);
            is_odd |= input.checked_add(cached) != Some(tokens.input);
        } else {
            tokens = with_prompt(tokens);
        }
        Some(Self {
            tokens: with_total(tokens),
            is_odd,
        })
    }
}

/// Counters as lines of a transcript have them.
pub(crate) fn transcribed(input: u64, cached: u64, output: u64) -> Tokens {
    with_total(with_prompt(Tokens {
        input,
        output,
        cached,
        ..Tokens::default()
    }))
}

/// Settles whether `input` includes the cache: the engine changed that, and no file names its
/// engine. More cached tokens than input prove that it does not; otherwise both are possible.
fn with_prompt(mut tokens: Tokens) -> Tokens {
    if tokens.cached > tokens.input {
        tokens.input = tokens.input.saturating_add(tokens.cached);
    } else {
        tokens.uncertain = tokens.cached;
    }
    tokens
}

fn with_total(mut tokens: Tokens) -> Tokens {
    let sum = tokens.input.saturating_add(tokens.output);
    tokens.total = sum.saturating_add(tokens.thoughts);
    tokens
}
