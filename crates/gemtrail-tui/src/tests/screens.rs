//! Screens of the sample home.

use gemtrail_testkit::made;

use super::homes::home;
use super::robot::{Robot, Setup, sample_home};
use crate::keys::Key;
use crate::state::ArchiveState;

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
fn people_stand_out_calls_are_faint_and_failures_red() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::End, Key::Enter]);
    let look = |text: &str| robot.look_of(text).unwrap();
    assert!(look("Tour the code, then add a discount helper.").bold());
    let answer = look("I'll look around first.");
    assert!(!answer.bold() && !answer.dim());
    assert!(look("✓ list").dim() && look("3 items").dim());
    robot.press(&[Key::Char('f')]);
    let failed = robot.look_of("✗ shell").unwrap();
    assert_eq!(failed.fgcolor(), vt100::Color::Idx(1));
}

/// Faint and coloured text is hard to read on some backgrounds.
#[test]
fn what_has_to_be_read_is_in_the_terminals_own_foreground() {
    let mut robot = Robot::new(&sample_home(), (200, 50));
    robot.press(&[Key::Down]).rest();
    let is_plain = |robot: &Robot, text: &str| {
        let look = robot.look_of(text).unwrap();
        assert!(!look.dim(), "{text} is faint");
        assert_eq!(look.fgcolor(), vt100::Color::Default, "{text}");
    };
    for text in ["Sun 15", "10 sessions", "search  .", "9 prompts"] {
        is_plain(&robot, text);
    }
    robot.press(&[Key::Char('y')]);
    is_plain(&robot, "Copied resume command");
}

#[test]
fn list_and_session_beside_each_other_at_200_by_50() {
    let mut robot = Robot::new(&sample_home(), (200, 50));
    robot.press(&[Key::Down]);
    assert!(
        robot.line("9 prompts").is_some(),
        "the facts are there in the same frame"
    );
    robot.press(&[Key::End]).rest();
    insta::assert_snapshot!(robot.screen());
}

#[test]
fn projects_with_one_name_are_told_apart() {
    let session = |id: &str| {
        made::lines(
            &format!("{id}-aaaa-4bbb-8ccc-0123456789ab"),
            &[("u1", "build it"), ("g1", "done")],
        )
    };
    let at = |dir: &str, root: &str, id: &str| {
        let dir = format!(".gemini/tmp/{dir}");
        [
            (format!("{dir}/.project_root"), root.to_owned()),
            (
                format!("{dir}/chats/session-2026-06-01T10-00-{id}.jsonl"),
                session(id),
            ),
        ]
    };
    let files = [
        at("nova-kit", "/srv/demo/nova-kit", "2f1e0a52"),
        at("nova-kit-1", "/srv/other/nova-kit", "3f1e0a52"),
    ];
    let dir = home(&files.concat());
    let mut robot = Robot::new(dir.path(), (100, 24));
    assert!(robot.line("demo/nova-kit").is_some(), "{}", robot.screen());
    assert!(robot.line("other/nova-kit").is_some(), "{}", robot.screen());
    assert!(robot.line("2 sessions, 2 projects").is_some());
    robot.press(&[Key::Char('b')]);
    let headings = ["\n demo/nova-kit", "\n other/nova-kit"];
    for heading in headings {
        assert!(robot.screen().contains(heading), "{}", robot.screen());
    }
    robot.press(&[Key::Char('/')]).type_in("other/nova");
    assert!(
        robot.line("1 of 2 sessions").is_some(),
        "{}",
        robot.screen()
    );
    robot.press(&[Key::Backspace; 10]).type_in("done").rest();
    assert!(robot.line("other/nova-kit").is_some(), "{}", robot.screen());
}

#[test]
fn subagents_are_not_counted_as_sessions_while_filtering() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    assert!(robot.line("10 sessions, 6 projects").is_some());
    robot.press(&[Key::Char('/')]).type_in("zzzz");
    assert!(
        robot.line("0 of 10 sessions").is_some(),
        "{}",
        robot.screen()
    );
}

#[test]
fn an_empty_browser_says_where_it_looked() {
    let dir = home(&[]);
    let setup = Setup {
        archive: ArchiveState::Missing,
        ..Setup::default()
    };
    let mut robot = Robot::with(dir.path(), (80, 24), setup);
    insta::assert_snapshot!(robot.screen());
    assert!(robot.line("~/.gemini").is_some());
    assert!(
        robot.line("archive everything").is_none(),
        "there is nothing to keep"
    );
    robot.press(&[Key::Char('A')]);
    assert_eq!(
        robot.footer(),
        "nothing to archive yet: no sessions were found"
    );
    let robot = Robot::with(&sample_home(), (80, 24), setup);
    assert!(robot.footer().starts_with("A archive everything"));
}

/// However long the list is, who has no archive learns what one is good for.
#[test]
fn a_missing_archive_is_explained_above_a_long_list() {
    let files: Vec<_> = (0..60)
        .map(|at| {
            let id = format!("{at:08}-aaaa-4bbb-8ccc-0123456789ab");
            let text = made::lines(&id, &[("u1", &format!("prompt {at}")), ("g1", "answer")]);
            (made::chat(&format!("{at:08}.jsonl")), text)
        })
        .collect();
    let dir = home(&files);
    let setup = Setup {
        archive: ArchiveState::Missing,
        ..Setup::default()
    };
    let mut robot = Robot::with(dir.path(), (80, 24), setup);
    let explains = |robot: &Robot| {
        robot.line("No archive yet").is_some() && robot.line("Press A to keep it all").is_some()
    };
    assert!(explains(&robot), "{}", robot.screen());
    for key in [Key::Down, Key::PageDown, Key::End, Key::Up, Key::Home] {
        for _ in 0..25 {
            robot.press(&[key]);
            assert!(robot.has_cursor(), "{key}: {}", robot.screen());
            assert!(explains(&robot), "{key}: {}", robot.screen());
        }
    }
    robot.press(&[Key::Char('/')]).type_in("prompt 7");
    assert!(!explains(&robot), "{}", robot.screen());
    let low = Robot::with(dir.path(), (80, 14), setup);
    assert!(explains(&low), "{}", low.screen());
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
