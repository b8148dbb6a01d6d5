#!/usr/bin/env python3
"""Every key of the browser does what its help says, in a real terminal (tmux), at three sizes.

    tests/terminal/keys.py [GEMTRAIL [HOME [OPTION…]]]

Without a HOME, over the sample home and over everything that was recorded; the options are handed on, for example
`--archive FILE`. Keys that end the browser or leave the terminal to another program are in check.py.
"""
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

from check import HOME, ROOT, Terminal

SIZES = [(80, 24), (120, 40), (200, 50)]
BACK = "Esc back"


class Browser:
    def __init__(self, terminal, is_wide):
        self.terminal = terminal
        self.is_wide = is_wide
        self.count = 0

    def screen(self):
        return self.terminal.screen()

    def footer(self):
        return self.screen().rstrip("\n").split("\n")[-1].strip()

    def chosen(self):
        """The line that the cursor of the list is on, without the session that is shown beside it."""
        lines = self.terminal.tmux("capture-pane", "-e", "-p").split("\n")
        marked = [line for line in lines if re.search(r"\x1b\[(?:[0-9;]*;)?7(?:;[0-9;]*)?m", line)]
        return re.sub(r"\x1b\[[0-9;]*m", "", marked[0]).split("│")[0].rstrip() if marked else ""

    def picture(self):
        """Everything that can be seen, the cursor of the list included: rows may have the same words."""
        return self.terminal.tmux("capture-pane", "-e", "-p")

    def item(self):
        """The lines that the cursor of a session is on."""
        return [line.split("▌", 1)[1] for line in self.screen().split("\n") if "▌" in line]

    def press(self, keys, holds, what):
        """Presses keys, the last of which must make something true."""
        keys = keys if isinstance(keys, list) else [keys]
        self.terminal.press(*keys)
        self.terminal.until(holds, f"“{what}” after {' '.join(keys)}")
        self.count += 1

    def says(self, keys, words):
        self.press(keys, lambda: re.search(words, self.screen()), words)

    def moves(self, keys, what, there, back):
        """Each key of one list changes something, each of the other changes it back."""
        for key, other in zip(keys, back * len(keys)):
            before, picture = what(), self.picture()
            self.press(key, lambda: self.picture() != picture, f"{there}: another place")
            self.press(other, lambda: what() == before, f"{there}: the same place again")


def in_list(it):
    it.moves(["Down", "j"], it.chosen, "list", ["Up", "k"])
    it.moves(["PageDown", "Space", "C-f", "C-d"], it.chosen, "list", ["PageUp", "C-b", "PageUp", "C-u"])
    it.moves(["End", "G"], it.chosen, "list", ["Home", "g"])
    for key, back in [("Enter", "Escape"), ("Right", "Left"), ("l", "BSpace"), ("l", "h"), ("l", "q")]:
        it.says(key, BACK)
        it.press(back, lambda: BACK not in it.screen(), "the list")
    for words in ["most expensive first", "most tokens first", "most prompts first", "most failures first", "newest first"]:
        it.says("s", words)
    for words in ["grouped by project", "not grouped", "grouped by time"]:
        it.says("b", words)
    it.says("n", "/ searches first")
    it.says("N", "/ searches first")
    it.says("y", r"Copied resume command \(35 characters\)")
    it.says("p", r"Copied path \(\d+ characters\)")
    it.says("R", "nothing to restore|cannot be restored")
    it.says("A", "there is an archive|turns the archive off|archiving|Archived")
    it.says(".", "no sessions here|sessions here")
    if "sessions here" in it.screen().split("\n")[0]:
        it.press(".", lambda: "sessions here" not in it.screen().split("\n")[0], "all sessions")
    it.says("v", "no preview")
    it.press("v", lambda: "no preview" not in it.screen(), "the preview, or why not")
    it.says("F", r"prompts \d|changed no file")
    if re.search(r"prompts \d", it.screen()):
        it.press("Escape", lambda: not re.search(r"prompts \d", it.screen()), "the list")
    it.says("M", "mouse capture is off")
    it.says("M", "mouse capture is on")
    it.says("x", r"write to: \S+\.md")
    it.press("Escape", lambda: "write to:" not in it.screen(), "no question")
    it.says("r", "resume in directory:|only the prompts are left|not found")
    it.press("Escape", lambda: "resume in directory:" not in it.screen(), "no question")
    it.says("S", "Tokens|tokens")
    it.press("Escape", lambda: " sessions, " in it.screen(), "the list")
    it.says("D", "session files?")
    it.press("Left", lambda: " sessions, " in it.screen(), "the list")
    it.says("?", "In the list")
    page = it.screen
    it.moves(["Down", "j", "PageDown", "Space", "C-f", "C-d", "End", "G"], page, "page", ["Up", "k", "PageUp", "C-b", "PageUp", "C-u", "Home", "g"])
    it.press("?", lambda: " sessions, " in it.screen(), "the list")
    it.says("Escape", "this is the first screen; q quits")
    before = it.chosen()
    it.press("C-l", lambda: it.chosen() == before, "the same screen")


def unfold_agents(it):
    it.says("Tab", "no subagents worked for this session|┆")
    # The next session that has some.
    for _ in range(60):
        if "▸" in it.chosen():
            break
        before = it.picture()
        it.press("Down" if "▸" in it.screen() else "PageDown", lambda: it.picture() != before, "another row")
    else:
        return
    it.press("Tab", lambda: "▾" in it.chosen() and "┆" in it.screen(), "subagents")
    it.press("Tab", lambda: "▸" in it.chosen(), "no subagents")


