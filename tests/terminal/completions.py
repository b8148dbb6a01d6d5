#!/usr/bin/env python3
"""Completion in real shells (bash, zsh, fish in tmux): sessions and projects, whatever is in their names, in quotes and without.

    tests/terminal/completions.py [GEMTRAIL]

A shell that is not installed is left out, and says so.
"""
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile
import time

from check import ROOT, SOCKETS, Terminal

SHELLS = {
    "bash": ("bash --norc --noprofile", "PS1='$ '; source <(gemtrail completions bash)"),
    "zsh": ("zsh -f", "PS1='$ '; autoload -U compinit; compinit -u -D; source <(gemtrail completions zsh)"),
    "fish": ("fish --no-config", "function fish_prompt; echo -n '$ '; end; gemtrail completions fish | source"),
}
SPACE, ODD = "/srv/my project", "/srv/it's $odd & (new)"
# What is typed, and what the shell is to see in the end; {id} is the session in SPACE.
LINES = [
    ("show {head}", ["show", "{id}"]),
    ("list --project my", ["list", "--project", "my project"]),
    ("list --project my\\ p", ["list", "--project", "my project"]),
    ("list --project 'my", ["list", "--project", "my project"]),
    ('list --project "my pro', ["list", "--project", "my project"]),
    ("list --project=my", ["list", "--project=my project"]),
    ("list --project it", ["list", "--project", "it's $odd & (new)"]),
    ("list --project 'it", ["list", "--project", "it's $odd & (new)"]),
    ('list --project "it', ["list", "--project", "it's $odd & (new)"]),
    ("search project:my", ["search", 'project:"my project"']),
    ("stats --by mon", ["stats", "--by", "month"]),
    ("export --format=ht", ["export", "--format=html"]),
]


class Shell(Terminal):
    """Another shell than bash in tmux; gemtrail is on its path, and so is a command that tells its arguments."""

    def __init__(self, scratch, command):
        self.scratch = scratch
        self.socket = next(SOCKETS)
        path = f"{scratch}/bin:/usr/local/bin:/usr/bin:/bin"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30",
                  f"env -i HOME={scratch} PATH={path} LANG=C.UTF-8 TERM=screen {command}")


def write_home(scratch):
    """A session in each of two projects with names that shells take apart; the id of the first."""
    ids = []
    for root in [SPACE, ODD]:
        digest = hashlib.sha256(root.encode()).hexdigest()
        folder = scratch / ".gemini" / "tmp" / digest
        (folder / "chats").mkdir(parents=True)
        (folder / ".project_root").write_text(root)
        ids.append(f"{digest[:8]}-aaaa-4bbb-8ccc-0123456789ab")
        said = "2026-11-10T10:00:00.000Z"
        lines = [{"sessionId": ids[-1], "projectHash": digest, "startTime": said, "lastUpdated": said, "kind": "main"},
                 {"id": "u1", "timestamp": said, "type": "user", "content": [{"text": f"Look at {root}"}]}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "chats" / f"session-2026-11-10T10-00-{digest[:8]}.jsonl").write_text(text)
    return ids[0]


def changes(terminal, before, seconds=1.5):
    end = time.monotonic() + seconds
    while terminal.screen() == before and time.monotonic() < end:
        time.sleep(0.03)
    return terminal.screen() != before


def try_shell(name, scratch, session):
    command, start = SHELLS[name]
    terminal, told = Shell(scratch, command), scratch / "told"
    try:
        terminal.until(lambda: terminal.screen().strip(), "a prompt")
        terminal.run(start)
        terminal.until(lambda: terminal.screen().rstrip().split("\n")[-1] == "$", "our prompt")
        terminal.run("clear; echo rea''dy")
        terminal.until(lambda: "\nready" in "\n" + terminal.screen(), "a shell")
        for typed, wanted in LINES:
            fill = {"head": session[:4], "id": session[:8]}
            line, wanted = typed.format(**fill), [word.format(**fill) for word in wanted]
            told.unlink(missing_ok=True)
            terminal.press("C-u")
            terminal.type(f"gemtrail {line}")
            before = terminal.screen()
            # On a busy machine it may give up: nobody wants to wait while typing.
            for attempt in range(10):
                terminal.press("Tab")
                if changes(terminal, before):
                    break
            else:
                raise AssertionError(f"no completion of “{line}” in {name}:\n{before}")
            # The rest of the line is read by the shell itself: another program of this name says what it was given.
            terminal.press("C-a")
            terminal.type("TELL=1 " if name != "fish" else "env TELL=1 ")
            terminal.press("Enter")
            terminal.until(told.exists, f"{name} running the line")
            given = told.read_text().split("\n")[:-1]
            assert given == wanted, f"{name}: “{line}” became {given}, not {wanted}"
        print(f"ok: {len(LINES)} completions in {name}", flush=True)
    finally:
        terminal.close()


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/gemtrail").resolve()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="gemtrail-completions-"))
    session = write_home(scratch)
    (scratch / "bin").mkdir()
    stand_in = scratch / "bin" / "gemtrail"
    stand_in.write_text(f'#!/bin/sh\nif [ -n "$TELL" ]; then printf "%s\\n" "$@" > {scratch}/telling; mv {scratch}/telling {scratch}/told; else exec {program} "$@"; fi\n')
    stand_in.chmod(0o700)
    try:
        for name in SHELLS:
            if shutil.which(name):
                try_shell(name, scratch, session)
            else:
                print(f"skipped: {name} is not installed", flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
