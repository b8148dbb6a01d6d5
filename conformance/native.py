"""The real client takes what `native` writes: it lists the file and resumes it, with all that was said."""
import json
import subprocess

from gemini import ROOT, Gemini
from stand_in import StandIn

QUESTION = "What did we talk about before?"
SCRIPT = {
    QUESTION: [{"text": "About the shop."}],
    "Read the notes.": [
        {"thoughts": ["**Reading**\nThey are short."], "text": "I look at them.",
         "calls": [("read_file", {"file_path": "notes.txt"})], "usage": (1000, 12, 7, 400)},
        {"text": "The notes have one line.", "usage": (1100, 8, 0, 900)},
    ],
}
RECORDED = ROOT / "fixtures" / "recorded"
# One of each generation of files, and those whose lines are not simply what was said.
SOURCES = [
    "0.11.3/tools", "0.26.0/tui_chat", "0.26.0/unicode", "0.36.0/atfile", "0.41.2/image", "0.41.2/tui_rewind",
    "0.51.0/tui_compress_twice", "0.61.0/tools", "0.61.0/tui_error_rollback",
]
CHECKPOINT = RECORDED / "0.61.0/tui_chat/.gemini/tmp/acme-shop/checkpoint-demo-tag.json"
# The last eight characters are not the start of an id: the client, which removes what a resume leaves behind by these
# eight, lets the file be.
NAME = "session-2026-01-02T03-04-5e55104e.jsonl"


def scenario(version, program, check):
    with StandIn(SCRIPT) as api:
        recorded = {source: journal_of(source) for source in SOURCES}
        for name, source in {**recorded, "a checkpoint": CHECKPOINT}.items():
            with Gemini(version, api) as gemini:
                # The recordings grow older than the client keeps sessions.
                gemini.change_settings({"general": {"sessionRetention": {"enabled": False}}})
                takes(gemini, program, source, name, check)
        fresh(version, api, program, check)


def fresh(version, api, program, check):
    """A session of this very version, taken to another home that has the client's own settings."""
    with Gemini(version, api) as first, Gemini(version, api) as second:
        (first.project / "notes.txt").write_text("one line\n")
        asked = first.run("--yolo", "-p", "Read the notes.")
        check(asked.code == 0, "a fresh session: recorded", asked)
        takes(second, program, next(first.chats().glob("session-*")), "a fresh session", check)
        again = second.run("--list-sessions")
        check((second.chats() / NAME).exists(), "a fresh session: the file is still there after a resume", again)


def journal_of(source):
    return max(file for file in (RECORDED / source).glob(".gemini/tmp/*/chats/session-*"))


def takes(gemini, program, source, name, check):
    """Puts the file where the client looks, and asks the client."""
    written = convert(program, source, "native")
    session = json.loads(convert(program, source, "json"))
    (gemini.chats() / NAME).write_bytes(written)
    identity = json.loads(written.splitlines()[0])["sessionId"]

    listed = gemini.run("--list-sessions")
    check(f"[{identity}]" in listed.out, f"{name}: listed", listed)
    resumed = gemini.run("--resume", identity, "-p", QUESTION)
    if check(resumed.code == 0 and resumed.turns, f"{name}: resumed", resumed):
        compare(session["messages"], resumed.turns[-1], name, check)


def compare(messages, told, name, check):
    """What the model is told on resume against what the session holds."""
    everything = "\n".join(text for _, text in told.words)
    current = [message for message in messages if message["state"] == "current"]
    said = [message["text"] for message in current if message["role"] in ("human", "assistant")]
    said = [text for text in said if text and not text.startswith(("/", "?"))]
    missing = [text for text in said if text not in everything]
    check(said and not missing, f"{name}: all {len(said)} texts are sent to the model", f"{missing} / {told.words}")
    places = [everything.rfind(text) for text in said]
    check(places == sorted(places), f"{name}: in order", told.words)

    withdrawn = [message["text"] for message in messages if message.get("superseded_by") in ("rewind", "rollback")]
    back = [text for text in withdrawn if text and text not in said and text in everything]
    check(not back, f"{name}: none of the {len(withdrawn)} that were withdrawn", back)

    # The client keeps ids of its own in the file and sends the model those that the model gave.
    calls = [call for message in current for call in message.get("tool_calls", [])]
    wanted = sorted(call["id"].removeprefix(f"{call['name']}__") for call in calls)
    for part in ("functionCall", "functionResponse"):
        sent = sorted(each[part].get("id") for each in told.parts if part in each)
        check(sent == wanted, f"{name}: each {part} once, {len(calls)} of them", f"{sent} / {wanted}")


def convert(program, source, form):
    command = [program, "convert", str(source), "--to", form, "--quiet"]
    return subprocess.run(command, check=True, capture_output=True).stdout
