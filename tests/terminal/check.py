#!/usr/bin/env python3
"""The browser in a real terminal (tmux): whatever happens, the terminal is left as it was.

    tests/terminal/check.py [GEMTRAIL [BROWSE_EXAMPLE]]

Needs tmux and a shell; takes less than a minute. GEMTRAIL is the program (target/debug/gemtrail), BROWSE_EXAMPLE the
example of gemtrail-tui that panics on demand (target/debug/examples/browse; left out if it is not there).
"""
import itertools
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOME = ROOT / "examples" / "home"
# A server that is ending must not meet the next one.
SOCKETS = (f"gemtrail-test-{os.getpid()}-{number}" for number in itertools.count())
WAIT = 60.0


class Terminal:
    """A shell in tmux."""

    def __init__(self, scratch, size=(80, 24)):
        self.scratch = scratch
        self.socket = next(SOCKETS)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1]),
                  "env -u TMUX PS1='$ ' GEMTRAIL_DATA_DIR=%s bash --norc --noprofile" % shlex.quote(str(scratch / "data")))
        self.until(lambda: self.screen().startswith("$"), "a prompt")

    def tmux(self, *words, **options):
        return subprocess.run(["tmux", "-L", self.socket, *words], check=True, capture_output=True, text=True, **options).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def run(self, command):
        self.type(command)
        self.press("Enter")

    def until(self, holds, what):
        """Waits instead of sleeping: a slow machine is no failure."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.03)
        raise AssertionError(f"no {what} within {WAIT:.0f} s:\n{self.screen()}")

    def modes(self):
        """What a program may leave behind."""
        names = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{bracket_paste_flag}"
        return self.tmux("display-message", "-p", names).split()

    def stty(self, name):
        path = self.scratch / f"stty-{name}"
        self.run(f"clear; stty -a > {path}; echo sa''ved {name}")
        self.until(lambda: f"saved {name}" in self.screen(), "saved stty")
        # The size is the window's.
        return path.read_text().split("\n", 1)[1]

    def close(self):
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True)


def child_of(terminal):
    shell = terminal.tmux("display-message", "-p", "#{pane_pid}").strip()
    found = subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True).stdout.split()
    assert found, "the browser runs"
    return int(found[0])


def is_open(terminal):
    return lambda: "sessions, " in terminal.screen() and terminal.modes()[0] == "1"


def is_closed(terminal):
    return lambda: terminal.modes()[0] == "0"


def scenario(name, command, act, terminal):
    before, modes = terminal.stty("before"), terminal.modes()
    terminal.run(command)
    terminal.until(is_open(terminal), "browser")
    act(terminal)
    terminal.until(is_closed(terminal), "end of the browser")
    terminal.until(lambda: terminal.screen().rstrip().endswith("$"), "prompt")
    after = terminal.stty("after")
    assert before == after, f"{name}: stty\n{before}\n{after}"
    now = terminal.modes()
    # bash asks for bracketed paste itself.
    assert now[:4] == modes[:4], f"{name}: modes {modes} {now}"
    print(f"ok: {name}", flush=True)


def send(number):
    return lambda terminal: os.kill(child_of(terminal), number)


def stop_and_go_on(terminal):
    terminal.press("Enter", "C-z")
    terminal.until(is_closed(terminal), "shell while stopped")
    terminal.until(lambda: "Stopped" in terminal.screen(), "word of the shell")
    assert terminal.modes()[1] == "1", "the cursor is visible meanwhile"
    terminal.run("fg")
    terminal.until(lambda: terminal.modes()[0] == "1", "browser again")
    terminal.until(lambda: "Esc back" in terminal.screen(), "drawn anew")
    terminal.press("q", "q")


def hand_over(key, name):
    """Hands the terminal to another program, which finds it as the shell had it."""
    def act(terminal):
        terminal.press(key)
        terminal.until(lambda: f"SHOWING {name}" in terminal.screen(), name)
        assert terminal.modes()[:3] == ["0", "1", "0"], f"the {name} has the usual screen, a cursor, and the mouse"
        shown = terminal.scratch / "shown"
        assert "Tell me about the cart." in (shown / "text").read_text(), f"the {name} has the session"
        theirs, usual = (shown / "stty").read_text(), (terminal.scratch / "stty-before").read_text()
        assert theirs.split("\n", 1)[1] == usual.split("\n", 1)[1], f"stty in the {name}\n{theirs}\n{usual}"
        # Keys are its own.
        terminal.run("done by it")
        terminal.until(is_open(terminal), f"browser after the {name}")
        assert "done by it" not in terminal.screen()
        left = pathlib.Path((shown / "path").read_text().strip())
        assert not left.exists(), f"{left} was only for the {name}"
        terminal.press("q")
    return act


def fake(scratch, name):
    """A program that says what it was given, and waits for a line."""
    path = scratch / name
    shown = scratch / "shown"
    shown.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\nclear\n"
                    f'cat "$1" > {shown}/text; echo "$1" > {shown}/path; stty -a > {shown}/stty\n'
                    f"echo SHOWING {name}\nread line\n")
    path.chmod(0o700)
    return path


def idle(terminal):
    pid = child_of(terminal)
    time.sleep(0.5)

    def spent():
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        written = next(line for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines() if "wchar" in line)
        return int(stat[11]) + int(stat[12]), written

    before = spent()
    time.sleep(2)
    assert spent() == before, f"idle, and yet: {before} {spent()}"
    terminal.press("q")


def paste(terminal):
    terminal.press("/")
    terminal.tmux("set-buffer", "dq\n")
    terminal.tmux("paste-buffer", "-p")
    terminal.until(lambda: "/ dq" in terminal.screen(), "pasted text in the line")
    terminal.press("Escape", "q")


def mark(terminal):
    terminal.press("m")
    terminal.until(lambda: "marks:" in terminal.screen(), "the line of marks")
    terminal.type("* #billing Cart totals -- ask Bob")
    terminal.press("Enter")
    terminal.until(lambda: "★ #billing Cart totals" in terminal.screen(), "marks in the list")
    terminal.press("q")


def is_marked(command):
    """What was set in the browser is what the command line knows."""
    listed = subprocess.run(f"{command} list --pinned --tag billing --json", shell=True, check=True, capture_output=True, text=True)
    marks = json.loads(listed.stdout)["marks"]
    assert marks == {"pinned": True, "title": "Cart totals", "tags": ["billing"], "note": "ask Bob"}, marks


def chaos(terminal):
    dice = random.Random(7)
    keys = ["Up", "Down", "PageUp", "PageDown", "Home", "End", "Enter", "Enter", "Tab", "j", "k", "n", "N", "f", "F", "t", "z",
            "i", "/", "?", "S", "D", "s", "b", "m", "BSpace", "Left", "Right", "c", "y", "C-l", "C-d", "[", "]"]
    for at in range(60):
        terminal.tmux("send-keys", *[dice.choice(keys) for _ in range(10)])
        if at % 6 == 0:
            terminal.tmux("resize-window", "-x", str(dice.randint(20, 210)), "-y", str(dice.randint(5, 55)))
    terminal.tmux("resize-window", "-x", "80", "-y", "24")
    assert terminal.modes()[0] == "1", terminal.screen()
    terminal.press("C-c")


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/gemtrail").resolve()
    example = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "target/debug/examples/browse").resolve()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="gemtrail-terminal-"))
    command = f"EDITOR={fake(scratch, 'editor')} PAGER={fake(scratch, 'pager')} {program} --home {HOME}"
    terminal = Terminal(scratch)
    try:
        scenario("q", command, lambda it: it.press("q"), terminal)
        scenario("Ctrl-C", command, lambda it: it.press("/", "x", "C-c"), terminal)
        scenario("Ctrl-Z and fg", command, stop_and_go_on, terminal)
        scenario("editor", command, hand_over("e", "editor"), terminal)
        scenario("pager", command, hand_over("o", "pager"), terminal)
        scenario("SIGTERM", command, send(signal.SIGTERM), terminal)
        scenario("SIGHUP", command, send(signal.SIGHUP), terminal)
        scenario("idle", command, idle, terminal)
        scenario("paste", command, paste, terminal)
        archive = f"{program} --home {HOME} --archive {scratch}/archive.db"
        subprocess.run(f"{archive} sync --quiet", shell=True, check=True)
        scenario("marks", archive, mark, terminal)
        is_marked(archive)
        scenario("random keys and sizes", command, chaos, terminal)
        if example.exists():
            scenario("panic in a thread", f"{example} {HOME}", lambda it: it.press("D"), terminal)
            scenario("panic while drawing", f"{example} {HOME}", lambda it: it.press("x", "Enter"), terminal)
    finally:
        terminal.close()


if __name__ == "__main__":
    main()
