//! Finds the command and the argument that are being typed.

use clap::{Arg, Command};

use super::Completion;
use super::values::{TypedValue, ValueKind};

/// Returns the value that the last of these words begins.
pub(super) fn wanted(root: &Command, words: &[String]) -> TypedValue {
    let Some((typed, before)) = words.split_last() else {
        return TypedValue::default();
    };
    let mut at = Position {
        command: root,
        option: None,
        positionals: 0,
        is_rest: false,
    };
    for word in before {
        at.pass(word);
    }
    at.wanted(typed)
}

/// The position of the cursor in a line.
struct Position<'a> {
    command: &'a Command,
    /// An option whose value comes next.
    option: Option<&'a Arg>,
    positionals: usize,
    /// True if no option can come any more.
    is_rest: bool,
}

impl<'a> Position<'a> {
    /// Goes past a word.
    fn pass(&mut self, word: &str) {
        if self.option.take().is_some() {
            return;
        }
        if word == "--" {
            self.is_rest = true;
        } else if self.is_rest || !word.starts_with('-') || word == "-" {
            match self.command.find_subcommand(word).filter(|_| !self.is_rest) {
                Some(command) => {
                    self.command = command;
                    self.positionals = 0;
                }
                None => self.positionals += 1,
            }
        } else if let Some(long) = word.strip_prefix("--") {
            let option = self.long(long);
            self.option = option.filter(|it| takes_value(it) && !it.is_require_equals_set());
        } else {
            let last = word.chars().next_back();
            let option = last.and_then(|short| self.short(short));
            self.option = option.filter(|it| takes_value(it));
        }
    }

    fn wanted(&self, typed: &str) -> TypedValue {
        if let Some(option) = self.option {
            return value(self.command, option, "", typed);
        }
        if !self.is_rest
            && typed.starts_with("--")
            && let Some((name, typed)) = typed.split_once('=')
        {
            let option = self.long(name.trim_start_matches('-'));
            let value = |it| value(self.command, it, &format!("{name}="), typed);
            let option = option.filter(|it| takes_value(it));
            return option.map_or_else(TypedValue::default, value);
        }
        if !self.is_rest && typed.starts_with('-') {
            return TypedValue::one_of(self.options(), typed);
        }
        let commands = self.commands();
        if self.positionals == 0 && !commands.is_empty() && !self.is_rest {
            return TypedValue::one_of(commands, typed);
        }
        let mut positionals = self.command.get_positionals();
        let last = self.command.get_positionals().last();
        let argument = positionals
            .nth(self.positionals)
            .or_else(|| last.filter(|it| it.get_num_args().is_some_and(|it| it.max_values() > 1)));
        argument.map_or_else(TypedValue::default, |it| value(self.command, it, "", typed))
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        let has = |option: &&Arg| {
            let aliases = option.get_all_aliases().unwrap_or_default();
            option.get_long() == Some(name) || aliases.contains(&name)
        };
        self.command.get_arguments().find(has)
    }

    fn short(&self, name: char) -> Option<&'a Arg> {
        let mut options = self.command.get_arguments();
        options.find(|option| option.get_short() == Some(name))
    }

    fn options(&self) -> Vec<Completion> {
        let options = self.command.get_arguments().filter(|it| !it.is_hide_set());
        let named = |it: &Arg| {
            let name = format!("--{}", it.get_long()?);
            Some(Completion::explained(name, it.get_help()))
        };
        options.filter_map(named).collect()
    }

    fn commands(&self) -> Vec<Completion> {
        let commands = self
            .command
            .get_subcommands()
            .filter(|it| !it.is_hide_set());
        commands
            .map(|it| Completion::explained(it.get_name(), it.get_about()))
            .collect()
    }
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// The value of an argument.
fn value(command: &Command, argument: &Arg, before: &str, typed: &str) -> TypedValue {
    let given = argument.get_possible_values();
    let kind = if given.is_empty() {
        let names = argument.get_value_names().unwrap_or_default();
        let name = names.first().map_or("", |name| name.as_str());
        ValueKind::of(command.get_name(), argument.get_id().as_str(), name)
    } else {
        let values = given.iter().filter(|it| !it.is_hide_set());
        let names = values.map(|it| Completion::explained(it.get_name(), it.get_help()));
        ValueKind::Names(names.collect())
    };
    // Several with commas between them.
    let (list, typed) = match kind {
        ValueKind::Breakdown => typed.split_at(typed.rfind(',').map_or(0, |comma| comma + 1)),
        _ => ("", typed),
    };
    TypedValue {
        kind,
        before: format!("{before}{list}"),
        typed: typed.to_owned(),
    }
}
