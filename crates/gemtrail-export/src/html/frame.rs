//! The frame of every page: the head with its policy, the bar at the top, the script at the end.
//!
//! Pages are written piece by piece, so some elements are opened here and closed elsewhere.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::text::Clean;

/// The style sheet of all pages; it defines the classes that fragments use.
pub const STYLE: &str = include_str!("assets/page.css");

/// The script of all pages: search, folding, light and dark mode. Pages are readable without it.
pub const SCRIPT: &str = concat!(
    include_str!("assets/find.js"),
    include_str!("assets/page.js")
);

/// The part of it that finds words in a page: the function `finder`.
pub const FIND_SCRIPT: &str = include_str!("assets/find.js");

const GENERATOR: &str = concat!("gemtrail ", env!("CARGO_PKG_VERSION"));

/// The page around the fragments.
#[derive(Clone, Debug)]
pub struct PageFrame<'a> {
    title: Clean<'a>,
    colours: String,
}

impl<'a> PageFrame<'a> {
    /// A page with this title and the style sheet of a [`Palette`](super::Palette).
    pub fn new(title: Clean<'a>, colours: String) -> Self {
        Self { title, colours }
    }

    /// The page's content security policy.
    pub fn policy(&self) -> String {
        policy(&[STYLE, &self.colours], &[SCRIPT])
    }

    /// Everything before the columns of the page.
    pub fn opening(&self) -> Markup {
        html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\">"))
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(self.policy());
                meta http-equiv="x-dns-prefetch-control" content="off";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="robots" content="noindex";
                meta name="generator" content=(GENERATOR);
                title { (self.title.as_str()) }
                style { (PreEscaped(STYLE)) }
                style { (PreEscaped(&self.colours)) }
            }
            (PreEscaped("<body>"))
            (bar(&self.title))
            (PreEscaped("<div class=\"page\">"))
        }
    }

    /// Opens the main column.
    pub fn main_opening(&self) -> Markup {
        PreEscaped("<main id=\"top\">".to_owned())
    }

    /// Closes everything that is still open.
    pub fn closing(&self) -> Markup {
        html! {
            (PreEscaped("</main>"))
            footer.page-foot { "Written by " (GENERATOR) }
            (PreEscaped("</div>"))
            script { (PreEscaped(SCRIPT)) }
            (PreEscaped("</body></html>\n"))
        }
    }
}

/// The bar that stays in view. Controls that need the script are hidden until it runs.
fn bar(title: &str) -> Markup {
    html! {
        a.skip href="#top" { "Skip to the conversation" }
        div.bar {
            span.name { a href="#top" { (title) } }
            output id="found" for="search" {}
            input id="search" type="search" placeholder="Search" aria-label="Search in this page"
                title="/ to search, Enter for the next match" data-control hidden;
            button.wide id="fold" type="button" data-control hidden aria-pressed="false" { "Unfold all" }
            button id="theme" type="button" data-control hidden title="Light or dark" {}
        }
    }
}

/// A policy for a page with exactly these inline styles and scripts, by hash. Nothing is loaded
/// from anywhere; pictures are embedded in the page. It is one line, so it fits a `<meta>` element
/// as well as a `Content-Security-Policy` header.
pub fn policy(styles: &[&str], scripts: &[&str]) -> String {
    let hashes = |sources: &[&str]| -> String {
        let hashes: Vec<_> = sources
            .iter()
            .map(|source| {
                format!(
                    "'sha256-{}'",
                    BASE64_STANDARD.encode(Sha256::digest(source))
                )
            })
            .collect();
        if hashes.is_empty() {
            "'none'".to_owned()
        } else {
            hashes.join(" ")
        }
    };
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        hashes(styles),
        hashes(scripts),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_only_what_is_named() {
        let policy = policy(&["a"], &[]);
        assert!(policy.starts_with("default-src 'none';"));
        assert!(
            policy.contains("style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=';")
        );
        assert!(policy.contains("script-src 'none';"));
        assert!(!policy.contains("unsafe"));
    }
}
