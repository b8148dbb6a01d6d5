//! Where output goes: data to standard output, talk to standard error, colour by policy. The only
//! place that prints.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use anstyle::Style;
use jiff::{Timestamp, tz::TimeZone};
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Settings;
use crate::environment::Environment;
use crate::error::{CliError, Failure};
use crate::global_args::{ColorWhen, GlobalArgs};
use crate::text::{self, Clean, EscapeControls};
use crate::wrong_use;

/// Columns where nothing says how many there are.
const DEFAULT_COLUMNS: usize = 80;

/// The program's face.
#[derive(Debug)]
pub(crate) struct Ui {
    pub(crate) json: bool,
    pub(crate) color: bool,
    pub(crate) columns: usize,
    /// How many lines the terminal has, if its cursor can be moved.
    pub(crate) lines: Option<usize>,
    /// Whether standard output is a terminal.
    pub(crate) interactive: bool,
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
    started: Instant,
    quiet: bool,
    verbose: u8,
    /// Empty for none.
    pager: String,
}

impl Ui {
    pub(crate) fn new(args: &GlobalArgs, environment: &Environment, settings: &Settings) -> Self {
        let color = match settings.color.value {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => environment.stdout_is_terminal && !environment.no_color,
        };
        Self {
            json: args.json,
            color,
            columns: environment
                .columns
                .unwrap_or(DEFAULT_COLUMNS)
                .clamp(40, 400),
            lines: environment.lines,
            interactive: environment.stdout_is_terminal,
            now: environment.now,
            zone: if settings.utc.value {
                TimeZone::UTC
            } else {
                environment.zone.clone()
            },
            started: Instant::now(),
            quiet: args.quiet,
            verbose: args.verbose,
            pager: settings.pager.value.clone(),
        }
    }

    /// Standard output for data.
    pub(crate) fn out(&self) -> Output {
        Output {
            sink: Sink::Stdout(BufWriter::with_capacity(64 << 10, io::stdout())),
            color: self.color,
        }
    }

    /// Memory, for text that is not shown yet.
    pub(crate) fn in_memory(&self) -> Output {
        Output {
            sink: Sink::Memory(Vec::new()),
            color: self.color,
        }
    }

    /// Standard output for reading, through a pager if that helps.
    pub(crate) fn reading_out(&self) -> Output {
        let pager = self.pager.as_str();
        let helps = self.interactive && !pager.is_empty() && pager != "cat";
        match helps.then(|| spawn_pager(pager)).flatten() {
            Some(child) => Output {
                sink: Sink::Pager(child),
                color: self.color,
            },
            None => self.out(),
        }
    }

