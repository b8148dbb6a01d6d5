"""From nothing: `setup --yes`, one prompt, and the session is in the archive and in the list; then nothing is left of it.

No other command is run: the hook of the extension takes the session in when the client ends.
"""
import hashlib
import json
import pathlib
import subprocess
import tempfile
import time

from gemini import SETTINGS, Gemini
from stand_in import StandIn

PROMPT = "Remember the word albatross."
SCRIPT = {PROMPT: [{"text": "Noted: albatross."}]}
# How long the sync in the background may take, in seconds; a debug build on a busy machine is slow.
PATIENCE = 20


def scenario(version, program, check):
    with tempfile.TemporaryDirectory(prefix="a home with spaces ") as own, StandIn(SCRIPT) as api:
        home = pathlib.Path(own).resolve() / "my home"
        with Gemini(version, api, home=home) as gemini:
            commented(gemini.dot_gemini / "settings.json")
            before = tree(home)
            person = Person(program, gemini)
            installs(person, check)
            asked = gemini.run("-p", PROMPT)
            check(asked.code == 0, "the client answers", asked)
            is_archived(person, gemini, check)
            is_visible(asked, check)
            leaves_nothing(person, before, check)


def commented(settings):
    """Settings as a person writes them, and none that the client would rewrite because it has a new name for it."""
    current = {name: value for name, value in SETTINGS.items() if name not in ("agents", "experimental", "tools")}
    settings.write_text("// my settings\n" + json.dumps(current, indent=1).replace("{", "{ /* all of them */", 1))


def installs(person, check):
    refused = person.run("setup")
    check(refused.returncode == 2 and not (person.home / ".gemini/extensions").exists(),
          "nothing is written without a terminal or --yes", refused)
    shown = person.run("setup", "--dry-run", "--json")
    paths = [step["path"] for step in json.loads(shown.stdout)["steps"]]
    done = person.run("setup", "--yes")
    check(done.returncode == 0 and all(pathlib.Path(path).exists() for path in paths), "setup writes what it showed", done)
    written = tree(person.home)
    check(person.run("setup", "--yes").returncode == 0 and tree(person.home) == written, "again, it changes nothing")


def is_archived(person, gemini, check):
    """The hook started a sync; the list reads only the archive, so nothing else can bring the session there."""
    journal = next(gemini.chats().glob("session-*"))
    session = json.loads(journal.read_text().splitlines()[0])["sessionId"]
    start, seen = time.monotonic(), []
    while time.monotonic() - start < PATIENCE and session not in seen:
        time.sleep(0.2)
        listed = person.run("list", "--json", "--no-sync").stdout
        seen = [row["id"] for row in map(json.loads, listed.splitlines()) if row["archived"]]
    took = time.monotonic() - start
    check(session in seen, f"the session is in the archive and in the list, {took:.1f} s after the client ended", seen)


def is_visible(asked, check):
    declared = {tool["name"] for turn in asked.turns for each in turn.body["tools"]
                for tool in each.get("functionDeclarations", [])}
    wanted = {f"mcp_gemtrail_{name}" for name in ("search", "list_sessions", "read_session", "get_item", "origin", "stats")}
    check(wanted <= declared, "the model sees the tools without --yolo", sorted(declared))


def leaves_nothing(person, before, check):
    removed = person.run("setup", "--remove")
    after = tree(person.home)
    gone = {path for path in before if after.get(path) != before[path]}
    check(removed.returncode == 0 and not gone, "setup --remove restores every byte", f"{gone} {removed}")
    # What the client itself writes, and the archive with its index, which stay.
    of_others = ("tmp/", "history/", ".tmp", ".gemini/tmp", ".gemini/history", ".gemini/projects.json", ".gemini/installation_id",
                 ".gemini/state.json", ".gemini/trustedFolders.json", ".gemini/google_accounts.json", ".local/share/gemtrail/archive.db", ".local/share/gemtrail/archive.index.db",
                 ".gemini/gemini-credentials.json", ".npm", ".cache")
    kept = {".local", ".local/share", ".local/share/gemtrail"}
    left = {path for path in after if path not in before and not path.startswith(of_others) and path not in kept}
    check(not left, "and leaves nothing behind", left)


def tree(root):
    """Every file with its digest, every directory."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
    return found


class Person:
    """Somebody who runs gemtrail in the client's home directory."""

    def __init__(self, program, gemini):
        self.program, self.home, self.environment = program, gemini.home, gemini.environment()

    def run(self, *args):
        return subprocess.run([self.program, *args], capture_output=True, text=True, env=self.environment, cwd=self.home,
                              stdin=subprocess.DEVNULL, timeout=120)
