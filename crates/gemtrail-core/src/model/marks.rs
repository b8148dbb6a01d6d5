//! Marks that a person set on a session.

use serde::{Deserialize, Serialize};

/// The marks of a session: none of them is in Gemini CLI's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Marks {
    /// True if it outlives every clean-up.
    pub pinned: bool,
    /// A title of the person's own, which takes the place of every other.
    pub title: Option<String>,
    /// Tags, in order, each once.
    pub tags: Vec<String>,
    /// A note.
    pub note: Option<String>,
}

impl Marks {
    /// True if nothing is marked.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    /// A title with the pin and the tags before it, as lists show it.
    pub fn before<'t>(&self, title: &'t str) -> std::borrow::Cow<'t, str> {
        if !self.pinned && self.tags.is_empty() {
            return title.into();
        }
        let pin = self.pinned.then(|| "★ ".to_owned());
        let tags = self.tags.iter().map(|tag| format!("#{tag} "));
        let marks: String = pin.into_iter().chain(tags).collect();
        format!("{marks}{title}").into()
    }

    /// All marks on one line, as people type them: `* #billing #"two words" A title -- a note`.
    pub fn line(&self) -> String {
        let tag = |tag: &String| {
            if tag.contains(char::is_whitespace) {
                format!("#\"{tag}\"")
            } else {
                format!("#{tag}")
            }
        };
        let pin = self.pinned.then(|| "*".to_owned());
        let note = self.note.as_ref().map(|note| {
            let words: Vec<&str> = note.split_whitespace().collect();
            format!("-- {}", words.join(" "))
        });
        let tags = self.tags.iter().map(tag);
        let parts = pin
            .into_iter()
            .chain(tags)
            .chain(self.title.clone())
            .chain(note);
        parts.collect::<Vec<String>>().join(" ")
    }

    /// Reads such a line.
    pub fn of_line(line: &str) -> Self {
        let mut marks = Self::default();
        // An option in a title is no note.
        let (marked, note) = match line.strip_prefix("-- ") {
            Some(note) => ("", note),
            None => line.split_once(" -- ").unwrap_or((line, "")),
        };
        let mut rest = marked.trim();
        loop {
            if let Some(after) = rest.strip_prefix('*').or_else(|| rest.strip_prefix('★')) {
                marks.pinned = true;
                rest = after.trim_start();
            } else if let Some(after) = rest.strip_prefix('#') {
                let (tag, after) = match after.strip_prefix('"') {
                    Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                    None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
                };
                let tag = tag.trim();
                if !tag.is_empty() && !marks.tags.iter().any(|known| known == tag) {
                    marks.tags.push(tag.to_owned());
                }
                rest = after.trim_start();
            } else {
                break;
            }
        }
        let text = |text: &str| Some(text.trim().to_owned()).filter(|it| !it.is_empty());
        marks.title = text(rest);
        marks.note = text(note);
        marks.tags.sort_unstable();
        marks
    }

    /// True if it has all of these tags, in any case.
    pub fn have_tags(&self, tags: &[String]) -> bool {
        let is_it = |wanted: &str, tag: &str| tag.to_lowercase() == wanted.to_lowercase();
        let mut wanted = tags.iter();
        wanted.all(|wanted| self.tags.iter().any(|tag| is_it(wanted, tag)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_everything() {
        let marks = Marks {
            pinned: true,
            title: Some("Cart totals".to_owned()),
            tags: vec!["billing".to_owned(), "two words".to_owned()],
            note: Some("ask Bob".to_owned()),
        };
        let line = marks.line();
        assert_eq!(line, "* #billing #\"two words\" Cart totals -- ask Bob");
        assert_eq!(Marks::of_line(&line), marks);
        assert_eq!(Marks::of_line("  "), Marks::default());
        assert_eq!(
            Marks::of_line("-- only a note").note.as_deref(),
            Some("only a note")
        );
        assert_eq!(marks.before("x"), "★ #billing #two words x");
    }

    #[test]
    fn tags_are_the_same_in_any_case() {
        let marks = Marks::of_line("#Billing #Ärger");
        assert!(marks.have_tags(&["billing".to_owned(), "ärger".to_owned()]));
        assert!(!marks.have_tags(&["bill".to_owned()]));
    }
}