def typed(it, label):
    """The keys of every line that is typed."""
    whole = lambda: next((line for line in it.screen().split("\n") if label in line), "").split(label, 1)[-1].split("│")[0].strip()
    # At its end may be the number of matches.
    line = lambda: whole().split("  ")[0]
    it.terminal.type("alpha beta")
    it.press("C-a", lambda: line() == "alpha beta", "what was typed")
    it.press(["Delete"], lambda: line() == "lpha beta", "without its first letter")
    it.press(["Right", "BSpace"], lambda: line() == "pha beta", "without the next")
    it.press(["End", "Left", "C-h"], lambda: line() == "pha bea", "without the last but one")
    it.press(["Home", "C-e", "C-w"], lambda: line() == "pha", "one word")
    it.press("C-u", lambda: line() == "" or "any words" in line(), "an empty line")


def in_filter(it):
    it.press("/", lambda: "any words" in it.screen(), "an empty line")
    typed(it, "/ ")
    it.terminal.type("the")
    it.terminal.until(lambda: re.search(r"sessions, [\d,]+ matches", it.screen()), "a count of matches")
    it.moves(["Down", "PageDown", "C-n", "C-j"], it.chosen, "filter", ["Up", "PageUp", "C-p", "C-k"])
    it.says("Tab", "n next match")
    it.says("n", r"match 1 of [\d,]+")
    it.says("n", r"match 2 of [\d,]+")
    it.says("N", r"match 1 of [\d,]+")
    it.says("N", "that was the first match")
    it.press("Escape", lambda: BACK not in it.screen(), "the hits")
    it.press("Escape", lambda: " sessions, " in it.screen(), "the whole list")


def in_session(it):
    it.says(["End", "Enter"], BACK)
    it.press("g", lambda: it.item(), "a cursor")
    it.moves(["Down", "j"], it.item, "session", ["Up", "k"])
    it.moves(["PageDown", "Space", "C-f", "C-d", "End", "G"], it.screen, "session", ["Home", "g"])
    it.press(["G", "PageUp"], lambda: it.item(), "a page up")
    it.press("g", lambda: it.item(), "the start")
    it.press("]", lambda: any("human 1" in line for line in it.item()), "the first prompt")
    it.says(["g", "[" ], "that was the first prompt")
    it.says(["G", "]"], "that was the last prompt")
    it.press(["G", "["], lambda: any("human" in line for line in it.item()), "a prompt")
    it.press(["g", "f"], lambda: any("✗" in line for line in it.item()) or "nothing failed after" in it.footer(), "a failure")
    it.press(["G", "b"], lambda: any("✗" in line for line in it.item()) or "nothing failed before" in it.footer(), "a failure")
    before = it.screen()
    it.press(["g", "z"], lambda: it.screen() != before, "everything unfolded")
    it.press(["z", "g"], lambda: it.item(), "everything folded")
    it.says(["i", "g"], "thought|no thoughts were recorded|human")
    it.terminal.press("i")
    it.says("t", "(?i)turns|1 ")
    it.press("Escape", lambda: BACK in it.screen(), "the session")
    it.says(["t", "Enter"], "human")
    it.says("F", r"prompts \d|changed no file")
    if re.search(r"prompts \d", it.screen()):
        it.press("Escape", lambda: not re.search(r"prompts \d", it.screen()), "the session")
    it.says("y", r"Copied .* \([\d,]+ characters|no text here")
    it.says("Y", "code")
    it.says("c", r"Copied command|only tool calls have a command")
    it.says("p", r"Copied path|has no file")
    it.says("u", "Copied resume command")
    it.says("x", r"write to: \S+\.md")
    typed_back(it, "write to:")
    it.says("R", "nothing to restore|cannot be restored")
    it.says("M", "mouse capture is off")
    it.says("M", "mouse capture is on")
    it.says("/", "find:")
    typed(it, "find: ")
    it.terminal.type("the")
    it.says("Enter", r"match \d+ of \d+|no match in this session")
    it.says("?", "In a session")
    it.press("h", lambda: BACK in it.screen(), "the session")
    # What was found is cleared first.
    it.press("Escape", lambda: "(n/N" not in it.screen(), "nothing found any more")
    it.press("Escape", lambda: BACK not in it.screen(), "the list")


def typed_back(it, label):
    it.press("Escape", lambda: label not in it.screen(), "no question")


def recorded():
    """The homes that were recorded."""
    return [str(path.parent) for path in sorted((ROOT / "fixtures" / "recorded").glob("*/*/.gemini"))]


def try_keys(name, words, size):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="gemtrail-keys-"))
    script = scratch / "browse"
    script.write_text("#!/bin/sh\nexec " + " ".join(map(shlex.quote, words)) + "\n")
    script.chmod(0o700)
    terminal = Terminal(scratch, size)
    try:
        terminal.run(str(script))
        terminal.until(lambda: "sessions, " in terminal.screen(), "browser")
        it = Browser(terminal, size[0] >= 140)
        for part in [in_list, unfold_agents, in_filter, in_session]:
            part(it)
        terminal.press("q")
        terminal.until(lambda: terminal.modes()[0] == "0", "end of the browser")
        print(f"ok: {it.count} keys at {size[0]} × {size[1]}, {name}", flush=True)
    finally:
        terminal.close()
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/gemtrail").resolve())
    homes = {"recorded": recorded(), "sample home": [str(HOME)]}
    if len(sys.argv) > 2:
        homes = {sys.argv[2]: [sys.argv[2]]}
    for name, places in homes.items():
        words = [program, *[word for place in places for word in ("--home", place)], *sys.argv[3:]]
        for size in SIZES:
            try_keys(name, words, size)


if __name__ == "__main__":
    main()
