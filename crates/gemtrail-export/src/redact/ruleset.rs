//! All rules together: one scan of the text for keywords, then the patterns of the rules that hit.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, Match};

use super::contexts::CONTEXTS;
use super::encoded;
use super::judge::{Judge, entropy};
use super::rule::{
    Basis, CompiledRule, Finding, Reach, Rule, RuleError, RuleOutcome, SecretRange, UserRule,
};
use super::secrets;
use super::tokens::TOKENS;
use super::view::TextView;

/// The rule is not tried again inside a rejected value that is at least this long.
const LONG: usize = 256;

/// Names continue for at most this many bytes after their keyword.
const LONGEST_NAME: usize = 40;

/// The built-in rules, the most specific families first.
fn built_in() -> impl Iterator<Item = &'static Rule> {
    TOKENS.iter().chain(CONTEXTS)
}

/// The rules, ready to be used.
#[derive(Debug)]
pub(super) struct RuleSet {
    rules: Vec<CompiledRule>,
    keywords: DFA,
    /// The rules of each keyword.
    targets: Vec<Vec<usize>>,
    /// Rules that search every text.
    unconditional: Vec<usize>,
    /// The rule that knows the names of secrets.
    secret: usize,
}

impl RuleSet {
    /// The built-in rules and those of the user.
    pub(super) fn new(own: Vec<UserRule>) -> Result<Self, RuleError> {
        let mut rules: Vec<CompiledRule> = built_in().map(CompiledRule::built_in).collect();
        for rule in own {
            rules.push(CompiledRule::of_user(rule)?);
        }
        let mut targets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut unconditional = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let keywords = rule.keywords();
            // An empty keyword occurs everywhere.
            if keywords.is_empty() || keywords.contains(&"") {
                unconditional.push(index);
            }
            let keywords = keywords.into_iter().filter(|word| !word.is_empty());
            for spelling in keywords.flat_map(|word| spellings(word, rule.rule.any_case)) {
                let rules = targets.entry(spelling).or_default();
                if rules.last() != Some(&index) {
                    rules.push(index);
                }
            }
        }
        let is_named = |rule: &CompiledRule| rule.rule.keywords.contains(&"secret");
        let set = Self {
            secret: rules.iter().position(is_named).unwrap_or_default(),
            rules,
            keywords: DFA::new(targets.keys()).expect("keywords are few and short"),
            targets: targets.into_values().collect(),
            unconditional,
        };
        for (index, rule) in set.rules.iter().enumerate() {
            if let Some(user) = rule.user() {
                set.prove(index, user)?;
            }
        }
        Ok(set)
    }

    /// Tests a rule against the examples that came with it.
    fn prove(&self, index: usize, rule: &UserRule) -> Result<(), RuleError> {
        let finds = |text: &String| {
            let found = self.hits(text);
            found.iter().any(|hit| hit.rule == index)
        };
        let id = || rule.id.clone();
        if rule.example.as_ref().is_some_and(|text| !finds(text)) {
            return Err(RuleError::Example { id: id() });
        }
        if rule.counterexample.as_ref().is_some_and(finds) {
            return Err(RuleError::Counterexample { id: id() });
        }
        Ok(())
    }

    /// True if some of the rules are the user's: their secrets may look like anything.
    pub(super) fn has_own(&self) -> bool {
        self.rules.iter().any(|rule| rule.user().is_some())
    }

    /// The id of a rule.
    pub(super) fn id(&self, rule: usize) -> &str {
        self.rules[rule].id()
    }

    /// True if the rule recognises its secrets by shape, wherever they are.
    pub(super) fn is_shape(&self, rule: usize) -> bool {
        self.rules[rule].rule.basis == Basis::Shape
    }

    /// The rank of a rule: of two that find a secret, the one with the lower rank is more specific.
    pub(super) fn rank(&self, rule: usize) -> (bool, usize) {
        (!self.is_shape(rule), rule)
    }

    /// Every secret in a text, as written or encoded once. Hits may overlap.
    pub(super) fn hits(&self, text: &str) -> Vec<SecretRange> {
        let mut hits = self.plain_hits(text);
        for (range, decoded) in encoded::texts(text) {
            let inner = self.plain_hits(&decoded).into_iter();
            let rule = inner
                .map(|hit| hit.rule)
                .min_by_key(|rule| self.rank(*rule));
            hits.extend(rule.map(|rule| SecretRange::by_rule(range, rule)));
        }
        hits
    }

    fn plain_hits(&self, text: &str) -> Vec<SecretRange> {
        let mut trials = Trials {
            set: self,
            text,
            hits: Vec::new(),
            anywhere: self.unconditional.clone(),
            rejected: Vec::new(),
        };
        for word in self.words(text) {
            let after = byte_after_name(text.as_bytes(), word.end());
            for &rule in &self.targets[word.pattern()] {
                let expected = self.rules[rule].rule.after_name;
                if expected.is_empty() || after.is_some_and(|byte| expected.contains(&byte)) {
                    trials.make(rule, word.start());
                }
            }
        }
        let Trials {
            mut hits, anywhere, ..
        } = trials;
        for rule in anywhere {
            let ranges = self.rules[rule].find_all(text);
            hits.extend(ranges.map(|range| SecretRange::by_rule(range, rule)));
        }
        if hits.is_empty() {
            return hits;
        }
        // A placeholder is not a secret, whatever surrounds it.
        let placeholders = secrets::ranges(text);
        hits.retain(|SecretRange { range, .. }| {
            let next = placeholders.partition_point(|other| other.end <= range.start);
            placeholders
                .get(next)
                .is_none_or(|other| range.end <= other.start)
        });
        hits
    }

    /// The keywords in a text, in order of their ends; they may overlap.
    fn words(&self, text: &str) -> impl Iterator<Item = Match> {
        let dfa = &self.keywords;
        let start = dfa.start_state(Anchored::No);
        let mut state = start.expect("the automaton is made for searching anywhere");
        // Searches spend most of their time here, so the loop over the bytes does nothing else.
        let found = text.bytes().enumerate().filter_map(move |(at, byte)| {
            state = dfa.next_state(Anchored::No, state, byte);
            (dfa.is_special(state) && dfa.is_match(state)).then_some((at + 1, state))
        });
        found.flat_map(move |(end, state)| {
            (0..dfa.match_len(state)).map(move |index| {
                let word = dfa.match_pattern(state, index);
                Match::new(word, end - dfa.pattern_len(word)..end)
            })
        })
    }

    /// True if the name of a JSON member may make its value a secret.
    pub(super) fn is_secret_name(&self, name: &str) -> bool {
        self.secret_word(name).is_some()
    }

    /// The offset in the name of a JSON member of the word that means a secret.
    fn secret_word(&self, name: &str) -> Option<usize> {
        let means_secret = |word: &Match| self.targets[word.pattern()].contains(&self.secret);
        self.words(name).find(means_secret).map(|word| word.start())
    }

    /// A value that is a secret because of the JSON member that holds it.
    pub(super) fn find_value(&self, name: &str, value: &str) -> Option<Finding> {
        let start = self.secret_word(name)?;
        let is_one_word = !value.contains(char::is_whitespace);
        let accepted = is_one_word
            && value.len() >= 6
            && Judge::NamedValue.accepts(&name[start..], value)
            && secrets::ranges(value).is_empty();
        accepted.then(|| Finding {
            range: 0..value.len(),
            rule: self.secret,
            secret: value.to_owned(),
            is_known: false,
        })
    }
}

