//! The listener: loopback only, and nobody can hold it up.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::sync::{Notify, Semaphore};

use crate::arrival::{Arrival, Arriving};
use crate::connection::{self, Patience};

/// Connections at a time. A browser opens six. One more takes the place of the oldest whose request has not
/// arrived; if all have, it waits.
const MOST_CONNECTIONS: usize = 128;

/// A server that has a port, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listeners: Vec<TcpListener>,
    port: u16,
    patience: Patience,
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
            patience: Patience::default(),
        })
    }

    /// With other limits for slow clients.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
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
            let arriving = Arc::new(Arriving::default());
            for listener in self.listeners {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                let accepting = accept(
                    listener,
                    router.clone(),
                    Arc::clone(&connections),
                    Arc::clone(&arriving),
                    self.patience,
                );
                tokio::spawn(accepting);
            }
            stop.0.notified().await;
            Ok(())
        });
        // What is still being sent is not waited for.
        runtime.shutdown_background();
        outcome
    }
}

async fn accept(
    listener: tokio::net::TcpListener,
    router: Router,
    connections: Arc<Semaphore>,
    arriving: Arc<Arriving>,
    patience: Patience,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // There may be too many open files for a moment.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        if connections.available_permits() == 0 {
            arriving.give_up_oldest();
        }
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else {
            return;
        };
        let router = router.clone();
        let arrival = Arrival::new(Arc::clone(&arriving));
        tokio::spawn(async move {
            connection::answer(stream, router, patience, arrival).await;
            drop(permit);
        });
    }
}
