"""What gemtrail reads against what was typed and served: a row of the matrix."""
import json
import re
import subprocess
from collections import Counter

from raw import Files

ASPECTS = ("prompts", "texts", "calls", "tokens", "states")
OK, LESS, WRONG, OPEN = "✓", "–", "✗", "·"
# Clients take these out of a model's text, or put them in.
LOOSE = re.compile(r"[\s\u200b-\u200f\u2060\ufe0f\ufeff]")


def documents(program, *where):
    """Every session of a home or an archive."""
    def run(*args):
        ran = subprocess.run([program, *where, *args, "--json", "--quiet"], capture_output=True, text=True, timeout=120)
        if ran.returncode > 1:
            raise RuntimeError(f"{args}: {ran.stderr}")
        return ran.stdout
    rows = [json.loads(line) for line in run("list", "--kind", "all", "--all").splitlines()]
    return [json.loads(run("show", row["ref"])) for row in rows if row["kind"] == "main"]


def messages(found):
    for document in found:
        yield from document["messages"]
        yield from messages(document.get("subagents", []))


class Comparison:
    """The cells of one run; each is a mark and why."""

    def __init__(self, found, typed, served, dot_gemini, states):
        self.found, self.served, self.files, self.cells = found, served, Files(dot_gemini), {}
        self.said = list(messages(found))
        self.good = [answer for answer in served if not answer["fault"]]
        self.prompts(typed)
        self.texts()
        self.calls()
        self.tokens()
        self.states(states)

    def prompts(self, typed):
        read = [message["text"] for message in self.said if message["role"] == "human"]
        self.cell("prompts", typed, read, lambda text: self.files.has(text))

    def texts(self):
        sent = [answer["text"].strip() for answer in self.good if answer["text"]]
        read = [message["text"] for message in self.said if message["role"] == "assistant" and message["text"]]
        partial = [answer["text"].strip() for answer in self.served if answer["fault"]]
        read = [text for text in read if text not in partial]
        self.cell("texts", sent, read, lambda text: loose(text) in {loose(known) for known in self.files.texts})

    def calls(self):
        sent = [call for answer in self.good for call in answer["calls"] if call != "complete_task"]
        read = [call["name"] for message in self.said for call in message.get("tool_calls", [])]
        read = [call for call in read if call != "complete_task"]
        written = Counter(self.files.calls.values())
        self.cell("calls", sent, read, lambda call: written[call] > Counter(read)[call])
        statuses = {call["id"]: call["status"] for message in self.said for call in message.get("tool_calls", [])}
        other = {key: status for key, status in statuses.items() if key in self.files.statuses and status != self.files.statuses[key]}
        if other:
            self.cells["calls"] = (WRONG, f"another status than in the file: {other}")

    def tokens(self):
        """The answers of the conversation count. Those that were cut off, and those of agents, may be in the same file: some versions
        write them there and some do not."""
        total = lambda answers: sum(sum(answer["usage"][:3]) for answer in answers if answer["usage"])
        least, most = total(answer for answer in self.good if answer["kind"] == "main"), total(self.served)
        read = sum(document["tokens"]["total"] for document in self.found)
        own = {message["id"] for document in self.found for message in document["messages"]}
        written = sum(count or 0 for identity, count in self.files.tokens.items() if identity in own)
        if read == least or least < read <= most and read == written:
            mark, why = OK, ""
        elif read == written and read < least:
            mark, why = LESS, f"{least} were served, {written} are in the files"
        else:
            mark, why = WRONG, f"{least} to {most} served, {written} in the files, {read} read"
        self.cells["tokens"] = (mark, why)

    def states(self, wanted):
        gone = [message["text"][:40] for message in self.said
                if message["role"] in ("human", "assistant") and message["state"] != "current"]
        self.cells["states"] = (OPEN, "") if not wanted else (OK, "") if not gone else (WRONG, f"not current: {gone}")

    def cell(self, aspect, sent, read, was_written):
        spelled = {loose(each): each for each in [*read, *sent]}
        less = Counter(map(loose, sent)) - Counter(map(loose, read))
        more = Counter(map(loose, read)) - Counter(map(loose, sent))
        missing = [spelled[each] for each in less.elements()]
        lost = [each for each in missing if was_written(each)]
        if lost or more:
            too_many = [spelled[each] for each in more.elements()]
            self.cells[aspect] = (WRONG, f"missing: {listed(lost)}; too many: {listed(too_many)}")
        elif missing:
            self.cells[aspect] = (LESS, f"never written: {listed(missing)}")
        else:
            self.cells[aspect] = (OK, "")


def listed(texts):
    """A few of the texts, for people."""
    shown = ", ".join(f"“{text if len(text) <= 60 else text[:60] + '…'}”" for text in texts[:3])
    return shown + (f" and {len(texts) - 3} more" if len(texts) > 3 else "") if texts else "nothing"


def loose(text):
    return LOOSE.sub("", text)