/// Tries rules at the keywords of a text, in order.
struct Trials<'a> {
    set: &'a RuleSet,
    text: &'a str,
    hits: Vec<SecretRange>,
    /// Rules that search the whole text at the end.
    anywhere: Vec<usize>,
    /// Rules, with the offset up to which they are known to find nothing.
    rejected: Vec<(usize, usize)>,
}

impl Trials<'_> {
    fn make(&mut self, rule: usize, start: usize) {
        let is_inside = |hit: &SecretRange| hit.rule == rule && start < hit.range.end;
        let is_rejected = |one: &(usize, usize)| one.0 == rule && start < one.1;
        if self.hits.iter().rev().take(8).any(is_inside) || self.rejected.iter().any(is_rejected) {
            return;
        }
        let compiled = &self.set.rules[rule];
        if let Some(finder) = compiled.rule.finder {
            let hits = &mut self.hits;
            return finder.find(self.text, start, &mut |range| {
                hits.push(SecretRange::by_rule(range, rule));
            });
        }
        let from = match compiled.rule.reach {
            Reach::AtKeyword => start,
            Reach::Before(bytes) => start.saturating_sub(bytes),
            Reach::Anywhere => {
                if !self.anywhere.contains(&rule) {
                    self.anywhere.push(rule);
                }
                return;
            }
        };
        match compiled.try_at(self.text, from, start) {
            RuleOutcome::Secret(mut range) => {
                range.end = end_of_literals(self.text, range.end);
                self.hits.push(SecretRange::by_rule(range, rule));
            }
            RuleOutcome::Rejected(range) if range.len() >= LONG => self.reject(rule, range),
            RuleOutcome::Nothing if compiled.rule.basis == Basis::Shape => {
                let range = find_wrapped(compiled, self.text, start);
                self.hits
                    .extend(range.map(|range| SecretRange::by_rule(range, rule)));
            }
            RuleOutcome::Rejected(_) | RuleOutcome::Nothing => {}
        }
    }

    /// Another name may begin after a separator, so only what precedes the separator is ruled out.
    fn reject(&mut self, rule: usize, range: Range<usize>) {
        let value = &self.text.as_bytes()[range.clone()];
        let separator = value.iter().position(|b| matches!(b, b'&' | b';' | b','));
        let end = separator.map_or(range.end, |at| range.start + at);
        self.rejected.retain(|(other, _)| *other != rule);
        self.rejected.push((rule, end));
    }
}

