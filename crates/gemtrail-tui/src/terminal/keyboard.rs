//! Reads keys on a thread of its own, which can be told to leave the terminal alone.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::message::Message;
use crate::state::Event;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Reading,
    /// Told to stop; may still be reading.
    Stopping,
    Stopped,
}

#[derive(Debug)]
struct Gate {
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Gate {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, phase: Phase) {
        *self.phase() = phase;
        self.changed.notify_all();
    }

    fn wait_until(&self, wanted: Phase) {
        let is_other = |phase: &mut Phase| *phase != wanted;
        drop(self.changed.wait_while(self.phase(), is_other));
    }

    /// Stops if it is told to, until it is told to go on.
    fn pass(&self) {
        if *self.phase() == Phase::Stopping {
            self.set(Phase::Stopped);
            self.wait_until(Phase::Reading);
        }
    }
}

/// The thread that reads keys.
#[derive(Debug)]
pub(crate) struct Keyboard {
    gate: Arc<Gate>,
    #[cfg(unix)]
    waker: io::PipeWriter,
}

impl Keyboard {
    /// Starts reading.
    pub(crate) fn start(messages: Sender<Message>) -> io::Result<Self> {
        let gate = Arc::new(Gate {
            phase: Mutex::new(Phase::Reading),
            changed: Condvar::new(),
        });
        #[cfg(unix)]
        let (woken, waker) = io::pipe()?;
        let of_thread = Arc::clone(&gate);
        thread::spawn(move || {
            let mut source = Source::new(
                #[cfg(unix)]
                woken,
            );
            loop {
                of_thread.pass();
                // An error means that the terminal is gone.
                let events = source.read().unwrap_or_else(|_| vec![Event::End]);
                let is_over = events.iter().any(|event| matches!(event, Event::End));
                for event in events {
                    if messages.send(event.into()).is_err() {
                        return;
                    }
                }
                if is_over {
                    return;
                }
            }
        });
        Ok(Self {
            gate,
            #[cfg(unix)]
            waker,
        })
    }

    /// Leaves the terminal to somebody else; returns when that is so.
    pub(crate) fn stop(&mut self) {
        self.gate.set(Phase::Stopping);
        #[cfg(unix)]
        {
            use std::io::Write as _;
            // The thread is waiting for keys.
            let _ = self.waker.write_all(b"x");
        }
        self.gate.wait_until(Phase::Stopped);
    }

    /// Reads again.
    pub(crate) fn go_on(&self) {
        self.gate.set(Phase::Reading);
    }
}

/// Where events come from: the bytes of the terminal.
#[cfg(unix)]
struct Source {
    woken: io::PipeReader,
    decoder: super::decode::Decoder,
}

#[cfg(unix)]
impl Source {
    fn new(woken: io::PipeReader) -> Self {
        Self {
            woken,
            decoder: super::decode::Decoder::default(),
        }
    }

    /// Waits for events, or for being woken.
    fn read(&mut self) -> io::Result<Vec<Event>> {
        use std::io::Read as _;
        use std::time::Duration;

        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        /// How long the rest of a sequence may take; a lone escape is a key after that.
        const REST: Duration = Duration::from_millis(25);

        let stdin = io::stdin();
        let is_waiting = self.decoder.is_waiting();
        let rest = Timespec::try_from(REST).ok().filter(|_| is_waiting);
        let (keys, woken) = {
            let mut places = [
                PollFd::new(&stdin, PollFlags::IN),
                PollFd::new(&self.woken, PollFlags::IN),
            ];
            match poll(&mut places, rest.as_ref()) {
                Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
                Ok(0) => return Ok(self.decoder.flush().into_iter().collect()),
                outcome => outcome?,
            };
            (places[0].revents(), places[1].revents())
        };
        if woken.contains(PollFlags::IN) {
            self.woken.read_exact(&mut [0])?;
            return Ok(Vec::new());
        }
        if !keys.contains(PollFlags::IN) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = [0; 4096];
        match rustix::io::read(&stdin, &mut bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => Ok(self.decoder.feed(&bytes[..count])),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Where events come from: the console.
#[cfg(not(unix))]
struct Source;

#[cfg(not(unix))]
impl Source {
    fn new() -> Self {
        Self
    }

    /// Waits for events, but not for long: nothing can wake it.
    fn read(&mut self) -> io::Result<Vec<Event>> {
        use crossterm::event;
        if !event::poll(std::time::Duration::from_millis(100))? {
            return Ok(Vec::new());
        }
        Ok(super::console::translate(event::read()?)
            .into_iter()
            .collect())
    }
}
