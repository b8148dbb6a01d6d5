"""What a version writes that gemtrail does not know: record kinds, fields, statuses, tools, kinds of parts.

The reader keeps what it does not know, and `doctor` names it.
"""
import json
import subprocess

import terminal
from fixed import ALL, Played
from gemini import PACKAGE, Unreachable

# What a version might write next week, and what it is called.
CALL = {"id": "c1", "name": "paint_picture", "args": {}, "status": "dreaming", "timestamp": "2026-06-01T10:30:00.000Z",
        "result": [{"functionResponse": {"id": "c1", "name": "paint_picture", "response": {"output": "x"}}}]}
NEWS = [{"id": "new-1", "timestamp": "2026-06-01T10:30:00.000Z", "type": "gemini", "model": "m", "mood": "good",
         "content": [{"text": "see"}, {"hologram": {"data": "x"}}], "toolCalls": [CALL]},
        {"$dream": {"deep": True}}]
NAMES = {"record $dream", "field mood", "status dreaming", "tool paint_picture", "part hologram"}


def latest(program, names):
    """Runs these scenarios with the newest version on npm and tells what is new; 1 if anything is."""
    version = newest()
    print(f"the newest version is {version}")
    news = set()
    for name in names:
        if "act" in ALL[name] and not terminal.is_here():
            continue
        with Played(version, name) as played:
            if played.stuck:
                news.add(f"screen in {name}: {played.stuck}")
            news |= unknown(program, played.dot_gemini)
    for what in sorted(news):
        print(f"unknown {what}")
    print(f"{len(news)} things are new" if news else "nothing is new")
    return 1 if news else 0


def scenario(version, program, check):
    """Something new of each kind in a session of this version: each is named."""
    with Played(version, "tools") as played:
        before = unknown(program, played.dot_gemini)
        journal = next(played.dot_gemini.glob("tmp/*/chats/session-*.jsonl"))
        with journal.open("a") as lines:
            lines.writelines(json.dumps(each) + "\n" for each in NEWS)
        found = unknown(program, played.dot_gemini) - before
        check(found == NAMES, "a record, a field, a status, a tool and a part that are new are named", found ^ NAMES)
        told = subprocess.run([program, "--home", str(played.dot_gemini), "doctor"], capture_output=True, text=True, timeout=120).stdout
        missing = [name for name in NAMES if name not in told]
        check(not missing, "for people, too", missing)


def newest():
    viewed = subprocess.run(["npm", "view", PACKAGE, "dist-tags.latest", "--fetch-retries=1"], capture_output=True, text=True, timeout=120)
    if viewed.returncode:
        raise Unreachable(viewed.stderr.strip())
    return viewed.stdout.strip().splitlines()[-1]


def unknown(program, home):
    """Everything in the sessions of a home that gemtrail has no word for: `doctor` knows."""
    ran = subprocess.run([program, "--home", str(home), "doctor", "--json"], capture_output=True, text=True, timeout=120)
    return {f"{each['kind']} {each['name']}" for each in json.loads(ran.stdout)["unknown"]}
