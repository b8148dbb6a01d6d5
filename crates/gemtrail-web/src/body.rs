//! Bodies that are sent while they are written.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::turns::Turn;

/// What is collected before it is sent.
const PIECE: usize = 32 << 10;

/// Pieces that wait for the client.
const WAITING: usize = 4;

type Piece = io::Result<Bytes>;

/// Starts a thread that writes a body. If it fails, the connection ends before the body does, so
/// nobody takes half a page for a whole one.
pub(crate) fn streamed(
    turn: Turn,
    write: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static,
) -> Body {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::task::spawn_blocking(move || {
        let mut pipe = Pipe {
            sender,
            piece: Vec::new(),
            turn,
        };
        let written = write(&mut pipe).and_then(|()| pipe.flush());
        if let Err(error) = written {
            // The client may be what failed.
            let _ = pipe.sender.try_send(Err(error));
        }
    });
    Body::new(Streamed(receiver))
}

/// Where a body is written to.
pub(crate) struct Pipe {
    sender: mpsc::Sender<Piece>,
    piece: Vec<u8>,
    turn: Turn,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.piece));
        match self.sender.try_send(Ok(piece)) {
            Ok(()) => Ok(()),
            // A client that is too slow is dropped with its connection, and this with it.
            Err(TrySendError::Full(piece)) => {
                let send = || self.sender.blocking_send(piece);
                self.turn
                    .meanwhile(send)
                    .map_err(|_| io::ErrorKind::BrokenPipe.into())
            }
            Err(TrySendError::Closed(_)) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

struct Streamed(mpsc::Receiver<Piece>);

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
