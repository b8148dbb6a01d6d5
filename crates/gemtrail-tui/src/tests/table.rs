//! The table of keys is true: every key does something everywhere it is listed.

use super::robot::{Robot, Setup, sample_home};
use crate::keys::{self, Key, KeyContext};
use crate::state::ArchiveState;

/// Brings a browser into a context, in the middle of things, so that every direction is open.
fn browser_in(context: KeyContext) -> Robot {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let home = [Key::End, Key::Up, Key::Up];
    match context {
        KeyContext::List => {
            robot.press(&home);
        }
        KeyContext::Filter => {
            robot.press(&[Key::Char('/')]).type_in("cart a").rest();
            robot.press(&[Key::Down, Key::Down, Key::Left]);
        }
        KeyContext::Transcript => {
            robot
                .press(&home)
                .press(&[Key::Enter, Key::PageDown, Key::Up]);
        }
        KeyContext::Turns => {
            robot.press(&[Key::Home, Key::Enter, Key::Char('t'), Key::Down]);
        }
        KeyContext::Find => {
            robot
                .press(&home)
                .press(&[Key::Enter, Key::Char('/')])
                .type_in("total s")
                .press(&[Key::Left]);
        }
        KeyContext::Page => {
            robot.press(&[Key::Char('?'), Key::PageDown]);
        }
        KeyContext::Files => {
            robot
                .press(&[Key::Char('/')])
                .type_in("tool:replace")
                .rest();
            robot.press(&[Key::Tab, Key::Char('F')]);
            let files = robot.state.files.as_mut().unwrap();
            let known = files.files.as_mut().unwrap();
            known.push(known[0].clone());
            files.cursor = 1;
        }
        KeyContext::Replace => {
            robot
                .press(&[Key::Char('x'), Key::Ctrl('u')])
                .type_in("there.md");
            robot.press(&[Key::Enter]);
        }
        KeyContext::Export => {
            robot
                .press(&home)
                .press(&[Key::Char('x'), Key::Left, Key::Left]);
        }
        KeyContext::Mark => {
            robot = Robot::with(
                &sample_home(),
                (80, 24),
                Setup {
                    archive: ArchiveState::Used,
                    ..Setup::default()
                },
            );
            robot
                .press(&home)
                .press(&[Key::Char('m')])
                .type_in("#a b")
                .press(&[Key::Left]);
        }
        KeyContext::Directory => {
            robot = Robot::with(
                &sample_home(),
                (80, 24),
                Setup {
                    has_directories: false,
                    ..Setup::default()
                },
            );
            robot.press(&home).press(&[Key::Char('r')]).type_in("/a b");
            robot.press(&[Key::Left]);
        }
    }
    assert_eq!(robot.state.context(), context);
    robot
}

#[test]
fn every_key_of_the_table_does_something() {
    for context in KeyContext::ALL {
        for binding in keys::bindings(context) {
            for key in binding.keys {
                let mut robot = browser_in(context);
                let (before, asked) = (robot.picture(), robot.asked.len());
                robot.press(&[*key]).rest();
                let has_asked = robot.asked.len() > asked;
                assert!(
                    has_asked || robot.picture() != before,
                    "{key} in {context:?}: {}\n{}",
                    binding.words,
                    robot.screen()
                );
            }
        }
    }
}

#[test]
fn every_letter_outside_the_table_says_so() {
    for context in [
        KeyContext::List,
        KeyContext::Transcript,
        KeyContext::Turns,
        KeyContext::Page,
    ] {
        let mut robot = browser_in(context);
        robot.press(&[Key::Char('ß')]);
        assert_eq!(robot.footer(), "ß does nothing here; ? lists the keys");
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the variable says whether to write"
)]
fn the_documentation_lists_these_keys() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/browser.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (start, end) = ("<!-- keys -->\n\n", "<!-- end of keys -->");
    let from = text.find(start).unwrap() + start.len();
    let to = text.find(end).unwrap();
    if text[from..to] != keys::markdown() {
        if std::env::var_os("GEMTRAIL_WRITE_DOCS").is_some() {
            let text = format!("{}{}{}", &text[..from], keys::markdown(), &text[to..]);
            std::fs::write(&page, text).unwrap();
            return;
        }
        panic!("docs/browser.md: run this test with GEMTRAIL_WRITE_DOCS=1");
    }
}