    /// Whether only results and errors are wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A line that was asked for, beside the data on standard output.
    pub(crate) fn tell(&self, line: &str) {
        let message = Clean::text(line).into();
        if self.json {
            talk_json(&NoteDocument {
                schema: "gemtrail.note/1",
                message,
            });
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
    pub(crate) fn progress(&self, done: usize, total: usize, what: &str) {
        // Short work needs no telling.
        if self.quiet || total < 20 || !io::stderr().is_terminal() {
            return;
        }
        let elapsed = self.started.elapsed().as_secs_f64().max(0.001);
        #[expect(clippy::cast_precision_loss, reason = "shown without a fraction")]
        let (rate, left) = (done as f64 / elapsed, (total - done) as f64);
        let rest = if done == 0 {
            String::new()
        } else {
            format!(", {:.0} s left", left / rate.max(0.001))
        };
        let line = format!("{done} of {total} {what}, {rate:.0}/s{rest}");
        // Nobody is left to tell if standard error is gone.
        let _ = write!(
            io::stderr().lock(),
            "\r{}",
            text::fit(&line, self.columns - 1)
        );
    }

    /// The same for bytes.
    pub(crate) fn progress_bytes(&self, done: u64, total: u64, what: &str) {
        if self.quiet || !io::stderr().is_terminal() {
            return;
        }
        let elapsed = self.started.elapsed().as_secs_f64().max(0.001);
        #[expect(clippy::cast_precision_loss, reason = "shown without a fraction")]
        let (rate, left) = (done as f64 / elapsed, total.saturating_sub(done) as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rate is positive and small"
        )]
        let speed = text::size(rate as u64);
        let (done, total) = (text::size(done), text::size(total));
        let seconds = left / rate.max(1.0);
        let line = format!("{what}: {done} of {total}, {speed}/s, {seconds:.0} s left");
        // Nobody is left to tell if standard error is gone.
        let _ = write!(
            io::stderr().lock(),
            "\r{}",
            text::fit(&line, self.columns - 1)
        );
    }

    /// Takes the last progress line away.
    pub(crate) fn progress_done(&self) {
        if !self.quiet && io::stderr().is_terminal() {
            let _ = write!(
                io::stderr().lock(),
                "\r{:width$}\r",
                "",
                width = self.columns - 1
            );
        }
    }

    /// A line for people who asked for more.
    pub(crate) fn detail(&self, message: &str) {
        if self.verbose > 0 {
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
                talk(&format!(
                    "error: {}",
                    Clean::text(format!("{:#}", error.error))
                ));
                if let Some(hint) = &error.hint {
                    talk(&format!("\nhint: {}", Clean::text(hint)));
                }
            }
        }
        ExitCode::from(error.exit_code())
    }

    /// Prints a value of any size as one line of JSON.
    pub(crate) fn json_document(out: &mut Output, value: &impl Serialize) -> Result<(), CliError> {
        serde_json::to_writer(EscapeControls(&mut *out), value)?;
        out.write_all(b"\n")?;
        Ok(())
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
        talk_json(&wrong_use::error(error).document());
    } else if error.use_stderr() && std::env::args_os().any(|arg| has_control(&arg)) {
        // It quotes the arguments as they are.
        talk(Clean::text(error.render().to_string()).trim_end());
    } else {
        // Nothing can be done if the terminal is gone.
        let _ = error.print();
    }
    ExitCode::from(u8::from(error.use_stderr()) * 2)
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

fn spawn_pager(command: &str) -> Option<Child> {
    let mut words = command.split_whitespace();
    let mut pager = Command::new(words.next()?);
    pager.args(words).stdin(Stdio::piped());
    if command == "less" {
        // Colours pass, a short text needs no key, the screen stays.
        pager.args(["-R", "-F", "-X"]);
    }
    pager.spawn().ok()
}

/// A place to write to.
pub(crate) struct Output {
    sink: Sink,
    color: bool,
}

enum Sink {
    Stdout(BufWriter<io::Stdout>),
    Pager(Child),
    Memory(Vec<u8>),
}

impl Output {
    /// Text in a style, if colour is wanted.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Writes everything out and waits for the pager.
    pub(crate) fn finish(mut self) -> Result<(), CliError> {
        match &mut self.sink {
            Sink::Stdout(out) => out.flush()?,
            Sink::Pager(child) => {
                drop(child.stdin.take());
                child.wait()?;
            }
            Sink::Memory(_) => {}
        }
        Ok(())
    }

    /// What was written to memory.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.sink {
            Sink::Memory(bytes) => bytes,
            Sink::Stdout(_) | Sink::Pager(_) => Vec::new(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stdout(out) => out.write(bytes),
            Sink::Pager(child) => match &mut child.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            Sink::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stdout(out) => out.flush(),
            Sink::Pager(_) | Sink::Memory(_) => Ok(()),
        }
    }
}

/// Whether somebody is there to read a question and to answer it.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a person.
pub(crate) fn ask(question: &str) -> bool {
    let _ = write!(io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && answer.trim().eq_ignore_ascii_case("y")
}

/// Whether standard input is a terminal, where waiting for data would look like hanging.
pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}
