#!/usr/bin/env python3
"""Did an engine of Antigravity change the numbers of fields that conversations are stored with?

    conformance/antigravity_fields.py [KNOWN [NEW]]      (0.1.22 and the newest on PyPI)

Every engine carries the descriptors of its messages. A number that has another name or type in NEW than in KNOWN would be read wrongly: the exit code is 1.
New and gone numbers are listed; new ones are kept as they are until somebody looks at them.
"""
import re
import subprocess
import sys

from antigravity import engine

FILES = ("cortex_pb/cortex.proto", "gemini_coder/proto/trajectory.proto", "codeium_common_pb/codeium_common.proto", "diff_action_pb/diff_action.proto")


def number(data, at):
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value, shift = value | (byte & 127) << shift, shift + 7
        if byte < 128 or shift > 63:
            return value, at


def records(data):
    """Number, value and end of each field, up to the first that is none of a descriptor."""
    at = 0
    while at < len(data):
        try:
            key, at = number(data, at)
            value, at = number(data, at)
        except IndexError:
            return
        if key & 7 == 2 and at + value <= len(data):
            value, at = data[at:at + value], at + value
        elif key & 7:
            return
        yield key >> 3, value, at


def descriptors(program):
    """The descriptors of the files with stored messages, as far as they reach."""
    found = {}
    for match in re.finditer(rb"[A-Za-z0-9_./]{3,120}\.proto", program):
        for start in range(match.start(), match.start() + 4):
            length, name = match.end() - start, program[start:match.end()].decode()
            if length < 128 and program[start - 2:start] == bytes([10, length]) and name.endswith(FILES):
                rest, end, seen = program[start - 2:start + (1 << 21)], 0, 0
                for kind, _, at in records(rest):
                    if kind > 15 or (kind == 1 and seen):
                        break
                    seen, end = seen + 1, at
                if end > len(found.get(name, b"")):
                    found[name] = rest[:end]
    return found.values()


def table(program):
    """Message or enum and number: name and type."""
    facts = {}
    text = lambda value: value.decode(errors="replace")

    def message(data, prefix):
        parts = [(kind, value) for kind, value, _ in records(data)]
        name = prefix + next(text(value) for kind, value in parts if kind == 1)
        for kind, value in parts:
            if kind == 2:
                field = {kind: value for kind, value, _ in records(value)}
                typed = text(field[6]).split(".")[-1] if 6 in field else field.get(5)
                facts[name, field[3]] = (text(field[1]), typed, field.get(4) == 3)
            elif kind == 3:
                message(value, name + ".")
            elif kind == 4:
                enum(value, name + ".")

    def enum(data, prefix):
        parts = [(kind, value) for kind, value, _ in records(data)]
        name = prefix + next(text(value) for kind, value in parts if kind == 1)
        for kind, value in parts:
            if kind == 2:
                field = {kind: value for kind, value, _ in records(value)}
                facts[name, field.get(2, 0)] = (text(field[1]),)

    for data in descriptors(program):
        for kind, value, _ in records(data):
            if kind == 4:
                message(value, "")
            elif kind == 5:
                enum(value, "")
    return stored(facts)


def stored(facts):
    """The numbers of what conversations hold, without configuration."""
    by_name = {}
    for (name, number), fact in facts.items():
        by_name.setdefault(name.split(".")[-1], []).append(((name, number), fact))
    found, ahead = {}, ["Step", "CortexStepGeneratorMetadata", "ExecutorMetadata", "CortexTrajectoryMetadata", "CortexTrajectoryReference", "Trajectory"]
    seen = set(ahead)
    while ahead:
        for key, fact in by_name.get(ahead.pop(), []):
            found[key] = fact
            typed = fact[1] if len(fact) > 1 else None
            if isinstance(typed, str) and typed not in seen and not typed.endswith(("Config", "AgentSpec")):
                seen.add(typed)
                ahead.append(typed)
    return found


def newest():
    listed = subprocess.run([sys.executable, "-m", "pip", "index", "versions", "google-antigravity"], capture_output=True, text=True).stdout
    versions = re.search(r"Available versions: (\S+?)(,|$)", listed, re.M)
    return versions and versions[1]


def main():
    known, new = (sys.argv[1:] + ["0.1.22", None])[:2] if len(sys.argv) < 3 else sys.argv[1:3]
    new = new or newest()
    places = [new and engine(version) for version in (known, new)]
    if None in places:
        print("PyPI cannot be reached: nothing to compare")
        return 0
    old, now = (table(place.read_bytes()) for place in places)
    changed = [f"changed {key}: {old[key]} is {now[key]}" for key in old if key in now and old[key] != now[key]]
    print(*changed, *(f"gone {key}: {old[key]}" for key in old if key not in now), *(f"new {key}: {now[key]}" for key in now if key not in old), sep="\n")
    print(f"{known} and {new}: {len(old)} and {len(now)} numbers, {len(changed)} changed")
    return 1 if changed or not old else 0


if __name__ == "__main__":
    sys.exit(main())
