//! The frame of every page: the head, the bar with the ways to all pages, the foot.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets::{ICON, SCRIPT, STYLE};

/// The page around what is shown.
pub(crate) struct PageFrame<'a> {
    title: &'a str,
    here: &'a str,
}

pub(super) const WAYS: [(&str, &str); 5] = [
    ("/", "Overview"),
    ("/sessions", "Sessions"),
    ("/search", "Search"),
    ("/projects", "Projects"),
    ("/doctor", "Doctor"),
];

impl<'a> PageFrame<'a> {
    /// A page with this title at this address.
    pub(crate) fn new(title: &'a str, here: &'a str) -> Self {
        Self { title, here }
    }

    /// The whole page.
    pub(crate) fn around(&self, content: &Markup) -> Markup {
        html! {
            (self.opening())
            (PreEscaped("<div class=\"page\"><main id=\"top\" tabindex=\"-1\">"))
            (content)
            (PreEscaped("</main></div>"))
            (Self::closing())
        }
    }

    /// Everything before the columns of the page.
    pub(crate) fn opening(&self) -> Markup {
        html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\">"))
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (self.title) " – gemtrail" }
                link rel="icon" href=(ICON.address);
                link rel="stylesheet" href=(STYLE.address);
                // It runs before the page is there, so that the page does not flash.
                script src=(SCRIPT.address) {}
            }
            (PreEscaped("<body>"))
            a.skip href="#top" { "Skip to the content" }
            header.bar {
                a.brand href="/" { "gemtrail" }
                nav.ways aria-label="Pages" {
                    @for (address, name) in WAYS {
                        a href=(address) aria-current=[(address == self.here).then_some("page")] { (name) }
                    }
                }
                // The page for searching has a field of its own.
                @if self.here != "/search" {
                    form.find role="search" action="/search" {
                        input type="search" name="q" placeholder="Search everything"
                            aria-label="Search prompts, answers, tool calls and output";
                    }
                }
                button.jump type="button" data-control="jump" hidden title="Go to a session, project, file or page (Ctrl+K)" { "Go to" }
                button.help type="button" data-control="help" hidden title="Keys (?)" aria-label="Keys" { "?" }
                button.theme type="button" data-control="theme" hidden title="Light or dark (t)" { "◐" }
            }
        }
    }

    /// Closes everything.
    pub(crate) fn closing() -> Markup {
        html! {
            footer.page-foot {
                "gemtrail " (env!("CARGO_PKG_VERSION")) " · on this machine only"
            }
            (PreEscaped("</body></html>\n"))
        }
    }
}
