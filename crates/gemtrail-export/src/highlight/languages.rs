//! The lexical habits of languages.

/// What the lexer has to know about a language. Lists of words are separated by blanks.
pub(super) struct Language {
    names: &'static str,
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    pub(super) quotes: &'static str,
    keywords: &'static str,
    /// Whether keywords may be in any case. If so, they are listed in lower case.
    pub(super) ignores_case: bool,
    /// Whether it consists of names and values.
    pub(super) has_members: bool,
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
pub(super) fn language(name: &str) -> Option<&'static Language> {
    let name = name.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|language| has_word(language.names, &name))
}

impl Language {
    /// Whether the word is a keyword.
    pub(super) fn has_keyword(&self, word: &str) -> bool {
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
