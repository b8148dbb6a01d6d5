//! The listener: loopback only, and nobody can hold it up.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, Sleep};

/// Connections at a time. A browser opens six; those beyond wait to be accepted.
const MOST_CONNECTIONS: usize = 128;

/// A client has this long to send the head of a request, and a connection this long to be idle.
const HEAD_TIME: Duration = Duration::from_secs(15);

/// A client that takes no byte of its answer for this long is dropped.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// The head of a request must fit into this; the guard refuses smaller ones already.
const HEAD_BYTES: usize = 64 << 10;

const MOST_HEADERS: usize = 64;

/// A server that has a port, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listeners: Vec<TcpListener>,
    port: u16,
}

/// Ends a running server.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// Ends it, now or as soon as it starts.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

impl Server {
    /// Takes a port of the loopback interface; 0 for any.
    pub fn bind(port: u16) -> io::Result<Self> {
        let first = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let port = first.local_addr()?.port();
        // `localhost` may mean either; a machine need not have both.
        let second = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).ok();
        Ok(Self {
            listeners: std::iter::once(first).chain(second).collect(),
            port,
        })
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Answers requests until it is stopped.
    pub(crate) fn run(self, router: &Router, stop: &Stop) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(MOST_CONNECTIONS)
            .enable_all()
            .build()?;
        let outcome = runtime.block_on(async {
            let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
            for listener in self.listeners {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::spawn(accept(listener, router.clone(), Arc::clone(&connections)));
            }
            stop.0.notified().await;
            Ok(())
        });
        // What is still being sent is not waited for.
        runtime.shutdown_background();
        outcome
    }
}

async fn accept(listener: tokio::net::TcpListener, router: Router, connections: Arc<Semaphore>) {
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            // There may be too many open files for a moment.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            answer(stream, router).await;
            drop(permit);
        });
    }
}

/// Answers the requests of one connection.
async fn answer(stream: TcpStream, router: Router) {
    // Pages are sent in few large pieces.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(MOST_HEADERS)
        .serve_connection(
            TokioIo::new(Impatient::new(stream)),
            TowerToHyperService::new(router),
        );
    // What goes wrong with a connection is the client's to know.
    let _ = connection.await;
}

/// A stream that fails if it takes no byte for too long.
struct Impatient<S> {
    inner: S,
    deadline: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl<S> Impatient<S> {
    fn new(inner: S) -> Self {
        Self {
            inner,
            deadline: Box::pin(tokio::time::sleep(WRITE_TIME)),
            is_waiting: false,
        }
    }

    /// Passes on what writing came to, and fails if it has been waiting for too long.
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
            self.deadline.as_mut().reset(Instant::now() + WRITE_TIME);
        }
        match self.deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.timed(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
