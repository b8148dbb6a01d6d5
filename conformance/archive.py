"""The archive keeps what the real client deletes, and the client takes it back.

A session is created, resumed in a later minute, and deleted by the client itself at its next start, while
`gemtrail sync --watch` runs. Then everything is in the archive; after `gemtrail restore` the client lists the session,
resumes it with everything that was said, and leaves it alone from then on.
"""
import json
import pathlib
import signal
import subprocess
import tempfile
import threading

from gemini import Gemini
from stand_in import StandIn

FIRST, SECOND, THIRD, FOURTH = ("Remember the word albatross.", "And the word cormorant.", "Which words were they?",
                                "Any other bird?")
SCRIPT = {
    FIRST: [{"text": "Noted: albatross.", "calls": [("read_file", {"file_path": "birds.txt"})]},
            {"text": "The file has a gull."}],
    SECOND: [{"text": "Noted: cormorant."}],
    THIRD: [{"text": "Albatross and cormorant."}],
    FOURTH: [{"text": "The gull in the file."}],
}
ANSWERS = ["Noted: albatross.", "The file has a gull.", "Noted: cormorant."]
# How long a busy machine may take to start or end a program, in seconds.
PATIENCE = 60


def scenario(version, program, check):
    with StandIn(SCRIPT) as api, Gemini(version, api) as gemini, tempfile.TemporaryDirectory() as own:
        (gemini.project / "birds.txt").write_text("a gull\n")
        gemtrail = Gemtrail(program, pathlib.Path(own), gemini)
        with gemtrail.watching():
            session, journal = lose(gemini, check)
        keeps(gemtrail, session, journal, check)
        comes_back(gemini, gemtrail, session, check)
        is_resumed_by_gemtrail(gemini, gemtrail, session, check)


def lose(gemini, check):
    """Makes the client delete a session that was resumed in a later minute; its id and its file."""
    # Files are named by the minute; a resume in the same one would go into the same file.
    asked = gemini.run("--yolo", "-p", FIRST, ago=90)
    check(asked.code == 0, "a session is created", asked)
    journal = next(gemini.chats().glob("session-*.jsonl"))
    session = json.loads(journal.read_text().splitlines()[0])["sessionId"]
    resumed = gemini.run("--resume", session, "-p", SECOND)
    check(resumed.code == 0, "it is resumed in a later minute", resumed)
    check(len(list(gemini.chats().glob("session-*.jsonl"))) == 2, "the resume leaves a second file",
          list(gemini.chats().iterdir()))
    started = gemini.run("--list-sessions")
    check(not journal.exists() and session not in started.out, "the next start deletes it", started)
    return session, journal


def keeps(gemtrail, session, journal, check):
    document = json.loads(gemtrail.run("show", session, "--json").stdout)
    said = [(message["role"], message["text"]) for message in document["messages"] if message["state"] == "current"]
    wanted = [("human", FIRST), *(("assistant", text) for text in ANSWERS[:2]), ("human", SECOND),
              ("assistant", ANSWERS[2])]
    check([one for one in said if one[0] in ("human", "assistant")] == wanted, "the archive has all that was said", said)
    calls = [call for message in document["messages"] for call in message.get("tool_calls", [])]
    check(len(calls) == 1 and "a gull" in calls[0]["output"], "and what the tool answered", calls)
    row = json.loads(gemtrail.run("list", "--json").stdout.splitlines()[0])
    paths = [each["path"] for each in row["journals"]]
    check(row["id"] == session and row["archived"] and str(journal) in paths, "it lists the file that is gone", row)


def comes_back(gemini, gemtrail, session, check):
    restored = gemtrail.run("restore", session, "--json")
    if not check(restored.returncode == 0, "restore puts it back", restored.stderr):
        return
    report = json.loads(restored.stdout)
    check(report["command"].endswith(f"gemini --resume {session}") and str(gemini.project) in report["command"],
          "and says how to resume it", report)
    file = pathlib.Path(report["files"][0]["path"])
    listed = gemini.run("--list-sessions")
    check(f"[{session}]" in listed.out, "the client lists it", listed)
    goes_on(gemini.run("--resume", session, "-p", THIRD), "the client resumes it", check)
    for start in ("first", "second", "third"):
        again = gemini.run("--list-sessions")
        check(file.exists() and f"[{session}]" in again.out, f"it is there after the {start} start", again)
    again = gemtrail.run("restore", session, "--json")
    check(json.loads(again.stdout)["already_listed"], "restore says that there is nothing to do", again.stdout)


def goes_on(resumed, what, check):
    if not check(resumed.code == 0 and resumed.turns, what, resumed):
        return
    told = resumed.turns[-1]
    everything = "\n".join(text for _, text in told.words)
    missing = [text for text in (FIRST, SECOND, *ANSWERS) if text not in everything]
    check(not missing, f"{what} with all that was said", f"{missing} / {told.words}")
    answers = [part for part in told.parts if "functionResponse" in part]
    check(len(answers) == 1, f"{what} with one answer of the tool", answers)


def is_resumed_by_gemtrail(gemini, gemtrail, session, check):
    """`resume` runs the client in the project's directory, from anywhere, after putting the session back."""
    for file in gemini.chats().glob("session-*"):
        file.unlink()
    before = len(gemini.api.requests)
    script = gemtrail.own / "gemini"
    script.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in gemini.start) + ' "$@"\n')
    script.chmod(0o755)
    resumed = gemtrail.run("resume", session, "--", "-p", FOURTH, GEMTRAIL_GEMINI=str(script))
    turns = [request for request in gemini.api.requests[before:] if request.is_turn]
    words = "\n".join(text for _, text in turns[-1].words) if turns else ""
    check(resumed.returncode == 0 and "The gull in the file." in resumed.stdout, "gemtrail resume runs the client",
          f"{resumed.stdout}\n{resumed.stderr}")
    check(FIRST in words and SECOND in words, "with all that was said", words)


class Gemtrail:
    """The program with an archive of its own."""

    def __init__(self, program, own, gemini):
        self.program, self.own, self.gemini, self.lines = program, own, gemini, []
        self.archive = own / "archive.db"

    def environment(self, **more):
        return {**self.gemini.environment(), "GEMTRAIL_ARCHIVE": str(self.archive),
                "GEMTRAIL_DATA_DIR": str(self.own / "data"), **more}

    def run(self, *args, **more):
        # Anywhere but in the project: nothing is to be learned from the directory.
        return subprocess.run([self.program, *args], capture_output=True, text=True, env=self.environment(**more),
                              cwd=self.own, stdin=subprocess.DEVNULL, timeout=300)

    def watching(self):
        return Watching(self)


class Watching:
    """`sync --watch`, for as long as a `with` block lasts."""

    def __init__(self, gemtrail):
        self.gemtrail = gemtrail

    def __enter__(self):
        command = [self.gemtrail.program, "sync", "--watch"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env=self.gemtrail.environment(), cwd=self.gemtrail.own)
        ready = threading.Event()

        def read():
            for line in self.process.stdout:
                self.gemtrail.lines.append(line)
                if line.startswith("Watching "):
                    ready.set()

        threading.Thread(target=read, daemon=True).start()
        if not ready.wait(PATIENCE):
            raise RuntimeError(f"sync --watch does not start: {self.gemtrail.lines}")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(PATIENCE) != 0:
            raise RuntimeError(f"sync --watch ended with {self.process.returncode}: {self.gemtrail.lines}")
