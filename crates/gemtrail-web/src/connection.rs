//! One connection: one request, one answer, within a time limit.

use std::convert::Infallible;
use std::future::{Future, poll_fn, ready};
use std::io;
use std::pin::Pin;
use std::task::{self, Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, timeout};
use tower::ServiceExt as _;

use crate::arrival::Arrival;
use crate::guard::RequestRefusal;
use crate::head;
use crate::headers::sealed;
use crate::pages::problem::Problem;

/// Time limits for clients.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, from the first moment of a connection.
    pub head: Duration,
    /// For a client that stops reading its answer.
    pub standstill: Duration,
    /// For an answer as a whole.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(15),
            standstill: Duration::from_secs(30),
            // Half a gigabyte over a slow tunnel.
            answer: Duration::from_secs(15 * 60),
        }
    }
}

/// The time that a client has after its answer to close the connection.
const FAREWELL: Duration = Duration::from_secs(2);

/// The bytes that a client may send after the head of its request; all of them are ignored.
const MOST_IGNORED: usize = 4 << 20;

/// Stands in for a request that was refused.
const ANY_HEAD: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

/// An answer that is being made.
type Answering = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// Answers the request of a connection.
pub(crate) async fn answer(
    mut stream: TcpStream,
    router: Router,
    patience: Patience,
    arrival: Arrival,
) {
    // Pages are sent in few large pieces.
    let _ = stream.set_nodelay(true);
    let mut sent = Vec::new();
    let read = timeout(patience.head, head::read(&mut stream, &mut sent));
    let head = tokio::select! {
        head = read => head,
        () = arrival.given_up() => return,
    };
    drop(arrival);
    let head = match head {
        Ok(Ok(Some(head))) => head,
        Ok(Ok(None) | Err(_)) => return,
        // Browsers open connections that they may need; an answer would be taken for one to the
        // next request.
        Err(_) if sent.is_empty() => return,
        Err(_) => Err(RequestRefusal::Slow),
    };
    drop(sent);
    let (head, refusal) = match head {
        Ok(head) => (head, None),
        Err(refusal) => (ANY_HEAD.to_vec(), Some(refusal)),
    };
    let service = service_fn(move |request: Request<Incoming>| -> Answering {
        match refusal {
            None => Box::pin(router.clone().oneshot(request)),
            Some(refusal) => {
                let page = Problem::Refused(refusal).into_response();
                Box::pin(ready(Ok(sealed(page))))
            }
        }
    });
    let exchange = Exchange::new(stream, head, patience.standstill);
    let mut connection = http1::Builder::new()
        .keep_alive(false)
        .max_headers(head::MOST_HEADERS)
        .serve_connection(TokioIo::new(exchange), service);
    let written = poll_fn(|context| connection.poll_without_shutdown(context));
    // If the connection fails, there is nobody left to tell.
    if let Ok(Ok(())) = timeout(patience.answer, written).await {
        let mut stream = connection.into_parts().io.into_inner().stream;
        let _ = timeout(FAREWELL, goodbye(&mut stream)).await;
    }
}

/// Closes a connection so that its last bytes arrive. Closing it with unread input would reset it, and
/// the client could lose the end of the answer.
async fn goodbye(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut ignored = [0; 4 << 10];
    let mut left = MOST_IGNORED;
    while left > 0 {
        match stream.read(&mut ignored).await? {
            0 => break,
            count => left = left.saturating_sub(count),
        }
    }
    Ok(())
}

/// A stream that replays the head, has nothing after it, and fails if the client stops reading for too
/// long.
struct Exchange {
    stream: TcpStream,
    head: Vec<u8>,
    ignored: usize,
    standstill: Duration,
    deadline: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl Exchange {
    fn new(stream: TcpStream, head: Vec<u8>, standstill: Duration) -> Self {
        Self {
            stream,
            head,
            ignored: 0,
            standstill,
            deadline: Box::pin(tokio::time::sleep(standstill)),
            is_waiting: false,
        }
    }

    /// Passes on the outcome of a write, or fails if the client has not read anything for too long.
    fn timed<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.is_waiting = false;
            return outcome;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            let deadline = Instant::now() + self.standstill;
            self.deadline.as_mut().reset(deadline);
        }
        match self.deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Exchange {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.head.is_empty() {
            let count = this.head.len().min(buffer.remaining());
            buffer.put_slice(&this.head[..count]);
            this.head.drain(..count);
            return Poll::Ready(Ok(()));
        }
        // It tells whether the client is still there.
        loop {
            let mut space = [0; 4 << 10];
            let mut ignored = ReadBuf::new(&mut space);
            task::ready!(Pin::new(&mut this.stream).poll_read(context, &mut ignored))?;
            let count = ignored.filled().len();
            if count == 0 {
                return Poll::Ready(Ok(()));
            }
            this.ignored += count;
            if this.ignored > MOST_IGNORED {
                return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
            }
        }
    }
}

impl AsyncWrite for Exchange {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
