//! What is beside the list, and what the columns of the list are.

use std::sync::Arc;

use gemtrail_core::model::Origin;
use gemtrail_testkit::made;
use tempfile::TempDir;

use super::homes::home;
use super::robot::{Robot, sample_home};
use crate::keys::Key;
use crate::state::{Click, Effect, Event, Mouse};

/// A home of sessions of five prompts each.
fn talks(count: usize) -> TempDir {
    let file = |at: usize| {
        let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
        let mut text = made::lines(&id, &[]);
        for turn in 1..=5 {
            let prompt = format!("prompt {turn} of talk {at}\nand its second line");
            text += &(made::message(&format!("u{turn}"), &prompt).to_string() + "\n");
            let answer = format!("answer {turn} of talk {at}");
            text += &(made::message(&format!("g{turn}"), &answer).to_string() + "\n");
        }
        (made::chat(&format!("{at:08x}.jsonl")), text)
    };
    let files: Vec<_> = (0..count).map(file).collect();
    home(&files)
}

/// The talk that the cursor is on.
fn chosen_talk(robot: &Robot) -> String {
    let title = robot.state.list.chosen_row().unwrap().title.clone();
    let words: Vec<String> = title
        .unwrap()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    words[2..5].join(" ")
}

fn has(robot: &Robot, text: &str) -> bool {
    robot.line(text).is_some()
}

#[test]
fn header_and_last_prompts_are_in_the_frame_of_the_key() {
    let dir = talks(60);
    let mut robot = Robot::new(dir.path(), (200, 50));
    robot.rest();
    for key in [Key::Down, Key::Down, Key::PageDown, Key::Up] {
        let effects = robot.glance(Event::Key(key));
        let talk = chosen_talk(&robot);
        assert!(has(&robot, "5 prompts, 5 answers"), "{}", robot.screen());
        for prompt in 3..=5 {
            let line = format!("│ prompt {prompt} {talk} and its second line");
            assert!(has(&robot, &line), "{line}\n{}", robot.screen());
        }
        assert!(
            !has(&robot, &format!("answer 1 {talk}")),
            "nothing was read"
        );
        robot.catch_up(effects);
    }
}

#[test]
fn what_is_above_the_session_stays_when_it_comes() {
    let dir = talks(3);
    let mut robot = Robot::new(dir.path(), (200, 50));
    robot.rest();
    let effects = robot.glance(Event::Key(Key::Down));
    let above = |robot: &Robot| {
        let screen = robot.screen();
        let lines = screen.lines().skip(2).take(8).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    let before = above(&robot);
    robot.catch_up(effects);
    robot.rest();
    assert!(has(&robot, "answer 1 "), "{}", robot.screen());
    assert_eq!(above(&robot), before);
    let facts = robot.screen().matches("5 prompts, 5 answers").count();
    assert_eq!(facts, 1, "{}", robot.screen());
    robot.press(&[Key::Enter]);
    let facts = robot.screen().matches("5 prompts, 5 answers").count();
    assert_eq!(facts, 1, "an open session has its own head");
}

#[test]
fn a_session_that_grew_has_other_last_prompts() {
    let dir = talks(1);
    let path = dir.path().join(made::chat("00000000.jsonl"));
    let mut robot = Robot::new(dir.path(), (200, 50));
    assert!(has(&robot, "│ prompt 5 of talk 0"), "{}", robot.screen());
    let text = std::fs::read_to_string(&path).unwrap();
    let line = made::message("u6", "and the sixth").to_string();
    std::fs::write(&path, text + &line + "\n").unwrap();
    robot.refresh();
    robot.rest();
    assert!(has(&robot, "│ and the sixth"), "{}", robot.screen());
}

#[test]
fn prompts_are_looked_up_around_the_cursor_only() {
    let dir = talks(300);
    let robot = Robot::new(dir.path(), (200, 50));
    let peeks = robot.asked.iter().filter_map(|effect| match effect {
        Effect::Peek(sessions) => Some(sessions.len()),
        _ => None,
    });
    let peeks: Vec<usize> = peeks.collect();
    assert_eq!(peeks[0], 1, "first the one under the cursor");
    assert!(peeks.iter().all(|&count| count <= 8), "{peeks:?}");
    let all: usize = peeks.iter().sum();
    assert!((40..=60).contains(&all), "{all} of 300");
    let robot = Robot::new(dir.path(), (99, 50));
    let has_peeked = |effect: &Effect| matches!(effect, Effect::Peek(_));
    assert!(!robot.asked.iter().any(has_peeked), "nobody would see them");
}

#[test]
fn a_click_beside_the_list_opens_the_session() {
    let dir = talks(3);
    let mut robot = Robot::new(dir.path(), (200, 50));
    robot.rest();
    for what in [Click::Press, Click::Release] {
        robot.happen(Event::Mouse(Mouse {
            what,
            column: 150,
            row: 20,
        }));
    }
    assert!(robot.state.open.is_some());
}

#[test]
fn sessions_of_several_machines_say_which_even_in_80_columns() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    assert!(
        !has(&robot, "acme-shop@"),
        "one machine needs no name: {}",
        robot.screen()
    );
    let generation = robot.asked.iter().find_map(|effect| match effect {
        Effect::LoadRows(generation, _) => Some(*generation),
        _ => None,
    });
    let mut rows = robot.state.list.rows().to_vec();
    for (at, row) in rows.iter_mut().enumerate() {
        let host = if at % 2 == 0 { "laptop" } else { "tower" };
        row.origin = Arc::new(Origin {
            host: Some(host.to_owned()),
            ..(*row.origin).clone()
        });
    }
    let names = robot.state.list.names.clone();
    robot.happen(Event::Rows(generation.unwrap(), Arc::new(rows), names));
    for place in ["acme-shop@laptop", "acme-shop@tower", "tide-notes@"] {
        assert!(has(&robot, place), "{place}\n{}", robot.screen());
    }
    let line = robot.line("acme-shop@tower").unwrap();
    assert!(
        line.contains("Explain @notes.txt"),
        "the title has room: {line}"
    );
}

