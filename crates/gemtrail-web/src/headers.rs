//! The headers of every answer, errors and assets included.

use axum::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use axum::response::Response;

/// Only the server's own files are loaded, nothing inline runs, and nobody frames a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// The time that a browser may keep an answer.
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// For files whose name changes with their content.
pub(crate) const FOREVER: HeaderValue = HeaderValue::from_static("max-age=31536000, immutable");

/// Adds the headers. What a handler says about keeping its answer stands.
pub(crate) fn sealed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    headers.entry(CACHE_CONTROL).or_insert(NEVER);
    response
}
