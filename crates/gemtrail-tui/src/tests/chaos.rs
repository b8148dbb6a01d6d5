//! Random keys, sizes and hostile texts: nothing panics, and no byte of a text reaches the terminal
//! as anything but text.

use super::homes::hostile_home;
use super::robot::{Robot, sample_home};
use crate::keys::Key;
use crate::state::{Click, Event, Mouse};

/// A small generator: the same keys on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn random_event(dice: &mut Dice) -> Event {
    const SPECIAL: [Key; 16] = [
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
        Key::End,
        Key::Enter,
        Key::Enter,
        Key::Esc,
        Key::Tab,
        Key::Backspace,
        Key::Delete,
        Key::Ctrl('d'),
        Key::Ctrl('u'),
    ];
    const LETTERS: &str = "jkgGlh/nNrRxyYpcuesboSDAm?iz[]{}fFt necart支👩";
    let small = |value: u64| u16::try_from(value).unwrap_or(1);
    match dice.roll(40) {
        0 => Event::Resize(small(1 + dice.roll(220)), small(1 + dice.roll(60))),
        1 => Event::Paste("pasted \u{1b}[31m text\n".to_owned()),
        2 | 3 => {
            let what = match dice.roll(4) {
                0 => Click::Wheel(-3),
                1 => Click::Wheel(3),
                2 => Click::Press,
                _ => Click::Release,
            };
            let (column, row) = (small(dice.roll(220)), small(dice.roll(60)));
            Event::Mouse(Mouse { what, column, row })
        }
        4 => Event::Tick,
        5..20 => {
            let at = usize::try_from(dice.roll(SPECIAL.len() as u64)).unwrap_or(0);
            Event::Key(SPECIAL[at])
        }
        _ => {
            let count = LETTERS.chars().count() as u64;
            let at = usize::try_from(dice.roll(count)).unwrap_or(0);
            Event::Key(Key::Char(LETTERS.chars().nth(at).unwrap_or('j')))
        }
    }
}

/// Every escape sequence that the browser itself writes begins like this.
fn is_own(sequence: &[u8]) -> bool {
    let is_own_final = |&byte: &u8| b"HmKJhlABCDG".contains(&byte);
    match sequence {
        [0x1b, b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
            end.is_some_and(|end| is_own_final(&rest[end]))
        }
        // A copy.
        [0x1b, b']', b'5', b'2', ..] => true,
        _ => false,
    }
}

fn check(bytes: &[u8]) {
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            0x1b => {
                let sequence = &bytes[at..bytes.len().min(at + 40)];
                assert!(is_own(sequence), "{:?}", String::from_utf8_lossy(sequence));
            }
            // The end of a copy.
            0x07 => {}
            0x00..0x20 | 0x7f => panic!("byte {byte:#x} at {at}"),
            _ => {}
        }
    }
    let text = String::from_utf8_lossy(bytes);
    assert!(!text.contains("owned"), "a title was set");
    assert!(!text.contains("\u{1b}[?1049l") && !text.contains('\u{9b}'));
    assert!(!text.contains('\u{202e}'), "text runs backwards");
    assert!(!text.contains("]52;c;aGE="), "a text copied itself");
}

fn play(mut robot: Robot, seed: u64, events: usize) {
    let mut dice = Dice(seed);
    for at in 0..events {
        robot.happen(random_event(&mut dice));
        if at % 16 == 0 {
            robot.rest();
        }
        if at % 64 == 0 {
            check(&robot.bytes);
            robot.bytes.clear();
        }
    }
    check(&robot.bytes);
}

#[test]
fn ten_thousand_random_events() {
    play(
        Robot::new(&sample_home(), (80, 24)),
        0x2545_f491_4f6c_dd1d,
        5_000,
    );
    let dir = hostile_home();
    play(
        Robot::new(dir.path(), (80, 24)),
        0x9e37_79b9_7f4a_7c15,
        5_000,
    );
}

#[test]
fn hard_characters_keep_their_columns() {
    let dir = hostile_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter, Key::Char('z')]);
    for _ in 0..40 {
        robot.press(&[Key::Down]);
        for line in robot.screen().lines() {
            assert!(gemtrail_export::text::width(line) <= 80, "{line}");
        }
    }
}
