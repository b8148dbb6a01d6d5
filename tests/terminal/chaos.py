#!/usr/bin/env python3
"""Random keys, clicks and sizes in a real terminal (tmux), over sample, recorded and hostile sessions.

    tests/terminal/chaos.py [GEMTRAIL [--keys N] [--seed N] [--home HOME]]

The browser must not end, no escape sequence of a transcript may reach the terminal, and the terminal is left as it was.
"""
import argparse
import base64
import json
import pathlib
import random
import re
import shlex
import shutil
import tempfile

from check import HOME, ROOT, Terminal, scenario
from keys import recorded

# Everything in the help but what ends the browser or hands the terminal to another program, and letters for what is typed.
KEYS = ["Up", "Down", "PageUp", "PageDown", "Home", "End", "Enter", "Enter", "Enter", "Escape", "Tab", "BSpace", "DC", "Left", "Right", "Space",
        "C-a", "C-d", "C-e", "C-h", "C-l", "C-u", "C-w", *"jkgGlh/nNrRxyYpcusbSDAm?iz[]{}fFtta支"]
SEQUENCES = re.compile(rb"\x1b(?:\[[0-9;:?<>=]*[ -/]*([@-~])|\]([^\x07\x1b]*)(?:\x07|\x1b\\)|(.))", re.DOTALL)
# The cursor moves, lines are cleared, colours and modes are set.
OWN_FINALS = b"HmKJhlABCDG"

HOSTILE = ("\x1b[2J\x1b]0;owned\x07\x1b]52;c;aGE=\x07\x9b31m\x1b[?1049l\r\x08\u202ex\x00\x1bPq\x1b\\ end 支払い 👩‍💻 ❤️ 🇩🇪 👍🏽 ｶﾞ e\u0301 \u200b")


def hostile(scratch):
    """A home whose texts try everything that a transcript may try."""
    home = scratch / "hostile"
    folder = home / ".gemini" / "tmp" / "hostile"
    (folder / "chats").mkdir(parents=True)
    (folder / ".project_root").write_text("/srv/hostile\x1b[31m")
    for number in range(30):
        session = f"{number:08x}-aaaa-4bbb-8ccc-0123456789ab"
        time = f"2026-06-{1 + number % 28:02}T10:00:05.000Z"
        call = {"id": "c1", "name": "run_shell_command", "args": {"command": f"echo {HOSTILE}"}, "status": "error", "timestamp": time,
                "resultDisplay": HOSTILE, "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command",
                                                                           "response": {"error": f"{HOSTILE}\n" * 50}}}]}
        lines = [{"sessionId": session, "projectHash": "h", "startTime": time, "lastUpdated": time, "kind": "main"},
                 {"id": "u1", "timestamp": time, "type": "user", "content": [{"text": f"{number} {HOSTILE} the"}]},
                 {"id": "g1", "timestamp": time, "type": "gemini", "content": f"{HOSTILE}\n\n| a | {HOSTILE} |\n|---|---|\n| b | c |\n\n```sh\n{HOSTILE}\n```",
                  "thoughts": [{"subject": HOSTILE, "description": HOSTILE, "timestamp": time}], "model": HOSTILE, "toolCalls": [call]},
                 {"id": "u2", "timestamp": time, "type": "user", "content": [{"text": f"again {HOSTILE}"}]}, {"$rewindTo": "u2"}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "chats" / f"session-2026-06-01T10-00-{session[:8]}.jsonl").write_text(text)
    return [str(home)]


def check(written):
    """Nothing but what the browser itself says to a terminal."""
    for found in SEQUENCES.finditer(written):
        final, command, other = found.groups()
        around = written[max(0, found.start() - 40):found.end() + 40]
        if final is not None:
            assert final in OWN_FINALS, f"a foreign sequence: {around!r}"
        elif command is not None:
            kind, _, text = command.partition(b";c;")
            assert kind == b"52", f"a foreign command: {around!r}"
            copied = base64.b64decode(text, validate=True).decode()
            assert "\x1b" not in copied and "\x00" not in copied, f"copied: {copied!r}"
        else:
            raise AssertionError(f"a foreign escape: {around!r}")
    for byte in [b"\x9b", b"\x00", b"\x08"]:
        # As a character, not as a part of one.
        assert byte.decode("latin-1") not in written.decode("utf-8", "replace"), f"a foreign {byte!r}"
    assert "\u202e".encode() not in written, "text runs backwards"


def play(keys, dice):
    def act(terminal):
        written = terminal.scratch / "written"
        written.unlink(missing_ok=True)
        terminal.tmux("pipe-pane", "-o", f"cat > {written}")
        for at in range(0, keys, 10):
            if dice.randrange(6) == 0:
                terminal.tmux("resize-window", "-x", str(dice.randint(10, 210)), "-y", str(dice.randint(4, 55)))
            if dice.randrange(6) == 0:
                button, column, row = dice.choice([0, 0, 64, 65]), dice.randint(1, 200), dice.randint(1, 50)
                terminal.type(f"\x1b[<{button};{column};{row}M\x1b[<{button};{column + dice.randint(0, 9)};{row}m")
            if dice.randrange(20) == 0:
                terminal.tmux("set-buffer", "pasted \x1b[31m text\n")
                terminal.tmux("paste-buffer", "-p")
            terminal.tmux("send-keys", *dice.choices(KEYS, k=10))
        terminal.tmux("resize-window", "-x", "80", "-y", "24")
        # It is still there, and still listens.
        terminal.press("Escape", "Escape", "Escape", "Escape", "?")
        terminal.until(lambda: "In the list" in terminal.screen(), "help")
        title = terminal.tmux("display-message", "-p", "#{pane_title}")
        assert "owned" not in title, title
        terminal.tmux("pipe-pane")
        assert written.stat().st_size > 10 * keys, "the browser was seen drawing"
        check(written.read_bytes())
        terminal.press("C-c")
    return act


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/debug/gemtrail"))
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--home", action="append", help="another home than those")
    args = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="gemtrail-chaos-"))
    homes = {"the sample home": [str(HOME)], "recorded sessions": recorded(), "hostile sessions": hostile(scratch)}
    if args.home:
        homes = {home: [home] for home in args.home}
    program = str(pathlib.Path(args.program).resolve())
    terminal = Terminal(scratch)
    try:
        terminal.run(f"cd {scratch}")
        for name, places in homes.items():
            script = scratch / "browse"
            # Nothing is written into these homes.
            words = [program, "--no-archive", *[word for place in places for word in ("--home", place)]]
            script.write_text("#!/bin/sh\nexec " + " ".join(map(shlex.quote, words)) + "\n")
            script.chmod(0o700)
            scenario(f"{args.keys} random keys over {name}", "./browse", play(args.keys, random.Random(args.seed)), terminal)
    finally:
        terminal.close()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
