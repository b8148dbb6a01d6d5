//! A small highlighter: comments, strings, numbers, keywords, calls. It knows the lexical habits of
//! a language and nothing of its grammar, runs in linear time, and never loses a character.
//!
//! ```
//! use gemtrail_export::highlight::{TokenKind, tokens};
//!
//! let mut keywords = Vec::new();
//! tokens("rust", "let a = 1;", |token, text| {
//!     if token == TokenKind::Keyword {
//!         keywords.push(text);
//!     }
//! });
//! assert_eq!(keywords, ["let"]);
//! ```

/// Longer code is shown without colours.
const LENGTH_LIMIT: usize = 64 * 1024;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Anything else.
    Plain,
    /// A word of the language.
    Keyword,
    /// A string or character.
    String,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// A name that is called.
    Function,
    /// A name that begins with a capital, or the name of a member.
    Type,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
}

impl TokenKind {
    /// The class in the style sheet of pages.
    pub(crate) fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Keyword => Some("k"),
            Self::String => Some("s"),
            Self::Comment => Some("c"),
            Self::Number => Some("n"),
            Self::Function => Some("f"),
            Self::Type => Some("t"),
            Self::Added => Some("x"),
            Self::Removed => Some("y"),
        }
    }
}

/// Every class that [`TokenKind::class`] returns.
pub(crate) const CLASSES: [&str; 8] = ["k", "s", "c", "n", "f", "t", "x", "y"];

/// Calls `each` with the tokens of the code, in order. Together they are the code.
pub fn tokens<'c>(name: &str, code: &'c str, mut each: impl FnMut(TokenKind, &'c str)) {
    if name == "diff" {
        for line in code.split_inclusive('\n') {
            each(diff_line(line), line);
        }
        return;
    }
    match language(name).filter(|_| code.len() <= LENGTH_LIMIT) {
        Some(language) => Lexer::new(language, code).run(each),
        None => each(TokenKind::Plain, code),
    }
}

fn diff_line(line: &str) -> TokenKind {
    match line.as_bytes().first() {
        Some(b'+') => TokenKind::Added,
        Some(b'-') => TokenKind::Removed,
        Some(b'@') => TokenKind::Comment,
        _ => TokenKind::Plain,
    }
}

struct Lexer<'c> {
    language: &'static Language,
    code: &'c str,
    /// No string ends before this offset. Without this, a run of unclosed quotes would be scanned
    /// to its end again and again.
    barren_until: usize,
}

impl<'c> Lexer<'c> {
    fn new(language: &'static Language, code: &'c str) -> Self {
        Self {
            language,
            code,
            barren_until: 0,
        }
    }

