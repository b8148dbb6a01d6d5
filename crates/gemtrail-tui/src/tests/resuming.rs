//! Going on with a session in Gemini CLI.

use super::robot::{Robot, Setup, sample_home};
use crate::keys::{Key, KeyContext};
use crate::state::{Effect, Event};

/// The directories that sessions were resumed in; an empty one is that of the project.
fn resumed(robot: &Robot) -> Vec<&str> {
    let effects = robot.asked.iter();
    let resumed = effects.filter_map(|effect| match effect {
        Effect::Resume(_, directory) => Some(directory.as_deref().unwrap_or_default()),
        _ => None,
    });
    resumed.collect()
}

#[test]
fn a_session_whose_project_is_there_is_resumed_at_once() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::End, Key::Char('r')]);
    assert_eq!(resumed(&robot), [""]);
}

#[test]
fn where_the_projects_directory_is_gone_another_is_asked_for() {
    let setup = Setup {
        has_directories: false,
        ..Setup::default()
    };
    let mut robot = Robot::with(&sample_home(), (80, 24), setup);
    robot.press(&[Key::End]);
    let (place, row) = (robot.state.list.cursor(), robot.state.subject());
    robot.press(&[Key::Char('r')]);
    assert!(resumed(&robot).is_empty(), "the browser stays");
    assert_eq!(robot.state.context(), KeyContext::Directory);
    assert!(robot.line("/srv/gone does not exist").is_some());
    assert_eq!(robot.footer(), "resume in directory:");

    robot.press(&[Key::Esc]);
    assert_eq!(robot.state.context(), KeyContext::List, "Esc leaves it");
    assert_eq!(
        (robot.state.list.cursor(), robot.state.subject()),
        (place, row)
    );

    robot.press(&[Key::Char('r'), Key::Enter]);
    assert!(robot.line("no directory was named").is_some());
    robot.type_in("/nowhere at all").press(&[Key::Enter]);
    assert!(robot.line("/nowhere at all is not a directory").is_some());
    assert_eq!(robot.footer(), "resume in directory: /nowhere at all");

    let here = env!("CARGO_MANIFEST_DIR");
    robot.press(&[Key::Ctrl('u')]).type_in(here);
    robot.press(&[Key::Enter]);
    assert_eq!(resumed(&robot), [here]);
}

#[test]
fn whoever_turns_back_is_not_asked_any_more() {
    let setup = Setup {
        has_directories: false,
        ..Setup::default()
    };
    let mut robot = Robot::with(&sample_home(), (80, 24), setup);
    robot.press(&[Key::End]);
    let asked = robot.glance(Event::Key(Key::Char('r')));
    robot.press(&[Key::Esc]).catch_up(asked);
    assert_eq!(robot.state.context(), KeyContext::List);
    assert!(resumed(&robot).is_empty());
}
