//! Turns the events of a Windows console into ours.

use crossterm::event::{
    Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use crate::keys::Key;
use crate::state::{Click, Event, Mouse};

pub(super) fn translate(raw: Raw) -> Option<Event> {
    match raw {
        Raw::Key(key) => self::key(key).map(Event::Key),
        Raw::Paste(text) => Some(Event::Paste(text)),
        Raw::Resize(columns, rows) => Some(Event::Resize(columns, rows)),
        Raw::Mouse(mouse) => self::mouse(mouse).map(Event::Mouse),
        Raw::FocusGained | Raw::FocusLost => None,
    }
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let what = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Click::Press,
        MouseEventKind::Up(MouseButton::Left) => Click::Release,
        MouseEventKind::ScrollUp => Click::Wheel(-3),
        MouseEventKind::ScrollDown => Click::Wheel(3),
        _ => return None,
    };
    Some(Mouse {
        what,
        column: event.column,
        row: event.row,
    })
}

fn key(event: KeyEvent) -> Option<Key> {
    // Windows also tells when a key is let go.
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let modifiers = event.modifiers;
    if modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    Some(match event.code {
        KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
            Key::Ctrl(c.to_ascii_lowercase())
        }
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_when_it_goes_down() {
        let event = |kind| {
            let plain = KeyModifiers::NONE;
            Raw::Key(KeyEvent::new_with_kind(KeyCode::Char('q'), plain, kind))
        };
        let is_key = |kind| matches!(translate(event(kind)), Some(Event::Key(Key::Char('q'))));
        assert!(is_key(KeyEventKind::Press) && is_key(KeyEventKind::Repeat));
        assert!(!is_key(KeyEventKind::Release));
        let control = KeyEvent::new(KeyCode::Char('C'), KeyModifiers::CONTROL);
        assert_eq!(key(control), Some(Key::Ctrl('c')));
    }
}