/// The byte after the name that an offset is in.
fn byte_after_name(text: &[u8], from: usize) -> Option<u8> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let rest = text.get(from..)?;
    rest.iter()
        .take(LONGEST_NAME)
        .find(|b| !is_name(b))
        .copied()
}

/// The spellings of a keyword. A case-insensitive search would stop at every `nd` because of an
/// `ND`, and names have few spellings.
fn spellings(keyword: &str, any_case: bool) -> Vec<String> {
    let mut spellings = vec![keyword.to_owned()];
    if any_case {
        let lower = keyword.to_ascii_lowercase();
        let mut capitalised = lower.clone();
        if let Some(first) = capitalised.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        spellings.extend([lower, keyword.to_ascii_uppercase(), capitalised]);
    }
    spellings
}

/// A token spans at most this many lines.
const MOST_LINES: usize = 10;

/// The first line holds at least this much of it.
const FIRST_LINE: usize = 12;

/// Longer lines are not wrapped text.
const LONGEST_LINE: usize = 512;

/// Indents and quote markers are at most this long.
const LONGEST_INDENT: usize = 24;

/// The secret that begins at a keyword and continues on the next lines.
fn find_wrapped(rule: &CompiledRule, text: &str, start: usize) -> Option<Range<usize>> {
    let view = joined(text, start)?;
    let RuleOutcome::Secret(range) = rule.try_at(&view.text, 0, 0) else {
        return None;
    };
    let token = &view.text[range.clone()];
    let range = view.in_source(&range);
    // Words in a column are not a token, even if one of them begins like one.
    let is_token = token.bytes().any(|b| b.is_ascii_digit()) && entropy(token) > 3.5;
    (is_token && range.len() > token.len()).then(|| start + range.start..start + range.end)
}

/// The characters of the token on this line and the next ones, without what separates them. The
/// source of the view begins at `start`.
fn joined(text: &str, start: usize) -> Option<TextView> {
    if !has_edge(text.as_bytes(), start) {
        return None;
    }
    let source = &text[start..];
    let bytes = source.as_bytes();
    let mut view = TextView::with_capacity(0);
    let mut end = run(bytes, 0);
    // A literal may hold the prefix alone; a line that is wrapped is longer.
    let is_literal = end > 2 && joint(&bytes[end..]) > 0;
    if !is_literal && (end < FIRST_LINE || gap(&bytes[end..]) == 0) {
        return None;
    }
    for _ in 0..MOST_LINES {
        let gap = gap(&bytes[end..]);
        let next = run(bytes, end + gap);
        if gap == 0 || next == 0 {
            break;
        }
        view.replace(source, end..end + gap, None);
        end += gap + next;
    }
    view.copy(source, end);
    Some(view)
}