    fn run(mut self, mut each: impl FnMut(TokenKind, &'c str)) {
        let mut at = 0;
        let mut plain_from = 0;
        while at < self.code.len() {
            let (token, length) = self.token(at);
            if token != TokenKind::Plain {
                if plain_from < at {
                    each(TokenKind::Plain, &self.code[plain_from..at]);
                }
                each(token, &self.code[at..at + length]);
                plain_from = at + length;
            }
            at += length;
        }
        if plain_from < at {
            each(TokenKind::Plain, &self.code[plain_from..at]);
        }
    }

    /// The token at an offset, and its length; never 0.
    fn token(&mut self, at: usize) -> (TokenKind, usize) {
        let rest = &self.code[at..];
        if let Some(length) = self.comment(at, rest) {
            return (TokenKind::Comment, length);
        }
        let first = rest.chars().next().unwrap_or(' ');
        if self.language.quotes.contains(first)
            && let Some(length) = self.string(at, rest, first)
        {
            let follows = rest[length..].trim_start_matches(' ');
            let is_member = self.language.has_members && follows.starts_with(':');
            return (
                if is_member {
                    TokenKind::Type
                } else {
                    TokenKind::String
                },
                length,
            );
        }
        if first.is_ascii_digit() {
            return (
                TokenKind::Number,
                run(rest, |c| c.is_alphanumeric() || c == '_' || c == '.'),
            );
        }
        if first.is_alphabetic() || first == '_' {
            let length = run(rest, |c| c.is_alphanumeric() || c == '_');
            return (self.word(&rest[..length], &rest[length..]), length);
        }
        (TokenKind::Plain, first.len_utf8())
    }

    /// The length of the string that begins here, quotes included. One that does not end on its
    /// line is a lifetime or an apostrophe.
    fn string(&mut self, at: usize, rest: &str, quote: char) -> Option<usize> {
        if at < self.barren_until {
            return None;
        }
        let mut is_escaped = false;
        for (offset, c) in rest.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '\n' if quote != '`' => {
                    self.barren_until = at + offset;
                    return None;
                }
                c if c == quote => return Some(offset + c.len_utf8()),
                _ => {}
            }
        }
        self.barren_until = self.code.len();
        None
    }

    fn comment(&self, at: usize, rest: &str) -> Option<usize> {
        if let Some((open, close)) = self.language.block_comment
            && rest.starts_with(open)
        {
            let inside = &rest[open.len()..];
            return Some(
                inside
                    .find(close)
                    .map_or(rest.len(), |end| open.len() + end + close.len()),
            );
        }
        let mut marks = self.language.line_comments.iter();
        let mark = marks.find(|mark| rest.starts_with(**mark))?;
        // `#` inside a word or a URL does not start a comment.
        let is_free = at == 0 || self.code[..at].ends_with(char::is_whitespace);
        (is_free || mark.len() > 1).then(|| rest.find('\n').unwrap_or(rest.len()))
    }

    fn word(&self, word: &str, rest: &str) -> TokenKind {
        if self.language.has_keyword(word) {
            TokenKind::Keyword
        } else if self.language.has_members && rest.trim_start_matches(' ').starts_with([':', '='])
        {
            TokenKind::Type
        } else if rest.starts_with('(') || rest.starts_with("!(") {
            TokenKind::Function
        } else if word.starts_with(char::is_uppercase) && !self.language.ignores_case {
            TokenKind::Type
        } else {
            TokenKind::Plain
        }
    }
}

fn run(rest: &str, belongs: impl Fn(char) -> bool) -> usize {
    rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

/// The properties of a language that the lexer needs. Lists of words are separated by blanks.
struct Language {
    names: &'static str,
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static str,
    keywords: &'static str,
    /// True if keywords may be in any case; they are then listed in lower case.
    ignores_case: bool,
    /// True if it consists of names and values.
    has_members: bool,
}

/// Slashes for comments and two kinds of quotes: most languages.
const C_LIKE: Language = Language {
    names: "",
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: "\"'",
    keywords: "",
    ignores_case: false,
    has_members: false,
};
/// Hashes for comments.
const SCRIPT: Language = Language {
    line_comments: &["#"],
    block_comment: None,
    ..C_LIKE
};

const LANGUAGES: &[Language] = &[
    Language {
        names: "rust rs",
        // An apostrophe is nearly always a lifetime.
        quotes: "\"",
        keywords: "\
            as async await break const continue crate dyn else enum extern false fn for if impl \
            in let loop match mod move mut pub ref return self Self static struct super trait \
            true type unsafe use where while",
        ..C_LIKE
    },
    Language {
        names: "javascript js jsx typescript ts tsx",
        quotes: "\"'`",
        keywords: "\
            abstract any as async await boolean break case catch class const continue default \
            delete do else enum export extends false finally for from function if implements \
            import in instanceof interface let new null number of private public readonly return \
            static string super switch this throw true try type typeof undefined var void while \
            yield",
        ..C_LIKE
    },
    Language {
        names: "python py",
        keywords: "\
            and as assert async await break case class continue def del elif else except False \
            finally for from global if import in is lambda match None nonlocal not or pass raise \
            return self True try while with yield",
        ..SCRIPT
    },
    Language {
        names: "go golang",
        quotes: "\"'`",
        keywords: "\
            break case chan const continue default defer else fallthrough false for func go goto \
            if import interface map nil package range return select struct switch true type var",
        ..C_LIKE
    },
    Language {
        names: "java kotlin kt c h cpp c++ csharp cs swift php scala dart",
        keywords: "\
            abstract auto bool boolean break byte case catch char class const constexpr continue \
            default delete do double else enum explicit extends extension extern false final \
            finally float for fun func function guard if implements import in include inline int \
            interface internal is let long namespace new nil null nullptr object operator \
            override package private protected protocol public return self short signed sizeof \
            static string struct super switch template this throw throws true try typedef \
            typename union unsigned using val var virtual void volatile when where while",
        ..C_LIKE
    },
    Language {
        names: "bash sh shell zsh console dockerfile makefile",
        keywords: "\
            case do done elif else esac exit export fi for function if in local return set \
            source then until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER WORKDIR",
        ..SCRIPT
    },
    Language {
        names: "ruby rb lua elixir perl",
        keywords: "\
            and begin break case class def do else elsif end ensure false for function if in \
            local module next nil not or require rescue return self super then true unless until \
            when while yield",
        ..SCRIPT
    },
    Language {
        names: "json jsonl json5 jsonc",
        quotes: "\"",
        keywords: "true false null",
        has_members: true,
        ..C_LIKE
    },
    Language {
        names: "toml yaml yml ini",
        keywords: "true false null yes no",
        has_members: true,
        ..SCRIPT
    },
    Language {
        names: "css scss less",
        line_comments: &[],
        has_members: true,
        ..C_LIKE
    },
    Language {
        names: "html xml svg vue svelte",
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        has_members: true,
        ..C_LIKE
    },
    Language {
        names: "sql",
        line_comments: &["--"],
        keywords: "\
            add all alter and as asc between by case create cross default delete desc distinct \
            drop else end exists foreign from full group having in index inner insert into is \
            join key left like limit not null on or order outer primary references right select \
            set table then union unique update using values view when where with",
        ignores_case: true,
        ..C_LIKE
    },
];

/// The language of that name, if it is known.
fn language(name: &str) -> Option<&'static Language> {
    let name = name.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|language| has_word(language.names, &name))
}

