//! Long work, and files that change fast: nothing waits for it, and nothing is lost.

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gemtrail_core::model::SessionRef;
use gemtrail_store::{Changes, Trail};
use gemtrail_testkit::made;

use super::homes::{hostile_home, long_home};
use super::robot::{Robot, Setup, options, sample_home, trail};
use crate::effects::Effects;
use crate::keys::Key;
use crate::message::MainMessage;
use crate::options::Actions;
use crate::state::{ArchiveState, CannotExport, CannotResume, Effect, Event};

/// Blocks callers until the other side is dropped.
#[derive(Clone)]
struct Hold(Arc<Mutex<Receiver<()>>>);

impl Hold {
    fn wait(&self) {
        let end = self.0.lock().unwrap();
        let _ = end.recv_timeout(Duration::from_secs(60));
    }
}

/// A doctor who takes his time.
struct SlowDoctor(Hold);

impl Actions for SlowDoctor {
    fn export(&self, _: SessionRef, _: &str, _: bool) -> Result<String, CannotExport> {
        Err(CannotExport::Other("not here".to_owned()))
    }

    fn risk(&self, _: &Trail) -> Option<String> {
        None
    }

    fn secrets_in(&self, _: &str) -> usize {
        0
    }

    fn check_resume(&self, _: SessionRef, _: Option<&str>) -> Result<(), CannotResume> {
        Ok(())
    }

    fn mark(&self, _: &Trail, _: SessionRef, _: &str) -> Result<(String, Option<Changes>), String> {
        Err("no archive here".to_owned())
    }

    fn restore(&self, _: SessionRef) -> Result<String, String> {
        Err("not here".to_owned())
    }

    fn doctor(&self, _: usize) -> Result<String, String> {
        self.0.wait();
        Ok("All is well".to_owned())
    }

    fn make_archive(&self, _: &mut dyn FnMut(String)) -> Result<(String, Trail), String> {
        Err("not here".to_owned())
    }
}

/// The threads on a home, with a doctor and statistics (which ask for the time) that are held.
fn held(home: &Path, hold: &Hold) -> (Effects, Receiver<MainMessage>) {
    let (sender, messages) = mpsc::channel();
    let of_clock = hold.clone();
    let clock = move || {
        of_clock.wait();
        "2026-11-17T12:00:00Z".parse().unwrap()
    };
    let effects = Effects::new(
        Arc::new(trail(home)),
        Arc::new(options(Arc::new(clock))),
        Arc::new(SlowDoctor(hold.clone())),
        sender,
    );
    (effects, messages)
}

#[test]
fn pages_that_take_long_hold_up_nothing_else() {
    let (end, ended) = mpsc::channel();
    let hold = Hold(Arc::new(Mutex::new(ended)));
    let (effects, messages) = held(&sample_home(), &hold);
    effects.run(Effect::Stats(1, 80));
    effects.run(Effect::Doctor(2, 80));
    effects.run(Effect::LoadRows(3, false));
    effects.run(Effect::Copy("text".to_owned(), "message".to_owned()));
    let next = || messages.recv_timeout(Duration::from_secs(20)).unwrap();
    let (mut copies, mut rows) = (0, 0);
    for _ in 0..2 {
        match next() {
            MainMessage::CopyByTerminal(..) => copies += 1,
            MainMessage::Event(Event::Rows(3, ..)) => rows += 1,
            _ => panic!("nothing else can be done"),
        }
    }
    assert_eq!((copies, rows), (1, 1));
    drop(end);
    for _ in 0..2 {
        assert!(matches!(next(), MainMessage::Event(Event::Page(..))));
    }
}

fn count(effects: &[Effect], is_it: fn(&Effect) -> bool) -> usize {
    effects.iter().filter(|effect| is_it(effect)).count()
}

fn is_rows(effect: &Effect) -> bool {
    matches!(effect, Effect::LoadRows(..))
}

fn is_load(effect: &Effect) -> bool {
    matches!(effect, Effect::Load(..))
}

fn is_making(effect: &Effect) -> bool {
    matches!(effect, Effect::MakeArchive)
}

