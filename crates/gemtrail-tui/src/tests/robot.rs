//! A browser without a person: real effects, one after another, drawn into a vt100 parser, so that
//! a screen is what a terminal would show.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gemtrail_core::model::SessionRef;
use gemtrail_query::ProjectPattern;
use gemtrail_store::{Changes, Places, SessionFilter, Trail, TrailOptions};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use crate::clipboard::{ClipboardSituation, copy_by_terminal};
use crate::effects::Shared;
use crate::keys::Key;
use crate::message::MainMessage;
use crate::options::{Actions, BrowserScope, Options};
use crate::pace::Pace;
use crate::state::{ArchiveState, CannotExport, CannotResume, Effect, Event, State, update};
use crate::terminal::Canvas;
use crate::view::{self, Theme};

/// Collects the bytes that a terminal would get.
#[derive(Clone, Default)]
pub(super) struct Wire(Arc<Mutex<Vec<u8>>>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says what it was asked to do.
struct Told {
    /// Whether the projects are where they were.
    has_directories: bool,
    /// Whether sessions will be deleted.
    has_risk: bool,
}

impl Actions for Told {
    fn export(
        &self,
        session: SessionRef,
        path: &str,
        replaces: bool,
    ) -> Result<String, CannotExport> {
        if path.starts_with("there") && !replaces {
            return Err(CannotExport::Exists(session, path.to_owned()));
        }
        Ok(format!("{session} exported to {path}"))
    }

    fn risk(&self, _: &Trail) -> Option<String> {
        let sentence = "2 of your 10 sessions will be deleted the next time gemini starts.";
        self.has_risk.then(|| sentence.to_owned())
    }

    fn secrets_in(&self, text: &str) -> usize {
        text.matches("hunter2").count()
    }

    fn check_resume(&self, _: SessionRef, directory: Option<&str>) -> Result<(), CannotResume> {
        let (is_there, why) = match directory {
            Some(directory) => (
                Path::new(directory).is_dir(),
                format!("{directory} is not a directory"),
            ),
            None => (self.has_directories, "/srv/gone does not exist".to_owned()),
        };
        if is_there {
            return Ok(());
        }
        Err(CannotResume {
            why,
            needs_directory: true,
        })
    }

    fn mark(
        &self,
        _: &Trail,
        session: SessionRef,
        line: &str,
    ) -> Result<(String, Option<Changes>), String> {
        Ok((format!("{session} marked {line}"), None))
    }

    fn restore(&self, session: SessionRef) -> Result<String, String> {
        Ok(format!("{session} restored"))
    }

    fn doctor(&self, columns: usize) -> Result<String, String> {
        Ok(format!("All is well\n  in {columns} columns"))
    }

    fn make_archive(&self, _: &mut dyn FnMut(String)) -> Result<(String, Trail), String> {
        Err("no archive in tests".to_owned())
    }
}

/// The browser and the screen that it draws on.
pub(super) struct Robot {
    pub(super) state: State,
    shared: Shared,
    _messages: Receiver<MainMessage>,
    canvas: Canvas<Wire>,
    wire: Wire,
    parser: vt100::Parser,
    theme: Theme,
    now: Timestamp,
    /// What was asked of the terminal, the newest last.
    pub(super) asked: Vec<Effect>,
    /// All bytes so far.
    pub(super) bytes: Vec<u8>,
    size: (u16, u16),
}

/// The sample home of the repository.
pub(super) fn sample_home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home")
}

pub(super) fn trail(home: &Path) -> Trail {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let options = TrailOptions {
        places,
        ..TrailOptions::default()
    };
    Trail::open(options).unwrap().0
}

/// What a browser is told that has nothing around it: copies go through the terminal.
pub(super) fn options(clock: Arc<dyn Fn() -> Timestamp + Send + Sync>) -> Options {
    Options {
        zone: TimeZone::UTC,
        clock,
        has_color: true,
        archive: ArchiveState::Off,
        editor: None,
        pager: None,
        temp_dir: PathBuf::new(),
        current_dir: None,
        user_home: None,
        clipboard: ClipboardSituation {
            is_remote: true,
            ..ClipboardSituation::default()
        },
        follows: false,
        scope: Some(BrowserScope {
            filter: SessionFilter {
                project: Some(ProjectPattern::new("acme-shop", &[])),
                ..SessionFilter::everything()
            },
            words: "here".to_owned(),
        }),
        is_scoped: false,
        places: Vec::new(),
        greeting: None,
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap_or(NonZero::<u16>::MIN)
}

/// What a browser is opened with.
#[derive(Clone, Copy)]
pub(super) struct Setup {
    pub(super) has_color: bool,
    pub(super) has_directories: bool,
    pub(super) archive: ArchiveState,
    pub(super) has_risk: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            has_color: true,
            has_directories: true,
            archive: ArchiveState::Off,
            has_risk: false,
        }
    }
}

impl Robot {
    /// A browser of a home, two days after the last of its sessions, with its list read.
    pub(super) fn new(home: &Path, size: (u16, u16)) -> Self {
        Self::with(home, size, Setup::default())
    }

    pub(super) fn with(home: &Path, size: (u16, u16), setup: Setup) -> Self {
        let Setup {
            has_color,
            has_directories,
            archive,
            has_risk,
        } = setup;
        let now: Timestamp = "2026-11-17T12:00:00Z".parse().unwrap();
        let options = Options {
            has_color,
            archive,
            ..options(Arc::new(move || now))
        };
        let (sender, messages) = mpsc::channel();
        let wire = Wire::default();
        let mut robot = Self {
            state: State::new(size, now, TimeZone::UTC, archive),
            shared: Shared::new(
                Arc::new(trail(home)),
                Arc::new(options),
                Arc::new(Told {
                    has_directories,
                    has_risk,
                }),
                sender,
            ),
            _messages: messages,
            canvas: Canvas::new(wire.clone(), size).unwrap(),
            wire,
            parser: vt100::Parser::new(cells(size.1), cells(size.0), 0),
            theme: Theme { has_color },
            now,
            asked: Vec::new(),
            bytes: Vec::new(),
            size,
        };
        robot.state.places = vec!["~/.gemini".to_owned()];
        "here".clone_into(&mut robot.state.scope);
        let first = robot.state.start();
        robot.perform(first.into());
        robot.draw();
        robot
    }

