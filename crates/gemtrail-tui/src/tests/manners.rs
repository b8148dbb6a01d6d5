//! How the browser behaves.

use std::sync::Arc;

use gemtrail_testkit::made;

use super::homes::{home, hostile_home, long_home};
use super::robot::{Robot, Setup, sample_home};
use crate::keys::Key;
use crate::state::{ArchiveState, Click, Effect, Event, Mouse};

#[test]
fn the_filter_takes_all_rows_and_finds_texts() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::Char('/')]).type_in("discount");
    assert!(
        robot.line("of 10 sessions").is_some(),
        "the same as without a filter: {}",
        robot.screen()
    );
    robot.rest();
    let heading = robot.line("In the text:").unwrap();
    let title = robot.line("gemtrail").unwrap();
    assert!(
        title.contains(" of 10 sessions, ") && title.contains(" matches"),
        "the count is visible however many rows there are: {title}"
    );
    assert!(
        heading.contains(" sessions") || heading.contains("1 session"),
        "{heading}"
    );
    robot.press(&[Key::Tab, Key::Char('n')]);
    assert!(
        robot.footer().starts_with("match 1 of "),
        "{}",
        robot.footer()
    );
    assert!(robot.screen().to_lowercase().contains("discount"));
    let first = robot.screen();
    robot.press(&[Key::Char('n')]);
    assert!(
        robot.footer().starts_with("match 2 of "),
        "{}",
        robot.footer()
    );
    assert_ne!(robot.screen(), first);
    robot.press(&[Key::Char('N')]);
    assert!(robot.footer().starts_with("match 1 of "));
    robot.press(&[Key::Esc, Key::Esc]);
    assert!(
        robot.line("10 sessions, 6 projects").is_some(),
        "{}",
        robot.screen()
    );
}

#[test]
fn hits_go_on_in_the_next_session() {
    let dir = hostile_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Char('/')]).type_in("needle").rest();
    let total = robot.state.list.hits.total;
    assert!(total >= 3);
    let heading = format!("In the text: {total} in 3 sessions");
    assert!(robot.line(&heading).is_some(), "{}", robot.screen());
    robot.press(&[Key::Tab]);
    let mut sessions = std::collections::HashSet::new();
    for _ in 0..total {
        robot.press(&[Key::Char('n')]);
        sessions.insert(robot.state.subject());
    }
    assert_eq!(sessions.len(), 3);
    robot.press(&[Key::Char('n')]);
    assert_eq!(robot.footer(), "that was the last match");
}

#[test]
fn a_paste_is_text_and_never_a_command() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.happen(Event::Paste("dq\n".to_owned()));
    assert!(robot.footer().contains("not taken for commands"));
    robot.press(&[Key::Char('/')]);
    robot.happen(Event::Paste("dq\n".to_owned()));
    assert_eq!(robot.state.filter.text(), "dq");
    assert!(
        !robot
            .asked
            .iter()
            .any(|effect| matches!(effect, Effect::Quit))
    );
}

#[test]
fn esc_goes_one_step_back_and_never_quits() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[
        Key::End,
        Key::Enter,
        Key::Char('t'),
        Key::Char('t'),
        Key::Char('?'),
    ]);
    robot.press(&[Key::Esc]);
    assert!(robot.state.open.is_some());
    robot.press(&[Key::Esc, Key::Esc, Key::Esc]);
    assert!(robot.footer().contains("q quits"));
    assert!(
        !robot
            .asked
            .iter()
            .any(|effect| matches!(effect, Effect::Quit))
    );
    robot.press(&[Key::Char('/'), Key::Char('q')]);
    assert_eq!(robot.state.filter.text(), "q", "letters are text in a line");
    robot.press(&[Key::Ctrl('c')]);
    assert!(matches!(robot.asked.last(), Some(Effect::Quit)));
}

