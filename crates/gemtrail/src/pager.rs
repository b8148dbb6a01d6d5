//! The program that long texts are read in.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use gemtrail_export::text::width;

/// The place at which a pager opens, and the pattern of its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opening {
    /// The line at the top of the screen, from 0.
    pub(crate) line: usize,
    /// The target of `n` and `N`.
    pub(crate) target: Option<PagerTarget>,
    /// The name of what is read, for the status line.
    pub(crate) title: String,
    /// True if the pager reads to the end first, so that it can say how far one is.
    pub(crate) is_measured: bool,
}

/// The target of `n` and `N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PagerTarget {
    /// The lines that start with this.
    Start(&'static str),
    /// A word, which is highlighted.
    Word(String),
}

/// The progress through a text, in the signs of `less`.
const PLACE: &str = "?eend:?pB%pB\\%:line %lt..";
/// `100%`, as a rule.
const PLACE_COLUMNS: usize = 4;

/// A pager, as configured.
#[derive(Clone, Debug)]
pub(crate) struct Pager(String);

impl Pager {
    /// The pager of this command line; `None` if it is empty or only copies.
    pub(crate) fn new(command: &str) -> Option<Self> {
        let is_none = command.trim().is_empty() || command.trim() == "cat";
        (!is_none).then(|| Self(command.to_owned()))
    }

    /// Its command line.
    #[cfg(feature = "tui")]
    pub(crate) fn command(&self) -> &str {
        &self.0
    }

    /// True if it can be told where to open.
    pub(crate) fn can_open_at(&self) -> bool {
        let program = self.0.split_whitespace().next().unwrap_or_default();
        Path::new(program)
            .file_stem()
            .is_some_and(|it| it == "less")
    }

    /// Starts it on a screen of so many columns.
    pub(crate) fn spawn(&self, opening: &Opening, columns: usize) -> Option<Child> {
        let mut words = self.0.split_whitespace();
        let mut pager = Command::new(words.next()?);
        pager.args(words).stdin(Stdio::piped());
        if self.can_open_at() {
            // Whatever the locale says, what comes is UTF-8.
            pager.env("LESSCHARSET", "utf-8");
            pager.args(less_options(opening, columns));
        }
        pager.spawn().ok()
    }
}

/// Options of `less` besides those of the person.
fn less_options(opening: &Opening, columns: usize) -> Vec<String> {
    // Colours pass, the text stays on the screen, small letters find large ones.
    let mut options: Vec<String> = ["-R", "-X", "-i"].map(str::to_owned).into();
    options.push(format!("-Ps{}", prompt(opening, columns)));
    let search = match &opening.target {
        Some(PagerTarget::Start(start)) => {
            options.push("-G".to_owned());
            format!("/^{}\n", escaped(start))
        }
        Some(PagerTarget::Word(word)) => format!("/{}\n", escaped(&word.to_lowercase())),
        None => String::new(),
    };
    let end = if opening.is_measured { "G" } else { "" };
    let keys = format!("{search}{end}");
    if !keys.is_empty() || opening.line > 0 {
        options.push(format!("+{keys}{}g", opening.line + 1));
    }
    options
}

/// The status line, in the words and signs of `less`: how far, and which keys help. `less` cuts off the
/// beginning of one that is too long, so what can best be done without is left out.
fn prompt(opening: &Opening, columns: usize) -> String {
    let (next, previous) = match opening.target {
        Some(PagerTarget::Start(_)) => ("n next prompt", "N previous"),
        Some(PagerTarget::Word(_)) => ("n next match", "N previous"),
        None => ("", ""),
    };
    let mut parts = [
        opening.title.as_str(),
        PLACE,
        next,
        previous,
        "/ find",
        "q quit",
    ];
    for least in [3, 0, 4, 2] {
        let shown = parts.iter().filter(|it| !it.is_empty());
        let widths = shown.map(|&it| {
            2 + if it == PLACE {
                PLACE_COLUMNS
            } else {
                width(it)
            }
        });
        // The cursor stands behind it.
        if widths.sum::<usize>() <= columns + 1 {
            break;
        }
        parts[least] = "";
    }
    let title: String = parts[0]
        .chars()
        .flat_map(|c| [Some('\\').filter(|_| "?:.%\\".contains(c)), Some(c)])
        .flatten()
        .collect();
    parts[0] = &title;
    let shown = parts.into_iter().filter(|it| !it.is_empty());
    shown.collect::<Vec<_>>().join("  ")
}

/// The text as a pattern that matches just that.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        if r"\.[]{}()*+?^$|".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_opens_where_it_is_told() {
        let opening = Opening {
            line: 41,
            target: Some(PagerTarget::Word("a.B*".to_owned())),
            title: "7bd8: 50%".to_owned(),
            is_measured: true,
        };
        let options = less_options(&opening, 80);
        assert_eq!(options.last().unwrap(), "+/a\\.b\\*\nG42g");
        assert!(
            options
                .iter()
                .any(|it| it.starts_with("-Ps7bd8\\: 50\\%  "))
        );
        let plain = less_options(&Opening::default(), 80);
        assert_eq!(plain[..3], ["-R", "-X", "-i"]);
        assert_eq!(
            plain[3..],
            ["-Ps?eend:?pB%pB\\%:line %lt..  / find  q quit"]
        );
    }

    #[test]
    fn the_status_line_fits() {
        let opening = Opening {
            target: Some(PagerTarget::Start("human ")),
            title: "2f1e0a52  12 prompts".to_owned(),
            ..Opening::default()
        };
        let shown = |columns| prompt(&opening, columns).replace(PLACE, "100%");
        let whole = "2f1e0a52  12 prompts  100%  n next prompt  N previous  / find  q quit";
        assert_eq!((shown(80).as_str(), whole.len()), (whole, 69));
        assert_eq!(shown(70), whole);
        assert_eq!(
            shown(69),
            "2f1e0a52  12 prompts  100%  n next prompt  / find  q quit"
        );
        assert_eq!(shown(50), "100%  n next prompt  / find  q quit");
        assert_eq!(shown(40), "100%  n next prompt  / find  q quit");
        assert_eq!(shown(30), "100%  n next prompt  q quit");
        assert_eq!(shown(20), "100%  q quit");
    }

    #[test]
    fn only_less_is_told() {
        let can = |command: &str| Pager::new(command).is_some_and(|it| it.can_open_at());
        assert!(can("less") && can("/usr/bin/less -S"));
        assert!(!can("more") && !can("bat --plain"));
        assert!(Pager::new("cat").is_none() && Pager::new(" ").is_none());
    }
}
