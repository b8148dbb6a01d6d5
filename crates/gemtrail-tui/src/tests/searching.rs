//! The filter of the list, and the hits below it.

use gemtrail_testkit::made;
use tempfile::TempDir;

use super::homes::home;
use super::robot::Robot;
use crate::keys::Key;
use crate::state::{Event, ListEntry};

/// Two sessions: one that says a word five times, one that says it once, in a long text.
fn talkative_home() -> TempDir {
    let filler = "nothing of interest here ".repeat(12);
    let one = made::lines(
        "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab",
        &[
            ("u1", "Fix the oven"),
            ("g1", "needle one"),
            ("u2", "needle two"),
            ("g2", "needle three"),
            ("u3", "needle four"),
            ("g3", &format!("{filler} needle five {filler}")),
        ],
    );
    let other = made::lines(
        "3f1e0a52-aaaa-4bbb-8ccc-0123456789ab",
        &[
            ("u1", "Paint the door"),
            (
                "g1",
                &format!("{filler} the needle lies among words {filler}"),
            ),
        ],
    );
    home(&[
        (made::chat("2f1e0a52.jsonl"), one),
        (made::chat("3f1e0a52.jsonl"), other),
    ])
}

fn search(robot: &mut Robot, words: &str) {
    robot.press(&[Key::Char('/')]).type_in(words).rest();
}

/// Moves the cursor to the line of the list that has these words.
fn go_to(robot: &mut Robot, words: &str) {
    let entries = robot.state.list.entries().len();
    robot.press(&[Key::Home]);
    for _ in 0..entries {
        let at = robot.state.list.cursor() - robot.state.list.top();
        let screen = robot.screen();
        let line = screen.lines().nth(at + 3).unwrap_or_default();
        let list: String = line.chars().take_while(|&c| c != '│').collect();
        if list.contains(words) {
            return;
        }
        robot.press(&[Key::Down]);
    }
    panic!("no {words}:\n{}", robot.screen());
}

#[test]
fn hits_stand_below_their_session() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    search(&mut robot, "needle");
    insta::assert_snapshot!(robot.screen());
    let entries = robot.state.list.entries();
    let count = |is: fn(&ListEntry) -> bool| entries.iter().filter(|entry| is(entry)).count();
    assert_eq!(count(|it| matches!(it, ListEntry::Found(_))), 2);
    assert_eq!(
        count(|it| matches!(it, ListEntry::Hit(_))),
        4,
        "three and one"
    );
    assert!(robot.line("Fix the oven").unwrap().ends_with("5 matches"));
    assert!(robot.line("and 2 more").is_some());

    robot.press(&[Key::Tab]);
    go_to(&mut robot, "and 2 more");
    robot.press(&[Key::Enter]);
    assert!(robot.line("and 2 more").is_none(), "now they are shown");
    assert!(robot.line("needle four").is_some());
}

#[test]
fn n_walks_through_the_hits_that_are_not_shown_as_well() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    search(&mut robot, "needle");
    robot.press(&[Key::Tab]);
    for at in 1..=6 {
        robot.press(&[Key::Char('n')]);
        let expected = format!("match {at} of 6");
        assert_eq!(robot.footer(), expected);
        assert!(robot.screen().contains("needle"), "{}", robot.screen());
    }
    robot.press(&[Key::Char('N')]);
    assert_eq!(robot.footer(), "match 5 of 6");
}

#[test]
fn words_around_a_hit_fill_the_line_and_are_cut_between_words() {
    let dir = talkative_home();
    for columns in [80, 120, 160, 200] {
        let mut robot = Robot::new(dir.path(), (columns, 40));
        search(&mut robot, "lies");
        let (list, _) = robot.state.columns();
        let line = robot.line("needle lies").unwrap();
        let line: String = line.chars().take(usize::from(list)).collect();
        let (_, words) = line.split_once("assistant").unwrap();
        let words = words.trim();
        assert_eq!(words.matches('…').count(), 2, "{columns}: {words}");
        let used = gemtrail_export::text::width(line.trim_end());
        assert!(used + 12 >= usize::from(list), "{columns}: {line}");
        let known = "nothing of interest here the needle lies among words";
        for word in words.trim_matches('…').split_whitespace() {
            let mut known = known.split(' ');
            assert!(known.any(|it| it == word), "{columns}: {word}");
        }
        assert!(line.contains(" 10:"), "when it was said: {line}");
    }
}

