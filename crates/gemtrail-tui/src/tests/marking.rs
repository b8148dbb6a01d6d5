//! The line with the marks of a session.

use super::robot::{Robot, Setup, sample_home};
use crate::keys::Key;
use crate::state::ArchiveState;

fn robot(archive: ArchiveState) -> Robot {
    let setup = Setup {
        archive,
        ..Setup::default()
    };
    Robot::with(&sample_home(), (100, 24), setup)
}

#[test]
fn a_line_sets_the_marks_of_the_session_under_the_cursor() {
    let mut robot = robot(ArchiveState::Used);
    robot.press(&[Key::Char('m')]);
    assert!(robot.footer().contains("marks:"), "{}", robot.footer());
    assert!(
        robot.line("* pins, #word tags").is_some(),
        "{}",
        robot.screen()
    );
    robot.type_in("* #billing Cart totals").press(&[Key::Enter]);
    let footer = robot.footer();
    assert!(
        footer.ends_with("marked * #billing Cart totals"),
        "{footer}"
    );
    // The same in an open session; Escape changes nothing.
    robot.press(&[Key::Enter, Key::Char('m')]).type_in("x");
    assert!(robot.footer().contains("marks: x"), "{}", robot.footer());
    robot.press(&[Key::Esc]);
    assert!(robot.state.marking.is_none() && robot.state.open.is_some());
}

#[test]
fn without_an_archive_the_key_says_why_not() {
    let mut robot = robot(ArchiveState::Off);
    robot.press(&[Key::Char('m')]);
    assert!(robot.state.marking.is_none());
    assert!(robot.footer().contains("archive"), "{}", robot.footer());
}