#[test]
fn a_key_that_cannot_work_says_why() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::Char('R')]);
    assert_eq!(robot.footer(), "it is on disk: nothing to restore");
    robot.press(&[Key::Char('n')]);
    assert_eq!(robot.footer(), "/ searches first");
    robot.press(&[Key::Home, Key::Down, Key::Char('r')]);
    assert_eq!(
        robot.footer(),
        "nothing to resume: only its prompts are left"
    );
    robot.press(&[Key::Char('A')]);
    assert_eq!(
        robot.footer(),
        "--home turns the archive off. Add --archive FILE to use one."
    );
}

#[test]
fn copies_are_whole_and_say_where_they_went() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::End, Key::Enter, Key::Char('f'), Key::Char('y')]);
    let footer = robot.footer();
    assert!(footer.starts_with("Copied output ("), "{footer}");
    assert!(footer.ends_with("to the terminal's clipboard"), "{footer}");
    let text = robot.asked.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text, _) => Some(text.clone()),
        _ => None,
    });
    assert!(
        text.unwrap().contains("per-country rates"),
        "although it is folded"
    );
    robot.press(&[Key::Char('c')]);
    assert!(robot.footer().starts_with("Copied command"));
    robot.press(&[Key::Char('u')]);
    assert!(robot.footer().starts_with("Copied resume command"));
    robot.press(&[Key::Char('Y')]);
    assert_eq!(robot.footer(), "there is no code block in this message");
}

#[test]
fn a_copy_is_as_it_was_said_and_secrets_in_it_are_counted() {
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let words = [("u1", "the password is hunter2"), ("g1", "I see")];
    let dir = home(&[(made::chat("2f1e0a52.jsonl"), made::lines(id, &words))]);
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter, Key::Char(']'), Key::Char('y')]);
    let told = "Copied message with 1 secret (23 characters) to the terminal's clipboard";
    assert_eq!(robot.footer(), told);
    let copied = robot.asked.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text, _) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("the password is hunter2"));
}

#[test]
fn subagents_unfold_in_the_list_and_in_the_session() {
    let mut robot = Robot::new(&sample_home(), (80, 40));
    robot
        .press(&[Key::Char('/')])
        .type_in("investigate")
        .press(&[Key::Tab, Key::Esc]);
    let before = robot.state.list.entries().len();
    robot.press(&[Key::Tab]);
    assert!(
        robot.state.list.entries().len() > before,
        "{}",
        robot.screen()
    );
    robot.press(&[Key::Tab]);
    assert_eq!(robot.state.list.entries().len(), before);
    robot.press(&[Key::Enter, Key::Char('z')]);
    assert!(robot.line("┆").is_some(), "{}", robot.screen());
}

#[test]
fn fifty_steps_end_on_the_right_row_at_once() {
    let files: Vec<(String, String)> = (0..60)
        .map(|at| {
            let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
            let text = made::lines(&id, &[("u1", &format!("session {at}")), ("g1", "yes")]);
            (made::chat(&format!("{at:08x}.jsonl")), text)
        })
        .collect();
    let dir = home(&files);
    let mut robot = Robot::new(dir.path(), (200, 50));
    let first = robot.state.list.cursor();
    let loads = |robot: &Robot| {
        let loads = robot.asked.iter();
        loads
            .filter(|effect| matches!(effect, Effect::Load(..)))
            .count()
    };
    let before = loads(&robot);
    robot.press(&[Key::Down; 50]);
    assert_eq!(robot.state.list.cursor(), first + 50);
    assert_eq!(
        loads(&robot),
        before,
        "nothing is read while the cursor moves"
    );
    robot.rest();
    assert_eq!(loads(&robot), before + 1);
}

#[test]
fn an_answer_to_an_older_question_is_dropped() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let names = gemtrail_core::view::ProjectNames::default();
    robot.happen(Event::Rows(0, Arc::new(Vec::new()), names));
    assert!(robot.line("10 sessions").is_some());
}

