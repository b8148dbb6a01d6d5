//! Reads keys on a thread of its own, which can be told to leave the terminal alone.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use crossterm::event::{
    self, Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use crate::keys::Key;
use crate::message::MainMessage;
use crate::state::{Click, Event, Mouse};

/// Asks the thread to leave the terminal alone until the other end of `over` is dropped.
struct Pause {
    begun: Sender<()>,
    over: Receiver<()>,
}

/// The thread that reads keys.
#[derive(Debug)]
pub(crate) struct Keyboard {
    pauses: Sender<Pause>,
    /// Ends the current pause when it is dropped.
    pausing: Option<Sender<()>>,
}

impl Keyboard {
    /// Starts reading.
    pub(crate) fn start(messages: Sender<MainMessage>) -> Self {
        let (keyboard, pauses) = Self::new();
        thread::spawn(move || pass_on(&messages, &pauses, read));
        keyboard
    }

    fn new() -> (Self, Receiver<Pause>) {
        let (pauses, asked) = mpsc::channel();
        let pausing = None;
        (Self { pauses, pausing }, asked)
    }

    /// Hands the terminal to another program; returns once reading has stopped or the thread has ended.
    pub(crate) fn stop(&mut self) {
        let (begun, has_begun) = mpsc::channel();
        let (pausing, over) = mpsc::channel();
        self.pausing = Some(pausing);
        // A thread that has ended drops what it is sent, and `recv` returns at once.
        let _ = self.pauses.send(Pause { begun, over });
        wake();
        let _ = has_begun.recv();
    }

    /// Reads again.
    pub(crate) fn go_on(&mut self) {
        self.pausing = None;
    }
}

/// Passes on what is read until the terminal is gone or nobody listens any more.
fn pass_on(
    messages: &Sender<MainMessage>,
    pauses: &Receiver<Pause>,
    mut read: impl FnMut() -> io::Result<Vec<Event>>,
) {
    loop {
        match pauses.try_recv() {
            Ok(pause) => {
                let _ = pause.begun.send(());
                let _ = pause.over.recv();
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return,
        }
        // An error means that the terminal is gone.
        let events = read().unwrap_or_else(|_| vec![Event::End]);
        let is_over = events.iter().any(|event| matches!(event, Event::End));
        for event in events {
            if messages.send(event.into()).is_err() {
                return;
            }
        }
        if is_over {
            return;
        }
    }
}

/// Waits for an event. With a time limit crossterm would be busy for the last millisecond of each wait.
#[cfg(unix)]
fn read() -> io::Result<Vec<Event>> {
    event::read().map(translate)
}

#[cfg(not(unix))]
fn read() -> io::Result<Vec<Event>> {
    if event::poll(std::time::Duration::from_millis(100))? {
        event::read().map(translate)
    } else {
        Ok(Vec::new())
    }
}

/// Ends the current wait: a signal about the size of the terminal is an event like any other.
fn wake() {
    #[cfg(unix)]
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH);
}

fn translate(raw: Raw) -> Vec<Event> {
    match raw {
        Raw::Key(key) => keys(key).into_iter().map(Event::Key).collect(),
        Raw::Paste(text) => vec![Event::Paste(text)],
        Raw::Resize(columns, rows) => vec![Event::Resize(columns, rows)],
        Raw::Mouse(mouse) => self::mouse(mouse).map(Event::Mouse).into_iter().collect(),
        Raw::FocusGained | Raw::FocusLost => Vec::new(),
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

/// The keys that were pressed. A terminal sends the same bytes for Alt with a letter as for Escape
/// and then that letter; here the latter is meant, typed fast.
fn keys(event: KeyEvent) -> Vec<Key> {
    // Windows also tells when a key is let go.
    if event.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let has_alt = event.modifiers.contains(KeyModifiers::ALT);
    let is_letter = matches!(event.code, KeyCode::Char(_));
    match key(event) {
        Some(_) if has_alt && cfg!(windows) => Vec::new(),
        Some(key) if has_alt && is_letter => vec![Key::Esc, key],
        key => key.into_iter().collect(),
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    Some(match event.code {
        KeyCode::Char(c) if event.modifiers.contains(KeyModifiers::CONTROL) => {
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
    fn nobody_waits_for_a_thread_that_has_ended() {
        let (mut keyboard, pauses) = Keyboard::new();
        let (messages, received) = mpsc::channel();
        pass_on(&messages, &pauses, || {
            Err(io::ErrorKind::UnexpectedEof.into())
        });
        drop(pauses);
        assert!(matches!(
            received.recv(),
            Ok(MainMessage::Event(Event::End))
        ));
        let (done, is_done) = mpsc::channel();
        thread::spawn(move || {
            for _ in 0..2 {
                keyboard.stop();
                keyboard.go_on();
            }
            done.send(())
        });
        let outcome = is_done.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(outcome, Ok(()), "it waits forever");
    }

    #[test]
    fn a_thread_that_was_stopped_reads_on_when_it_may() {
        let (mut keyboard, pauses) = Keyboard::new();
        let (messages, received) = mpsc::channel();
        let (typing, typed) = mpsc::channel::<Event>();
        let read = move || Ok(typed.try_iter().collect());
        let thread = thread::spawn(move || pass_on(&messages, &pauses, read));
        keyboard.stop();
        typing.send(Event::End).unwrap();
        assert!(received.try_recv().is_err(), "the terminal is not ours");
        keyboard.go_on();
        thread.join().unwrap();
        assert!(matches!(
            received.recv(),
            Ok(MainMessage::Event(Event::End))
        ));
    }

    #[test]
    fn a_key_counts_when_it_goes_down() {
        let pressed = |kind| {
            let plain = KeyModifiers::NONE;
            keys(KeyEvent::new_with_kind(KeyCode::Char('q'), plain, kind))
        };
        assert_eq!(pressed(KeyEventKind::Press), [Key::Char('q')]);
        assert_eq!(pressed(KeyEventKind::Repeat), [Key::Char('q')]);
        assert!(pressed(KeyEventKind::Release).is_empty());
        let control = |c| keys(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
        assert_eq!(control('C'), [Key::Ctrl('c')]);
        assert_eq!(control('j'), [Key::Ctrl('j')]);
    }

    #[cfg(unix)]
    #[test]
    fn escape_and_a_letter_typed_fast_are_two_keys() {
        let fast = |code| keys(KeyEvent::new(code, KeyModifiers::ALT));
        assert_eq!(fast(KeyCode::Char('q')), [Key::Esc, Key::Char('q')]);
        assert_eq!(fast(KeyCode::Right), [Key::Right]);
    }
}
