//! All output: data to standard output, talk to standard error, colour by policy. The only
//! place that prints.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::{Child, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anstyle::Style;
use jiff::{Timestamp, tz::TimeZone};
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Settings;
use crate::dates::Clock;
use crate::environment::Environment;
use crate::error::{Choice, CliError, Failure};
use crate::global_args::{ColorWhen, GlobalArgs};
use crate::pager::{Opening, Pager};
use crate::style;
use crate::text::{self, Clean, EscapeControls};

/// Columns where nothing says how many there are.
const DEFAULT_COLUMNS: usize = 80;

/// At most this many sessions are listed when a name may mean several.
const MOST_CHOICES: usize = 10;

/// A line on the terminal that tells how far long work has come.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    is_silent: bool,
    columns: usize,
    started: Instant,
    is_shown: AtomicBool,
}

impl ProgressLine {
    /// Shows a count of things.
    fn count(&self, done: u64, total: u64, what: &str) {
        // Short work needs no telling.
        if total < 20 {
            return;
        }
        let (rate, left) = self.pace(done, total);
        self.show(&format!("{done} of {total} {what}, {rate:.0}/s{left}"));
    }

    /// Shows a number of bytes.
    pub(crate) fn bytes(&self, done: u64, total: u64, what: &str) {
        let (rate, left) = self.pace(done, total);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rate is positive and small"
        )]
        let speed = text::size(rate as u64);
        let pace = if done == 0 {
            String::new()
        } else {
            format!(", {speed}/s{left}")
        };
        let (done, total) = (text::size(done), text::size(total));
        self.show(&format!("{what}: {done} of {total}{pace}"));
    }

    /// The rate per second so far and, once that is known, the time left in words.
    fn pace(&self, done: u64, total: u64) -> (f64, String) {
        let elapsed = self.started.elapsed().as_secs_f64().max(0.001);
        #[expect(clippy::cast_precision_loss, reason = "shown without a fraction")]
        let (rate, left) = (done as f64 / elapsed, total.saturating_sub(done) as f64);
        let left = (done > 0).then(|| format!(", {:.0} s left", left / rate.max(0.001)));
        (rate, left.unwrap_or_default())
    }

    fn show(&self, line: &str) {
        if self.is_silent {
            return;
        }
        self.is_shown.store(true, Ordering::Relaxed);
        let line = text::fit(line, self.columns - 1);
        // Nobody is left to tell if standard error is gone.
        let _ = write!(io::stderr().lock(), "\r{line}");
    }

    fn clear(&self) {
        if self.is_shown.swap(false, Ordering::Relaxed) {
            let blank = " ".repeat(self.columns - 1);
            let _ = write!(io::stderr().lock(), "\r{blank}\r");
        }
    }
}

/// The program's face.
#[derive(Clone, Debug)]
pub(crate) struct Ui {
    pub(crate) json: bool,
    pub(crate) color: bool,
    pub(crate) columns: usize,
    /// True if standard output is a terminal.
    pub(crate) interactive: bool,
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
    /// Home directory, which people know as `~`.
    user_home: Option<std::path::PathBuf>,
    line: Arc<ProgressLine>,
    quiet: bool,
    /// True if the caller reports what is not printed here.
    is_relayed: bool,
    verbose: u8,
    /// The pager for long texts, and the number of lines that need none.
    pager: Option<(Pager, usize)>,
}

