//! The head of a request, read and checked before anything else sees it.
//!
//! hyper answers what it refuses by itself, without the headers that every answer must have. So it is
//! given nothing to refuse: the head is parsed here and rewritten without headers about the connection
//! or a body. A connection serves one request; nothing after its head is read as another one.

use std::io;

use axum::http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};
use axum::http::{Method, Uri};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::guard::RequestRefusal;

/// The head of a request must fit into this. The guard has lower limits for its parts.
pub(crate) const MOST_BYTES: usize = 32 << 10;

/// Header lines of a request. Browsers send about twenty.
pub(crate) const MOST_HEADERS: usize = 64;

/// Reads up to the end of the head, into `bytes`. Returns the rewritten head, or `None` if the client
/// hung up before it was complete.
pub(crate) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    bytes: &mut Vec<u8>,
) -> io::Result<Option<Result<Vec<u8>, RequestRefusal>>> {
    let mut piece = [0; 4 << 10];
    loop {
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            return Ok(None);
        }
        let piece = &piece[..count];
        // What is not HTTP is noticed at once; after that, parsing is worth it at the end of a line.
        let is_worth_a_look = bytes.is_empty() || piece.contains(&b'\n');
        bytes.extend_from_slice(piece);
        if is_worth_a_look && let Some(head) = parsed(bytes) {
            return Ok(Some(head));
        }
        if bytes.len() > MOST_BYTES {
            let is_one_line = !bytes.trim_ascii_start().contains(&b'\n');
            return Ok(Some(Err(if is_one_line {
                RequestRefusal::Address
            } else {
                RequestRefusal::Headers
            })));
        }
    }
}

/// The head at the start of these bytes; `None` if it is not complete yet.
fn parsed(bytes: &[u8]) -> Option<Result<Vec<u8>, RequestRefusal>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => None,
        Ok(httparse::Status::Complete(length)) if length > MOST_BYTES => {
            Some(Err(RequestRefusal::Headers))
        }
        Ok(httparse::Status::Complete(_)) => {
            Some(written_again(&request).ok_or(RequestRefusal::Malformed))
        }
        Err(httparse::Error::TooManyHeaders) => Some(Err(RequestRefusal::Headers)),
        Err(_) => Some(Err(RequestRefusal::Malformed)),
    }
}

/// The head, rewritten so that hyper will accept it.
fn written_again(request: &httparse::Request<'_, '_>) -> Option<Vec<u8>> {
    let method = Method::from_bytes(request.method?.as_bytes()).ok()?;
    let target = request.path.filter(|path| Uri::try_from(*path).is_ok())?;
    let version = request.version?;
    let mut head = format!("{method} {target} HTTP/1.{version}\r\n").into_bytes();
    for header in &*request.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(header.value).ok()?;
        if is_of_the_connection(&name) {
            continue;
        }
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    Some(head)
}

/// True if a header is about the connection or a body. There is one request, and no body is read.
fn is_of_the_connection(name: &HeaderName) -> bool {
    let names = [
        CONNECTION,
        CONTENT_LENGTH,
        EXPECT,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    names.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(bytes: &[u8]) -> Result<String, RequestRefusal> {
        let head = parsed(bytes).expect("a whole head")?;
        Ok(String::from_utf8(head).expect("text"))
    }

    #[test]
    fn what_concerns_the_connection_is_left_out() {
        let sent = b"\r\nPOST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\
            Transfer-Encoding: chunked\r\nExpect: 100-continue\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\
            Cookie:  y=\xe9 \r\n\r\nhello";
        let head = parsed(sent).expect("a head").expect("a request");
        assert_eq!(
            head,
            b"POST /a?b HTTP/1.1\r\nhost: x\r\ncookie: y=\xe9\r\n\r\n"
        );
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for sent in [
            &b"\x16\x03\x01\x02\x00\x01\n\n"[..],
            b"GET\r\n\r\n",
            b"GET / HTTP/2.0\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
            b"GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
            b"GET / HTTP/1.1\r\nA: \0\r\n\r\n",
            b"GET \\x HTTP/1.1\r\n\r\n",
            b"GET http:// HTTP/1.1\r\n\r\n",
        ] {
            let words = String::from_utf8_lossy(sent);
            assert_eq!(head(sent), Err(RequestRefusal::Malformed), "{words:?}");
        }
        let many = format!(
            "GET / HTTP/1.1\r\n{}\r\n",
            "A: b\r\n".repeat(MOST_HEADERS + 1)
        );
        assert_eq!(head(many.as_bytes()), Err(RequestRefusal::Headers));
        assert_eq!(parsed(b"GET / HTTP/1.1\r\nA: b\r\n"), None);
    }
}