#[test]
fn a_page_that_comes_late_does_not_replace_another() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let doctor = robot.glance(Event::Key(Key::Char('D')));
    robot.press(&[Key::Esc, Key::Char('?')]);
    robot.catch_up(doctor);
    assert!(robot.line("In the list").is_some(), "{}", robot.screen());
}

#[test]
fn another_size_keeps_the_message() {
    let dir = long_home(200);
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter]).press(&[Key::Down; 90]);
    let spot = robot.state.open.as_ref().unwrap().spot();
    let (from, to) = ("message number 89", "message number 88");
    assert!(robot.line(from).is_some() || robot.line(to).is_some());
    for size in [(50, 12), (200, 50), (30, 5), (120, 40), (80, 24)] {
        robot.happen(Event::Resize(size.0, size.1));
        assert_eq!(robot.state.open.as_ref().unwrap().spot(), spot);
        assert!(size.0 < 40 || robot.line(from).is_some() || robot.line(to).is_some());
    }
}

#[test]
fn a_running_session_is_followed_only_at_its_end() {
    let dir = long_home(100);
    let path = dir.path().join(made::chat("2f1e0a52.jsonl"));
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter, Key::Char('G')]);
    assert!(robot.line("message number 99").is_some());
    let grow = |id: &str, words: &str| {
        let line = made::message(id, words).to_string() + "\n";
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + &line).unwrap();
    };
    grow("u900", "and one more");
    robot.refresh();
    assert!(robot.line("and one more").is_some(), "{}", robot.screen());
    robot.press(&[Key::Home]);
    let before = robot.screen();
    grow("g901", "and another one");
    robot.refresh();
    let rest = |screen: &str| {
        screen
            .lines()
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        rest(&robot.screen())[8..],
        rest(&before)[8..],
        "what is read stays where it is"
    );
}

#[test]
fn the_mouse_moves_opens_and_copies() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let click = |robot: &mut Robot, from: u16, to: u16| {
        for (what, row) in [(Click::Press, from), (Click::Release, to)] {
            robot.happen(Event::Mouse(Mouse {
                what,
                column: 10,
                row,
            }));
        }
    };
    click(&mut robot, 5, 5);
    assert_eq!(robot.state.list.cursor(), 3);
    click(&mut robot, 5, 5);
    assert!(robot.state.open.is_some(), "a second click opens");
    click(&mut robot, 2, 4);
    assert!(
        robot.footer().starts_with("Copied 3 lines"),
        "{}",
        robot.footer()
    );
    robot.press(&[Key::Char('M')]);
    assert!(matches!(robot.asked.last(), Some(Effect::Mouse(false))));
}

#[test]
fn without_colour_no_colour_is_written() {
    let setup = Setup {
        has_color: false,
        ..Setup::default()
    };
    let mut robot = Robot::with(&sample_home(), (80, 24), setup);
    robot.press(&[Key::End, Key::Enter, Key::Char('f')]);
    assert!(robot.line("✗ shell").is_some(), "{}", robot.screen());
    let bytes = String::from_utf8_lossy(&robot.bytes).into_owned();
    for colour in [
        "\u{1b}[31m",
        "\u{1b}[38;5;1m",
        "\u{1b}[38;5;6m",
        "\u{1b}[36m",
    ] {
        assert!(!bytes.contains(colour));
    }
}

#[test]
fn words_are_found_in_a_session_and_unfolded() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot
        .press(&[Key::End, Key::Enter, Key::Char('/')])
        .type_in("per-country");
    robot.press(&[Key::Enter]);
    let place = robot.footer();
    assert!(
        place.starts_with("match 1 of ") && place.contains("Esc clears"),
        "{place}"
    );
    assert!(robot.line("per-country").is_some(), "{}", robot.screen());
    robot
        .press(&[Key::Char('/')])
        .type_in("nowhere at all")
        .press(&[Key::Enter]);
    assert_eq!(robot.footer(), "no match in this session");
}

