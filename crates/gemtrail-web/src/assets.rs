//! The style sheet and the script: part of the binary, named by their content.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use gemtrail_export::html;
use sha2::{Digest, Sha256};

use crate::headers::FOREVER;

/// A file that pages link to.
pub(crate) struct Asset {
    /// Its address.
    pub(crate) address: String,
    content: String,
    kind: &'static str,
}

/// The style of exported pages, and what only the viewer has.
pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let mut style = dense(&[html::STYLE, include_str!("assets/viewer.css")].concat());
    for (loose, tight) in [
        (": ", ":"),
        ("; ", ";"),
        (" {", "{"),
        ("{ ", "{"),
        (" }", "}"),
        (", ", ","),
    ] {
        style = style.replace(loose, tight);
    }
    Asset::new("style", "css", "text/css; charset=utf-8", style)
});

pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let script = dense(&[html::FIND_SCRIPT, include_str!("assets/viewer.js")].concat());
    Asset::new("viewer", "js", "text/javascript; charset=utf-8", script)
});

pub(crate) static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let icon = include_str!("assets/icon.svg").to_owned();
    Asset::new("icon", "svg", "image/svg+xml", icon)
});

/// The text without indentation and lines of comments.
fn dense(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let is_comment =
        |line: &str| line.starts_with("//") || line.starts_with("/*") && line.ends_with("*/");
    let lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
    lines.map(|line| line.to_owned() + "\n").collect()
}

impl Asset {
    fn new(name: &str, ending: &str, kind: &'static str, content: String) -> Self {
        let mut hash = String::new();
        for byte in Sha256::digest(&content).iter().take(8) {
            // Writing to a string cannot fail.
            let _ = write!(hash, "{byte:02x}");
        }
        Self {
            address: format!("/assets/{name}-{hash}.{ending}"),
            content,
            kind,
        }
    }

    /// The file with this address.
    pub(crate) fn at(path: &str) -> Option<&'static Self> {
        let assets: [&'static Self; 3] = [&STYLE, &SCRIPT, &ICON];
        assets.into_iter().find(|asset| asset.address == path)
    }

    pub(crate) fn response(&'static self) -> Response {
        let headers = [
            (CONTENT_TYPE, self.kind.parse()),
            (CACHE_CONTROL, Ok(FOREVER)),
        ];
        let mut response = self.content.as_str().into_response();
        for (name, value) in headers {
            if let Ok(value) = value {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_assets_together_are_small() {
        let assets = [&STYLE, &SCRIPT, &ICON];
        let bytes: usize = assets.iter().map(|asset| asset.content.len()).sum();
        assert!(bytes < 60_000, "{bytes} bytes");
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        for asset in [&STYLE, &SCRIPT] {
            let odd = ["http:", "https:", "//cdn", "@import", "eval(", ".innerHTML"];
            for odd in odd {
                assert!(!asset.content.contains(odd), "{} has {odd}", asset.address);
            }
        }
    }
}
