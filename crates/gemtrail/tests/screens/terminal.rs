//! Runs the program in a pipe, or on a terminal that `script` makes.

use std::process::Command;

use crate::support::Person;

/// What standard output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    /// A pipe.
    Pipe,
    /// A terminal, where nobody wants colours.
    Terminal,
    /// A terminal in colour.
    Colour,
}

impl Face {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Terminal => "terminal",
            Self::Colour => "colour",
        }
    }
}

/// Everything that a command prints. Escape sequences are made visible.
pub(crate) fn screen(person: &Person, face: Face, columns: usize, arguments: &[&str]) -> String {
    screen_with(person, face, columns, &[], arguments)
}

/// The same with other variables.
pub(crate) fn screen_with(
    person: &Person,
    face: Face,
    columns: usize,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> String {
    let columns = columns.to_string();
    let mut own = vec![("COLUMNS", columns.as_str()), ("TERM", "xterm-256color")];
    if face != Face::Colour {
        own.push(("NO_COLOR", "1"));
    }
    own.extend(variables);
    if face == Face::Pipe {
        let ran = person.run_in(&person.home(), arguments, &own);
        let home = person.home().display().to_string();
        return format!("{}{}", ran.out, ran.err).replace(&home, "/home/ada");
    }
    on_terminal(person, "", &own, arguments)
}

/// Everything that a command prints through this pager, on a terminal of ten lines.
pub(crate) fn paged(person: &Person, pager: &str, arguments: &[&str]) -> String {
    let variables = [
        ("GEMTRAIL_PAGER", pager),
        ("LC_ALL", "C"),
        ("NO_COLOR", "1"),
        ("TERM", "xterm"),
    ];
    on_terminal(person, "stty rows 10 cols 80; ", &variables, arguments)
}

fn on_terminal(
    person: &Person,
    before: &str,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> String {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let program = env!("CARGO_BIN_EXE_gemtrail");
    let words: Vec<String> = std::iter::once(program)
        .chain(arguments.iter().copied())
        .map(quoted)
        .collect();
    let output = Command::new("script")
        .args([
            "-q",
            "-e",
            "-c",
            &format!("{before}{}", words.join(" ")),
            "/dev/null",
        ])
        .current_dir(person.home())
        .env_clear()
        .env("HOME", person.home())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("GEMTRAIL_SYSTEM_CONFIG", person.write("system.toml", ""))
        .env("TZ", "UTC")
        .envs(variables.iter().copied())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("util-linux has script");
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let home = person.home().display().to_string();
    text.replace('\u{1b}', "␛").replace(&home, "/home/ada")
}
