//! The loop: events in, effects out, a frame whenever something changed.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use gemtrail_core::model::SessionRef;
use gemtrail_export::file::{self, Access};
use gemtrail_export::plain::{Layout, PlainText};
use gemtrail_export::present::{Options as ViewOptions, Presentation};
use gemtrail_export::{markdown, plain};
use gemtrail_store::Trail;

use crate::clipboard::copy_by_terminal;
use crate::effects::Effects;
use crate::message::MainMessage;
use crate::options::{Actions, Options, Outcome};
use crate::pace::Pace;
use crate::state::{Effect, Event, State, update};
use crate::terminal::{Keyboard, Screen, listen, stop_process};
use crate::view::{self, Theme};

/// Opens the browser on the terminal of the process, until the person has enough.
pub fn run(trail: Trail, options: Options, actions: Arc<dyn Actions>) -> io::Result<Outcome> {
    let (sender, messages) = mpsc::channel();
    listen(sender.clone())?;
    let mut screen = Screen::take(sender.clone())?;
    let options = Arc::new(options);
    let size = crossterm::terminal::size()?;
    let mut state = State::new(
        size,
        (options.clock)(),
        options.zone.clone(),
        options.archive,
    );
    state.places.clone_from(&options.places);
    let scope = options.scope.as_ref();
    state.scope = scope.map_or_else(String::new, |it| it.words.clone());
    state.is_scoped = options.is_scoped;
    let effects = Effects::new(
        Arc::new(trail),
        Arc::clone(&options),
        actions,
        sender.clone(),
    );
    for effect in state.start() {
        effects.run(effect);
    }
    if let Some(greeting) = options.greeting.clone() {
        update(&mut state, (options.clock)(), Event::Done(Ok(greeting)));
    }
    let mut browser = Browser {
        keyboard: Keyboard::start(sender),
        options,
        state,
        effects,
        outcome: None,
    };
    browser.browse(&mut screen, &messages)
}

/// The editor that every system has.
const USUAL_EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };

struct Browser {
    keyboard: Keyboard,
    options: Arc<Options>,
    state: State,
    effects: Effects,
    outcome: Option<Outcome>,
}

impl Browser {
    fn browse(
        &mut self,
        screen: &mut Screen,
        messages: &Receiver<MainMessage>,
    ) -> io::Result<Outcome> {
        let theme = Theme {
            has_color: self.options.has_color,
        };
        let mut size = self.state.size;
        loop {
            screen
                .canvas
                .draw(|frame| view::draw(&self.state, theme, frame))?;
            let due = self.due();
            let take = |message| self.take(message, screen);
            if !Pace::new().wait(messages, due, take)? {
                return Ok(Outcome::Quit);
            }
            if let Some(outcome) = self.outcome.take() {
                return Ok(outcome);
            }
            if !Screen::is_ours() {
                return Err(io::Error::other("the browser broke; please report this"));
            }
            if size != self.state.size {
                size = self.state.size;
                screen.canvas.resize(size)?;
            }
        }
    }

    /// The time until something is due.
    fn due(&self) -> Option<Duration> {
        let left = self.state.due()?.duration_since((self.options.clock)());
        Some(Duration::try_from(left).unwrap_or_default())
    }

    fn take(&mut self, message: MainMessage, screen: &mut Screen) -> io::Result<()> {
        let event = match message {
            MainMessage::Event(event) => event,
            MainMessage::CopyByTerminal(text, what) => {
                Event::Done(copy_by_terminal(screen.canvas.out(), &text, &what))
            }
            MainMessage::Continued => {
                if Screen::is_ours() {
                    screen.enter()?;
                }
                Event::Tick
            }
            MainMessage::Died => return Ok(()),
        };
        for effect in update(&mut self.state, (self.options.clock)(), event) {
            self.run(effect, screen)?;
        }
        Ok(())
    }