#[test]
fn turns_are_listed_and_gone_to() {
    let dir = long_home(60);
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter, Key::Char('t'), Key::End, Key::Enter]);
    assert!(
        robot.line("message number 58").is_some(),
        "{}",
        robot.screen()
    );
    robot.press(&[Key::Char('[')]);
    assert!(robot.line("human 29").is_some(), "{}", robot.screen());
}

#[test]
fn what_is_at_risk_is_said_first_and_the_key_that_helps() {
    let setup = Setup {
        archive: ArchiveState::Missing,
        has_risk: true,
        ..Setup::default()
    };
    let mut robot = Robot::with(&sample_home(), (120, 35), setup);
    let words =
        "2 of your 10 sessions will be deleted the next time gemini starts. Press A to keep them.";
    assert!(robot.line(words).is_some(), "{}", robot.screen());
    robot.press(&[Key::Char('/')]);
    assert!(robot.line(words).is_none(), "the search line is there now");
}

#[test]
fn here_and_all() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let all = robot.state.list.sessions;
    robot.press(&[Key::Char('.')]);
    assert!(
        robot.line("sessions here, 1 project").is_some(),
        "{}",
        robot.screen()
    );
    let here = robot.state.list.sessions;
    assert!(0 < here && here < all);
    // Searching stays here.
    robot.press(&[Key::Char('/')]).type_in("the").rest();
    let is_here = |robot: &Robot| robot.state.list.hits.sessions <= here;
    assert!(is_here(&robot), "{}", robot.screen());
    robot.press(&[Key::Esc, Key::Char('.')]);
    assert_eq!(robot.state.list.sessions, all);
}

#[test]
fn fields_filter_the_list() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot
        .press(&[Key::Char('/')])
        .type_in("project:acme-shop")
        .rest();
    let (sessions, _) = robot.state.list.taken();
    assert!(0 < sessions && sessions < 10, "{}", robot.screen());
    let title = format!("{sessions} of 10 sessions");
    assert!(robot.line(&title).is_some(), "{}", robot.screen());
}

#[test]
fn one_enter_opens_what_was_found() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::Char('/')]).type_in("discount").rest();
    robot.press(&[
        Key::Ctrl('n'),
        Key::Ctrl('j'),
        Key::Ctrl('p'),
        Key::Ctrl('k'),
    ]);
    robot.press(&[Key::Enter]);
    assert!(robot.state.open.is_some() && !robot.state.is_filtering);
    robot.press(&[Key::Char('q')]);
    assert!(robot.state.open.is_none() && robot.state.list.is_filtered());
}

#[test]
fn a_file_that_exists_is_asked_for() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot
        .press(&[Key::Char('x'), Key::Ctrl('u')])
        .type_in("there.md");
    robot.press(&[Key::Enter]);
    assert_eq!(robot.footer(), "there.md exists. Replace it? y/n");
    robot.press(&[Key::Char('n')]);
    assert_eq!(robot.footer(), "nothing was written");
    robot
        .press(&[Key::Char('x'), Key::Ctrl('u')])
        .type_in("there.md");
    robot.press(&[Key::Enter, Key::Char('y')]);
    assert!(
        robot.footer().ends_with("exported to there.md"),
        "{}",
        robot.footer()
    );
}

#[test]
fn files_of_a_session_and_what_changed_in_them() {
    let mut robot = Robot::new(&sample_home(), (100, 30));
    robot
        .press(&[Key::Char('/')])
        .type_in("tool:replace")
        .rest();
    robot.press(&[Key::Tab, Key::Char('F')]);
    assert!(robot.line("prompts").is_some(), "{}", robot.screen());
    robot.press(&[Key::Enter]);
    let screen = robot.screen();
    assert!(screen.contains("@@ ") && screen.contains(" +"), "{screen}");
    robot.press(&[Key::Char('q'), Key::Char('q')]);
    assert!(robot.state.files.is_none() && robot.state.page.is_none());
}
