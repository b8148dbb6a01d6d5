//! The files attached with `@path`, as the client puts them after a prompt.
//!
//! Since 0.28 the header, each name, each body and the end are parts of their own; before, all of
//! it was one text. People quote the header too, so it counts only with the structure around it.

use std::collections::HashSet;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::model::Reference;
use crate::wire::content::WirePart;

const START: &str = "--- Content from referenced files ---";
const END: &str = "--- End of content ---";
const HEAD: &str = "\nContent from @";

/// True if a part is the header that starts the attached files.
pub(super) fn is_header(text: &str, next: Option<&WirePart<'_>>) -> bool {
    let opens = |part: &WirePart<'_>| match part {
        WirePart::Data(_) => true,
        part => part
            .text()
            .is_some_and(|text| text.starts_with(HEAD) || is_end(&text)),
    };
    text.trim() == START && (text.starts_with('\n') || next.is_some_and(opens))
}

/// True if a part ends the attached files.
pub(super) fn is_end(text: &str) -> bool {
    text.trim() == END
}

/// The path that a part announces.
pub(super) fn named(text: &str) -> Option<&str> {
    text.strip_prefix(HEAD)?.strip_suffix(":\n")
}

/// The attached files inside a text, as versions before 0.28 recorded them.
pub(super) struct AttachedFiles<'t> {
    pub(super) before: &'t str,
    files: &'t str,
    pub(super) after: &'t str,
}

impl<'t> AttachedFiles<'t> {
    /// Finds the block: from the first header that files follow, or else the first that an end
    /// follows, to the last end. (An attached file may hold both markers.)
    pub(super) fn find(text: &'t str) -> Option<Self> {
        // Hardly any prompt has one, and preparing to search takes longer than searching.
        static HEADERS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(START));
        let first = HEADERS.find(text.as_bytes())?;
        let headers = || {
            let found = text[first..].match_indices(START);
            let found = found.map(|(at, _)| first + at);
            // A header is a line of its own; elsewhere the prompt merely mentions it.
            found.filter(|&at| at == 0 || text.as_bytes()[at - 1] == b'\n')
        };
        let end = text.rfind(END);
        let rest = |at: usize| &text[at + START.len()..];
        let is_followed = |&at: &usize| starts_files(rest(at));
        let is_ended = |&at: &usize| end.is_some_and(|end| end > at);
        let at = headers()
            .find(is_followed)
            .or_else(|| headers().find(is_ended))?;
        let before = &text[..at];
        let before = before.strip_suffix('\n').map_or(before, without_return);
        let (files, after) = match end.filter(|&end| end > at) {
            Some(end) => (&text[at + START.len()..end], &text[end + END.len()..]),
            // The end is missing: everything up to the end was attached.
            None => (rest(at), ""),
        };
        Some(Self {
            before,
            files: files.strip_suffix('\n').map_or(files, without_return),
            after,
        })
    }

    /// The attached files.
    pub(super) fn references(&self) -> Vec<Reference> {
        let mut pieces = self.files.split(HEAD);
        let unnamed = pieces.next().map(str::trim);
        let unnamed = unnamed.filter(|text| !text.is_empty()).map(marker);
        let named = pieces.map(|piece| {
            let of_windows = || {
                let (path, text) = piece.split_once(":\r\n")?;
                (!path.contains('\n')).then(|| (path, without_return(text)))
            };
            let (path, text) = of_windows()
                .or_else(|| piece.split_once(":\n"))
                .unwrap_or((piece, ""));
            Reference {
                path: Some(path.to_owned()),
                text: text.to_owned(),
                mime: None,
            }
        });
        unnamed.into_iter().chain(named).collect()
    }
}

/// A line without the carriage return that an editor may have put before its end.
fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// True if files follow a header: a name, or the marker of binary content.
fn starts_files(rest: &str) -> bool {
    let rest = rest.strip_prefix('\r').unwrap_or(rest);
    rest.starts_with(HEAD) || rest.starts_with(['<', '['])
}

/// `<image/png>` or `[Image: image/png, 12.3 KB]` replace binary content in flattened text.
fn marker(text: &str) -> Reference {
    let inner = text
        .trim_start_matches(['<', '['])
        .trim_end_matches(['>', ']']);
    let inner = inner.strip_prefix("Image: ").unwrap_or(inner);
    let mime = inner.split(',').next().unwrap_or(inner).trim();
    let is_mime =
        text.starts_with(['<', '[']) && mime.contains('/') && !mime.contains(char::is_whitespace);
    Reference {
        path: None,
        text: if is_mime { "" } else { text }.to_owned(),
        mime: is_mime.then(|| mime.to_owned()),
    }
}

/// Names unnamed attachments after the `@path`s of the prompt that no other attachment has, if
/// there are as many of one as of the other.
pub(super) fn name(prompt: &str, references: &mut [Reference]) {
    if references.iter().all(|reference| reference.path.is_some()) {
        return;
    }
    let paths = references
        .iter()
        .filter_map(|reference| reference.path.clone());
    let named: HashSet<String> = paths.collect();
    let mut seen = HashSet::new();
    let free: Vec<&str> = prompt
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@').filter(|path| !path.is_empty()))
        .filter(|path| !named.contains(*path) && seen.insert(*path))
        .collect();
    let unnamed: Vec<&mut Reference> = references
        .iter_mut()
        .filter(|reference| reference.path.is_none())
        .collect();
    if unnamed.len() == free.len() {
        for (reference, path) in unnamed.into_iter().zip(free) {
            reference.path = Some(path.to_owned());
        }
    }
}
