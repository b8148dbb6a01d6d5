//! `completions`: the scripts of the shells.

use std::io::Write;

use crate::cli::args::{Args, CompletionsArgs};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::error::CliError;
use crate::ui::Ui;

/// The script for bash, also for the old one of macOS. The line is read by us: bash cuts words at
/// colons and equal signs, and inserts what it is told without quoting it.
const BASH: &str = r#"# Completion of gemtrail for bash.
_gemtrail() {
    local line value at
    local -a values abouts
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :files) compopt -o default 2>/dev/null; return ;;
            :dirs) compopt -o dirnames 2>/dev/null; return ;;
        esac
        values+=("${line%%$'\t'*}")
        abouts+=("${line#*$'\t'}")
    done < <(gemtrail __complete --bash "$COMP_WORDBREAKS" -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    if (( ${#values[@]} == 1 )); then
        COMPREPLY=("${values[0]}")
        [[ "${values[0]}" == *: ]] && compopt -o nospace 2>/dev/null
        return
    fi
    # Several: each with its description, of which nothing is inserted.
    local width=0 columns="${COLUMNS:-80}"
    for value in "${values[@]}"; do (( ${#value} > width )) && width=${#value}; done
    for at in "${!values[@]}"; do
        printf -v line '%-*s  %s' "$width" "${values[at]}" "${abouts[at]}"
        if [[ -n "${abouts[at]}" ]]; then COMPREPLY+=("${line:0:columns-4}"); else COMPREPLY+=("${values[at]}"); fi
    done
}
complete -o nosort -F _gemtrail gemtrail 2>/dev/null || complete -F _gemtrail gemtrail
"#;

/// The script for zsh, which writes quotes itself. Its own lists are sorted; ours have the newest
/// session first, and what is in them has been chosen (`-U`).
const ZSH: &str = r#"#compdef gemtrail
# Completion of gemtrail for zsh.
_gemtrail() {
    local -a lines values shown fields
    local line value about
    local -i width=0
    lines=("${(@f)$(gemtrail __complete --typed -- "${(@Q)words[1,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    case "${lines[1]}" in
        :files) _files; return ;;
        :dirs) _files -/; return ;;
    esac
    lines=("${(@)lines:#}")
    for line in "${lines[@]}"; do
        value="${line%%$'\t'*}"
        (( ${#value} > width )) && width=${#value}
    done
    for line in "${lines[@]}"; do
        value="${line%%$'\t'*}"
        about="${line#*$'\t'}"
        # More is typed after the name of a field.
        if [[ "$value" == *: ]]; then fields+=("$value"); continue; fi
        values+=("$value")
        if [[ -n "$about" ]]; then
            line="${(r:width:)value}  $about"
            shown+=("${(mr:COLUMNS-1:)line}")
        else
            shown+=("$value")
        fi
    done
    (( ${#fields} )) && compadd -U -V fields -S '' -a fields
    if (( ${#values} )); then
        if [[ "${shown[1]}" == "${values[1]}" ]]; then compadd -U -V values -a values
        else compadd -U -V values -l -d shown -a values; fi
    fi
}
if [[ "${funcstack[1]}" == "_gemtrail" ]]; then
    _gemtrail "$@"
else
    compdef _gemtrail gemtrail
fi
"#;

/// The script for fish, which writes quotes itself.
const FISH: &str = r#"# Completion of gemtrail for fish.
function __gemtrail_complete
    set -l typed (commandline -ct)
    set -l lines (gemtrail __complete --typed -- (commandline -opc) "$typed" 2>/dev/null)
    switch "$lines[1]"
        case ':files'
            __fish_complete_path "$typed"
        case ':dirs'
            __fish_complete_directories "$typed"
        case '*'
            printf '%s\n' $lines
    end
end
complete -c gemtrail -f -k -a '(__gemtrail_complete)'
"#;

/// The script for `PowerShell`, which cannot pass an empty word in all its versions, and replaces a
/// word together with its quotes.
const POWERSHELL: &str = r#"# Completion of gemtrail for PowerShell.
Register-ArgumentCompleter -Native -CommandName gemtrail -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = $commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition }
    $words = @($before | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    if ($wordToComplete -eq '') {
        $lines = @(& gemtrail __complete --empty -- @words 2>$null)
    } else {
        $lines = @(& gemtrail __complete -- @words 2>$null)
    }
    # Without an answer PowerShell completes files itself.
    $lines | Where-Object { $_ -and -not $_.StartsWith(':') } | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        $text = $value
        if ($text -notmatch '^[\p{L}\p{Nd}_./\\:=%+-]+$') { $text = "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
"#;

pub(in crate::cli) fn run(args: &CompletionsArgs, ui: &Ui) -> Result<(), CliError> {
    let mut out = ui.out();
    out.write_all(&script(args.shell))?;
    out.finish()
}

/// The script of a shell.
pub(in crate::cli) fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => BASH.as_bytes().to_vec(),
        Shell::Zsh => ZSH.as_bytes().to_vec(),
        Shell::Fish => FISH.as_bytes().to_vec(),
        Shell::PowerShell => POWERSHELL.as_bytes().to_vec(),
        // The others complete commands and options only.
        shell => {
            // The generator panics where writing fails, so it writes to memory.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "gemtrail", &mut script);
            script
        }
    }
}