impl Language {
    /// True if the word is a keyword.
    fn has_keyword(&self, word: &str) -> bool {
        if self.ignores_case {
            has_word(self.keywords, &word.to_ascii_lowercase())
        } else {
            has_word(self.keywords, word)
        }
    }
}

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(language: &str, code: &str) -> String {
        let mut out = String::new();
        tokens(language, code, |token, text| {
            let shown = match token.class() {
                Some(class) => format!("‹{class} {text}›"),
                None => text.to_owned(),
            };
            out.push_str(&shown);
        });
        out
    }

    #[test]
    fn colours_what_it_knows() {
        insta::assert_snapshot!(
            shown("rust", "pub fn f<'a>(x: &'a str) -> Option<u8> { s(\"a\\\"b\", 0x1F) } // end"),
            @r#"‹k pub› ‹k fn› f<'a>(x: &'a str) -> ‹t Option›<u8> { ‹f s›(‹s "a\"b"›, ‹n 0x1F›) } ‹c // end›"#
        );
        insta::assert_snapshot!(shown("json", r#"{"a": "b", "n": -1.5e3, "t": true}"#), @r#"{‹t "a"›: ‹s "b"›, ‹t "n"›: -‹n 1.5e3›, ‹t "t"›: ‹k true›}"#);
        insta::assert_snapshot!(shown("bash", "curl https://x/#y # get\nif [ -f 'a b' ]; then"), @r"
        curl https://x/#y ‹c # get›
        ‹k if› [ -f ‹s 'a b'› ]; ‹k then›
        ");
        insta::assert_snapshot!(shown("diff", "@@ x\n-a\n+b\n c"), @r"
        ‹c @@ x
        ›‹y -a
        ›‹x +b
        › c
        ");
        assert_eq!(shown("klingon", "if then"), "if then");
    }

    #[test]
    fn hostile_code_takes_linear_time() {
        let code = "'".repeat(LENGTH_LIMIT);
        shown("rust", &code);
        shown("javascript", &"`\\".repeat(LENGTH_LIMIT / 2));
    }

    proptest! {
        #[test]
        fn no_character_is_lost(code in "[\"'`/*#\\\\a-zA-Z0-9 \n<!>-语]{0,80}", language in "rust|python|html|sql|yaml|javascript") {
            let mut out = String::new();
            tokens(&language, &code, |_, text| out.push_str(text));
            prop_assert_eq!(out, code);
        }
    }
}
