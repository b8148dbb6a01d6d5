//! Planted secrets: a home with secrets in prompts, arguments, outputs and diffs, and ordinary
//! texts that look as if they held some.
//!
//! The first table was written from what issuers document, without looking at the rules that have
//! to find them. None of it is a real secret: all are generated from a fixed seed when a test runs.

mod alphabet;
mod forms;
mod home;
mod ordinary;
mod table;
mod wild;

pub use alphabet::Dice;
use alphabet::base64;
pub use ordinary::ordinary;

/// Parts of a secret shorter than this are meaningless and may occur anywhere.
const SHORTEST_PART: usize = 8;

/// Where in a session a secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Typed by the person.
    Prompt,
    /// Said by the model.
    Answer,
    /// Thought by the model.
    Thought,
    /// An argument of a tool call.
    Argument,
    /// What a tool printed.
    Output,
    /// The change that an edit made.
    Diff,
    /// A file that a prompt refers to.
    Reference,
    /// Injected context.
    Context,
    /// An error of the user interface.
    Error,
    /// The prompt log.
    Logged,
}

/// How the secret is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Unchanged.
    Plain,
    /// With escapes that JSON allows but does not require.
    Escaped,
    /// In JSON text that is itself a string in the journal.
    Nested,
    /// In base64, on one line.
    Base64,
    /// In base64, in lines of 76 characters.
    Base64Lines,
}

/// One secret and the text around it.
#[derive(Clone, Debug)]
pub struct Planted {
    /// What it is.
    pub name: &'static str,
    /// Where it is.
    pub place: Place,
    /// How it is written.
    pub form: Form,
    /// The text, secret included.
    pub text: String,
    /// What must not occur in any byte of an export.
    pub parts: Vec<String>,
}

impl Planted {
    /// The parts that are still in these bytes.
    pub fn left_in<'a>(&'a self, bytes: &'a str) -> impl Iterator<Item = &'a str> {
        let parts = self.parts.iter().map(String::as_str);
        parts.filter(|part| bytes.contains(part))
    }

    fn new(seed: u64, (name, place, form, description): table::Row) -> Self {
        let filled = Dice::new(seed).fill(description);
        let mut text = String::new();
        let mut parts = Vec::new();
        for (index, piece) in filled.split(['«', '»']).enumerate() {
            let is_secret = index % 2 == 1;
            let piece = match form {
                Form::Nested => nested(piece, is_secret),
                Form::Base64 if is_secret => base64(piece.as_bytes()),
                Form::Base64Lines if is_secret => in_lines(&base64(piece.as_bytes())),
                _ => piece.to_owned(),
            };
            if is_secret {
                parts.extend(parts_of(&piece, form));
            }
            text.push_str(&piece);
        }
        parts.retain(|part| part.len() >= SHORTEST_PART);
        assert!(!parts.is_empty(), "{name} plants nothing");
        Self {
            name,
            place,
            form,
            text,
            parts,
        }
    }
}

/// All planted secrets.
pub fn planted() -> Vec<Planted> {
    planted_from(0)
}

/// The same kinds in the same places, with other characters.
pub fn planted_from(seed: u64) -> Vec<Planted> {
    let rows = (seed * 1000..).zip(table::ROWS.iter().chain(wild::ROWS).chain(forms::ROWS));
    rows.map(|(seed, row)| Planted::new(seed, *row)).collect()
}

pub use home::{Home, journal};

/// The lines of a secret; none of them may remain.
fn parts_of(secret: &str, form: Form) -> Vec<String> {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.split('\n').flat_map(|line| line.split("\\n"));
        lines.map(str::to_owned).collect()
    };
    match form {
        // The PEM header and footer are not secret: they are in the first and the last line.
        Form::Base64 | Form::Base64Lines => {
            let wrapped = lines(&in_lines(&secret.replace('\n', "")));
            wrapped[1..wrapped.len() - 1].to_vec()
        }
        _ => lines(secret),
    }
}

/// What a program that wants to be safe inside HTML writes into a JSON string: newlines and slashes
/// escaped. The quotes of the text around the secret are those of the JSON itself.
fn nested(piece: &str, is_secret: bool) -> String {
    let piece = if is_secret || piece.contains("-----") {
        piece.replace('\n', "\\n")
    } else {
        piece.to_owned()
    };
    piece.replace('/', "\\/")
}

fn in_lines(text: &str) -> String {
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(76)
        .map(String::from_utf8_lossy)
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_has_parts_that_can_be_looked_for() {
        let all = planted();
        assert!(all.len() >= 275, "{}", all.len());
        for one in &all {
            assert!(one.left_in(&one.text).next().is_some(), "{one:?}");
            assert!(!one.text.contains(['«', '»']), "{one:?}");
        }
        for place in [Place::Prompt, Place::Argument, Place::Output, Place::Diff] {
            assert!(all.iter().filter(|one| one.place == place).count() > 5);
        }
        assert!(all.iter().filter(|one| one.form != Form::Plain).count() > 15);
    }
}
