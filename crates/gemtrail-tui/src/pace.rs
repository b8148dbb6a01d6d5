//! The pace of drawing: a frame when something happened, and at most 120 a second.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::message::MainMessage;
use crate::state::Event;

/// No more frames than 120 a second.
pub(crate) const FRAME: Duration = Duration::from_micros(8_333);

/// The time of the last frame.
pub(crate) struct Pace {
    drawn: Instant,
}

impl Pace {
    /// A frame was drawn just now.
    pub(crate) fn new() -> Self {
        Self {
            drawn: Instant::now(),
        }
    }

    /// Waits for something to happen, or for something to be due, and takes what comes in before the
    /// next frame, to which it belongs. Whether anybody is left who could send something.
    pub(crate) fn wait<E>(
        &self,
        messages: &Receiver<MainMessage>,
        due: Option<Duration>,
        mut take: impl FnMut(MainMessage) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Some(first) = next(messages, due) else {
            return Ok(false);
        };
        take(first)?;
        let frame = self.drawn + FRAME;
        // An endless stream of messages must not keep the screen from being drawn.
        let last = frame.max(Instant::now() + FRAME);
        loop {
            let now = Instant::now();
            if now >= last {
                return Ok(true);
            }
            match messages.recv_timeout(frame.saturating_duration_since(now)) {
                Ok(message) => take(message)?,
                Err(_) => return Ok(true),
            }
        }
    }
}

/// The next message; `None` once all senders are gone.
fn next(messages: &Receiver<MainMessage>, due: Option<Duration>) -> Option<MainMessage> {
    let Some(due) = due else {
        return messages.recv().ok();
    };
    match messages.recv_timeout(due) {
        Ok(message) => Some(message),
        Err(RecvTimeoutError::Timeout) => Some(Event::Tick.into()),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn an_endless_stream_of_messages_does_not_stop_drawing() {
        let (sender, messages) = mpsc::channel();
        let send = || sender.send(Event::Tick.into()).unwrap();
        send();
        let start = Instant::now();
        let take = |_| {
            send();
            let is_in_time = start.elapsed() < Duration::from_secs(2);
            assert!(is_in_time, "not a frame in two seconds");
            Ok::<_, Infallible>(())
        };
        assert_eq!(Pace::new().wait(&messages, None, take), Ok(true));
    }
}