    fn run(&mut self, effect: Effect, screen: &mut Screen) -> io::Result<()> {
        match effect {
            Effect::Quit => self.outcome = Some(Outcome::Quit),
            Effect::Resume(session, directory) => {
                self.outcome = Some(Outcome::Resume(session, directory));
            }
            Effect::Redraw => screen.canvas.clear()?,
            Effect::Mouse(is_ours) => screen.set_mouse(is_ours)?,
            Effect::Suspend => self.away(screen, stop_process)??,
            Effect::Editor(session) => {
                let editor = self.options.editor.clone();
                let editor = editor.unwrap_or_else(|| USUAL_EDITOR.to_owned());
                self.open_in(screen, session, Some(&editor), "EDITOR", "md")?;
            }
            Effect::Pager(session) => {
                let pager = self.options.pager.clone();
                self.open_in(screen, session, pager.as_deref(), "PAGER", "txt")?;
            }
            effect => self.effects.run(effect),
        }
        Ok(())
    }

    /// Leaves the terminal to something else for a while.
    fn away<T>(&mut self, screen: &mut Screen, run: impl FnOnce() -> T) -> io::Result<T> {
        self.keyboard.stop();
        Screen::leave();
        let outcome = run();
        screen.enter()?;
        self.keyboard.go_on();
        if let Ok((columns, rows)) = crossterm::terminal::size() {
            update(
                &mut self.state,
                (self.options.clock)(),
                Event::Resize(columns, rows),
            );
            screen.canvas.resize(self.state.size)?;
        }
        Ok(outcome)
    }

    fn open_in(
        &mut self,
        screen: &mut Screen,
        session: SessionRef,
        command: Option<&str>,
        variable: &str,
        ending: &str,
    ) -> io::Result<()> {
        let words = command.map(shell_words).unwrap_or_default();
        let outcome = match words.split_first() {
            None => Err(format!("${variable} is not set")),
            Some((program, arguments)) => match self.write_for_reading(session, ending) {
                Err(what) => Err(what),
                Ok(path) => {
                    let mut command = Command::new(program);
                    command.args(arguments).arg(&path);
                    let status = self.away(screen, || command.status())?;
                    // It was only for this.
                    let _ = std::fs::remove_file(&path);
                    match status {
                        Ok(status) if status.success() => return Ok(()),
                        Ok(status) => Err(format!("{program}: {status}")),
                        Err(error) => Err(format!("{program} cannot be started: {error}")),
                    }
                }
            },
        };
        update(
            &mut self.state,
            (self.options.clock)(),
            Event::Done(outcome),
        );
        Ok(())
    }

    /// Writes a session to a file that only this person can read.
    fn write_for_reading(&self, session: SessionRef, ending: &str) -> Result<PathBuf, String> {
        let document = self.effects.read_now(session)?;
        let options = ViewOptions {
            zone: self.options.zone.clone(),
            subagents: true,
            ..ViewOptions::default()
        };
        let mut bytes = Vec::new();
        let written = if ending == "md" {
            markdown::write(&document.session, &options, &mut bytes)
        } else {
            let layout = Layout {
                columns: usize::from(self.state.size.0.saturating_sub(1)),
                ..Layout::default()
            };
            let presentation = Presentation::new(&document.session, &options);
            plain::draw(&presentation, layout, &mut PlainText(&mut bytes)).map_err(Into::into)
        };
        written.map_err(|error| error.to_string())?;
        let path = self
            .options
            .temp_dir
            .join(format!("gemtrail-{session}.{ending}"));
        file::write_bytes(&path, true, Access::Private, &bytes)
            .map_err(|error| error.to_string())?;
        Ok(path)
    }
}

/// Splits a command as a shell would, as far as commands of editors need it.
fn shell_words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') if !cfg!(windows) => {
                word.get_or_insert_default().extend(characters.next());
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::shell_words;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(shell_words("code --wait"), ["code", "--wait"]);
        assert_eq!(
            shell_words(" 'my editor' \"a b\" '' "),
            ["my editor", "a b", ""]
        );
        assert!(shell_words("  ").is_empty());
    }
}