#[test]
fn the_preview_shows_the_message_of_the_hit() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (160, 12));
    search(&mut robot, "needle");
    robot.press(&[Key::Tab]);
    let beside = |robot: &Robot, words: &str| {
        let screen = robot.screen();
        let mut right = screen.lines().filter_map(|line| line.split_once('│'));
        right.any(|(_, right)| right.contains(words))
    };
    go_to(&mut robot, "needle one");
    robot.rest();
    assert!(beside(&robot, "needle one"), "{}", robot.screen());
    assert!(!beside(&robot, "needle four"), "{}", robot.screen());
    go_to(&mut robot, "needle four");
    robot.rest();
    assert!(beside(&robot, "needle four"), "{}", robot.screen());
    assert!(!beside(&robot, "Fix the oven"), "not the start");
    go_to(&mut robot, "lies among");
    robot.rest();
    assert!(beside(&robot, "lies among"), "{}", robot.screen());
}

#[test]
fn n_during_a_search_says_that_it_is_not_done() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Char('/')]).type_in("needle");
    robot.press(&[Key::Tab, Key::Char('n')]);
    assert_eq!(robot.footer(), "still searching …");
    robot.rest();
    robot.press(&[Key::Char('n')]);
    assert_eq!(robot.footer(), "match 1 of 6");
}

#[test]
fn a_hit_in_what_was_taken_back_is_marked() {
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let words = [
        ("u1", "keep the needle"),
        ("g1", "yes"),
        ("u2", "lose the needle"),
    ];
    let text = made::lines(id, &words) + "{\"$rewindTo\":\"u2\"}\n";
    let dir = home(&[(made::chat("2f1e0a52.jsonl"), text)]);
    let mut robot = Robot::new(dir.path(), (80, 24));
    // The title has the word as well, so the last line is the hit.
    search(&mut robot, "lose needle");
    let screen = robot.screen();
    let line = screen
        .lines()
        .rfind(|line| line.contains("lose the needle"));
    assert!(line.is_some_and(|line| line.contains('↶')), "{screen}");
    robot.press(&[Key::Tab, Key::Char('n')]);
    assert!(
        robot.line("lose the needle").is_some(),
        "{}",
        robot.screen()
    );
}

#[test]
fn the_cursor_stays_on_its_hit_when_files_change() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    search(&mut robot, "needle");
    robot.press(&[Key::Tab]);
    go_to(&mut robot, "needle two");
    let before = robot.state.list.chosen_hit();
    robot.happen(Event::Changed(gemtrail_store::Changes::default()));
    assert_eq!(robot.state.list.chosen_hit(), before);
}

#[test]
fn only_what_is_looked_for_is_marked() {
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let words = [
        ("u1", "Look at it"),
        ("g1", "a needle, some weeks, a haystack"),
    ];
    let dir = home(&[(made::chat("2f1e0a52.jsonl"), made::lines(id, &words))]);
    let mut robot = Robot::new(dir.path(), (80, 24));
    search(&mut robot, "needle since:\"52 weeks\"");
    robot.press(&[Key::Tab, Key::Char('n')]);
    let looks_found = |text: &str| robot.look_of(text).is_some_and(vt100::Cell::underline);
    let (needle, weeks) = (looks_found("needle,"), looks_found("weeks,"));
    assert!(needle && !weeks, "{needle} {weeks}\n{}", robot.screen());
}

#[test]
fn half_a_word_that_nobody_used_says_nothing_yet() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Char('/')]).type_in("among").rest();
    // What was found before stays for a moment.
    robot.type_in("zzz").rest();
    let screen = robot.screen();
    assert!(screen.contains("the needle lies among"), "{screen}");
    robot.rest();
    let screen = robot.screen();
    assert!(screen.contains("In the text: nothing"), "{screen}");
}

