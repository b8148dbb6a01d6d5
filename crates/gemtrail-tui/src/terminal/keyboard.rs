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
    /// The thread is gone, and the terminal with it.
    Ended,
}

#[derive(Debug)]
struct Gate {
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Gate {
    fn new() -> Self {
        Self {
            phase: Mutex::new(Phase::Reading),
            changed: Condvar::new(),
        }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing comes after the end.
    fn set(&self, next: Phase) {
        let mut phase = self.phase();
        if *phase != Phase::Ended {
            *phase = next;
        }
        self.changed.notify_all();
    }

    fn wait_while(&self, it_is: impl Fn(Phase) -> bool) {
        let waits = |phase: &mut Phase| it_is(*phase);
        drop(self.changed.wait_while(self.phase(), waits));
    }

    /// Stops if it is told to, until it is told to go on.
    fn pass(&self) {
        if *self.phase() == Phase::Stopping {
            self.set(Phase::Stopped);
            self.wait_while(|phase| phase != Phase::Reading);
        }
    }
}

/// The thread's side of the gate. When the thread ends, for any reason, it releases those who wait.
struct Passer(Arc<Gate>);

impl Drop for Passer {
    fn drop(&mut self) {
        self.0.set(Phase::Ended);
    }
}

impl Passer {
    /// Passes on what is read until the terminal is gone or the receiver is dropped.
    fn read_all(
        self,
        messages: &Sender<Message>,
        mut read: impl FnMut() -> io::Result<Vec<Event>>,
    ) {
        loop {
            self.0.pass();
            // An error means that the terminal is gone.
            let events = read().unwrap_or_else(|_| vec![Event::End]);
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
        let gate = Arc::new(Gate::new());
        #[cfg(unix)]
        let (woken, waker) = io::pipe()?;
        let passer = Passer(Arc::clone(&gate));
        thread::spawn(move || {
            let mut source = Source::new(
                #[cfg(unix)]
                woken,
            );
            passer.read_all(&messages, || source.read());
        });
        Ok(Self {
            gate,
            #[cfg(unix)]
            waker,
        })
    }

    /// Hands the terminal to another program; returns once reading has stopped or the thread has ended.
    pub(crate) fn stop(&mut self) {
        self.gate.set(Phase::Stopping);
        #[cfg(unix)]
        {
            use std::io::Write as _;
            // The thread is waiting for keys, unless it has ended.
            let _ = self.waker.write_all(b"x");
        }
        self.gate.wait_while(|phase| phase == Phase::Stopping);
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn keyboard() -> (Keyboard, Passer) {
        let gate = Arc::new(Gate::new());
        let passer = Passer(Arc::clone(&gate));
        #[cfg(unix)]
        let (_, waker) = io::pipe().unwrap();
        let keyboard = Keyboard {
            gate,
            #[cfg(unix)]
            waker,
        };
        (keyboard, passer)
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_ended() {
        let (mut keyboard, passer) = keyboard();
        let (messages, received) = mpsc::channel();
        passer.read_all(&messages, || Err(io::ErrorKind::UnexpectedEof.into()));
        assert!(matches!(received.recv(), Ok(Message::Event(Event::End))));
        let (done, is_done) = mpsc::channel();
        thread::spawn(move || {
            for _ in 0..2 {
                keyboard.stop();
                keyboard.go_on();
            }
            done.send(())
        });
        let outcome = is_done.recv_timeout(Duration::from_secs(20));
        assert_eq!(outcome, Ok(()), "it waits forever");
    }

    #[test]
    fn a_thread_that_was_stopped_reads_on_when_it_may() {
        let (mut keyboard, passer) = keyboard();
        let (messages, received) = mpsc::channel();
        let (keys, typed) = mpsc::channel::<Event>();
        let read = move || Ok(typed.try_iter().collect());
        let thread = thread::spawn(move || passer.read_all(&messages, read));
        keyboard.stop();
        keys.send(Event::End).unwrap();
        assert!(received.try_recv().is_err(), "the terminal is not ours");
        keyboard.go_on();
        thread.join().unwrap();
        assert!(matches!(received.recv(), Ok(Message::Event(Event::End))));
    }
}
