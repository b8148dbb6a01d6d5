//! The ways of a copied text. Over SSH the machine's own clipboard is the wrong one: there tmux or
//! the terminal has to take it.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gemtrail_export::text::grouped;

/// Terminals drop longer texts without a word.
const MOST_BYTES: usize = 100_000;

/// Facts that decide where a copied text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClipboardSituation {
    /// True if the terminal is on another machine.
    pub is_remote: bool,
    /// True if it is one of tmux.
    pub in_tmux: bool,
    /// True if there is a Wayland display.
    pub has_wayland: bool,
    /// True if there is an X display.
    pub has_x11: bool,
    /// True if Windows is below.
    pub in_wsl: bool,
    /// True if it is macOS.
    pub is_mac: bool,
}

impl ClipboardSituation {
    /// The commands to try, with the name of where each puts a text.
    fn commands(self) -> Vec<(&'static [&'static str], &'static str)> {
        let own = "the clipboard";
        let tmux: (&[&str], _) = (&["tmux", "load-buffer", "-w", "-"], "tmux and its terminal");
        let mut commands = Vec::new();
        if !self.is_remote {
            if self.is_mac {
                commands.push((&["pbcopy"][..], own));
            }
            if self.in_wsl || cfg!(windows) {
                commands.push((&["clip.exe"], own));
            }
            if self.has_wayland {
                commands.push((&["wl-copy"], own));
            }
            if self.has_x11 {
                commands.push((&["xclip", "-selection", "clipboard"], own));
                commands.push((&["xsel", "--clipboard", "--input"], own));
            }
        }
        if self.in_tmux {
            commands.push(tmux);
        }
        commands
    }
}

/// Copies a text with a command; where it is then, if that worked.
pub(crate) fn copy_natively(text: &str, situation: ClipboardSituation) -> Option<&'static str> {
    let mut commands = situation.commands().into_iter();
    commands.find_map(|(command, place)| feed(command, text).then_some(place))
}

fn feed(command: &[&str], text: &str) -> bool {
    let Some((program, arguments)) = command.split_first() else {
        return false;
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return false;
    };
    let written = child
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(text.as_bytes()));
    let is_written = matches!(written, Some(Ok(())));
    child.wait().is_ok_and(|status| status.success()) && is_written
}

/// Asks the terminal to copy a text; what became of it.
pub(crate) fn copy_by_terminal(
    out: &mut impl Write,
    text: &str,
    what: &str,
) -> Result<String, String> {
    if text.len() > MOST_BYTES {
        return Err(format!(
            "{} bytes are too many for the terminal's clipboard; e opens them in the editor",
            grouped(text.len() as u64)
        ));
    }
    let encoded = BASE64_STANDARD.encode(text);
    let written = write!(out, "\x1b]52;c;{encoded}\x07").and_then(|()| out.flush());
    written.map_err(|error| error.to_string())?;
    Ok(copied(text, what, "the terminal's clipboard"))
}

/// `Copied message (1,204 characters) to the clipboard`.
pub(crate) fn copied(text: &str, what: &str, place: &str) -> String {
    let count = grouped(text.chars().count() as u64);
    format!("Copied {what} ({count} characters) to {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(situation: ClipboardSituation) -> Vec<&'static str> {
        situation
            .commands()
            .into_iter()
            .map(|(command, _)| command[0])
            .collect()
    }

    #[test]
    fn over_ssh_the_own_clipboard_is_the_wrong_one() {
        let here = ClipboardSituation {
            has_x11: true,
            in_tmux: true,
            ..ClipboardSituation::default()
        };
        assert_eq!(programs(here), ["xclip", "xsel", "tmux"]);
        let there = ClipboardSituation {
            is_remote: true,
            ..here
        };
        assert_eq!(programs(there), ["tmux"]);
        assert!(programs(ClipboardSituation::default()).is_empty() || cfg!(windows));
    }

    #[test]
    fn terminals_take_a_hundred_thousand_bytes() {
        let mut out = Vec::new();
        let told = copy_by_terminal(&mut out, "hé", "message");
        assert_eq!(out, b"\x1b]52;c;aMOp\x07");
        let words = "Copied message (2 characters) to the terminal's clipboard";
        assert_eq!(told.as_deref(), Ok(words));
        let mut out = Vec::new();
        assert!(copy_by_terminal(&mut out, &"x".repeat(100_001), "output").is_err());
        assert!(out.is_empty());
        assert!(copy_by_terminal(&mut out, &"x".repeat(100_000), "output").is_ok());
    }
}
