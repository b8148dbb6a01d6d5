//! The one table of keys: it is what dispatches, what the footer and the help say, and what the
//! documentation lists.

use std::fmt;

/// A key as every terminal can send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character; capital letters are themselves.
    Char(char),
    /// Control and a letter.
    Ctrl(char),
    /// `↑`.
    Up,
    /// `↓`.
    Down,
    /// `←`.
    Left,
    /// `→`.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the start.
    Home,
    /// To the end.
    End,
    /// Return.
    Enter,
    /// Escape.
    Esc,
    /// Tabulator.
    Tab,
    /// Deletes before the cursor.
    Backspace,
    /// Deletes at the cursor.
    Delete,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(' ') => f.write_str("Space"),
            Self::Char(c) => write!(f, "{c}"),
            Self::Ctrl(c) => write!(f, "Ctrl-{}", c.to_ascii_uppercase()),
            Self::Up => f.write_str("↑"),
            Self::Down => f.write_str("↓"),
            Self::Left => f.write_str("←"),
            Self::Right => f.write_str("→"),
            Self::PageUp => f.write_str("PgUp"),
            Self::PageDown => f.write_str("PgDn"),
            other => write!(f, "{other:?}"),
        }
    }
}

/// The part of the browser that has the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyContext {
    /// The list of sessions.
    List,
    /// The line that filters the list.
    Filter,
    /// A transcript.
    Transcript,
    /// The list of a transcript's turns.
    Turns,
    /// The line that finds words in a transcript.
    Find,
    /// Statistics, doctor and help: a page to scroll.
    Page,
    /// The files that a session changed.
    Files,
    /// The line that asks for a file to export to.
    Export,
    /// The question whether to replace that file.
    Replace,
    /// The line with the marks of a session.
    Mark,
    /// The line that asks for the directory to resume in.
    Directory,
}

impl KeyContext {
    /// All of them, in the order of the help.
    pub const ALL: [Self; 11] = [
        Self::List,
        Self::Filter,
        Self::Transcript,
        Self::Turns,
        Self::Find,
        Self::Page,
        Self::Files,
        Self::Export,
        Self::Replace,
        Self::Mark,
        Self::Directory,
    ];

    /// Its name in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::List => "In the list",
            Self::Filter => "While searching",
            Self::Transcript => "In a session",
            Self::Turns => "In the list of prompts",
            Self::Find => "While finding",
            Self::Page => "On a page",
            Self::Files => "In the list of files",
            Self::Export => "While naming a file",
            Self::Replace => "When the file exists",
            Self::Mark => "While marking",
            Self::Directory => "While naming a directory",
        }
    }

    /// True if a question is open that must be answered first.
    pub fn is_asking(self) -> bool {
        matches!(
            self,
            Self::Export | Self::Replace | Self::Mark | Self::Directory
        )
    }

    /// True if letters are text here.
    pub fn is_input(self) -> bool {
        matches!(
            self,
            Self::Filter | Self::Find | Self::Export | Self::Mark | Self::Directory
        )
    }
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyAction {
    /// One down.
    Down,
    /// One up.
    Up,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// Half a page down.
    HalfDown,
    /// Half a page up.
    HalfUp,
    /// To the start.
    First,
    /// To the end.
    Last,
    /// Opens what the cursor is on; takes what was typed.
    Open,
    /// One step back.
    Back,
    /// Ends the program.
    Quit,
    /// Stops the program until it is brought back.
    Suspend,
    /// Begins a filter, or finds in a session.
    Search,
    /// Keeps the filter and leaves its line.
    Apply,
    /// Sessions of this project, or all.
    Here,
    /// Shows or hides the session beside the list.
    Preview,
    /// Files that the session changed.
    Files,
    /// To the next match.
    NextHit,
    /// To the match before.
    PreviousHit,
    /// Shows or hides subagents, details, what was taken back.
    Unfold,
    /// All of them.
    UnfoldAll,
    /// To the next prompt.
    NextTurn,
    /// To the prompt before.
    PreviousTurn,
    /// To the next failure.
    NextFailure,
    /// To the failure before.
    PreviousFailure,
    /// Lists the turns.
    Turns,
    /// Shows or hides reasoning.
    Thoughts,
    /// Copies the message, or the session's name.
    Copy,
    /// Copies the block of code.
    CopyCode,
    /// Copies the command or the arguments of a call.
    CopyCommand,
    /// Copies the path of the session's file.
    CopyPath,
    /// Copies the command that resumes the session.
    CopyResume,
    /// Opens the session in the editor.
    Editor,
    /// Opens the session in the pager.
    Pager,
    /// Writes the session to a file.
    Export,
    /// Pins, tags, names or annotates the session.
    Mark,
    /// Goes on with the session in Gemini CLI.
    Resume,
    /// Puts an archived session back.
    Restore,
    /// The next order of the list.
    Sort,
    /// The next grouping of the list.
    Group,
    /// Statistics.
    Stats,
    /// The doctor.
    Doctor,
    /// Makes an archive.
    MakeArchive,
    /// Gives the mouse to the terminal, or takes it back.
    Mouse,
    /// All keys.
    Help,
    /// Draws everything anew.
    Redraw,
    /// Deletes before the cursor.
    DeleteBack,
    /// Deletes at the cursor.
    DeleteForward,
    /// Deletes the word before the cursor.
    DeleteWord,
    /// Deletes the line.
    DeleteLine,
    /// The cursor to the left.
    CursorLeft,
    /// The cursor to the right.
    CursorRight,
    /// The cursor to the start.
    CursorStart,
    /// The cursor to the end.
    CursorEnd,
}

