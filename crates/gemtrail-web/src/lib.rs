#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod arrival;
mod assets;
mod body;
mod connection;
mod guard;
mod head;
mod headers;
mod kept;
mod links;
mod live;
mod pages;
mod read;
mod routes;
mod server;
#[cfg(test)]
mod testing;
mod turns;
mod versions;
mod viewer;

use std::io;
use std::sync::Arc;

use gemtrail_store::Trail;

pub use connection::Patience;
pub use guard::Keys;
pub use read::Paging;
pub use server::{Server, Stop};
pub use viewer::Options;

/// The address that opens the viewer on a server, with the token that works once.
pub fn launch_address(server: &Server, keys: &Keys) -> String {
    guard::launch_address(server.port(), keys)
}

/// Shows the sessions of a trail until it is stopped. The trail should be read-only, since nothing
/// on disk may be changed by a request; its view is kept up to date meanwhile. `ready` is called
/// when it is time to tell the address.
pub fn serve<E: From<io::Error>>(
    server: Server,
    trail: Trail,
    options: Options,
    keys: &Keys,
    stop: &Stop,
    ready: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    let viewer = Arc::new(viewer::Viewer::new(trail, options));
    let guard = guard::Guard::new(server.port(), keys);
    let following = live::follow(&viewer)?;
    following.first_page();
    let outcome = ready().and_then(|()| {
        let router = routes::router(Arc::clone(&viewer), guard);
        server.run(&router, stop).map_err(E::from)
    });
    following.end();
    outcome
}
