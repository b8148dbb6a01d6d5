//! Bodies that are sent while they are written.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// What is collected before it is sent.
const PIECE: usize = 32 << 10;

/// Pieces that wait for the client.
const WAITING: usize = 4;

/// A client that takes nothing for this long has left.
const PATIENCE: Duration = Duration::from_secs(30);

type Piece = io::Result<Bytes>;

/// Starts a thread that writes a body. If it fails, the connection ends before the body does, so
/// nobody takes half a page for a whole one.
pub(crate) fn streamed(write: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static) -> Body {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::task::spawn_blocking(move || {
        let mut pipe = Pipe {
            sender,
            piece: Vec::new(),
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
        let sent = self.sender.send(Ok(piece));
        let sent = Handle::current().block_on(async { tokio::time::timeout(PATIENCE, sent).await });
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
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