fn has_edge(text: &[u8], start: usize) -> bool {
    start == 0 || !text[start - 1].is_ascii_alphanumeric()
}

/// The number of token characters after an offset.
fn run(bytes: &[u8], from: usize) -> usize {
    let is_token =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=');
    let rest = bytes[from..].iter().take(LONGEST_LINE);
    rest.take_while(|b| is_token(**b)).count()
}

/// The length of what is between two parts of a token: a line end and an indent, or what joins two
/// literals.
fn gap(bytes: &[u8]) -> usize {
    match line_end(bytes) {
        0 => joint(bytes),
        length => length,
    }
}

/// The length of a line end, as anything shows one, and of the indent after it.
fn line_end(bytes: &[u8]) -> usize {
    let length = match bytes {
        [b'\r' | b'\\', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        // Line and paragraph separators.
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => return 0,
    };
    let indent = bytes[length..].iter().take(LONGEST_INDENT);
    length
        + indent
            .take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'|'))
            .count()
}

/// The length of what joins two literals into one text: `" + "`, `' . '`, `"\n  "`.
fn joint(bytes: &[u8]) -> usize {
    let run = |from: usize, is: fn(&u8) -> bool| {
        let rest = bytes[from..].iter().take(LONGEST_INDENT);
        from + rest.take_while(|b| is(b)).count()
    };
    let is_blank: fn(&u8) -> bool = |b| b.is_ascii_whitespace() || *b == b'\\';
    let is_quote: fn(&u8) -> bool = |b| matches!(b, b'"' | b'\'' | b'`' | b'\\');
    let close = run(0, is_quote);
    let blanks = run(close, is_blank);
    let operator = run(blanks, |b| matches!(b, b'+' | b'.' | b'&'));
    let open = run(operator, is_blank);
    // `f"…"`, `b'…'`
    let prefix = open + usize::from(matches!(bytes.get(open), Some(b'b' | b'f' | b'r' | b'u')));
    let end = run(prefix, is_quote);
    let is_joined = operator > blanks || bytes[close..blanks].contains(&b'\n');
    let quotes = |range: Range<usize>| bytes[range].iter().any(|b| *b != b'\\');
    let is_joint = is_joined && quotes(0..close) && quotes(prefix..end);
    if is_joint { end } else { 0 }
}

