//! Signals of the system to the process.

use std::io;
use std::sync::mpsc::Sender;

use crate::message::MainMessage;

/// Passes signals on: to end, to continue.
#[cfg(unix)]
pub(crate) fn listen(messages: Sender<MainMessage>) -> io::Result<()> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::state::Event;

    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let message = match signal {
                SIGCONT => MainMessage::Continued,
                _ => Event::End.into(),
            };
            if messages.send(message).is_err() {
                return;
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn listen(_: Sender<MainMessage>) -> io::Result<()> {
    Ok(())
}

/// Stops the process until it is brought back.
#[cfg(unix)]
pub(crate) fn stop_process() -> io::Result<()> {
    signal_hook::low_level::raise(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
pub(crate) fn stop_process() -> io::Result<()> {
    Ok(())
}