impl KeyAction {
    /// The lines that this moves a cursor or a view by, if it does; a page has so many.
    pub fn lines(self, page: u16) -> Option<isize> {
        let page = isize::from(i16::try_from(page).unwrap_or(i16::MAX)) - 1;
        Some(match self {
            Self::Down => 1,
            Self::Up => -1,
            Self::PageDown => page,
            Self::PageUp => -page,
            Self::HalfDown => (page / 2).max(1),
            Self::HalfUp => -(page / 2).max(1),
            Self::First => isize::MIN,
            Self::Last => isize::MAX,
            _ => return None,
        })
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Any of these keys.
    pub keys: &'static [Key],
    /// Does this.
    pub action: KeyAction,
    /// In the words of the help.
    pub words: &'static str,
    /// In the words of the footer, if it is one of the few shown there.
    pub footer: Option<&'static str>,
}

/// The meaning of a key in a context.
pub fn action(context: KeyContext, key: Key) -> Option<KeyAction> {
    let has = |key| bindings(context).find(move |binding| binding.keys.contains(&key));
    // Some programs send a line feed for Return.
    let same = has(key).or_else(|| has(Enter).filter(|_| key == Ctrl('j')));
    same.map(|binding| binding.action)
}

/// The rows of a context.
pub fn bindings(context: KeyContext) -> impl Iterator<Item = &'static Binding> {
    let own = TABLE.iter().filter(move |(of, _)| *of == context);
    let own = own.map(|(_, binding)| binding);
    let editing = if context.is_input() { EDITING } else { &[] };
    own.chain(editing)
}

const fn binding(keys: &'static [Key], action: KeyAction, words: &'static str) -> Binding {
    Binding {
        keys,
        action,
        words,
        footer: None,
    }
}

const fn row(
    context: KeyContext,
    keys: &'static [Key],
    action: KeyAction,
    words: &'static str,
) -> (KeyContext, Binding) {
    (context, binding(keys, action, words))
}

const fn shown(
    context: KeyContext,
    keys: &'static [Key],
    action: KeyAction,
    words: &'static str,
    footer: &'static str,
) -> (KeyContext, Binding) {
    let mut binding = binding(keys, action, words);
    binding.footer = Some(footer);
    (context, binding)
}

use Key::{
    Backspace, Char, Ctrl, Delete, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab,
    Up,
};
use KeyAction as A;

const LIST: KeyContext = KeyContext::List;
const TEXT: KeyContext = KeyContext::Transcript;
const PAGE: KeyContext = KeyContext::Page;
const TURNS: KeyContext = KeyContext::Turns;
const FILES: KeyContext = KeyContext::Files;

/// Keys of every line of input.
#[rustfmt::skip]
const EDITING: &[Binding] = &[
    binding(&[Backspace, Ctrl('h')], A::DeleteBack, "delete before the cursor"),
    binding(&[Delete], A::DeleteForward, "delete at the cursor"),
    binding(&[Ctrl('w')], A::DeleteWord, "delete the word before the cursor"),
    binding(&[Ctrl('u')], A::DeleteLine, "delete the line"),
    binding(&[Left], A::CursorLeft, "move the cursor left"),
    binding(&[Right], A::CursorRight, "move the cursor right"),
    binding(&[Home, Ctrl('a')], A::CursorStart, "to the start of the line"),
    binding(&[End, Ctrl('e')], A::CursorEnd, "to the end of the line"),
    binding(&[Ctrl('z')], A::Suspend, "suspend (fg resumes)"),
    binding(&[Ctrl('c')], A::Quit, "quit"),
];

