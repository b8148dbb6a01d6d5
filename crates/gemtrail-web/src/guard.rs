//! The guard that judges requests: pure functions over their heads.
//!
//! Any page in the user's browser can send requests to a server on loopback, and by DNS rebinding
//! it can read the answers under its own name. So the `Host` is checked first, on every path; then
//! where the browser says that the request comes from; then the token.

use std::sync::{Mutex, PoisonError};

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode};

/// Longer addresses are refused; a search for a few paragraphs fits.
const LONGEST_ADDRESS: usize = 4 << 10;

/// More bytes of headers are refused. Browsers send about one kilobyte.
const MOST_HEADER_BYTES: usize = 16 << 10;

/// The port that browsers leave out of `Host` and `Origin`.
const HTTP: u16 = 80;

/// Secrets that nobody can guess. The bytes come from the caller.
#[derive(Clone)]
pub struct Keys {
    /// For the address that is printed and opened; it works once.
    pub launch: [u8; 32],
    /// For the cookie that the browser then has.
    pub session: [u8; 32],
}

/// The door of a server on one port.
pub(crate) struct Guard {
    port: u16,
    /// Taken away by the first use.
    launch: Mutex<Option<String>>,
    session: String,
}

/// The way in which a request passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// It has the cookie.
    Known,
    /// It has the launch token: the answer is the cookie, and an address without the token.
    Launch,
    /// It has the cookie and a token that is of no use: the answer is an address without it.
    Again,
}

/// The reason why a request does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestRefusal {
    /// It was sent to another name than this server's.
    ForeignHost,
    /// Another page sent it.
    ForeignPage,
    /// The server is for reading only.
    Method,
    /// The address is too long.
    Address,
    /// There are too many headers.
    Headers,
    /// It has no valid token.
    NoToken,
    /// It is not HTTP.
    Malformed,
    /// Its head took too long to arrive.
    Slow,
}

impl RequestRefusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::ForeignHost | Self::ForeignPage => StatusCode::FORBIDDEN,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Address => StatusCode::URI_TOO_LONG,
            Self::Headers => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
        }
    }
}

impl Guard {
    pub(crate) fn new(port: u16, keys: &Keys) -> Self {
        Self {
            port,
            launch: Mutex::new(Some(hex(&keys.launch))),
            session: hex(&keys.session),
        }
    }

    /// Judges a request by its head.
    pub(crate) fn check(&self, parts: &Parts) -> Result<Pass, RequestRefusal> {
        if !is_own_host(parts, self.port) {
            return Err(RequestRefusal::ForeignHost);
        }
        if !is_own_page(&parts.headers, self.port) {
            return Err(RequestRefusal::ForeignPage);
        }
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            return Err(RequestRefusal::Method);
        }
        let address = parts.uri.path_and_query().map_or(0, |it| it.as_str().len());
        if address > LONGEST_ADDRESS {
            return Err(RequestRefusal::Address);
        }
        if size(&parts.headers) > MOST_HEADER_BYTES {
            return Err(RequestRefusal::Headers);
        }
        let is_known = self.has_cookie(&parts.headers);
        match token(parts) {
            Some(_) if is_known => Ok(Pass::Again),
            Some(token) if parts.method == Method::GET && self.use_up(token) => Ok(Pass::Launch),
            None if is_known => Ok(Pass::Known),
            _ => Err(RequestRefusal::NoToken),
        }
    }

    /// The `Set-Cookie` of the answer to a launch. Cookies are shared by all ports of a host, so the
    /// port is part of the name.
    pub(crate) fn cookie(&self) -> String {
        let (name, value) = (self.cookie_name(), &self.session);
        format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/")
    }

    fn cookie_name(&self) -> String {
        format!("gemtrail-{}", self.port)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let lines = headers.get_all(COOKIE).iter();
        let cookies = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        let mut own = cookies.filter(|(cookie, _)| *cookie == name);
        own.any(|(_, value)| is_same(value, &self.session))
    }

    /// True if it is the launch token, which then is used up.
    fn use_up(&self, token: &str) -> bool {
        let mut launch = self.launch.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = launch.as_deref().is_some_and(|own| is_same(token, own));
        if is_it {
            *launch = None;
        }
        is_it
    }
}

/// The address that opens the viewer, with the launch token.
pub(crate) fn launch_address(port: u16, keys: &Keys) -> String {
    format!("http://127.0.0.1:{port}/?token={}", hex(&keys.launch))
}

/// True if a request was sent to this server under one of its names, and says so once.
fn is_own_host(parts: &Parts, port: u16) -> bool {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    // An address with a host of its own would overrule the header.
    let target = parts.uri.authority().map(Authority::as_str);
    host.to_str().is_ok_and(|host| is_own_name(host, port))
        && target.is_none_or(|target| is_own_name(target, port))
}

fn is_own_name(host: &str, port: u16) -> bool {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    let own = |name: &str| {
        host.eq_ignore_ascii_case(&format!("{name}:{port}"))
            || port == HTTP && host.eq_ignore_ascii_case(name)
    };
    names.into_iter().any(own)
}

/// True if a request comes from a page of this server, or from the user.
fn is_own_page(headers: &HeaderMap, port: u16) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    let mut origins = headers.get_all(ORIGIN).iter();
    // A program on another port of this host is the same site, but not the same origin.
    sites.all(|site| site == "same-origin" || site == "none")
        && origins.all(|origin| {
            let host = origin
                .to_str()
                .ok()
                .and_then(|it| it.strip_prefix("http://"));
            host.is_some_and(|host| is_own_name(host, port))
        })
}

fn size(headers: &HeaderMap) -> usize {
    let sizes = headers.iter();
    sizes
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}

/// The token in the address of the first page; nowhere else is one looked for.
fn token(parts: &Parts) -> Option<&str> {
    let query = parts.uri.query().filter(|_| parts.uri.path() == "/")?;
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="))
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(given: &str, own: &str) -> bool {
    let differences = given.bytes().zip(own.bytes());
    let difference = differences.fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == own.len() && difference == 0
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}

#[cfg(test)]
mod tests;
