//! What every page has: the head with its policy, the bar on top, the script at the end.
//!
//! Pages are written piece by piece, so some elements are opened here and closed elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::csp;

const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");
const GENERATOR: &str = concat!("gemtrail ", env!("CARGO_PKG_VERSION"));

/// Everything up to the columns of the page. `colours` is a style sheet of the page's own.
pub(super) fn opening(title: &str, colours: &str) -> Markup {
    html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(csp::policy(&[STYLE, colours], &[SCRIPT]));
            meta http-equiv="x-dns-prefetch-control" content="off";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="robots" content="noindex";
            meta name="generator" content=(GENERATOR);
            title { (title) }
            style { (PreEscaped(STYLE)) }
            style { (PreEscaped(colours)) }
        }
        (PreEscaped("<body>"))
        (bar(title))
        (PreEscaped("<div class=\"page\">"))
    }
}

/// Opens the column that is read.
pub(super) fn main_opening() -> Markup {
    PreEscaped("<main id=\"top\">".to_owned())
}

/// Closes what was opened.
pub(super) fn closing() -> Markup {
    html! {
        (PreEscaped("</main>"))
        footer.page-foot { "Written by " (GENERATOR) }
        (PreEscaped("</div>"))
        script { (PreEscaped(SCRIPT)) }
        (PreEscaped("</body></html>\n"))
    }
}

/// What stays in sight. Controls that need the script are hidden until it runs.
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
