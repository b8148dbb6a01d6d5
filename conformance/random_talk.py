"""Random conversations by seed: prompts, answers, tools, failures, kills, resumes and versions, in one home.

An archive is synced after every step. In the end it has everything that was ever on disk, and nothing that was neither typed nor
served. The same seed draws the same conversation.
"""
import pathlib
import random
import shutil
import subprocess
import tempfile

from compare import documents, loose, messages
from fixed import RESUMES, lay, number
from gemini import Gemini
from raw import Files
from scenarios import FILES
from stand_in import SNAPSHOT, SUMMARY, UNSCRIPTED, StandIn

WORDS = "alpha ledger cart tax river stone cloud winter copper violet engine paper signal harbour".split()
ODD = ["東京の天気は？", "עברית שלום", "e\u0301 vs é", "tab\tquote\"back\\slash/", "<b>html &amp; </script>", "`code` **bold**", "%s {} ${x}",
       "👩‍👩‍👧", "null undefined NaN", "System: Please continue.", "- **Workspace Directories:**"]
TOOLS = [("read_file", {"file": "{P}/notes.txt"}), ("read_file", {"file": "{P}/missing.txt"}), ("glob", {"pattern": "**/*"}),
         ("list_directory", {"dir": "{P}"}), ("grep", {"pattern": "TODO"}),
         ("run_shell_command", {"command": "echo out; exit 3", "description": "fail"}),
         ("write_file", {"file": "{P}/new.txt", "content": "hello\n"})]


class Talk:
    """What became of one conversation."""

    def __init__(self, seed, steps=(), problems=()):
        self.seed, self.steps, self.problems = seed, list(steps), list(problems)

    @property
    def versions(self):
        return {step.split()[0] for step in self.steps}

    def __str__(self):
        state = "ok" if not self.problems else "FAIL " + "; ".join(self.problems)[:600]
        return f"seed {self.seed}: {', '.join(self.steps)}: {state}"


def run(seed, versions, program, keep=None):
    """Has one conversation. A copy of home and archive goes to `keep` if anything is wrong."""
    rng, talk = random.Random(seed), Talk(seed)
    script = {}
    plan = [step(rng, at, versions, script) for at in range(rng.randint(2, 4))]
    with tempfile.TemporaryDirectory(prefix="gemtrail-random-", ignore_cleanup_errors=True) as own:
        own = pathlib.Path(own).resolve()
        project, home, store = own / "acme-shop", own / "home", own / "archive.db"
        lay(project, FILES)
        seen = Seen()
        with StandIn(script, project) as api:
            for version, prompt, resume, kill in plan:
                talk.steps.append(f"{version}{' resumed' if resume else ''}{' killed' if kill else ''}")
                with Gemini(version, api, home=home, project=project) as gemini:
                    args = ["--resume", "latest"] if resume else []
                    ran = gemini.run(*args, "--yolo", "-p", prompt, kill_at=kill, timeout=120)
                    # Nothing is wrong with that, but a conversation in which nothing is said proves little.
                    if ran.timed_out:
                        talk.steps[-1] += " timed out"
                    seen.look(gemini.dot_gemini)
                    sync(program, gemini.dot_gemini, store, talk)
            judge(talk, seen, plan, api.served, documents(program, "--archive", str(store), "--no-sync", "--home", str(gemini.dot_gemini)))
        if keep and talk.problems:
            place = pathlib.Path(keep) / f"seed-{seed}"
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(own, place, symlinks=True)
    print(talk, flush=True)
    return talk


def step(rng, at, versions, script):
    """One start of the client: version, prompt, whether it resumes, when it is killed."""
    version = rng.choice(versions)
    # The number makes each prompt the only one of its kind.
    prompt = f"{' '.join(rng.sample(WORDS, rng.randint(2, 6)))} {rng.choice(ODD)} no. {at} please"
    answers = []
    for turn in range(rng.randint(1, 4)):
        text = f"{' '.join(rng.sample(WORDS, rng.randint(1, 8)))} {rng.choice(ODD)} answer {at}.{turn}"
        usage = (rng.randint(50, 9000), rng.randint(1, 400), rng.choice([0, 30]), rng.choice([0, 40]))
        answer = {"text": text, "usage": usage, "fail": rng.choice([[], [], [], [429], [503], ["cut"], ["empty"]])}
        if rng.random() < 0.4:
            answer["thoughts"] = [f"**{rng.choice(WORDS)}**\nthinking"]
        answers.append(answer)
    for answer in answers[:-1]:
        answer["calls"] = rng.sample(TOOLS, rng.randint(1, 3))
    script[prompt] = answers
    resume = at > 0 and number(version) >= RESUMES and rng.random() < 0.5
    return version, prompt, resume, rng.choice([None, None, None, 1, 2])


class Seen:
    """Everything that was ever on disk, looked at after every step."""

    def __init__(self):
        self.texts, self.calls = set(), set()

    def look(self, dot_gemini):
        files = Files(dot_gemini)
        self.texts |= {text for text in files.texts if text}
        self.calls |= set(files.calls)


def sync(program, home, store, talk):
    command = [program, "--archive", str(store), "--home", str(home), "sync", "--quiet"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if ran.returncode:
        talk.problems.append(f"sync: {ran.stderr.strip()}")


def judge(talk, seen, plan, served, found):
    said = list(messages(found))
    everything = [loose(message["text"]) for message in said]
    everything += [loose(str(message.get("content"))) for message in said]
    everything = "\n".join(everything)
    calls = {call["id"] for message in said for call in message.get("tool_calls", [])}
    lost = [text[:80] for text in seen.texts if loose(text)[:400] not in everything and loose(repr(text))[1:400] not in everything]
    if lost:
        talk.problems.append(f"not in the archive: {lost[:3]}")
    if seen.calls - calls:
        talk.problems.append(f"calls not in the archive: {sorted(seen.calls - calls)[:3]}")
    typed = {loose(prompt) for _, prompt, _, _ in plan}
    invented = [message["text"][:80] for message in said if message["role"] == "human" and loose(message["text"]) not in typed]
    known = {loose(answer["text"]) for answer in served} | {loose(text) for text in (SNAPSHOT, SUMMARY, UNSCRIPTED, "")}
    invented += [message["text"][:80] for message in said
                 if message["role"] == "assistant" and loose(message["text"]) not in known]
    if invented:
        talk.problems.append(f"neither typed nor served: {invented[:3]}")
    doubled = {text for text in typed if sum(1 for message in said if message["role"] == "human" and loose(message["text"]) == text) > 1}
    if doubled:
        talk.problems.append(f"twice: {sorted(doubled)[:3]}")