#[test]
fn the_footer_says_what_can_be_done_just_here() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    robot.press(&[Key::Char('/')]);
    assert!(has(&robot, "status:failed"), "{}", robot.screen());
    robot.type_in("discount").rest();
    assert!(!has(&robot, "status:failed"));
    robot.press(&[Key::Tab]);
    let footer = robot.footer();
    assert!(footer.starts_with("n next match  Esc clear"), "{footer}");
    assert!(footer.contains("? keys"), "{footer}");
    robot.press(&[Key::Esc, Key::End, Key::Enter]);
    let footer = robot.footer();
    for hint in ["y copy", "r resume", "Esc back", "? keys"] {
        assert!(footer.contains(hint), "{hint}: {footer}");
    }
    robot.happen(Event::Resize(120, 40));
    let footer = robot.footer();
    for hint in ["t prompts", "F files  ] next"] {
        assert!(footer.contains(hint), "{hint}: {footer}");
    }
    robot.happen(Event::Resize(45, 20));
    let footer = robot.footer();
    assert!(footer.ends_with("Esc back  ? keys"), "{footer}");
    robot.happen(Event::Resize(80, 24));
    robot.press(&[Key::Esc, Key::Char('x')]);
    assert!(has(&robot, "the extension chooses the format: .md, .html"));
}

#[test]
fn a_list_row_with_subagents_names_their_key() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let agents = |robot: &Robot| {
        let row = robot.state.list.chosen_row().unwrap();
        robot.state.list.agents_of(row.reference).0
    };
    assert!(!robot.footer().contains("Tab subagents"));
    while agents(&robot) == 0 {
        robot.press(&[Key::Down]);
    }
    assert!(
        robot.footer().starts_with("Tab subagents"),
        "{}",
        robot.footer()
    );
    robot.press(&[Key::Enter]);
    assert!(has(&robot, " with subagents"), "{}", robot.screen());
}

#[test]
fn what_is_being_opened_does_not_give_way_to_a_preview() {
    let mut robot = Robot::new(&sample_home(), (200, 50));
    robot.glance(Event::Key(Key::Down));
    let asked = robot.glance(Event::Key(Key::Enter));
    assert!(matches!(asked.as_slice(), [Effect::Load(..), ..]));
    robot.pass_time();
    let later = robot.glance(Event::Tick);
    let loads = later.iter().filter(|it| matches!(it, Effect::Load(..)));
    assert_eq!(loads.count(), 0, "only the last wish is read");
}
