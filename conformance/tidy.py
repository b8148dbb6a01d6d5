"""`gemtrail tidy` takes nothing from a running client, and the client resumes what it took later.

A person talks with the client at the terminal. Meanwhile `tidy` is asked for everything, whatever its age. The session stays, and
the conversation goes on. Two hours later, as far as the files tell, it goes; after `gemtrail restore` the
client resumes it with everything that was said.
"""
import json
import os
import pathlib
import tempfile
import time

import terminal
from archive import Gemtrail
from gemini import Gemini
from stand_in import StandIn

FIRST, SECOND, THIRD = "Remember the word albatross.", "And the word cormorant.", "Which words were they?"
SCRIPT = {
    FIRST: [{"text": "Noted: albatross."}],
    SECOND: [{"text": "Noted: cormorant."}],
    THIRD: [{"text": "Albatross and cormorant."}],
}
EVERYTHING = ("tidy", "--older-than", "now", "--yes", "--json")


def scenario(version, program, check):
    if not terminal.is_here():
        print("·    tmux is missing: no conversation at the terminal")
        return
    with StandIn(SCRIPT) as api, Gemini(version, api) as gemini, tempfile.TemporaryDirectory() as own:
        gemtrail = Gemtrail(program, pathlib.Path(own), gemini)
        gemtrail.run("sync")
        with terminal.Terminal(gemini, SCRIPT) as client:
            client.say(FIRST)
            stays(gemini, gemtrail, check)
            client.say(SECOND)
            stays(gemini, gemtrail, check)
        session = goes(gemini, gemtrail, check)
        comes_back(gemini, gemtrail, session, check)


def files(gemini):
    return {path: path.read_bytes() for path in gemini.dot_gemini.joinpath("tmp").rglob("*") if path.is_file()}


def stays(gemini, gemtrail, check):
    before = files(gemini)
    journals = [path for path in before if path.name.startswith("session-")]
    tidied = gemtrail.run(*EVERYTHING)
    report = json.loads(tidied.stdout or "{}")
    check(journals and not report.get("sessions") and {left["why"] for left in report["left"]} == {"in-use"},
          "while the client runs, tidy leaves its session", tidied.stdout + tidied.stderr)
    after = files(gemini)
    lost = [path for path in before if path not in after or not after[path].startswith(before[path][:1])]
    check(not lost and all(path in after for path in journals), "and touches none of its files", lost)


def goes(gemini, gemtrail, check):
    then = time.time() - 2 * 60 * 60
    for path in gemini.dot_gemini.joinpath("tmp").rglob("*"):
        os.utime(path, (then, then))
    journal = next(gemini.chats().glob("session-*.jsonl"))
    session = json.loads(journal.read_text().splitlines()[0])["sessionId"]
    tidied = gemtrail.run(*EVERYTHING)
    report = json.loads(tidied.stdout or "{}")
    check([one["session"] for one in report.get("sessions", [])] == [session] and not journal.exists(),
          "two hours later it is removed", tidied.stdout + tidied.stderr)
    listed = gemini.run("--list-sessions")
    check(session not in listed.out, "the client does not list it any more", listed)
    return session


def comes_back(gemini, gemtrail, session, check):
    restored = gemtrail.run("restore", session, "--json")
    check(restored.returncode == 0, "restore puts it back", restored.stderr)
    resumed = gemini.run("--resume", session, "-p", THIRD)
    if check(resumed.code == 0 and resumed.turns, "the client resumes it", resumed):
        words = "\n".join(text for _, text in resumed.turns[-1].words)
        said = (FIRST, SECOND, "Noted: albatross.", "Noted: cormorant.")
        missing = [text for text in said if text not in words]
        check(not missing, "with all that was said", f"{missing} / {words}")
