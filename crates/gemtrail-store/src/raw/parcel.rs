//! Sends values to the writing thread, several at a time: waking it for each one would take longer
//! than most of them do.

use std::sync::mpsc::{SendError, SyncSender};

/// A parcel with this many values is sent.
const MOST_VALUES: usize = 64;
/// So is one whose values add up to this many bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Fails when the writer has stopped; it knows the reason.
pub(crate) type Sent<T> = Result<(), SendError<Vec<T>>>;

/// Values that are collected to be sent together.
pub(crate) struct Parcel<'s, T> {
    sender: &'s SyncSender<Vec<T>>,
    values: Vec<T>,
    bytes: u64,
}

impl<'s, T> Parcel<'s, T> {
    pub(crate) fn new(sender: &'s SyncSender<Vec<T>>) -> Self {
        Self {
            sender,
            values: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds a value of the given size in bytes. Sends the parcel once it is full.
    pub(crate) fn add(&mut self, value: T, bytes: u64) -> Sent<T> {
        self.values.push(value);
        self.bytes += bytes;
        if self.values.len() < MOST_VALUES && self.bytes < MOST_BYTES {
            return Ok(());
        }
        self.send()
    }

    /// Sends the values collected so far.
    pub(crate) fn send(&mut self) -> Sent<T> {
        self.bytes = 0;
        let values = std::mem::take(&mut self.values);
        if values.is_empty() {
            return Ok(());
        }
        self.sender.send(values)
    }
}
