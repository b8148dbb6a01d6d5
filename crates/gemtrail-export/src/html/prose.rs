//! Untrusted Markdown as HTML.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use comrak::adapters::SyntaxHighlighterAdapter;
use comrak::options::Plugins;
use comrak::{Arena, format_html_with_plugins};
use maud::{Markup, PreEscaped, html};

use crate::highlight::CLASSES;
use crate::prose;

/// The page's title and turns use the first two heading levels.
const PAGE_LEVELS: u8 = 2;

/// Renders the text. What a person typed keeps its line breaks.
pub(super) fn rendered(text: &str, keeps_lines: bool) -> Markup {
    let mut options = prose::options();
    options.render.hardbreaks = keeps_lines;
    let arena = Arena::new();
    let mut dirty = String::new();
    let is_rendered = prose::parse(&arena, text, &options).is_some_and(|root| {
        prose::defuse(&arena, root);
        prose::lower_headings(root, PAGE_LEVELS);
        let mut plugins = Plugins::default();
        plugins.render.codefence_syntax_highlighter = Some(&Highlighter);
        format_html_with_plugins(root, &options, &mut dirty, &plugins).is_ok()
    });
    if is_rendered {
        // Sanitising comes last, so that nothing before it has to be trusted.
        PreEscaped(SANITIZER.clean(&dirty).to_string())
    } else {
        html! { pre.plain { (text) } }
    }
}

/// Allows only what the renderer produces.
static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = "a blockquote br code del em h3 h4 h5 h6 hr input li ol p pre span strong table tbody td \
        th thead tr ul";
    let attributes = [
        ("a", ["href", "title"].as_slice()),
        ("input", &["type", "checked", "disabled"]),
        ("ol", &["start"]),
        ("td", &["align"]),
        ("th", &["align"]),
    ];
    let mut builder = Builder::empty();
    builder
        .tags(tags.split(' ').collect())
        .tag_attributes(
            attributes
                .into_iter()
                .map(|(tag, names)| (tag, names.iter().copied().collect()))
                .collect(),
        )
        .allowed_classes(HashMap::from([("span", HashSet::from(CLASSES))]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        // Tasks in a transcript cannot be ticked.
        .set_tag_attribute_value("input", "disabled", "")
        .set_tag_attribute_value("input", "type", "checkbox");
    builder
});

/// Highlights fenced code.
struct Highlighter;

impl SyntaxHighlighterAdapter for Highlighter {
    fn write_highlighted(
        &self,
        output: &mut dyn fmt::Write,
        language: Option<&str>,
        code: &str,
    ) -> fmt::Result {
        let language = language.unwrap_or_default();
        let language = language.split([',', ' ', '{']).next().unwrap_or_default();
        output.write_str(&super::call::coloured(language, code).into_string())
    }

    fn write_pre_tag(
        &self,
        output: &mut dyn fmt::Write,
        _: HashMap<&'static str, Cow<'_, str>>,
    ) -> fmt::Result {
        output.write_str("<pre>")
    }

    fn write_code_tag(
        &self,
        output: &mut dyn fmt::Write,
        _: HashMap<&'static str, Cow<'_, str>>,
    ) -> fmt::Result {
        output.write_str("<code>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        rendered(text, false).into_string()
    }

    #[test]
    fn renders_what_models_write() {
        let text = concat!(
            "# Title\n\n- [x] done\n- [ ] *open*\n\n|a|b|\n|-|-:|\n|1|~~2~~|\n\n",
            "```rust ignore\nlet a = \"<b>\";\n```\n\n**支払い**です"
        );
        insta::assert_snapshot!(shown(text), @r#"
        <h3>Title</h3>
        <ul>
        <li><input type="checkbox" checked="" disabled=""> done</li>
        <li><input type="checkbox" disabled=""> <em>open</em></li>
        </ul>
        <table>
        <thead>
        <tr>
        <th>a</th>
        <th align="right">b</th>
        </tr>
        </thead>
        <tbody>
        <tr>
        <td>1</td>
        <td align="right"><del>2</del></td>
        </tr>
        </tbody>
        </table>
        <pre><code><span class="k">let</span> a = <span class="s">"&lt;b&gt;"</span>;
        </code></pre>
        <p><strong>支払い</strong>です</p>
        "#);
    }

    #[test]
    fn hostile_markdown_is_inert() {
        let text = concat!(
            "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> <svg onload=alert(1)>\n\n",
            "[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](data:text/html,x) [d](//evil.example) ",
            "[e](#m-1)\n\n![p](https://evil.example/p.png)\n\n",
            "```html\n</pre></style><script>x</script>\n```\n\n",
            "[t](https://ok.example \"&quot; onclick=x\") &#x202E;&#27;[2J"
        );
        insta::assert_snapshot!(shown(text), @r##"
        <pre><code>&lt;script&gt;<span class="f">alert</span>(<span class="n">1</span>)&lt;/script&gt;
        </code></pre>
        <p><code>&lt;img src=x onerror=alert(1)&gt;</code> <code>&lt;svg onload=alert(1)&gt;</code></p>
        <p>a <code>javascript:alert(1)</code> b <code>JaVaScRiPt:x</code> c <code>data:text/html,x</code> d <code>//evil.example</code> e <code>#m-1</code></p>
        <p><a href="https://evil.example/p.png" rel="noopener noreferrer nofollow">p</a></p>
        <pre><code>&lt;/pre&gt;&lt;/style&gt;&lt;script&gt;x&lt;/script&gt;
        </code></pre>
        <p><a href="https://ok.example" title="&quot; onclick=x" rel="noopener noreferrer nofollow">t</a> ‹U+202E›</p>
        "##);
    }

    proptest! {
        #[test]
        fn the_sanitizer_has_the_last_word(text in "([<>\"'&/`~*_#|!\\[\\]():\\-a-z \n]|<script>|<img src=x onerror=y>|\\]\\(javascript:x\\)){0,40}") {
            let page = shown(&text);
            prop_assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
            prop_assert!(!page.contains("href=\"javascript"), "{page}");
        }
    }
}
