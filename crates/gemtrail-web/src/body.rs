//! Bodies that are sent while they are written.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{self, Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::turns::Turn;

/// The size of a piece that is sent at once.
const PIECE: usize = 32 << 10;

/// Pieces that wait for the client.
const WAITING: usize = 4;

/// A message of the writing thread.
enum BodyPiece {
    Bytes(Bytes),
    /// Nothing more comes, and whether that was all. A thread that panics does not get to say it.
    End(io::Result<()>),
}

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
        // The client may be what failed.
        let _ = pipe.send(BodyPiece::End(written));
    });
    Body::new(Streamed {
        receiver,
        has_ended: false,
    })
}

/// The writing end of a body.
pub(crate) struct Pipe {
    sender: mpsc::Sender<BodyPiece>,
    piece: Vec<u8>,
    turn: Turn,
}

impl Pipe {
    fn send(&mut self, piece: BodyPiece) -> io::Result<()> {
        match self.sender.try_send(piece) {
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
        self.send(BodyPiece::Bytes(piece))
    }
}

struct Streamed {
    receiver: mpsc::Receiver<BodyPiece>,
    has_ended: bool,
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let piece = task::ready!(self.receiver.poll_recv(context));
        let end = match piece {
            Some(BodyPiece::Bytes(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
            Some(BodyPiece::End(end)) => end,
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        self.has_ended = true;
        Poll::Ready(end.err().map(Err))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;
    use crate::turns::Turns;

    /// The part of a body that a client gets if it begins to read after a moment: how many bytes, and
    /// whether the body ends as a whole one does.
    fn got(write: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static) -> (usize, bool) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let mut body = streamed(Turns::default().next().await, write);
            tokio::time::sleep(Duration::from_millis(50)).await;
            let mut bytes = 0;
            loop {
                match poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
                    Some(Ok(frame)) => bytes += frame.into_data().expect("bytes").len(),
                    Some(Err(_)) => return (bytes, false),
                    None => return (bytes, true),
                }
            }
        })
    }

    #[test]
    fn a_whole_body_ends() {
        assert_eq!(got(|_| Ok(())), (0, true));
        let long = vec![b'x'; PIECE * (WAITING + 2) + 7];
        let count = long.len();
        assert_eq!(got(move |out| out.write_all(&long)), (count, true));
    }

    #[test]
    fn half_a_body_does_not_end() {
        let broken = || io::Error::other("it broke");
        assert_eq!(got(move |_| Err(broken())), (0, false));
        // As many pieces as can wait: there is no room for the error yet.
        let full = move |out: &mut Pipe| {
            for _ in 0..WAITING {
                out.write_all(&vec![b'x'; PIECE])?;
            }
            Err(broken())
        };
        assert_eq!(got(full), (PIECE * WAITING, false));
    }

    #[test]
    fn a_panic_does_not_end_a_body() {
        let panics = |out: &mut Pipe| {
            out.write_all(&vec![b'x'; PIECE])?;
            panic!("on purpose");
        };
        assert_eq!(got(panics), (PIECE, false));
    }
}
