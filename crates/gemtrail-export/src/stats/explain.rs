//! Why other tools say other figures.

use gemtrail_core::stats::{Explanation, Share};

use super::{Line, dollars};
use crate::text::{grouped, shorten};

/// The way from what is written to what was billed and what is still there, step by step.
pub fn explained(it: &Explanation, columns: usize) -> Vec<Line> {
    let steps: [(&str, &str, &Share, &str); 9] = [
        (
            "",
            "As written",
            &it.as_written,
            "every line, in every file",
        ),
        (
            "−",
            "said again",
            &it.repeated,
            "rewritten whenever it changes",
        ),
        (
            "−",
            "of no request",
            &it.strays,
            "lines that are not answers",
        ),
        (
            "=",
            "Once per file",
            &it.by_file,
            "what ccusage 20 and tokscale 4 count",
        ),
        (
            "−",
            "in two places",
            &it.doubled,
            "in a second file, or under a new id",
        ),
        (
            "+",
            "on no line",
            &it.unlined,
            "in a `$set` or a damaged line only",
        ),
        (
            "=",
            "Billed",
            &it.billed,
            "every request once, agents included",
        ),
        (
            "−",
            "superseded",
            &it.superseded,
            "taken back, compressed or replaced",
        ),
        ("=", "Live", &it.live, "still in the sessions"),
    ];
    let texts = steps.map(|(sign, name, share, why)| {
        let tokens = grouped(share.tokens.total);
        (sign, name, tokens, dollars(Some(share.cost)), why)
    });
    let widest = |of: fn(&(&str, &str, String, String, &str)) -> usize| {
        texts.iter().map(of).max().unwrap_or_default()
    };
    let tokens = widest(|it| it.2.chars().count()).max(6);
    let cost = widest(|it| it.3.chars().count()).max(4);
    let head = format!("  {:14} {:>tokens$}  {:>cost$}", "", "tokens", "cost");
    let mut lines = vec![Line::Heading(head)];
    for (sign, name, amount, money, why) in &texts {
        let line = format!("{sign:1} {name:14} {amount:>tokens$}  {money:>cost$}  {why}");
        lines.push(Line::Text(shorten(&line, columns)));
    }
    lines.push(Line::Note(
        "Prices differ too: others price a long prompt in part, or all days alike.".to_owned(),
    ));
    lines
}