    /// Presses keys, with nothing between them.
    pub(super) fn press(&mut self, keys: &[Key]) -> &mut Self {
        for key in keys {
            self.happen(Event::Key(*key));
        }
        self
    }

    /// Types text.
    pub(super) fn type_in(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.happen(Event::Key(Key::Char(c)));
        }
        self
    }

    /// Lets a second pass.
    pub(super) fn rest(&mut self) -> &mut Self {
        self.now += SignedDuration::from_secs(1);
        self.happen(Event::Tick);
        self
    }

    /// Lets a second pass, unnoticed so far.
    pub(super) fn pass_time(&mut self) {
        self.now += SignedDuration::from_secs(1);
    }

    /// Something happens, with all that follows, and is drawn.
    pub(super) fn happen(&mut self, event: Event) {
        let effects = update(&mut self.state, self.now, event);
        self.perform(effects.into());
        self.draw();
    }

    /// Something happens and is drawn at once; what it asks for is not done yet.
    pub(super) fn glance(&mut self, event: Event) -> Vec<Effect> {
        let effects = update(&mut self.state, self.now, event);
        self.draw();
        effects
    }

    /// Does what was asked for.
    pub(super) fn catch_up(&mut self, effects: Vec<Effect>) {
        self.perform(effects.into());
        self.draw();
    }

    fn perform(&mut self, mut effects: VecDeque<Effect>) {
        while let Some(effect) = effects.pop_front() {
            self.asked.push(effect.clone());
            let event = match self.shared.answer(effect) {
                Some(MainMessage::Event(event)) => event,
                Some(MainMessage::CopyByTerminal(text, what)) => {
                    Event::Done(copy_by_terminal(&mut self.wire, &text, &what))
                }
                _ => continue,
            };
            effects.extend(update(&mut self.state, self.now, event));
        }
    }

    fn draw(&mut self) {
        if self.size != self.state.size {
            self.size = self.state.size;
            self.parser
                .screen_mut()
                .set_size(cells(self.size.1), cells(self.size.0));
            self.canvas.resize(self.size).unwrap();
        }
        let (state, theme) = (&self.state, self.theme);
        self.canvas
            .draw(|frame| view::draw(state, theme, frame))
            .unwrap();
        let bytes = std::mem::take(&mut *self.wire.0.lock().unwrap());
        self.parser.process(&bytes);
        self.bytes.extend(bytes);
    }

    /// Lives as the browser does, in real time, until nobody sends anything any more. How many
    /// frames it drew.
    pub(super) fn live(&mut self, messages: &Receiver<MainMessage>) -> usize {
        let (born, start) = (Instant::now(), self.now);
        let mut frames = 0;
        loop {
            let due = self.state.due();
            let due = due.map(|due| Duration::try_from(due.duration_since(self.now)));
            let due = due.map(Result::unwrap_or_default);
            let take = |message: MainMessage| {
                self.now = start + born.elapsed();
                if let MainMessage::Event(event) = message {
                    let effects = update(&mut self.state, self.now, event);
                    self.perform(effects.into());
                }
                Ok::<_, Infallible>(())
            };
            if !Pace::new().wait(messages, due, take).unwrap() {
                return frames;
            }
            self.draw();
            frames += 1;
        }
    }

    /// Looks at the files again, as following them does.
    pub(super) fn refresh(&mut self) {
        if let Some(changes) = self.look_again() {
            self.happen(Event::Changed(changes));
        }
    }

    /// Looks at the files again without reporting what changed.
    pub(super) fn look_again(&self) -> Option<Changes> {
        let trail = self.shared.trail();
        trail.refresh(self.now.as_millisecond()).unwrap().0
    }

    /// What the terminal shows.
    pub(super) fn screen(&self) -> String {
        let rows = self.parser.screen().rows(0, self.size.0);
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// The same with colours, marks and the cursor.
    pub(super) fn picture(&self) -> String {
        self.parser.screen().state_formatted()
    }

    /// The line of the screen that has a text.
    pub(super) fn line(&self, with: &str) -> Option<String> {
        let screen = self.screen();
        screen
            .lines()
            .find(|line| line.contains(with))
            .map(str::to_owned)
    }

    /// How the last place of a text on the screen looks.
    pub(super) fn look_of(&self, text: &str) -> Option<&vt100::Cell> {
        let screen = self.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let mut lines = lines.into_iter().enumerate().rev();
        let (row, column) = lines.find_map(|(row, line)| {
            let at = line.find(text)?;
            Some((row, gemtrail_export::text::width(&line[..at])))
        })?;
        let small = |at: usize| u16::try_from(at).ok();
        self.parser.screen().cell(small(row)?, small(column)?)
    }

    /// Whether a row of the list is under the cursor.
    pub(super) fn has_cursor(&self) -> bool {
        let screen = self.parser.screen();
        (0..self.size.1).any(|row| screen.cell(row, 1).is_some_and(vt100::Cell::inverse))
    }

    /// The last line: keys, or what was told.
    pub(super) fn footer(&self) -> String {
        let screen = self.screen();
        screen.lines().last().unwrap_or_default().trim().to_owned()
    }
}