/// The table.
#[rustfmt::skip]
const TABLE: &[(KeyContext, Binding)] = &[
    row(LIST, &[Down, Char('j')], A::Down, "next session"),
    row(LIST, &[Up, Char('k')], A::Up, "previous session"),
    row(LIST, &[PageDown, Char(' '), Ctrl('f')], A::PageDown, "a page down"),
    row(LIST, &[PageUp, Ctrl('b')], A::PageUp, "a page up"),
    row(LIST, &[Ctrl('d')], A::HalfDown, "half a page down"),
    row(LIST, &[Ctrl('u')], A::HalfUp, "half a page up"),
    row(LIST, &[Home, Char('g')], A::First, "first session"),
    row(LIST, &[End, Char('G')], A::Last, "last session"),
    shown(LIST, &[Enter, Right, Char('l')], A::Open, "read the session", "read"),
    shown(LIST, &[Char('/')], A::Search, "filter titles and projects, search all text", "search"),
    shown(LIST, &[Char('.')], A::Here, "sessions of the project in this directory, or all", "here/all"),
    row(LIST, &[Char('n')], A::NextHit, "next match, in any session"),
    row(LIST, &[Char('N')], A::PreviousHit, "previous match"),
    row(LIST, &[Tab], A::Unfold, "show or hide the subagents of a session"),
    shown(LIST, &[Char('r')], A::Resume, "continue it in Gemini CLI", "resume"),
    row(LIST, &[Char('R')], A::Restore, "put an archived session back"),
    row(LIST, &[Char('x')], A::Export, "export it; the file extension chooses the format"),
    row(LIST, &[Char('F')], A::Files, "files that it changed, with what changed in them"),
    row(LIST, &[Char('y')], A::CopyResume, "copy the command that resumes it"),
    row(LIST, &[Char('p')], A::CopyPath, "copy the path of its file"),
    row(LIST, &[Char('e')], A::Editor, "open it in $EDITOR"),
    row(LIST, &[Char('o')], A::Pager, "open it in $PAGER"),
    row(LIST, &[Char('v')], A::Preview, "show or hide the preview"),
    row(LIST, &[Char('s')], A::Sort, "sort by time, cost, tokens, prompts, failures"),
    row(LIST, &[Char('b')], A::Group, "group by time, by project, or not"),
    shown(LIST, &[Char('S')], A::Stats, "statistics", "stats"),
    row(LIST, &[Char('D')], A::Doctor, "doctor: what is wrong, at risk or lost"),
    row(LIST, &[Char('A')], A::MakeArchive, "archive everything, so that what Gemini CLI deletes is kept"),
    row(LIST, &[Char('m')], A::Mark, "pin it, tag it, name it, add a note"),
    row(LIST, &[Char('M')], A::Mouse, "toggle mouse capture"),
    shown(LIST, &[Char('?')], A::Help, "all keys", "keys"),
    row(LIST, &[Esc], A::Back, "clear the filter"),
    row(LIST, &[Ctrl('l')], A::Redraw, "redraw the screen"),
    row(LIST, &[Ctrl('z')], A::Suspend, "suspend (fg resumes)"),
    shown(LIST, &[Char('q'), Ctrl('c')], A::Quit, "quit", "quit"),

    shown(KeyContext::Filter, &[Down, Ctrl('n'), Ctrl('j')], A::Down, "next session or match", "choose"),
    row(KeyContext::Filter, &[Up, Ctrl('p'), Ctrl('k')], A::Up, "previous session or match"),
    row(KeyContext::Filter, &[PageDown], A::PageDown, "a page down"),
    row(KeyContext::Filter, &[PageUp], A::PageUp, "a page up"),
    shown(KeyContext::Filter, &[Enter], A::Open, "read what is chosen", "read"),
    shown(KeyContext::Filter, &[Tab], A::Apply, "apply the filter; letters are commands again", "apply"),
    shown(KeyContext::Filter, &[Esc], A::Back, "clear the filter", "clear"),

    row(TEXT, &[Down, Char('j')], A::Down, "next item"),
    row(TEXT, &[Up, Char('k')], A::Up, "previous item"),
    row(TEXT, &[PageDown, Char(' '), Ctrl('f')], A::PageDown, "a page down"),
    row(TEXT, &[PageUp, Ctrl('b')], A::PageUp, "a page up"),
    row(TEXT, &[Ctrl('d')], A::HalfDown, "half a page down"),
    row(TEXT, &[Ctrl('u')], A::HalfUp, "half a page up"),
    row(TEXT, &[Home, Char('g')], A::First, "to the start"),
    row(TEXT, &[End, Char('G')], A::Last, "to the end; a running session is followed there"),
    shown(TEXT, &[Enter, Tab, Right, Char('l')], A::Unfold, "expand or collapse: tool call, thoughts, what was rewound, subagent", "expand"),
    shown(TEXT, &[Char('t')], A::Turns, "list of prompts", "prompts"),
    row(TEXT, &[Char('z')], A::UnfoldAll, "expand or collapse everything"),
    row(TEXT, &[Char('i')], A::Thoughts, "show or hide all thoughts"),
    shown(TEXT, &[Char('f')], A::NextFailure, "next failure", "failure"),
    row(TEXT, &[Char('b')], A::PreviousFailure, "previous failure"),
    shown(TEXT, &[Char('/')], A::Search, "find in this session as you type", "find"),
    row(TEXT, &[Char('n')], A::NextHit, "next match; after the last one, in the next session"),
    row(TEXT, &[Char('N')], A::PreviousHit, "previous match"),
    shown(TEXT, &[Char('y')], A::Copy, "copy the whole message or output", "copy"),
    row(TEXT, &[Char('Y')], A::CopyCode, "copy the code block"),
    row(TEXT, &[Char('c')], A::CopyCommand, "copy the command or file of a tool call"),
    row(TEXT, &[Char('p')], A::CopyPath, "copy the path of the session's file"),
    row(TEXT, &[Char('u')], A::CopyResume, "copy the command that resumes the session"),
    row(TEXT, &[Char('e')], A::Editor, "open the session in $EDITOR"),
    row(TEXT, &[Char('o')], A::Pager, "open the session in $PAGER"),
    row(TEXT, &[Char('x')], A::Export, "export the session; the file extension chooses the format"),
    shown(TEXT, &[Char('r')], A::Resume, "continue it in Gemini CLI", "resume"),
    shown(TEXT, &[Char('F')], A::Files, "files that the session changed, with what changed in them", "files"),
    shown(TEXT, &[Char(']'), Char('}')], A::NextTurn, "next prompt", "next"),
    row(TEXT, &[Char('['), Char('{')], A::PreviousTurn, "previous prompt"),
    row(TEXT, &[Char('R')], A::Restore, "put an archived session back"),
    row(TEXT, &[Char('m')], A::Mark, "pin the session, tag it, name it, add a note"),
    row(TEXT, &[Char('M')], A::Mouse, "toggle mouse capture"),
    shown(TEXT, &[Esc, Left, Backspace, Char('h'), Char('q')], A::Back, "clear what was found, then back to the list", "back"),
    shown(TEXT, &[Char('?')], A::Help, "all keys", "keys"),
    row(TEXT, &[Ctrl('l')], A::Redraw, "redraw the screen"),
    row(TEXT, &[Ctrl('z')], A::Suspend, "suspend (fg resumes)"),
    row(TEXT, &[Ctrl('c')], A::Quit, "quit"),

    row(TURNS, &[Down, Char('j')], A::Down, "next prompt"),
    row(TURNS, &[Up, Char('k')], A::Up, "previous prompt"),
    row(TURNS, &[PageDown, Char(' '), Ctrl('f')], A::PageDown, "a page down"),
    row(TURNS, &[PageUp, Ctrl('b')], A::PageUp, "a page up"),
    row(TURNS, &[Ctrl('d')], A::HalfDown, "half a page down"),
    row(TURNS, &[Ctrl('u')], A::HalfUp, "half a page up"),
    row(TURNS, &[Home, Char('g')], A::First, "first prompt"),
    row(TURNS, &[End, Char('G')], A::Last, "last prompt"),
    shown(TURNS, &[Enter, Right, Char('l')], A::Open, "go there", "go there"),
    shown(TURNS, &[Esc, Left, Char('t'), Char('h'), Char('q')], A::Back, "back to the session", "back"),
    row(TURNS, &[Ctrl('z')], A::Suspend, "suspend (fg resumes)"),
    row(TURNS, &[Ctrl('c')], A::Quit, "quit"),

    row(FILES, &[Down, Char('j')], A::Down, "next file"),
    row(FILES, &[Up, Char('k')], A::Up, "previous file"),
    row(FILES, &[PageDown, Char(' '), Ctrl('f')], A::PageDown, "a page down"),
    row(FILES, &[PageUp, Ctrl('b')], A::PageUp, "a page up"),
    row(FILES, &[Home, Char('g')], A::First, "first file"),
    row(FILES, &[End, Char('G')], A::Last, "last file"),
    shown(FILES, &[Enter, Right, Char('l')], A::Open, "what the session changed in it", "changes"),
    shown(FILES, &[Esc, Left, Char('F'), Char('h'), Char('q')], A::Back, "back", "back"),
    row(FILES, &[Ctrl('z')], A::Suspend, "suspend (fg resumes)"),
    row(FILES, &[Ctrl('c')], A::Quit, "quit"),

    row(KeyContext::Find, &[Down], A::NextHit, "next match"),
    row(KeyContext::Find, &[Up], A::PreviousHit, "previous match"),
    shown(KeyContext::Find, &[Enter], A::Open, "stay there; n and N go on", "stay there"),
    shown(KeyContext::Find, &[Esc], A::Back, "clear, and back to where it began", "cancel"),

    row(PAGE, &[Down, Char('j')], A::Down, "a line down"),
    row(PAGE, &[Up, Char('k')], A::Up, "a line up"),
    row(PAGE, &[PageDown, Char(' '), Ctrl('f')], A::PageDown, "a page down"),
    row(PAGE, &[PageUp, Ctrl('b')], A::PageUp, "a page up"),
    row(PAGE, &[Ctrl('d')], A::HalfDown, "half a page down"),
    row(PAGE, &[Ctrl('u')], A::HalfUp, "half a page up"),
    row(PAGE, &[Home, Char('g')], A::First, "to the start"),
    row(PAGE, &[End, Char('G')], A::Last, "to the end"),
    shown(PAGE, &[Esc, Left, Char('h'), Char('?'), Char('q')], A::Back, "back", "back"),
    row(PAGE, &[Ctrl('z')], A::Suspend, "suspend (fg resumes)"),
    row(PAGE, &[Ctrl('c')], A::Quit, "quit"),

    shown(KeyContext::Export, &[Enter], A::Open, "write the file", "write"),
    shown(KeyContext::Export, &[Esc], A::Back, "write nothing", "cancel"),

    shown(KeyContext::Replace, &[Char('y')], A::Open, "replace it", "replace"),
    shown(KeyContext::Replace, &[Char('n'), Esc], A::Back, "keep it", "keep it"),
    row(KeyContext::Replace, &[Ctrl('c')], A::Quit, "quit"),

    shown(KeyContext::Mark, &[Enter], A::Open, "set the marks; an empty line removes them", "mark"),
    shown(KeyContext::Mark, &[Esc], A::Back, "change nothing", "cancel"),

    shown(KeyContext::Directory, &[Enter], A::Open, "resume the session there", "resume"),
    shown(KeyContext::Directory, &[Esc], A::Back, "do not resume it", "cancel"),
];

