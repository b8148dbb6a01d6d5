//! Screens of the sample home.

use super::robot::{Robot, sample_home};
use crate::keys::Key;

#[test]
fn the_list_at_80_by_24() {
    let robot = Robot::new(&sample_home(), (80, 24));
    insta::assert_snapshot!(robot.screen());
}

#[test]
fn a_session_at_80_by_24() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::End, Key::Enter]);
    insta::assert_snapshot!(robot.screen());
    robot.press(&[Key::Char('f'), Key::Enter]);
    insta::assert_snapshot!(robot.screen());
    robot.press(&[Key::Esc]);
    assert!(robot.line("sessions, ").is_some(), "back in the list");
}

#[test]
fn list_and_session_beside_each_other_at_200_by_50() {
    let mut robot = Robot::new(&sample_home(), (200, 50));
    robot.press(&[Key::Down]);
    assert!(
        robot.line("answers, ").is_some(),
        "the facts are there in the same frame"
    );
    robot.press(&[Key::End]).rest();
    insta::assert_snapshot!(robot.screen());
}

#[test]
fn a_small_screen_says_so() {
    for size in [(39, 24), (80, 9), (35, 5)] {
        let mut robot = Robot::new(&sample_home(), size);
        assert_eq!(robot.screen(), "gemtrail needs 40 × 10; q quits");
        robot.press(&[Key::Down, Key::Enter, Key::Char('?')]);
    }
    Robot::new(&sample_home(), (1, 1)).press(&[Key::Down, Key::Enter]);
}

#[test]
fn statistics_doctor_and_help_are_pages() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::Char('S')]);
    insta::assert_snapshot!(robot.screen());
    robot.press(&[Key::Esc, Key::Char('D')]);
    assert!(robot.line("All is well").is_some());
    robot.press(&[Key::Esc, Key::Char('?')]);
    insta::assert_snapshot!(robot.screen());
}
