#!/usr/bin/env python3
"""Damages an archive that is the only place its sessions are in, and looks what that costs.

    tests/torture/damage.py [--pages N] [--sectors N] [--zeroed N] [--seed S] [--sessions N] [--bin PATH]

Half a page, a sector of the file, or a whole page that is set to zeros, one at a time. A session may be lost only if
one of the damaged bytes is of its own contents. `archive verify` must notice everything, and what
`archive repair` makes must pass it.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A file that only grew has one content: its earlier states are the beginning of that.
VERSIONS = """SELECT file.path, content.hash, max(version.bytes) FROM version
  JOIN file ON file.id = version.file JOIN content ON content.id = version.content GROUP BY 1, 2"""


def latest(connection):
    return set(connection.execute(VERSIONS))


def varint(data, at):
    value = 0
    for count in range(1, 9):
        byte = data[at]
        value, at = value << 7 | byte & 0x7F, at + 1
        if byte < 0x80:
            return value, at
    return value << 8 | data[at], at + 1


class Database:
    """An archive without log: its bytes, and which rows are where."""

    def __init__(self, path):
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.versions = latest(connection)
        self.tables = dict(connection.execute("SELECT pageno, name FROM dbstat"))
        chunks = dict(connection.execute("SELECT id, chunks FROM content"))
        owners = connection.execute("SELECT content, file.path FROM version JOIN file ON file.id = version.file")
        # The paths whose contents are in a row.
        self.owners = collections.defaultdict(set)
        for content, path_of in owners:
            self.owners["content", content].add(path_of)
            listed = chunks[content]
            for at in range(0, len(listed), 8):
                self.owners["chunk", int.from_bytes(listed[at : at + 8], "little")].add(path_of)
        connection.close()
        self.bytes = pathlib.Path(path).read_bytes()
        self.size = int.from_bytes(self.bytes[16:18], "big")
        self.count = len(self.bytes) // self.size
        # Where rows are, as (start, end, table, id); the head of a page belongs to all rows on it.
        self.rows = []
        for page, table in self.tables.items():
            if table in ("chunk", "content"):
                self.read(page, table)

    def read(self, page, table):
        start = (page - 1) * self.size
        data = self.bytes[start : start + self.size]
        if data[0] != 13:
            return
        cells = int.from_bytes(data[3:5], "big")
        for index in range(cells):
            at = int.from_bytes(data[8 + 2 * index : 10 + 2 * index], "big")
            length, after = varint(data, at)
            row, after = varint(data, after)
            most = self.size - 35
            local = length
            if length > most:
                least = (self.size - 12) * 32 // 255 - 23
                local = least + (length - least) % (self.size - 4)
                local = least if local > most else local
            end = after + local + (4 if length > local else 0)
            self.rows += [(start, start + 8 + 2 * cells, table, row), (start + at, start + end, table, row)]
            left = length - local
            following = int.from_bytes(data[end - 4 : end], "big") if left else 0
            while left:
                begin = (following - 1) * self.size
                here = min(left, self.size - 4)
                self.rows.append((begin, begin + 4 + here, table, row))
                following, left = int.from_bytes(self.bytes[begin : begin + 4], "big"), left - here

    def hit(self, start, end):
        """The paths of files with contents among these bytes."""
        rows = [(table, row) for first, last, table, row in self.rows if first < end and start < last]
        return set().union(*(self.owners[row] for row in rows)) if rows else set()


class Torture:
    def __init__(self, binary, seed, work):
        self.binary, self.random, self.work = binary, random.Random(seed), work
        self.home, self.archive = work / ".gemini", work / "archive.db"
        self.env = dict(os.environ, HOME=str(work), GEMTRAIL_DATA_DIR=str(work / "data"), NO_COLOR="1")
        self.counts, self.faults = collections.Counter(), []

    def run(self, *arguments):
        command = [self.binary, "--home", str(self.home), "--archive", str(self.archive), *arguments]
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=300)

    def words(self, count):
        return " ".join("%x" % self.random.getrandbits(32) for _ in range(count))

    def write(self, sessions):
        """Sessions of a few kilobytes to a few megabytes; every tenth grows once more."""
        grown = []
        for number in range(sessions):
            text = "%08x-aaaa-4bbb-8ccc-0123456789ab" % (number + 1)
            root = f"/w/p{number % 7}"
            project = self.home / "tmp" / hashlib.sha256(root.encode()).hexdigest() / "chats"
            project.mkdir(parents=True, exist_ok=True)
            head = {"sessionId": text, "projectHash": project.parent.name, "startTime": "2026-06-01T10:00:00.000Z"}
            size = 100_000 if number == 0 else 20_000 if number % 50 == 1 else self.random.choice([60, 100, 200, 800])
            said = {"id": "m", "timestamp": "2026-06-01T10:00:00.000Z", "type": "user", "content": self.words(size)}
            path = project / f"session-2026-06-01T10-00-{text[:8]}.jsonl"
            path.write_text(json.dumps(head) + "\n" + json.dumps(said) + "\n")
            if number % 10 == 3:
                grown.append((path, dict(said, id="n", content=self.words(100))))
        assert self.run("sync").returncode == 0
        for path, said in grown:
            with path.open("a") as out:
                out.write(json.dumps(said) + "\n")
        assert self.run("sync").returncode == 0
        shutil.rmtree(self.home)
        (self.home / "tmp").mkdir(parents=True)
        assert self.run("sync").returncode == 0

    def damage(self, what, start, end, whole, index):
        data = bytearray(whole.bytes)
        for at in range(start, end):
            data[at] = 0 if what == "zeroed" else data[at] ^ self.random.randrange(1, 256)
        for path in self.work.glob("archive*"):
            path.unlink()
        self.archive.write_bytes(data)
        (self.work / "archive.index.db").write_bytes(index)
        if bytes(data) == whole.bytes:
            return
        table = whole.tables.get(start // whole.size + 1, "free")
        case = f"{what} {start}..{end} ({table})"
        self.counts[f"{what}: {table}"] += 1
        told = self.run("archive", "verify")
        read = self.run("--no-sync", "list", "--json")
        for done in (told, read):
            if done.returncode not in (0, 1, 2) or "panicked" in done.stderr:
                self.faults.append(f"{case}: exit {done.returncode} {done.stderr[-300:]}")
        mended = self.run("archive", "repair")
        there = set()
        if mended.returncode > 1 or "panicked" in mended.stderr:
            self.faults.append(f"{case}: repair exits {mended.returncode}: {mended.stderr[-300:]}")
        else:
            connection = sqlite3.connect(self.archive)
            there = latest(connection)
            connection.close()
            again = self.run("archive", "verify")
            if again.returncode:
                self.faults.append(f"{case}: not whole after repair: {again.stdout[-300:]} {again.stderr[-300:]}")
        missing = {path for path, _, _ in (whole.versions - there)}
        if there - whole.versions and not missing:
            self.faults.append(f"{case}: versions that nobody wrote")
        lost = missing - whole.hit(start, end)
        if lost:
            self.faults.append(f"{case}: costs {len(lost)} sessions whose bytes are whole")
        if missing and told.returncode == 0:
            self.faults.append(f"{case}: costs {len(missing)} sessions, and verify does not tell")
        self.counts["sessions lost"] += len(missing)
        self.counts["most at once"] = max(self.counts["most at once"], len(missing))
        self.counts["told" if told.returncode else "not told, nothing lost"] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=500, help="half pages that are overwritten")
    parser.add_argument("--sectors", type=int, default=500, help="sectors of 512 bytes that are overwritten")
    parser.add_argument("--zeroed", type=int, default=0, help="pages that are set to zero; -1: each in turn")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", default=str(ROOT / "target/release/gemtrail"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gemtrail-damage-") as work:
        torture = Torture(os.path.abspath(given.bin), given.seed, pathlib.Path(work))
        torture.write(given.sessions)
        whole, index = Database(torture.archive), (torture.work / "archive.index.db").read_bytes()
        print(f"{given.sessions} sessions, {whole.count} pages", flush=True)
        half = whole.size // 2
        cases = [("half page", half) for _ in range(given.pages)] + [("sector", 512) for _ in range(given.sectors)]
        for what, length in cases:
            start = torture.random.randrange(len(whole.bytes) // length) * length
            torture.damage(what, start, start + length, whole, index)
        pages = list(range(1, whole.count + 1))
        if given.zeroed >= 0:
            pages = torture.random.sample(pages, min(given.zeroed, len(pages)))
        for page in pages:
            torture.damage("zeroed", (page - 1) * whole.size, page * whole.size, whole, index)
        for what, count in sorted(torture.counts.items()):
            print(f"{count:7} {what}")
        for fault in torture.faults:
            print(fault)
        sys.exit(1 if torture.faults else 0)


if __name__ == "__main__":
    main()