/// The table as Markdown, for the documentation.
pub fn markdown() -> String {
    let row = |binding: &Binding| {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{key}`")).collect();
        format!("| {} | {} |\n", keys.join(" "), binding.words)
    };
    let part = |context: KeyContext| {
        let rows: String = bindings(context).map(row).collect();
        let title = context.title();
        format!("### {title}\n\n| Key | What it does |\n|---|---|\n{rows}\n")
    };
    KeyContext::ALL.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_key_means_one_thing_in_each_context() {
        for context in KeyContext::ALL {
            let mut seen = HashSet::new();
            for key in bindings(context).flat_map(|binding| binding.keys) {
                assert!(seen.insert(*key), "{key} twice in {context:?}");
                let is_letter = matches!(key, Char(_));
                assert!(
                    !(context.is_input() && is_letter),
                    "{key} is text in {context:?}"
                );
            }
        }
    }

    /// What only some terminals can tell apart is not used: Ctrl with anything but a letter, and the
    /// letters that are Tab and Enter. A line feed (Ctrl-J) is not Enter while one chooses, as in fzf.
    #[test]
    fn every_terminal_can_send_every_key() {
        for (context, key) in KeyContext::ALL.into_iter().flat_map(|context| {
            let keys = bindings(context).flat_map(|binding| binding.keys);
            keys.map(move |key| (context, key))
        }) {
            if let Ctrl(letter) = key {
                let others = if context == KeyContext::Filter {
                    "im"
                } else {
                    "ijm"
                };
                let is_plain = letter.is_ascii_lowercase() && !others.contains(*letter);
                assert!(is_plain, "{key} in {context:?}");
            }
        }
    }

    #[test]
    fn every_context_can_be_left_and_quit() {
        for context in KeyContext::ALL {
            let has = |action| bindings(context).any(|binding| binding.action == action);
            assert!(has(KeyAction::Back) && has(KeyAction::Quit), "{context:?}");
            assert_eq!(action(context, Ctrl('c')), Some(KeyAction::Quit));
        }
    }
}
