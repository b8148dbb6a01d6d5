//! How often is drawn, and what a frame is made of.

use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use gemtrail_testkit::made;
use tempfile::TempDir;

use super::homes::home;
use super::robot::{Robot, sample_home};
use crate::keys::Key;
use crate::message::MainMessage;
use crate::pace::FRAME;
use crate::state::Event;

const BEGIN: &str = "\u{1b}[?2026h";
const END: &str = "\u{1b}[?2026l";

/// A home of many small sessions.
fn many(count: usize) -> TempDir {
    let file = |at: usize| {
        let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
        let text = made::lines(&id, &[("u1", &format!("session {at}")), ("g1", "yes")]);
        (made::chat(&format!("{at:08x}.jsonl")), text)
    };
    let files: Vec<_> = (0..count).map(file).collect();
    home(&files)
}

/// Lets a browser live while something is sent; how many frames it drew, and how long it took.
fn live(
    robot: &mut Robot,
    send: impl FnOnce(Sender<MainMessage>) + Send + 'static,
) -> (usize, Duration) {
    let (sender, messages) = mpsc::channel();
    let start = Instant::now();
    let sending = thread::spawn(move || send(sender));
    let frames = robot.live(&messages);
    sending.join().unwrap();
    (frames, start.elapsed())
}

fn most_frames(elapsed: Duration) -> usize {
    usize::try_from(elapsed.as_micros() / FRAME.as_micros()).unwrap() + 1
}

#[test]
fn a_flood_of_keys_is_drawn_120_times_a_second_at_most() {
    let dir = many(60);
    let mut robot = Robot::new(dir.path(), (80, 24));
    let (frames, elapsed) = live(&mut robot, |sender| {
        let end = Instant::now() + Duration::from_millis(300);
        while Instant::now() < end {
            for key in [Key::Down, Key::Up, Key::Down] {
                sender.send(Event::Key(key).into()).unwrap();
            }
            thread::yield_now();
        }
    });
    assert!(frames <= most_frames(elapsed), "{frames} in {elapsed:?}");
    assert!(frames >= 3, "{frames} in {elapsed:?}");
}

#[test]
fn fifty_steps_in_one_read_are_few_frames() {
    let dir = many(60);
    let mut robot = Robot::new(dir.path(), (80, 24));
    let first = robot.state.list.cursor();
    let (frames, _) = live(&mut robot, |sender| {
        for _ in 0..50 {
            sender.send(Event::Key(Key::Down).into()).unwrap();
        }
    });
    assert!((1..=5).contains(&frames), "{frames} frames");
    assert_eq!(robot.state.list.cursor(), first + 50);
    let row = robot.state.list.chosen_row().unwrap();
    let title = row.title.clone().unwrap();
    assert!(robot.line(&title).is_some(), "it is on the screen");
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let mut robot = Robot::new(&sample_home(), (200, 50));
    robot.rest();
    robot.bytes.clear();
    let (frames, _) = live(&mut robot, |sender| {
        thread::sleep(Duration::from_millis(300));
        drop(sender);
    });
    assert_eq!(frames, 0);
    assert!(robot.bytes.is_empty());
}

#[test]
fn every_byte_is_inside_a_synchronized_update() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[
        Key::Down,
        Key::Enter,
        Key::Char('z'),
        Key::End,
        Key::Char('?'),
    ]);
    for size in [(200, 50), (30, 5), (80, 24)] {
        robot.happen(Event::Resize(size.0, size.1));
    }
    let bytes = String::from_utf8(robot.bytes.clone()).unwrap();
    let frames: Vec<&str> = bytes.split_inclusive(END).collect();
    assert_eq!(frames.len(), 9, "one for each event, and the first");
    for frame in frames {
        assert!(
            frame.starts_with(BEGIN) && frame.ends_with(END),
            "{frame:?}"
        );
        assert_eq!(frame.matches(BEGIN).count(), 1);
    }
}

/// What the browser sets: colours, bold and so on.
fn settings(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let sequences = text.split("\u{1b}[").skip(1);
    let of = sequences.filter_map(|rest| {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        rest[end..].starts_with('m').then(|| rest[..end].to_owned())
    });
    of.collect()
}

/// White, black and solarized terminals: what is neither a background nor black nor white of our own
/// can be read on all of them.
#[test]
fn only_the_terminals_own_colours_are_used() {
    let dir = super::homes::hostile_home();
    let mut colours = std::collections::BTreeSet::new();
    for home in [&sample_home(), dir.path()] {
        let mut robot = Robot::new(home, (200, 50));
        robot.press(&[Key::Char('/')]).type_in("the").rest();
        robot.press(&[Key::Enter, Key::Down, Key::Esc, Key::End, Key::Enter]);
        robot.press(&[Key::Char('i'), Key::Char('z')]);
        robot.press(&[Key::PageDown; 12]);
        robot.press(&[Key::Esc, Key::Char('S'), Key::Esc, Key::Char('?')]);
        for setting in settings(&robot.bytes) {
            let mut numbers = setting.split(';');
            while let Some(number) = numbers.next() {
                match number {
                    "38" => {
                        assert_eq!(numbers.next(), Some("5"), "no RGB: {setting}");
                        let index: u8 = numbers.next().unwrap().parse().unwrap();
                        colours.insert(index);
                    }
                    "48" => panic!("a background: {setting}"),
                    _ => {}
                }
            }
        }
    }
    let (red, green, magenta, cyan) = (1, 2, 5, 6);
    assert!(
        colours.contains(&red) && colours.contains(&cyan),
        "{colours:?}"
    );
    for colour in colours {
        assert!([red, green, magenta, cyan].contains(&colour), "{colour}");
    }
}
