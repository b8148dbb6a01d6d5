//! What each shell runs to ask.

/// The script for bash. Words are taken from the line: bash cuts them at colons and equal signs.
pub(in crate::cli) const BASH: &str = r#"# Completion of gemtrail for bash.
_gemtrail() {
    local current="${COMP_WORDS[COMP_CWORD]}" line value
    local typed="${COMP_LINE:0:COMP_POINT}"
    local -a words values lines
    read -a words <<< "$typed"
    [[ "$typed" == *[[:space:]] ]] && words+=("")
    local word="${words[${#words[@]}-1]}"
    [[ "$current" == "=" || "$current" == ":" ]] && current=""
    current="${current//\\/}"
    local before="${word%"$current"}"
    mapfile -t lines < <(gemtrail __complete -- "${words[@]}" 2>/dev/null)
    COMPREPLY=()
    case "${lines[0]}" in
        :files) compopt -o default 2>/dev/null; return ;;
        :dirs) compopt -o dirnames 2>/dev/null; return ;;
    esac
    for line in "${lines[@]}"; do
        value="${line%%$'\t'*}"
        value="${value#"$before"}"
        values+=("${value// /\\ }")
    done
    if (( ${#values[@]} == 1 )); then
        COMPREPLY=("${values[0]}")
        [[ "${values[0]}" == *: ]] && compopt -o nospace 2>/dev/null
        return
    fi
    # Several: each with its description, of which nothing is inserted.
    local at about width=0 columns="${COLUMNS:-80}"
    for value in "${values[@]}"; do (( ${#value} > width )) && width=${#value}; done
    for at in "${!values[@]}"; do
        about="${lines[at]#*$'\t'}"
        printf -v line '%-*s  %s' "$width" "${values[at]}" "$about"
        if [[ -n "$about" ]]; then COMPREPLY+=("${line:0:columns-4}"); else COMPREPLY+=("${values[at]}"); fi
    done
}
complete -o nosort -F _gemtrail gemtrail 2>/dev/null || complete -F _gemtrail gemtrail
"#;

/// The script for zsh.
pub(in crate::cli) const ZSH: &str = r#"#compdef gemtrail
# Completion of gemtrail for zsh.
_gemtrail() {
    local -a lines values
    local line value about
    lines=("${(@f)$(gemtrail __complete -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
    case "${lines[1]}" in
        :files) _files; return ;;
        :dirs) _files -/; return ;;
    esac
    for line in "${lines[@]}"; do
        [[ -n "$line" ]] || continue
        value="${line%%$'\t'*}"
        about="${line#*$'\t'}"
        value="${value//:/\\:}"
        if [[ -n "$about" ]]; then values+=("$value:$about"); else values+=("$value"); fi
    done
    (( ${#values} )) && _describe -V 'gemtrail' values
}
if [[ "${funcstack[1]}" == "_gemtrail" ]]; then
    _gemtrail "$@"
else
    compdef _gemtrail gemtrail
fi
"#;

/// The script for fish.
pub(in crate::cli) const FISH: &str = r#"# Completion of gemtrail for fish.
function __gemtrail_complete
    set -l typed (commandline -ct)
    set -l lines (gemtrail __complete -- (commandline -opc) "$typed" 2>/dev/null)
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

/// The script for `PowerShell`, which cannot pass an empty word in all its versions.
pub(in crate::cli) const POWERSHELL: &str = r#"# Completion of gemtrail for PowerShell.
Register-ArgumentCompleter -Native -CommandName gemtrail -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') {
        $lines = @(& gemtrail __complete --empty -- @words 2>$null)
    } else {
        $lines = @(& gemtrail __complete -- @words 2>$null)
    }
    # Without an answer PowerShell completes files itself.
    $lines | Where-Object { $_ -and -not $_.StartsWith(':') } | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
"#;
