//! Colours: the terminal's own, and few. Everything reads without them.

use gemtrail_core::model::Role;
use gemtrail_export::highlight::TokenKind;
use gemtrail_export::plain::Ink;
use gemtrail_export::present::{Rgb, SpanStyle};
use ratatui::style::{Color, Modifier, Style};

/// The styles of everything that is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// True if there are colours.
    pub has_color: bool,
}

impl Theme {
    fn color(self, color: Color) -> Style {
        if self.has_color {
            Style::new().fg(color)
        } else {
            Style::new()
        }
    }

    /// Less important text.
    pub fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Important text.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The line under a cursor.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Names and marks that lead the eye.
    pub fn accent(self) -> Style {
        self.color(Color::Cyan)
    }

    /// Failures.
    pub fn failure(self) -> Style {
        self.color(Color::Red)
    }

    /// The name of a project: a colour of the terminal, bold or not.
    pub fn project(self, name: &str) -> Style {
        const COLORS: [Color; 3] = [Color::Cyan, Color::Magenta, Color::Green];
        let hash = name.bytes().fold(5381_usize, |hash, byte| {
            hash.wrapping_mul(33) ^ usize::from(byte)
        });
        let style = self.color(COLORS[hash % COLORS.len()]);
        if self.has_color && hash / COLORS.len() % 2 == 1 {
            return style.add_modifier(Modifier::BOLD);
        }
        style
    }

    /// A word that was looked for.
    pub fn found(self) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        if self.has_color {
            style.fg(Color::Magenta)
        } else {
            style
        }
    }

    /// Output of a terminal. Its colours were meant for a background that is not known here, so
    /// only those that stand on any are taken.
    fn screen(self, span: SpanStyle) -> Style {
        let mut style = match span.foreground {
            Some(Rgb(red, green, blue)) => match (red > 150, green > 150, blue > 150) {
                (true, false, false) => self.color(Color::Red),
                (false, true, false) => self.color(Color::Green),
                (false, true, true) => self.color(Color::Cyan),
                (true, false, true) => self.color(Color::Magenta),
                _ => Style::new(),
            },
            None => Style::new(),
        };
        let modifiers = [
            (span.bold, Modifier::BOLD),
            (span.italic, Modifier::ITALIC),
            (span.underline, Modifier::UNDERLINED),
            (span.dim, Modifier::DIM),
            (span.inverse, Modifier::REVERSED),
        ];
        for (is_set, modifier) in modifiers {
            if is_set {
                style = style.add_modifier(modifier);
            }
        }
        style
    }

    /// A span of a transcript.
    pub fn ink(self, ink: Ink) -> Style {
        match ink {
            Ink::Text => Style::new(),
            Ink::Title => self.strong(),
            Ink::Faint | Ink::Divider | Ink::Verb => self.faint(),
            Ink::Thought => self.faint().add_modifier(Modifier::ITALIC),
            Ink::Success => self.color(Color::Green).add_modifier(Modifier::DIM),
            Ink::Added => self.color(Color::Green),
            Ink::Failure | Ink::Removed => self.failure(),
            Ink::Emphasis => Style::new().add_modifier(Modifier::ITALIC),
            Ink::Code(token) => match token {
                TokenKind::Plain | TokenKind::Type => Style::new(),
                TokenKind::Keyword => self.color(Color::Magenta),
                TokenKind::Function => self.color(Color::Cyan),
                TokenKind::String | TokenKind::Number | TokenKind::Added => {
                    self.color(Color::Green)
                }
                TokenKind::Comment => self.faint(),
                TokenKind::Removed => self.failure(),
            },
            Ink::Screen(span) => self.screen(span),
            Ink::Speaker(role) => match role {
                Role::Human | Role::Shell => self.accent().add_modifier(Modifier::BOLD),
                Role::Assistant => self.color(Color::Magenta).add_modifier(Modifier::BOLD),
                Role::Error => self.failure().add_modifier(Modifier::BOLD),
                Role::Warning => self.strong(),
                _ => self.faint(),
            },
        }
    }
}