#[test]
fn an_unfinished_word_finds_something_at_each_letter() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Char('/')]).type_in("n");
    for c in "eedle amo".chars() {
        robot.glance(Event::Key(Key::Char(c)));
        let waiting = robot.screen();
        assert!(!waiting.contains("In the text: nothing"), "{waiting}");
        robot.rest();
        let screen = robot.screen();
        assert!(screen.contains("the needle lies among"), "{c}: {screen}");
    }
    // If nobody used the half word, the other one still finds something, and the line says so.
    robot.type_in("q").rest();
    let screen = robot.screen();
    assert!(screen.contains("showing turns that have some"), "{screen}");
    robot.press(&[Key::Backspace]).rest();
    // A field is left out until it is complete, and the line says so.
    robot.type_in(" role:assis").rest();
    let screen = robot.screen();
    assert!(screen.contains("lies among words"), "{screen}");
    assert!(screen.contains("assis"), "{screen}");
}

#[test]
fn what_was_done_to_find_something_is_said_and_marked() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    search(&mut robot, "needels lying");
    let screen = robot.screen();
    assert!(screen.contains("No text has"), "{screen}");
    assert!(screen.contains("lies among words"), "{screen}");
    robot.press(&[Key::Tab, Key::Char('n')]);
    let is_marked = robot.look_of("lies").is_some_and(vt100::Cell::underline);
    assert!(is_marked, "{}", robot.screen());
    robot.press(&[Key::Esc, Key::Char('/')]);
    robot.press(&[Key::Ctrl('u')]);
    robot.type_in("needle before:2001-01-01").rest();
    assert!(
        robot
            .line("without the dates there are 6 matches")
            .is_some(),
        "{}",
        robot.screen()
    );
}

#[test]
fn equal_words_are_one_hit_with_their_number() {
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let words = [
        ("g0", "the needle is here"),
        ("u1", "find the needle"),
        ("g1", "the needle is here"),
        ("u2", "find the needle"),
    ];
    let dir = home(&[(made::chat("2f1e0a52.jsonl"), made::lines(id, &words))]);
    let mut robot = Robot::new(dir.path(), (80, 24));
    search(&mut robot, "needle");
    let hits: Vec<String> = { robot.screen() }
        .lines()
        .filter(|line| line.contains('×'))
        .map(|line| line.trim().to_owned())
        .collect();
    assert_eq!(hits.len(), 2, "{}", robot.screen());
    assert!(hits[0].ends_with("×2 find the needle"), "{hits:?}");
    assert!(hits[1].ends_with("×2 the needle is here"), "{hits:?}");
    assert!(robot.line("4 matches").is_some(), "{}", robot.screen());
}

#[test]
fn words_are_found_in_a_session_with_each_letter() {
    let dir = talkative_home();
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Home, Key::Enter]);
    let start = robot.screen();
    robot.press(&[Key::Char('/')]).type_in("need");
    assert!(robot.footer().ends_with("1 of 5"), "{}", robot.footer());
    robot.press(&[Key::Down]);
    assert!(robot.footer().ends_with("2 of 5"), "{}", robot.footer());
    robot.type_in("le f");
    assert!(robot.footer().ends_with("1 of 2"), "{}", robot.footer());
    robot.press(&[Key::Enter]);
    assert_eq!(robot.footer(), "match 1 of 2 (n/N, Esc clears)");
    robot.press(&[Key::Char('n')]);
    assert_eq!(robot.footer(), "match 2 of 2 (n/N, Esc clears)");
    // What is folded or unfolded meanwhile changes nothing.
    robot.press(&[Key::Char('z'), Key::Char('N')]);
    assert_eq!(robot.footer(), "match 1 of 2 (n/N, Esc clears)");
    let is_marked = |robot: &Robot| {
        robot
            .look_of("needle four")
            .is_some_and(vt100::Cell::underline)
    };
    assert!(is_marked(&robot), "{}", robot.screen());
    robot.press(&[Key::Esc]);
    assert!(robot.state.open.is_some() && !is_marked(&robot));
    robot.press(&[Key::Esc]);
    assert!(robot.state.open.is_none(), "now it is left");
    // Leaving the line goes back to where it began.
    robot.press(&[Key::Enter, Key::Char('/')]).type_in("five");
    robot.press(&[Key::Esc]);
    assert_eq!(robot.screen(), start);
}