impl Ui {
    pub(crate) fn new(args: &GlobalArgs, environment: &Environment, settings: &Settings) -> Self {
        let color = match settings.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => environment.stdout_is_terminal && !environment.no_color,
        };
        let columns = environment.columns.unwrap_or(DEFAULT_COLUMNS);
        let columns = columns.clamp(20, 400);
        Self {
            json: args.json,
            color,
            columns,
            interactive: environment.stdout_is_terminal,
            now: environment.now,
            zone: if settings.utc {
                TimeZone::UTC
            } else {
                environment.zone.clone()
            },
            user_home: environment.user_home.clone(),
            line: Arc::new(ProgressLine {
                is_silent: args.quiet || !io::stderr().is_terminal(),
                columns,
                started: Instant::now(),
                is_shown: AtomicBool::new(false),
            }),
            quiet: args.quiet,
            is_relayed: false,
            verbose: args.verbose,
            pager: Pager::new(&settings.pager)
                .filter(|_| environment.stdout_is_terminal)
                .zip(environment.lines),
        }
    }

    /// The form of dates.
    pub(crate) fn clock(&self) -> Clock {
        Clock {
            now: self.now,
            zone: self.zone.clone(),
        }
    }

    /// True if a text can be opened in its middle.
    pub(crate) fn can_open_at(&self) -> bool {
        let pager = self.pager.as_ref();
        pager.is_some_and(|(pager, _)| pager.can_open_at())
    }

    /// Standard output for data.
    pub(crate) fn out(&self) -> Output {
        self.output(Sink::Stdout(BufWriter::with_capacity(
            64 << 10,
            io::stdout(),
        )))
    }

    /// Memory, for text that is not shown yet.
    pub(crate) fn in_memory(&self) -> Output {
        self.output(Sink::Memory(Vec::new()))
    }

    fn output(&self, sink: Sink) -> Output {
        let color = self.color;
        Output { sink, color }
    }

    /// Standard output for reading, through a pager if it is more than a screen.
    pub(crate) fn reading_out(&self) -> Output {
        self.reading_out_at(Opening::default())
    }

    /// The same, for a pager that is told where to open.
    pub(crate) fn reading_out_at(&self, opening: Opening) -> Output {
        let Some((pager, screen)) = &self.pager else {
            return self.out();
        };
        self.output(Sink::Held(HeldText {
            text: Vec::new(),
            lines: screen.saturating_sub(1),
            pager: pager.clone(),
            opening,
            columns: self.columns,
        }))
    }

    /// The command line of the pager.
    #[cfg(feature = "tui")]
    pub(crate) fn pager(&self) -> Option<&str> {
        self.pager.as_ref().map(|(pager, _)| pager.command())
    }

    /// A face that says nothing and draws without colour in so many columns, for work whose outcome
    /// is told elsewhere.
    #[cfg(feature = "tui")]
    pub(crate) fn silent(&self, columns: usize) -> Self {
        Self {
            color: false,
            quiet: true,
            is_relayed: true,
            json: false,
            columns: columns.clamp(40, 400),
            ..self.clone()
        }
    }

    /// True if warnings reach nobody.
    pub(crate) fn is_unheard(&self) -> bool {
        self.quiet && !self.is_relayed
    }

    /// A line that was asked for, beside the data on standard output.
    pub(crate) fn tell(&self, line: &str) {
        let message = Clean::text(line).into();
        if self.json {
            let schema = "gemtrail.note/1";
            talk_json(&NoteDocument { schema, message });
        } else {
            talk(&message);
        }
    }

    /// A line for the person at the keyboard.
    pub(crate) fn note(&self, message: &str) {
        if !self.quiet {
            self.tell(message);
        }
    }

    /// Shows on a terminal how far long work has come.
    pub(crate) fn progress<N: TryInto<u64>>(&self, done: N, total: N, what: &str) {
        // Only lengths and counters reach this, and they are never negative.
        let [done, total] = [done, total].map(|it| it.try_into().unwrap_or(u64::MAX));
        self.line.count(done, total, what);
    }

    /// The same for bytes.
    pub(crate) fn progress_bytes(&self, done: u64, total: u64, what: &str) {
        self.line.bytes(done, total, what);
    }

    /// Takes the last progress line away.
    pub(crate) fn progress_done(&self) {
        self.line.clear();
    }

    /// The line itself, for those who outlive a borrow.
    pub(crate) fn progress_line(&self) -> Arc<ProgressLine> {
        Arc::clone(&self.line)
    }

    /// True if somebody asked for more detail.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    /// A line for people who asked for more.
    pub(crate) fn detail(&self, message: &str) {
        if self.is_verbose() {
            self.tell(message);
        }
    }

    /// Prints a failure and gives the exit code.
    pub(crate) fn fail(&self, error: &CliError) -> ExitCode {
        let is_told = matches!(
            error.failure,
            Failure::BrokenPipe | Failure::CheckFailed | Failure::PassedOn(_)
        );
        if !is_told {
            if self.json {
                talk_json(&error.document());
            } else {
                let mut message = format!("{:#}", error.error);
                if error.names_places {
                    message = self.with_short_home(&message);
                }
                talk(&format!("error: {}", Clean::text(message)));
                self.talk_of(&error.choices);
                if let Some(hint) = &error.hint {
                    talk(&format!("\nhint: {}", Clean::text(hint)));
                }
            }
        }
        ExitCode::from(error.exit_code())
    }

    /// Prints the sessions that may be meant, each with what tells it from the others.
    fn talk_of(&self, choices: &[Choice]) {
        let clock = self.clock();
        for choice in choices.iter().take(MOST_CHOICES) {
            let when = clock.short(choice.updated.as_deref());
            let title = choice.title.as_deref().unwrap_or("–");
            let (project, title) = (Clean::line(&choice.project), Clean::line(title));
            let line = format!("{}  {when}  {project}  {title}", choice.reference);
            let line = text::shorten(&line, self.columns.saturating_sub(2));
            talk(&format!("  {line}"));
        }
        if choices.len() > MOST_CHOICES {
            talk(&format!("  … and {} more", choices.len() - MOST_CHOICES));
        }
    }

    /// The text with `~` for the home directory.
    fn with_short_home(&self, text: &str) -> String {
        let home = self.user_home.as_ref().and_then(|home| home.to_str());
        let home = home.map(|home| home.trim_end_matches(std::path::MAIN_SEPARATOR));
        match home.filter(|home| !home.is_empty()) {
            Some(home) => text.replace(&format!("{home}{}", std::path::MAIN_SEPARATOR), "~/"),
            None => text.to_owned(),
        }
    }

    /// Prints a value of any size as one line of JSON.
    pub(crate) fn print_document(&self, value: &impl Serialize) -> Result<(), CliError> {
        let mut out = self.out();
        serde_json::to_writer(EscapeControls(&mut out), value)?;
        out.write_all(b"\n")?;
        out.finish()
    }

    /// Prints one document, which is all there is to print.
    pub(crate) fn print_json(&self, document: &impl Serialize) -> Result<(), CliError> {
        let mut out = self.out();
        Self::json_line(&mut out, document)?;
        out.finish()
    }

    /// Prints the answer of a command: as JSON if that is asked for, else in words.
    pub(crate) fn answer<E: Into<CliError>>(
        &self,
        document: &impl Serialize,
        words: impl FnOnce(&mut Output) -> Result<(), E>,
    ) -> Result<(), CliError> {
        if self.json {
            return self.print_json(document);
        }
        let mut out = self.out();
        words(&mut out).map_err(Into::into)?;
        out.finish()
    }

    /// The same for reports that people may do without.
    pub(crate) fn answer_unless_quiet(
        &self,
        document: &impl Serialize,
        words: impl FnOnce(&mut Output) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let is_wanted = !self.quiet;
        self.answer(document, |out| if is_wanted { words(out) } else { Ok(()) })
    }

    /// Prints some lines.
    pub(crate) fn print_lines(&self, lines: &[String]) -> Result<(), CliError> {
        let mut out = self.out();
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        out.finish()
    }

    /// Prints a value as one line of JSON.
    pub(crate) fn json_line(out: &mut Output, value: &impl Serialize) -> Result<(), CliError> {
        // Written at once: serialising makes thousands of writes of a few bytes each.
        let line = serde_json::to_vec(value)?;
        Self::json_line_with(out, |out| out.write_all(&line))
    }

    /// The same for somebody who writes the JSON in a few pieces.
    pub(crate) fn json_line_with(
        out: &mut Output,
        write: impl FnOnce(&mut EscapeControls<&mut Output>) -> std::io::Result<()>,
    ) -> Result<(), CliError> {
        write(&mut EscapeControls(&mut *out))?;
        out.write_all(b"\n")?;
        Ok(())
    }
}

