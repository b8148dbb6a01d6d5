#!/usr/bin/env python3
"""Kills gemtrail while it writes the archive, and looks whether anything is lost or damaged.

    tests/torture/kill.py [--kills N] [--seed S] [--bin PATH]

A generated home changes all the time: sessions grow, are rewritten, appear, and are deleted once
they are stored. `sync`, `sync --rebuild`, `archive forget` and `archive import` (of another machine's
archive, which grows as well) are killed (SIGKILL) after a random time.
In the end of each round one more run must make the archive equal to one that nobody ever killed:
the same list, the same documents, the same hits. `archive verify` and SQLite's own check must pass.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUND = 10
QUERIES = ["test", "zqxneedletool", "zqxneedlerewound", "error -test", '"one more"']


class Torture:
    def __init__(self, binary, seed, work):
        self.binary, self.random, self.work = binary, random.Random(seed), work
        self.home = work / "corpus" / "home"
        self.killed, self.whole = work / "killed.db", work / "whole.db"
        self.other, self.other_home = work / "other.db", work / "other" / "home"
        self.counts = collections.Counter()
        self.number = 0
        # Surroundings of its own: nothing of the person's is read or written.
        self.env = dict(os.environ, HOME=str(work), GEMTRAIL_DATA_DIR=str(work / "data"), NO_COLOR="1")

    def command(self, archive, *arguments):
        return [self.binary, "--home", str(self.home), "--archive", str(archive), *map(str, arguments)]

    def run(self, archive, *arguments, allowed=(0,)):
        done = subprocess.run(self.command(archive, *arguments), env=self.env, capture_output=True, text=True)
        if done.returncode not in allowed:
            sys.exit(f"exit {done.returncode} of {arguments}: {done.stderr}")
        return done.stdout

    def kill(self, seconds, *arguments):
        """Starts a command and kills it after so many seconds, unless it is quicker."""
        child = subprocess.Popen(
            self.command(self.killed, *arguments), env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            child.wait(timeout=seconds)
            self.counts["too late"] += 1
            return False
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.counts["killed: " + " ".join(arguments[:2])] += 1
            return True

    def journals(self, ending):
        return sorted(self.home.rglob(f"chats/session-*{ending}"))

    def change(self):
        """Lets some sessions grow, writes one anew, adds one. Nothing that was said goes away."""
        line = '{{"id":"torture-{0}","timestamp":"2026-11-15T10:00:00.000Z","type":"user","content":[{{"text":"one more {0}"}}]}}\n'
        for journal in self.random.sample(self.journals(".jsonl"), 3):
            self.number += 1
            with journal.open("a") as out:
                out.write(line.format(self.number))
            self.counts["appended"] += 1
        journal = self.random.choice(self.journals(".json"))
        session = json.loads(journal.read_text())
        self.number += 1
        session["messages"].append(
            {"id": f"torture-{self.number}", "timestamp": "2026-11-15T10:00:00.000Z", "type": "user",
             "content": f"one more {self.number}"}
        )
        journal.write_text(json.dumps(session, indent=2))
        self.counts["rewritten"] += 1
        self.number += 1
        made = f"{self.number:08x}-0000-4000-8000-000000000000"
        model = self.random.choice(self.journals(".jsonl"))
        old = json.loads(model.open().readline())["sessionId"]
        copy = model.with_name(f"session-2026-11-15T10-00-{made[:8]}.jsonl")
        copy.write_text(model.read_text().replace(old, made))
        self.counts["added"] += 1

    def delete(self):
        """Deletes a session that both archives have."""
        journal = self.random.choice(self.journals(".jsonl"))
        journal.unlink()
        self.counts["deleted"] += 1

    def forget(self, seconds):
        """Forgets a session, killed on the way, then once more to the end."""
        rows = [json.loads(line) for line in self.run(self.whole, "list", "--json", "--no-sync").splitlines()]
        session = self.random.choice([row for row in rows if row["kind"] == "main"])["id"]
        was_killed = self.kill(seconds, "archive", "forget", session, "--yes")
        self.run(self.killed, "archive", "forget", session, "--yes", allowed=(0, 1))
        self.run(self.whole, "archive", "forget", session, "--yes")
        self.counts["forgotten"] += 1
        return was_killed

    def sync_other(self):
        """The other machine archives what its people do, one session more each time."""
        self.number += 1
        made = f"{self.number:08x}-1111-4000-8000-000000000000"
        model = self.random.choice(sorted(self.other_home.rglob("chats/session-*.jsonl")))
        old = json.loads(model.open().readline())["sessionId"]
        copy = model.with_name(f"session-2026-11-15T10-00-{made[:8]}.jsonl")
        copy.write_text(model.read_text().replace(old, made))
        command = [self.binary, "--home", str(self.other_home), "--archive", str(self.other), "sync"]
        subprocess.run([*command, "--origin", "host=other"], env=self.env, check=True, capture_output=True)

    def bring(self, seconds):
        """Imports the other archive, killed on the way."""
        was_killed = self.kill(seconds, "archive", "import", str(self.other))
        # A valid archive at any moment, not only when the import is complete.
        if self.killed.exists() and self.killed.stat().st_size > 0:
            self.run(self.killed, "archive", "verify")
        self.run(self.whole, "archive", "import", str(self.other))
        return was_killed

    def state(self, archive, name):
        """Everything that can be asked of an archive."""
        target = self.work / name
        shutil.rmtree(target, ignore_errors=True)
        listed = self.run(archive, "list", "--json", "--all", "--kind", "all", "--no-sync")
        arguments = ["export", "--all", "--kind", "all", "--format", "json", "-o", f"{target}/", "--no-sync", "--quiet"]
        self.run(archive, *arguments)
        documents = {path.name: path.read_bytes() for path in target.iterdir()}
        search = ["search", "--json", "--limit", "0", "--no-sync", "--"]
        hits = [self.run(archive, *search, query, allowed=(0, 1)) for query in QUERIES]
        return listed, documents, hits

    def compare(self):
        for archive in (self.killed, self.whole):
            self.run(archive, "sync")
            self.run(archive, "archive", "import", str(self.other))
        for archive in (self.killed, self.whole):
            self.run(archive, "archive", "verify")
            with sqlite3.connect(archive) as connection:
                answer = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if answer != "ok":
                sys.exit(f"SQLite says of {archive}: {answer}")
        killed, whole = self.state(self.killed, "killed"), self.state(self.whole, "whole")
        for what, one, other in zip(("lists", "documents", "hits"), killed, whole):
            if one != other:
                sys.exit(f"the {what} differ; both archives are in {self.work}")
        self.counts["sessions compared"] += len(killed[1])
        self.counts["rounds that are equal"] += 1

    def round(self, kills):
        for archive in (self.killed, self.whole):
            for file in archive.parent.glob(archive.name + "*"):
                file.unlink()
        start = time.perf_counter()
        self.run(self.whole, "sync")
        cold = time.perf_counter() - start
        done = 0
        self.sync_other()
        while done < kills:
            kind = self.random.random()
            if kind < 0.2:
                self.sync_other()
                done += self.bring(self.random.uniform(0.005, cold))
            elif kind < 0.4:
                done += self.kill(self.random.uniform(0.005, cold), "sync", "--rebuild")
            elif kind < 0.5 and done > kills // 2:
                self.run(self.killed, "sync")
                self.run(self.whole, "sync")
                done += self.forget(self.random.uniform(0.005, cold / 2))
            else:
                self.change()
                # Most of the files are there after the first runs, which then are short.
                most = cold if done < 3 else cold / 3
                done += self.kill(self.random.uniform(0.005, most), "sync")
                self.run(self.whole, "sync")
        self.compare()
        self.delete()
        self.run(self.killed, "sync")
        self.run(self.whole, "sync")
        self.compare()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", default=str(ROOT / "target" / "debug" / "gemtrail"))
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="gemtrail-torture-"))
    generator = [sys.executable, str(ROOT / "tools" / "gen_corpus.py"), "--out", str(work / "corpus"), "--size", "small"]
    subprocess.run(generator, check=True, stdout=subprocess.DEVNULL)
    generator[generator.index(str(work / "corpus"))] = str(work / "other")
    subprocess.run([*generator, "--seed", "9"], check=True, stdout=subprocess.DEVNULL)
    torture = Torture(os.path.abspath(args.bin), args.seed, work)
    left = args.kills
    while left > 0:
        torture.round(min(ROUND, left))
        left -= ROUND
    for what, count in sorted(torture.counts.items()):
        print(f"{count:6} {what}")
    print("nothing was lost, nothing is damaged")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
