#!/usr/bin/env python3
"""Takes the pictures of the documentation anew, of a realistic home (realistic_home.py).

    tools/pictures.py [--bin target/release/gemtrail] [--only NAME]

Terminals are tmux, pages are Chromium's (tests/browser/screenshots.mjs). Look at every picture before you commit it.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import time

import terminal_svg

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SCREENSHOTS = ROOT / "tests" / "browser" / "screenshots.mjs"
# What stands in for Gemini CLI: the picture ends where it would begin.
GEMINI = """#!/bin/sh
printf '\\033[2J\\033[H\\033[2m%s $\\033[0m gemini %s\\n' "$(pwd | sed "s|$HOME|~|")" "$*"
sleep 60
"""


class Terminal:
    """A program in a terminal, as somebody sees it."""

    def __init__(self, size, command, home):
        self.socket = f"pictures-{os.getpid()}-{time.monotonic_ns()}"
        self.home = home
        self.frames = []
        environment = {"HOME": home, "PATH": f"{home}/.bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color", "EDITOR": "vi"}
        command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *command]
        width, height = map(str, size)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, "-c", home, shlex.join(command))
        self.settle()

    def tmux(self, *arguments):
        command = ["tmux", "-u", "-L", self.socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-e", "-p", *options).replace(self.home, "/home/sam")

    def settle(self):
        """Waits until nothing moves any more."""
        before, since = None, time.monotonic()
        while time.monotonic() - since < 0.6:
            screen = self.screen()
            if screen != before:
                before, since = screen, time.monotonic()
            time.sleep(0.05)

    def keep(self, seconds):
        """The screen is one of the frames, for so long."""
        self.frames.append((self.screen(), seconds))

    def press(self, key, seconds):
        self.tmux("send-keys", key)
        self.settle()
        self.keep(seconds)

    def type(self, text, seconds):
        for letter in text:
            self.tmux("send-keys", "-l", letter)
            self.settle()
            self.keep(seconds)

    def until(self, key, text, seconds):
        """Presses a key until the screen has a text."""
        for _ in range(8):
            screen = self.tmux("capture-pane", "-p")
            if text in screen:
                return
            self.press(key, seconds)
        raise SystemExit(f"{key} does not lead to {text!r}:\n{screen}")

    def end(self):
        self.tmux("kill-server")


class Studio:
    def __init__(self, program, directory):
        self.program = str(pathlib.Path(program).resolve())
        self.home = str(directory / "sam")
        subprocess.run([ROOT / "tools" / "realistic_home.py", self.home], check=True)
        binaries = pathlib.Path(self.home, ".bin")
        binaries.mkdir()
        (binaries / "gemini").write_text(GEMINI)
        (binaries / "gemini").chmod(0o755)
        (binaries / "gemtrail").symlink_to(self.program)
        self.run("sync", "--quiet")

    def run(self, *arguments):
        environment = {**os.environ, "HOME": self.home}
        return subprocess.run([self.program, *arguments], env=environment, capture_output=True, text=True, check=True).stdout

    def terminal(self, size, *arguments):
        return Terminal(size, ["gemtrail", *arguments], self.home)

    def still(self, name, size, *keys):
        terminal = self.terminal(size)
        for key in keys:
            terminal.tmux("send-keys", *key)
            terminal.settle()
        (IMAGES / name).write_text(terminal_svg.picture("gemtrail", terminal.screen()))
        terminal.end()

    def printed(self, name, lines, *arguments):
        """The first lines that a command prints."""
        command = f"PAGER=cat gemtrail {shlex.join(arguments)}; sleep 60"
        terminal = Terminal((96, lines + 2), ["sh", "-c", command], self.home)
        screen = "\n".join(terminal.screen("-S", "-").split("\n")[:lines])
        (IMAGES / name).write_text(terminal_svg.picture(f"gemtrail {shlex.join(arguments)}", screen))
        terminal.end()

    def newest(self):
        """The newest session of more than a few prompts."""
        rows = map(json.loads, self.run("list", "--json").splitlines())
        return next(row["ref"] for row in rows if 3 < row["counts"]["human"] < 12)

    def exported(self, name):
        page, pictures = pathlib.Path(self.home, "page.html"), pathlib.Path(self.home, "pictures")
        self.run("export", self.newest(), "-o", str(page), "--quiet")
        subprocess.run(["node", SCREENSHOTS, page, pictures], check=True)
        shutil.copy(pictures / "desktop-light.png", IMAGES / name)

    def viewer(self, pages):
        command = [self.program, "serve", "--no-open", "--port", "0", "--json"]
        with subprocess.Popen(command, env={**os.environ, "HOME": self.home}, stdout=subprocess.PIPE, text=True) as server:
            address = json.loads(server.stdout.readline())["url"]
            subprocess.run(["node", SCREENSHOTS, address, *(f"{path}={IMAGES / name}" for name, path in pages.items())], check=True)
            server.terminate()

    def moving(self, name):
        """Search, open, go to the next prompt, resume."""
        terminal = self.terminal((96, 26))
        terminal.keep(2.5)
        terminal.press("/", 0.6)
        terminal.type("stripe retr", 0.18)
        terminal.keep(2)
        terminal.press("Down", 0.7)
        terminal.press("Down", 1.2)
        terminal.until("Enter", "human 1", 1.6)
        terminal.press("]", 1.4)
        terminal.press("]", 1.8)
        terminal.until("r", "$ gemini", 0.5)
        terminal.keep(3)
        (IMAGES / name).write_text(terminal_svg.moving_picture("gemtrail", terminal.frames))
        terminal.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "target" / "release" / "gemtrail"))
    parser.add_argument("--only", help="the name of one picture")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        studio = Studio(args.bin, pathlib.Path(directory))
        pictures = {
            "browser.svg": studio.moving,
            "browser-list.svg": lambda name: studio.still(name, (100, 24)),
            "browser-search.svg": lambda name: studio.still(name, (100, 24), ["/"], ["-l", "coup neg"]),
            "browser-session.svg": lambda name: studio.still(name, (100, 24), ["Enter"]),
            "browser-wide.svg": lambda name: studio.still(name, (170, 40), ["/"], ["-l", "stripe retr"]),
            "show.svg": lambda name: studio.printed(name, 30, "show", "latest"),
            "page-light.png": studio.exported,
        }
        for name, take in pictures.items():
            if args.only in (None, name):
                take(name)
        pages = {"web-overview.png": "/", "web-session.png": f"/sessions/{studio.newest()}", "web-search.png": "/search?q=coupon"}
        pages = {name: path for name, path in pages.items() if args.only in (None, name)}
        if pages:
            studio.viewer(pages)


if __name__ == "__main__":
    main()