/// Something worth knowing, as data: schema `gemtrail.note/1`, one line on standard error.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NoteDocument {
    /// Always `gemtrail.note/1`.
    schema: &'static str,
    /// The note in plain words.
    message: String,
}

/// Prints what is wrong with the arguments, or the help and the version, which are no errors.
pub(crate) fn usage(error: &clap::Error, json: bool) -> ExitCode {
    if json && error.use_stderr() {
        talk_json(&crate::error::of_arguments(error).document());
    } else if error.use_stderr() && std::env::args_os().any(|arg| has_control(&arg)) {
        // It quotes the arguments as they are.
        talk(Clean::text(error.render().to_string()).trim_end());
    } else {
        // Nothing can be done if the terminal is gone.
        let _ = error.print();
    }
    ExitCode::from(u8::from(error.use_stderr()) * 2)
}

/// Prints lines for a program that asks, whether it listens or not.
pub(crate) fn print_lines(lines: &[String]) {
    let mut out = io::stdout().lock();
    for line in lines {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
    let _ = out.flush();
}

fn has_control(argument: &std::ffi::OsStr) -> bool {
    argument
        .to_string_lossy()
        .chars()
        .any(gemtrail_export::text::is_unsafe)
}

fn talk_json(document: &impl Serialize) {
    // These have nothing in them that could not be written.
    if let Ok(line) = serde_json::to_string(document) {
        talk(&line);
    }
}

fn talk(line: &str) {
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// A place to write to.
pub(crate) struct Output {
    sink: Sink,
    color: bool,
}

enum Sink {
    Stdout(BufWriter<io::Stdout>),
    Held(HeldText),
    Pager(Child),
    Memory(Vec<u8>),
}

/// The first lines of a text that may be too long for the screen.
struct HeldText {
    text: Vec<u8>,
    /// The number of lines that still fit.
    lines: usize,
    pager: Pager,
    opening: Opening,
    columns: usize,
}

impl HeldText {
    /// Takes more of the text. If it is now too long, somewhere to write all of it.
    fn take(&mut self, bytes: &[u8]) -> io::Result<Option<Sink>> {
        self.text.extend_from_slice(bytes);
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        let fits = ends <= self.lines;
        self.lines = self.lines.saturating_sub(ends);
        if fits {
            return Ok(None);
        }
        let text = std::mem::take(&mut self.text);
        let mut sink = match self.pager.spawn(&self.opening, self.columns) {
            Some(child) => Sink::Pager(child),
            None => Sink::Stdout(BufWriter::new(io::stdout())),
        };
        sink.write_all(&text)?;
        Ok(Some(sink))
    }
}

impl Output {
    /// Text in a style, if colour is wanted.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        style::styled(self.color, style, text)
    }

    /// Writes everything out and waits for the pager.
    pub(crate) fn finish(mut self) -> Result<(), CliError> {
        match &mut self.sink {
            Sink::Stdout(out) => out.flush()?,
            Sink::Held(waiting) => {
                let mut out = io::stdout().lock();
                out.write_all(&waiting.text)?;
                out.flush()?;
            }
            Sink::Pager(child) => {
                drop(child.stdin.take());
                child.wait()?;
            }
            Sink::Memory(_) => {}
        }
        Ok(())
    }

    /// The bytes that were written to memory.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.sink {
            Sink::Memory(bytes) => bytes,
            Sink::Stdout(_) | Sink::Held(_) | Sink::Pager(_) => Vec::new(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Held(waiting) => {
                if let Some(sink) = waiting.take(bytes)? {
                    *self = sink;
                }
                Ok(bytes.len())
            }
            Self::Pager(child) => match &mut child.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            Self::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Held(_) | Self::Pager(_) | Self::Memory(_) => Ok(()),
        }
    }
}

/// True if somebody is there to read a question and to answer it.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a person.
pub(crate) fn ask(question: &str) -> bool {
    let _ = write!(io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && answer.trim().eq_ignore_ascii_case("y")
}

/// True if standard input is a terminal, where waiting for data would look like hanging.
pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}