#[test]
fn rows_are_read_once_more_however_often_files_change_meanwhile() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let first = robot.glance(Event::Changed(Changes::default()));
    assert_eq!(count(&first, is_rows), 1);
    for _ in 0..5 {
        let more = robot.glance(Event::Changed(Changes::default()));
        assert_eq!(count(&more, is_rows), 0, "they are being read");
    }
    let before = count(&robot.asked, is_rows);
    robot.catch_up(first);
    assert_eq!(count(&robot.asked, is_rows), before + 2);
    let later = robot.glance(Event::Changed(Changes::default()));
    assert_eq!(count(&later, is_rows), 1);
}

#[test]
fn rows_are_shown_even_if_files_changed_while_they_were_read() {
    let mut robot = Robot::new(&sample_home(), (80, 24));
    let asked = robot.glance(Event::Changed(Changes::default()));
    let generation = asked.iter().find_map(|effect| match effect {
        Effect::LoadRows(generation, _) => Some(*generation),
        _ => None,
    });
    robot.glance(Event::Changed(Changes::default()));
    let (one, names) = (
        robot.state.list.rows()[..1].to_vec(),
        robot.state.list.names.clone(),
    );
    robot.glance(Event::Rows(generation.unwrap(), Arc::new(one), names));
    assert_eq!(robot.state.list.rows().len(), 1);
}

#[test]
fn a_session_is_opened_while_another_one_changes_all_the_time() {
    let dir = hostile_home();
    let mut robot = Robot::new(dir.path(), (200, 50));
    robot.press(&[Key::Char('/')]).type_in("needle").rest();
    robot.press(&[Key::Tab, Key::Char('n')]);
    let open = robot.state.open.as_ref().unwrap().reference();
    let changes = Changes {
        changed: vec![open],
        ..Changes::default()
    };
    robot.glance(Event::Changed(changes.clone()));
    let load = loop {
        let effects = robot.glance(Event::Key(Key::Char('n')));
        if count(&effects, is_load) > 0 {
            break effects;
        }
    };
    assert!(robot.state.is_opening());
    let renewal = robot.glance(Event::Changed(changes));
    assert_eq!(count(&renewal, is_load), 0, "it would take its place");
    robot.catch_up(load);
    assert!(!robot.state.is_opening());
    assert_ne!(robot.state.open.as_ref().unwrap().reference(), open);
}

#[test]
fn a_session_that_changes_faster_than_it_is_read_grows_on_the_screen() {
    let dir = long_home(100);
    let path = dir.path().join(made::chat("2f1e0a52.jsonl"));
    let mut robot = Robot::new(dir.path(), (80, 24));
    robot.press(&[Key::Enter, Key::Char('G')]);
    let line = made::message("u900", "and one more").to_string() + "\n";
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + &line).unwrap();
    let changes = robot.look_again().unwrap();
    let first = robot.glance(Event::Changed(changes.clone()));
    // This one is never taken: the next comes before anybody has time for it.
    robot.glance(Event::Changed(changes.clone()));
    let last = robot.glance(Event::Changed(changes));
    robot.catch_up(first);
    assert!(robot.line("and one more").is_some(), "{}", robot.screen());
    robot.catch_up(last);
    assert!(robot.state.loading.is_empty(), "nothing else will come");
}

#[test]
fn one_archive_is_made_at_a_time() {
    let setup = Setup {
        archive: ArchiveState::Missing,
        ..Setup::default()
    };
    let mut robot = Robot::with(&sample_home(), (80, 24), setup);
    let make = |robot: &mut Robot| {
        let effects = robot.glance(Event::Key(Key::Char('A')));
        count(&effects, is_making)
    };
    robot.glance(Event::Key(Key::Char('x')));
    robot.glance(Event::Key(Key::Enter));
    assert_eq!(make(&mut robot), 1, "writing a file is something else");
    robot.happen(Event::Progress("making the archive: storing".to_owned()));
    robot.happen(Event::Done(Ok("copied".to_owned())));
    assert_eq!(make(&mut robot), 0);
    assert!(robot.footer().starts_with("it is being made"));
    robot.press(&[Key::Down]);
    assert_eq!(robot.footer(), "making the archive: storing");
    robot.happen(Event::ArchiveMade(Err("no room".to_owned())));
    assert_eq!(make(&mut robot), 1, "it may be tried again");
}