/// The end of a value that goes on in further literals.
fn end_of_literals(text: &str, mut end: usize) -> usize {
    let bytes = text.as_bytes();
    for _ in 0..MOST_LINES {
        let gap = joint(&bytes[end..]);
        let next = run(bytes, end + gap);
        if gap == 0 || next == 0 {
            break;
        }
        end += gap + next;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::rule::compile;
    use crate::redact::search::SecretSearch;
    use crate::redact::view::TextOrigin;
    use gemtrail_testkit::secrets::Dice;

    fn set() -> RuleSet {
        RuleSet::new(Vec::new()).expect("the tables are right")
    }

    fn find(rules: &RuleSet, text: &str) -> Vec<Finding> {
        let search = SecretSearch {
            rules,
            known: None,
            is_for_known: false,
        };
        search.find(text, TextOrigin::Recording)
    }

    #[test]
    fn every_rule_matches_its_example_and_not_its_counterexample() {
        let set = set();
        let mut wrong = Vec::new();
        for (index, entry) in built_in().enumerate() {
            let works = entry.finder.is_some() || compile(entry.pattern).is_some();
            assert!(works, "{}", entry.pattern);
            for seed in 0..20 {
                let finds = |description: &str| {
                    let text = Dice::new(seed).fill(description);
                    let found = set.hits(&text);
                    (found.iter().any(|hit| hit.rule == index), text)
                };
                let (true, _) = finds(entry.example) else {
                    wrong.push(format!("{} misses {}", entry.id, finds(entry.example).1));
                    continue;
                };
                if let (true, text) = finds(entry.counterexample) {
                    wrong.push(format!("{} finds {text}", entry.id));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_keyword_is_in_the_example_of_its_rule_or_of_a_sibling() {
        for entry in built_in() {
            assert!(
                !entry.keywords.is_empty(),
                "{} would search every text",
                entry.id
            );
            assert!(
                !entry.example.is_empty() && !entry.counterexample.is_empty(),
                "{}",
                entry.id
            );
        }
    }

    #[test]
    fn overlapping_finds_become_one_with_the_more_telling_name() {
        let set = set();
        let text = Dice::new(3).fill("token: \"ghp_{a36}\" and ghp_{a36}");
        let found = find(&set, &text);
        assert_eq!(found.len(), 2);
        assert!(
            found
                .iter()
                .all(|finding| set.id(finding.rule) == "github-token")
        );
    }

    #[test]
    fn a_users_rule_is_used_and_a_bad_one_refused() {
        let rule = |id: &str, pattern: &str, keywords: &[&str]| UserRule {
            id: id.to_owned(),
            pattern: pattern.to_owned(),
            keywords: keywords.iter().map(|&word| word.to_owned()).collect(),
            entropy: None,
            example: None,
            counterexample: None,
        };
        let own = vec![
            rule("badge", r"\bBADGE-(\d{4})\b", &["badge-"]),
            rule("umlaut", "ü+", &[]),
            rule("nothing", "x*", &[]),
        ];
        let set = RuleSet::new(own).expect("good rules");
        let found = find(&set, "BADGE-1234, BADGE-5678 für üü");
        let texts: Vec<_> = found
            .iter()
            .map(|f| (set.id(f.rule), f.range.clone()))
            .collect();
        assert_eq!(
            texts,
            [
                ("badge", 6..10),
                ("badge", 18..22),
                ("umlaut", 24..26),
                ("umlaut", 28..32)
            ]
        );
        assert!(matches!(
            RuleSet::new(vec![rule("a b", "x", &[])]),
            Err(RuleError::Id { .. })
        ));
        assert!(matches!(
            RuleSet::new(vec![rule("a", "(", &[])]),
            Err(RuleError::Pattern { .. })
        ));
    }

    #[test]
    fn a_users_rule_is_held_to_its_examples() {
        let rule = |example: &str, counterexample: &str| UserRule {
            id: "badge".to_owned(),
            pattern: r"\bBADGE-\d{4}\b".to_owned(),
            keywords: vec!["badge-".to_owned()],
            entropy: None,
            example: Some(example.to_owned()),
            counterexample: Some(counterexample.to_owned()),
        };
        let set = |rule| RuleSet::new(vec![rule]);
        assert!(set(rule("my BADGE-1234", "BADGE-holder")).is_ok());
        let missed = set(rule("BADGE-12", "BADGE-holder")).unwrap_err();
        assert_eq!(missed.rule(), "badge");
        assert!(matches!(missed, RuleError::Example { .. }));
        assert!(matches!(
            set(rule("BADGE-1234", "BADGE-0000")),
            Err(RuleError::Counterexample { .. })
        ));
        // A rule would never see an example that has none of its keywords.
        let mut deaf = rule("BADGE-1234", "x");
        deaf.keywords = vec!["ticket".to_owned()];
        assert!(matches!(set(deaf), Err(RuleError::Example { .. })));
    }

    #[test]
    fn secrets_in_nested_json_are_found_through_its_escapes() {
        let set = set();
        let text =
            Dice::new(5).fill(r#"{\"t\":\"\u0067hp_{a36}\",\"u\":\"https:\\/\\/a:{a12}@b\"}"#);
        let found = find(&set, &text);
        let ids: Vec<_> = found.iter().map(|finding| set.id(finding.rule)).collect();
        assert_eq!(ids, ["github-token", "url-password"]);
        assert!(text[found[0].range.clone()].starts_with(r"\u0067hp_"));
    }
}
